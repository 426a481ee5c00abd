/** Scenes of work: a potter's shelf and a game maker's desk. */
import type { Canvas } from "../canvas.ts";
import type { Random } from "../chance.ts";
import { darken, INK, lighten, mix, type Rgb, verticalGradient, WHITE } from "../colour.ts";
import { drawMug, drawPottedPlant, wavyLine } from "../scenery.ts";
import { circle, line, oval, path, rect, type Shape } from "../shapes.ts";
import { everything, type Painter } from "./painter.ts";

/** The shape of a vessel: half its width at the mouth, the belly and the foot, and its height. */
type Vessel = readonly [mouth: number, belly: number, foot: number, height: number];

const VESSELS: readonly Vessel[] = [
  [46, 40, 18, 44],
  [24, 25, 19, 52],
  [14, 38, 20, 84],
  [58, 50, 22, 30],
  [20, 34, 24, 62],
  [30, 30, 15, 36],
  [10, 26, 18, 70],
];

function outlineOf([mouth, belly, foot, height]: Vessel): Shape {
  const middle = -height * 0.45;
  return path(
    `M ${-mouth} ${-height} C ${-mouth} ${-height * 0.78} ${-belly} ${-height * 0.7} ${-belly} ${middle} C ${-belly} ${-height * 0.18} ${-foot} ${-height * 0.1} ${-foot} 0 L ${foot} 0 C ${foot} ${-height * 0.1} ${belly} ${-height * 0.18} ${belly} ${middle} C ${belly} ${-height * 0.7} ${mouth} ${-height * 0.78} ${mouth} ${-height} Z`,
  );
}

/** Draws a vessel with bare clay at the foot and glaze above. */
function drawVessel(g: Canvas, x: number, y: number, shape: Vessel, glaze: Rgb, random: Random): void {
  const [mouth, belly, foot, height] = shape;
  const clay = mix(glaze, [196, 152, 116], 0.75);
  const outline = outlineOf(shape);
  const drip = -height * random.between(0.2, 0.34);
  g.place({ x, y }, () => {
    g.fill(oval(6, 1, foot + 16, 5), INK, 0.16);
    g.fill(outline, clay);
    g.clip(outline, () => {
      let edge = `M -80 ${-height - 12} L -80 ${drip}`;
      for (let i = 0; i < 5; i += 1) {
        const from = -80 + i * 32;
        edge += ` Q ${from + 16} ${drip + random.between(-3, 10)} ${from + 32} ${drip}`;
      }
      g.fill(path(`${edge} L 80 ${-height - 12} Z`), glaze);
      g.fill(rect(belly * 0.42, -height - 10, 60, height + 20, 18), darken(glaze, 0.35), 0.32);
      g.fill(
        line(
          `M ${-belly * 0.62} ${-height * 0.72} Q ${-belly * 0.8} ${-height * 0.45} ${-belly * 0.6} ${-height * 0.24}`,
          4,
        ),
        WHITE,
        0.4,
      );
    });
    g.fill(oval(0, -height, mouth, Math.max(3, mouth * 0.15)), darken(glaze, 0.28));
    g.fill(oval(0, -height + 1.4, mouth - 3, Math.max(2, mouth * 0.11)), darken(glaze, 0.5));
  });
}

