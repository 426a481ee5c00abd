import { type Canvas, createCanvas } from "./canvas.ts";
import { createRandom } from "./chance.ts";
import { BLUSH, darken, INK, lighten, luminance, mix, type Rgb, rgb, WHITE } from "./colour.ts";
import { BOTH_SIDES, type HairStyle, hairOf } from "./hair.ts";
import { circle, line, oval, path, polygon, rect } from "./shapes.ts";

type Mood = "smile" | "calm" | "wink";

/** The looks of a person in the demo. Colours are `#rrggbb`. */
export type Face = {
  skin: string;
  hair: string;
  hair_style: HairStyle;
  background: string;
  accent: string;
  mood: Mood;
};

const HEAD = path("M 57 84 C 55 48 137 48 135 84 C 136 110 120 133 96 133 C 72 133 56 110 57 84 Z");

/** Shaded skin is warmer, not greyer. */
const shadeSkin = (skin: Rgb, t: number): Rgb => mix(skin, [196, 84, 70], t);

function drawClothes(g: Canvas, accent: Rgb, skin: Rgb, kind: number): void {
  const neck = shadeSkin(skin, 0.24);
  const body = path("M 18 200 C 20 166 44 154 76 148 C 88 152 104 152 116 148 C 148 154 172 166 174 200 Z");
  g.fill(body, accent);
  g.clip(body, () => {
    if (kind === 1) {
      for (const y of [166, 178, 190]) g.fill(line(`M 10 ${y} Q 96 ${y + 8} 182 ${y}`, 4.5), lighten(accent, 0.62));
    }
    g.fill(path("M 18 200 C 20 176 34 164 46 160 C 40 174 40 188 40 200 Z"), darken(accent, 0.2), 0.45);
    g.fill(path("M 174 200 C 172 176 158 164 146 160 C 152 174 152 188 152 200 Z"), darken(accent, 0.2), 0.45);
  });
  g.fill(
    path("M 82 118 L 110 118 L 110 144 C 112 150 118 150 120 152 C 112 166 80 166 72 152 C 74 150 80 150 82 144 Z"),
    skin,
  );
  g.fill(path("M 82 124 C 90 136 102 136 110 124 L 110 138 C 102 145 90 145 82 138 Z"), neck);
  if (kind === 2) {
    // A hood with two strings.
    g.fill(
      path(
        "M 68 146 C 56 148 48 154 46 160 C 60 172 82 176 96 176 C 110 176 132 172 144 160 C 142 154 136 148 124 146 C 122 158 108 166 96 166 C 84 166 70 158 68 146 Z",
      ),
      darken(accent, 0.16),
    );
    g.fill(line("M 82 170 L 81 190 M 110 170 L 111 190", 3), lighten(accent, 0.75));
  } else if (kind === 3) {
    // A shirt collar.
    g.fill(
      path("M 74 146 L 96 168 L 84 182 L 62 152 Z M 118 146 L 130 152 L 108 182 L 96 168 Z"),
      lighten(accent, 0.82),
    );
    g.fill(line("M 96 170 L 96 200", 2), darken(accent, 0.25), 0.6);
  } else if (kind === 0) {
    g.fill(line("M 70 150 C 78 167 114 167 122 150", 5), lighten(accent, 0.5));
  } else {
    g.fill(line("M 70 150 C 78 167 114 167 122 150", 5), lighten(accent, 0.62));
  }
}

/** Draws the brows over the hair, so that no fringe cuts them in half. */
function drawBrows(g: Canvas, mood: Mood, hair: Rgb): void {
  const lines: Record<Mood, string> = {
    smile: "M 70 87 Q 76 83 83 86 M 109 86 Q 116 83 122 87",
    calm: "M 71 89 Q 77 86.5 83 88.4 M 109 88.4 Q 115 86.5 121 89",
    wink: "M 70 86.6 Q 76 82.6 83 85.6 M 109 88.6 Q 115 86.6 121 89.6",
  };
  g.fill(line(lines[mood], 2.4), darken(hair, luminance(hair) > 0.5 ? 0.5 : 0.3));
}

