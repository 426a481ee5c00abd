/** Scenes of the wild: a mountain and a forest. */
import type { Random } from "../chance.ts";
import { colourAt, darken, INK, lighten, mix, type Rgb, verticalGradient, WHITE } from "../colour.ts";
import { drawBird, drawCloud, drawConifer, drawHalo, drawLeaf, wavyLine } from "../scenery.ts";
import { areaBelow, circle, line, oval, type Point, path, polygon, rect, type Shape } from "../shapes.ts";
import { everything, type Painter } from "./painter.ts";

/** A rocky line through the given peaks. */
function rockyLine(random: Random, peaks: readonly Point[], rough: number): Point[] {
  let points: Point[] = [...peaks];
  let amount = rough;
  for (let pass = 0; pass < 4; pass += 1) {
    const finer: Point[] = [];
    let previous: Point | undefined;
    for (const here of points) {
      if (previous) {
        finer.push([
          (previous[0] + here[0]) / 2 + random.between(-0.4, 0.4) * amount,
          (previous[1] + here[1]) / 2 + random.between(-1, 1) * amount,
        ]);
      }
      finer.push(here);
      previous = here;
    }
    points = finer;
    amount *= 0.52;
  }
  return points;
}

export const mountain: Painter = (g, { light, middle, deep, accent }, random) => {
  const sky = verticalGradient(mix(middle, WHITE, 0.3), lighten(light, 0.2), 0, 230);
  g.fill(everything, sky);
  const sunX = random.between(420, 560);
  const sunY = random.between(64, 116);
  drawHalo(g, sunX, sunY, 30, lighten(accent, 0.55), colourAt(sky, sunY), 3);
  g.fill(circle(sunX, sunY, 30), lighten(accent, 0.35));
  drawCloud(g, random.between(60, 120), random.between(70, 100), 0.9, WHITE, 0.8);
  const far = mix(middle, light, 0.4);
  g.fill(
    [
      [
        ...rockyLine(
          random,
          [
            [-10, 200],
            [70, 150],
            [150, 186],
            [430, 150],
            [520, 112],
            [600, 160],
            [660, 140],
          ],
          15,
        ),
        [660, 400],
        [-10, 400],
      ],
    ],
    far,
  );
  // The great peak: its body, its shaded side, its snow.
  const peakX = random.between(220, 340);
  const peakY = random.between(36, 72);
  const west = rockyLine(
    random,
    [
      [peakX - 250, 300],
      [peakX - 130, 196],
      [peakX - 64, 116],
      [peakX, peakY],
    ],
    13,
  );
  const east = rockyLine(
    random,
    [
      [peakX, peakY],
      [peakX + 56, 106],
      [peakX + 150, 196],
      [peakX + 280, 310],
    ],
    13,
  );
  const body: Shape = [[...west, ...east]];
  g.fill(body, mix(middle, deep, 0.42));
  g.clip(body, () => {
    g.fill(
      [
        [
          ...rockyLine(
            random,
            [
              [peakX, peakY - 4],
              [peakX + 20, 110],
              [peakX - 6, 170],
              [peakX + 34, 240],
              [peakX + 10, 320],
            ],
            12,
          ),
          [peakX + 340, 330],
          [peakX + 300, 0],
        ],
      ],
      mix(middle, deep, 0.72),
    );
    const snow = rockyLine(
      random,
      [
        [peakX - 130, 150],
        [peakX - 74, 142],
        [peakX - 52, 116],
        [peakX - 34, 138],
        [peakX - 16, 112],
        [peakX + 2, 146],
        [peakX + 24, 116],
        [peakX + 42, 138],
        [peakX + 62, 112],
        [peakX + 130, 160],
      ],
      5,
    );
    g.fill([[...snow, [peakX + 120, 0], [peakX - 120, 0]]], [252, 253, 255]);
    g.clip([[...snow, [peakX + 120, 0], [peakX - 120, 0]]], () => {
      g.fill(
        [
          [
            ...rockyLine(
              random,
              [
                [peakX, peakY - 4],
                [peakX + 16, 96],
                [peakX + 4, 126],
                [peakX + 14, 170],
              ],
              6,
            ),
            [peakX + 140, 180],
            [peakX + 140, 0],
          ],
        ],
        mix(far, WHITE, 0.35),
      );
    });
  });
  g.fill(areaBelow(wavyLine(random, 216, 7, 420), -4, 644, 420), lighten(light, 0.55), 0.5);
  const hills: readonly [number, number, number][] = [
    [246, 0.52, 16],
    [276, 0.74, 14],
    [312, 0.95, 12],
  ];
  for (const [y, depth, height] of hills) {
    const slopeLine = wavyLine(random, y, height, 520);
    const color = mix(mix(middle, light, 0.15), deep, depth);
    if (depth < 0.9) {
      for (let x = random.between(-6, 10); x < 650; x += random.between(15, 40)) {
        drawConifer(g, x, slopeLine(x) + 6, random.between(24, 40) * (0.7 + depth), mix(color, deep, 0.25));
      }
    }
    g.fill(areaBelow(slopeLine, -4, 644, 420), color);
    if (depth < 0.6)
      g.fill(
        areaBelow((x) => slopeLine(x) + 20, -4, 644, 420),
        lighten(light, 0.5),
        0.22,
      );
  }
  // A tent with its lantern, between two groups of tall trees.
  const campX = random.between(230, 430);
  g.place({ x: campX, y: 330, scale: 1.1 }, () => {
    g.fill(oval(0, 2, 66, 6), darken(deep, 0.4), 0.4);
    g.fill(path("M -54 2 L -6 -52 L 56 2 Z"), accent);
    g.fill(path("M -6 -52 L 56 2 L 22 2 Z"), darken(accent, 0.28));
    g.fill(path("M -8 -50 C -10 -24 -16 -8 -26 2 L 6 2 C 2 -12 -4 -30 -8 -50 Z"), darken(accent, 0.55));
    g.fill(path("M -8 -50 C -10 -24 -16 -8 -26 2 L -16 2 C -10 -12 -8 -30 -8 -50 Z"), lighten(accent, 0.55));
    g.fill(circle(78, -12, 22), lighten(accent, 0.6), 0.25);
    g.fill(rect(72, -18, 12, 18, 4), lighten(accent, 0.7));
    g.fill(line("M 74 -19 Q 78 -28 82 -19", 2), darken(deep, 0.4));
    g.fill(rect(71, -3, 14, 4, 1), darken(deep, 0.4));
  });
  const near = darken(deep, 0.3);
  for (const [x, size] of [
    [26, 172],
    [84, 128],
    [132, 92],
    [566, 116],
    [616, 178],
  ] as const)
    drawConifer(g, x, 362, size, near);
  drawBird(g, 180, 92, 1, mix(deep, INK, 0.4));
  drawBird(g, 206, 82, 0.8, mix(deep, INK, 0.4));
};