export const pottery: Painter = (g, { light, middle, deep, accent }, random) => {
  g.fill(everything, light);
  // Daylight from a window on the left.
  g.fill(path("M 40 -10 L 330 -10 L 470 370 L 180 370 Z"), WHITE, 0.4);
  g.fill(path("M 380 -10 L 440 -10 L 580 370 L 520 370 Z"), WHITE, 0.3);
  const wood = mix([190, 146, 104], deep, 0.16);
  const glazes = [middle, lighten(light, 0.35), accent, mix(middle, deep, 0.55), lighten(middle, 0.45), deep];
  const turn = Math.floor(random.between(0, 6));
  for (const [shelf, top] of [132, 246].entries()) {
    g.fill(rect(-10, top, 670, 13), wood);
    g.fill(rect(-10, top, 670, 4), lighten(wood, 0.32));
    g.fill(rect(-10, top + 13, 670, 9), INK, 0.12);
    for (const x of [70, 570])
      g.fill(
        path(`M ${x} ${top + 13} L ${x + 10} ${top + 13} L ${x + 10} ${top + 42} L ${x} ${top + 30} Z`),
        darken(wood, 0.3),
      );
    let x = random.between(24, 60);
    for (let i = 0; x < 610; i += 1) {
      const shape = VESSELS[(i * 3 + turn + shelf * 2) % VESSELS.length] as Vessel;
      const half = Math.max(shape[0], shape[1]);
      drawVessel(g, x + half, top, shape, glazes[(i + turn + shelf) % glazes.length] as Rgb, random);
      x += half * 2 + random.between(16, 40);
    }
  }
  // The bench: clay under a cloth, a bowl with tools, the piece in progress.
  g.fill(rect(-10, 326, 670, 60), darken(wood, 0.18));
  g.fill(rect(-10, 326, 670, 5), lighten(wood, 0.15));
  const clay: Rgb = mix([176, 138, 112], light, 0.15);
  g.fill(oval(166, 340, 78, 9), INK, 0.16);
  g.fill(path("M 96 340 C 92 300 126 286 164 288 C 206 288 240 304 236 340 Z"), clay);
  g.fill(
    path(
      "M 92 330 C 110 292 150 280 176 286 C 214 290 232 306 240 332 C 222 322 214 340 196 328 C 178 340 158 322 140 334 C 122 326 108 340 92 330 Z",
    ),
    lighten(middle, 0.6),
  );
  drawVessel(g, 352, 342, [52, 46, 24, 52], accent, random);
  drawVessel(g, 508, 342, [22, 24, 18, 44], mix(middle, deep, 0.3), random);
  g.place({ x: 508, y: 300 }, () =>
    g.fill(line("M -8 4 L -20 -44 M 2 2 L 2 -56 M 10 4 L 22 -40", 4), darken(wood, 0.35)),
  );
};

/** Draws rectangles `[x, y, width, height]`, in units of the game's large pixels. */
function drawRectangles(g: Canvas, squares: readonly (readonly [number, number, number, number])[], color: Rgb): void {
  g.fill(
    squares.flatMap(([x, y, width, height]) => rect(x * 6, y * 6, width * 6, height * 6)),
    color,
  );
}

/** Draws an inn on a mountain pass as a game with large pixels: 60 by 34 of them. */
function drawInn(g: Canvas, light: Rgb, middle: Rgb, deep: Rgb, accent: Rgb, random: Random): void {
  for (let row = 0; row < 6; row += 1)
    drawRectangles(g, [[0, row * 4, 60, 4]], mix(mix(middle, deep, 0.55), light, row / 6));
  drawRectangles(
    g,
    Array.from({ length: 16 }, () => [Math.floor(random.between(0, 60)), Math.floor(random.between(0, 12)), 1, 1]),
    lighten(light, 0.4),
  );
  const moon = Math.floor(random.between(42, 52));
  drawRectangles(
    g,
    [
      [moon, 4, 4, 6],
      [moon - 1, 5, 6, 4],
    ],
    lighten(accent, 0.5),
  );
  for (const [base, color] of [
    [17, mix(middle, deep, 0.35)],
    [21, mix(middle, deep, 0.7)],
  ] as const) {
    const ridge = wavyLine(random, base, 4, 40);
    drawRectangles(
      g,
      Array.from({ length: 60 }, (_, x) => [x, Math.round(ridge(x)), 1, 34 - Math.round(ridge(x))]),
      color,
    );
  }
  drawRectangles(g, [[0, 28, 60, 6]], darken(deep, 0.35));
  drawRectangles(
    g,
    Array.from({ length: 20 }, (_, i) => [i * 3 + (i % 2), 28, 1, 1]),
    mix(middle, deep, 0.4),
  );
  // The inn: two roofs, lit windows, a lantern by the door.
  const inn = Math.floor(random.between(8, 26));
  const roof = mix(deep, INK, 0.5);
  drawRectangles(
    g,
    [
      [inn + 2, 19, 18, 9],
      [inn + 6, 13, 10, 5],
    ],
    mix([150, 104, 76], deep, 0.25),
  );
  drawRectangles(
    g,
    [
      [inn, 18, 22, 1],
      [inn + 1, 17, 20, 1],
      [inn + 4, 12, 14, 1],
      [inn + 5, 11, 12, 1],
      [inn + 7, 10, 8, 1],
    ],
    roof,
  );
  drawRectangles(
    g,
    [
      [inn + 4, 21, 3, 3],
      [inn + 15, 21, 3, 3],
      [inn + 8, 14, 2, 3],
      [inn + 12, 14, 2, 3],
    ],
    lighten(accent, 0.2),
  );
  drawRectangles(g, [[inn + 9, 22, 4, 6]], darken(deep, 0.1));
  drawRectangles(g, [[inn + 8, 20, 1, 2]], accent);
  // The innkeeper and the cat.
  const keeper = inn + 25;
  drawRectangles(g, [[keeper, 23, 2, 2]], [246, 208, 172]);
  drawRectangles(g, [[keeper, 22, 2, 1]], INK);
  drawRectangles(g, [[keeper - 1, 25, 4, 3]], accent);
  drawRectangles(
    g,
    [
      [keeper + 6, 26, 3, 2],
      [keeper + 8, 25, 2, 2],
    ],
    WHITE,
  );
  // The innkeeper's speech.
  drawRectangles(g, [[3, 30, 54, 3]], mix(INK, deep, 0.3));
  drawRectangles(
    g,
    [
      [5, 31, 9, 1],
      [15, 31, 5, 1],
      [21, 31, 12, 1],
    ],
    WHITE,
  );
}