function drawExpression(g: Canvas, mood: Mood, hair: Rgb, skin: Rgb, lashes: boolean): void {
  const iris = mix(INK, hair, 0.18);
  const drawEye = (x: number, side: number): void => {
    g.fill(oval(x, 101, 5.4, 7), iris);
    g.fill(oval(x, 104, 3.6, 3.2), lighten(iris, 0.28), 0.75);
    g.fill(circle(x - 1.7, 98, 2.1), WHITE);
    g.fill(circle(x + 2, 103.6, 1), WHITE, 0.85);
    g.fill(line(`M ${x - 6} 96.5 Q ${x} 90.5 ${x + 6} 96.5`, 2.4), INK);
    if (lashes) g.fill(line(`M ${x + side * 6} 96.5 L ${x + side * 8.4} 94.6`, 2), INK);
  };
  const drawClosedEye = (x: number, bend: number): void =>
    g.fill(line(`M ${x - 7} 101 Q ${x} ${101 + bend} ${x + 7} 101`, 2.7), INK);
  g.clip(HEAD, () => g.fill([...oval(70, 113, 8.5, 5.4), ...oval(122, 113, 8.5, 5.4)], BLUSH, 0.34));
  g.fill(line("M 95 108 Q 96.5 110 98.4 108.6", 2), shadeSkin(skin, 0.5));
  if (mood === "calm") {
    drawClosedEye(77, 7);
    drawClosedEye(115, 7);
    if (lashes) g.fill(line("M 70.5 103 L 68 105 M 121.5 103 L 124 105", 1.8), INK);
    g.fill(line("M 89 119 Q 96 124.5 103 119", 2.4), [176, 74, 72]);
    return;
  }
  drawEye(77, -1);
  if (mood === "wink") drawClosedEye(115, -8);
  else drawEye(115, 1);
  const mouth =
    mood === "smile"
      ? path(
          "M 86.5 116.5 Q 96 119.5 105.5 116.5 C 104.5 124.5 100.5 127.6 96 127.6 C 91.5 127.6 87.5 124.5 86.5 116.5 Z",
        )
      : path("M 88 117 Q 97 120 105 115.6 C 104.6 122.6 101.5 126 97 126 C 92.5 126 89 122.6 88 117 Z");
  g.fill(mouth, [158, 54, 58]);
  g.clip(mouth, () => {
    g.fill(oval(96, 128, 7, 4.6), [240, 122, 118]);
    g.fill(path("M 88 115 L 104 115 L 103 119.6 Q 96 121.4 89 119.6 Z"), WHITE);
  });
}

/** Draws a square portrait (PNG). */
export function drawFace(face: Face, size: number): Uint8Array {
  const g = createCanvas(size, size, 192, 192);
  const skin = rgb(face.skin);
  const hair = rgb(face.hair);
  const accent = rgb(face.accent);
  const background = rgb(face.background);
  const random = createRandom(`face ${face.skin} ${face.hair} ${face.hair_style} ${face.background} ${face.accent}`);
  const style = hairOf(face.hair_style, hair, accent);

  g.fill(rect(0, 0, 192, 192), background);
  const motif = Math.floor(random.next() * 3);
  const pale = lighten(background, 0.42);
  if (motif === 0) {
    for (let y = 0; y < 6; y += 1) {
      for (let x = 0; x < 6; x += 1) g.fill(circle(x * 40 + (y % 2) * 20 - 4, y * 38 + 4, 4.6), pale, 0.8);
    }
  } else if (motif === 1) {
    for (let x = -200; x < 200; x += 34)
      g.fill(polygon([x, 200], [x + 14, 200], [x + 214, 0], [x + 200, 0]), pale, 0.5);
  } else {
    for (let i = 0; i < 16; i += 1) {
      const a = (i / 16) * Math.PI * 2;
      const b = a + Math.PI / 16;
      g.fill(
        polygon(
          [96, 96],
          [96 + Math.cos(a) * 160, 96 + Math.sin(a) * 160],
          [96 + Math.cos(b) * 160, 96 + Math.sin(b) * 160],
        ),
        pale,
        0.5,
      );
    }
  }
  g.fill(circle(96, 98, 77), lighten(background, 0.55));

  style.back(g);
  drawClothes(g, accent, skin, Math.floor(random.next() * 4));
  for (const side of BOTH_SIDES) {
    g.place(side, () => {
      g.fill(oval(56, 99, 7.5, 9.5), skin);
      g.fill(oval(55, 100, 4, 5.5), shadeSkin(skin, 0.24));
    });
  }
  g.fill(HEAD, skin);
  g.clip(HEAD, () => g.place({ y: 5 }, () => style.front(createShadowCanvas(g, shadeSkin(skin, 0.26)))));
  drawExpression(g, face.mood, hair, skin, face.hair_style !== "short" && face.hair_style !== "spiky");
  style.front(g);
  drawBrows(g, face.mood, hair);
  return g.png(72);
}

/** Returns the same canvas with one colour for everything, to draw a shadow. */
function createShadowCanvas(g: Canvas, color: Rgb): Canvas {
  const shadow: Canvas = {
    fill: (shape, _paint, alpha = 1) => {
      if (alpha === 1) g.fill(shape, color);
    },
    place: g.place,
    clip: (_shape, draw) => draw(),
    png: g.png,
  };
  return shadow;
}