export const forest: Painter = (g, { light, middle, deep, accent }, random) => {
  g.fill(everything, lighten(light, 0.1));
  drawHalo(g, 330, 130, 84, lighten(light, 0.75), lighten(light, 0.1), 3);
  const drawTrunks = (
    count: number,
    color: Rgb,
    width: number,
    base: number,
    skip: readonly [number, number],
  ): void => {
    for (let i = 0; i < count; i += 1) {
      const x = ((i + random.between(0.15, 0.85)) / count) * 680 - 20;
      if (x > skip[0] && x < skip[1]) continue;
      const w = width * random.between(0.7, 1.25);
      const lean = random.between(-10, 10);
      g.fill(
        path(
          `M ${x - w * 0.35 + lean} -10 L ${x + w * 0.35 + lean} -10 C ${x + w * 0.4} 140 ${x + w * 0.45} 220 ${x + w} ${base} L ${x - w} ${base} C ${x - w * 0.45} 220 ${x - w * 0.4} 140 ${x - w * 0.35 + lean} -10 Z`,
        ),
        color,
      );
      if (width > 12) {
        const side = random.chance(0.5) ? 1 : -1;
        const y = random.between(60, 130);
        g.fill(
          line(`M ${x + lean * 0.6} ${y + 30} Q ${x + side * 20} ${y + 10} ${x + side * 46} ${y - 24}`, w * 0.22),
          color,
        );
      }
    }
  };
  const drawCanopy = (y: number, r: number, color: Rgb, step: number): void => {
    const shape: Shape = [];
    for (let x = -30; x < 670; x += step)
      shape.push(
        ...circle(
          x + random.between(-8, 8),
          y + random.between(-16, 14) + Math.cos((x - 330) / 105) * -16,
          r * random.between(0.75, 1.2),
        ),
      );
    shape.push(...rect(-40, -200, 720, 200 + y));
    g.fill(shape, color);
  };
  drawTrunks(14, mix(light, middle, 0.55), 7, 250, [300, 360]);
  drawCanopy(28, 34, mix(light, middle, 0.5), 34);
  g.fill(areaBelow(wavyLine(random, 236, 6, 300), -4, 644, 420), mix(light, middle, 0.62));
  drawTrunks(11, mix(middle, deep, 0.2), 13, 276, [250, 410]);
  drawCanopy(8, 40, mix(middle, deep, 0.08), 44);
  g.fill(areaBelow(wavyLine(random, 258, 8, 380), -4, 644, 420), mix(middle, deep, 0.18));
  // The path that leads to the light.
  g.fill(
    path(
      "M 322 238 C 350 238 356 246 336 256 C 300 274 296 288 352 306 C 420 328 450 346 470 372 L 150 372 C 190 340 250 322 244 300 C 240 276 296 262 310 250 C 316 246 312 240 322 238 Z",
    ),
    mix(lighten(accent, 0.66), light, 0.3),
  );
  for (const [x, slant, width] of [
    [190, 90, 34],
    [296, 110, 56],
    [440, 130, 44],
  ] as const) {
    g.fill(
      polygon([x + slant, -10], [x + slant + width, -10], [x + width * 0.4 - 40, 330], [x - width * 0.9 - 40, 330]),
      lighten(light, 0.75),
      0.2,
    );
  }
  g.fill(path("M -10 276 C 60 268 130 290 190 316 C 214 328 200 350 160 374 L -10 374 Z"), mix(middle, deep, 0.55));
  g.fill(path("M 650 266 C 570 272 480 288 414 316 C 440 336 466 350 482 374 L 650 374 Z"), mix(middle, deep, 0.6));
  // Great trees frame the view.
  const bark = mix(deep, INK, 0.35);
  for (const [x, w, flip] of [
    [66, 1, false],
    [580, 1.15, true],
    [488, 0.5, true],
  ] as const) {
    g.place({ x, y: w < 0.8 ? 304 : 346, scale: w, flip }, () => {
      const trunk = path(
        "M -26 -700 L -26 -380 C -20 -220 -22 -90 -58 12 C -30 4 -12 6 4 12 C 22 4 40 6 64 12 C 34 -70 24 -200 30 -380 L 30 -700 Z",
      );
      g.fill(trunk, bark);
      g.clip(trunk, () => {
        g.fill(path("M 8 -700 L 8 -380 C 12 -200 20 -60 34 20 L 90 20 L 60 -700 Z"), lighten(bark, 0.2), 0.6);
        g.fill(line("M -6 -250 L -8 -190 M -12 -150 L -18 -90 M 2 -110 L 4 -60", 3), darken(bark, 0.4), 0.7);
      });
      g.fill(path("M 18 -176 C 50 -204 78 -240 92 -302 L 99 -300 C 90 -236 60 -184 20 -150 Z"), bark);
    });
  }
  drawCanopy(-22, 44, mix(deep, middle, 0.25), 46);
  for (const [x, y, s] of [
    [20, 352, 1.2],
    [150, 356, 0.9],
    [520, 352, 1],
    [626, 350, 1.3],
    [590, 360, 0.9],
  ] as const) {
    for (let i = -3; i <= 3; i += 1)
      drawLeaf(g, x + i * 3, y + 6, (52 - Math.abs(i) * 5) * s, i * 21, mix(deep, middle, 0.34 + (i % 2 ? 0.18 : 0)));
  }
  const drawMushroom = (x: number, y: number, s: number): void => {
    g.place({ x, y, scale: s }, () => {
      g.fill(path("M -8 0 C -6 -10 -6 -16 -5 -24 L 5 -24 C 6 -16 6 -10 8 0 Z"), [250, 240, 224]);
      g.fill(path("M -24 -20 C -24 -44 24 -44 24 -20 C 14 -14 -14 -14 -24 -20 Z"), accent);
      g.fill([...circle(-10, -28, 4), ...circle(4, -33, 3.4), ...circle(13, -25, 3)], WHITE, 0.95);
    });
  };
  drawMushroom(206, 348, 1);
  drawMushroom(232, 356, 0.66);
  drawMushroom(446, 340, 0.72);
  // A fox waits at the bend of the path.
  g.place({ x: 352, y: 292, scale: 0.86, flip: random.chance(0.5) }, () => {
    const fur = mix(accent, [226, 128, 60], 0.6);
    g.fill(oval(4, 2, 30, 4), deep, 0.3);
    g.fill(path("M 10 0 C 34 4 50 -12 44 -34 C 40 -22 28 -22 14 -14 Z"), fur);
    g.fill(path("M 44 -34 C 48 -24 46 -16 40 -10 C 40 -18 38 -22 34 -24 C 39 -26 42 -29 44 -34 Z"), WHITE);
    g.fill(path("M -16 2 C -18 -24 -8 -40 2 -44 C 14 -36 22 -16 18 2 Z"), fur);
    g.fill(path("M -8 2 C -12 -14 -8 -28 -2 -36 C 4 -26 4 -10 2 2 Z"), [252, 240, 226]);
    g.fill(
      path("M -22 -66 L -14 -52 L 2 -54 L 12 -66 L 14 -48 C 12 -38 2 -32 -6 -30 C -14 -34 -22 -42 -24 -50 Z"),
      fur,
    );
    g.fill(
      path(
        "M -22 -47 C -14 -46 -10 -40 -6 -30 C -14 -33 -20 -40 -22 -47 Z M 12 -46 C 4 -46 -2 -40 -6 -30 C 4 -34 10 -40 12 -46 Z",
      ),
      [252, 240, 226],
    );
    g.fill([...circle(-12, -47, 1.9), ...circle(3, -47, 1.9), ...circle(-5.6, -33, 2.4)], INK);
  });
  for (let i = 0; i < 16; i += 1)
    g.fill(
      circle(random.between(120, 540), random.between(60, 300), random.between(1, 2.4)),
      lighten(accent, 0.7),
      random.between(0.4, 0.9),
    );
};