export const game: Painter = (g, { light, middle, deep, accent }, random) => {
  g.fill(everything, verticalGradient(lighten(light, 0.25), light, 0, 300));
  // Notes on the wall.
  for (let i = 0; i < 5; i += 1) {
    const right = i > 2;
    g.place(
      {
        x: (right ? 552 : 24) + (i % 3) * 22,
        y: 28 + (i % 3) * 62 + random.between(-8, 8),
        turn: random.between(-8, 8),
      },
      () => {
        g.fill(rect(0, 0, 44, 40, 2), [WHITE, lighten(accent, 0.55), lighten(middle, 0.55)][i % 3] as Rgb);
        for (const y of [11, 20, 29]) g.fill(rect(7, y, y === 29 ? 18 : 30, 2.4), mix(deep, light, 0.4));
      },
    );
  }
  const desk = mix([196, 152, 112], deep, 0.1);
  g.fill(rect(-10, 290, 670, 90), desk);
  g.fill(rect(-10, 290, 670, 6), lighten(desk, 0.35));
  // The screen.
  g.fill(oval(320, 306, 130, 9), INK, 0.2);
  g.fill(path("M 292 262 L 348 262 L 356 300 L 284 300 Z"), mix(INK, deep, 0.35));
  g.fill(rect(244, 298, 152, 9, 4), mix(INK, deep, 0.25));
  g.fill(rect(126, 34, 388, 232, 12), mix(INK, deep, 0.25));
  g.fill(rect(126, 34, 388, 4, 2), mix(INK, WHITE, 0.25));
  g.clip(rect(140, 48, 360, 204), () =>
    g.place({ x: 140, y: 48 }, () => drawInn(g, light, middle, deep, accent, random)),
  );
  g.fill(circle(320, 259, 2.6), lighten(accent, 0.4));
  // Keys, a controller, a warm drink.
  g.fill(rect(196, 318, 196, 34, 6), lighten(middle, 0.7));
  g.fill(
    [0, 1, 2].flatMap((row) =>
      Array.from({ length: 13 }, (_, i) => rect(203 + i * 14.2, 322 + row * 9.6, 11, 7, 2)).flat(),
    ),
    mix(middle, deep, 0.35),
  );
  g.place({ x: 470, y: 336, turn: -6 }, () => {
    g.fill(
      path(
        "M -46 -14 C -30 -22 30 -22 46 -14 C 60 -4 62 22 48 22 C 38 22 34 8 20 8 L -20 8 C -34 8 -38 22 -48 22 C -62 22 -60 -4 -46 -14 Z",
      ),
      mix(INK, deep, 0.4),
    );
    g.fill([...rect(-38, -6, 18, 6), ...rect(-32, -12, 6, 18)], lighten(light, 0.2));
    g.fill([...circle(26, -9, 4), ...circle(36, -2, 4)], accent);
    g.fill([...circle(24, 3, 4)], lighten(middle, 0.3));
  });
  drawMug(g, 574, 330, 1.1, lighten(accent, 0.3), WHITE);
  drawPottedPlant(g, 84, 316, 1.15, mix(middle, [92, 150, 100], 0.6), mix(accent, WHITE, 0.2));
};
