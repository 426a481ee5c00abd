/** Scenes of a town, by night and by day. */
import { colourAt, darken, lighten, mix, type Rgb, verticalGradient, WHITE } from "../colour.ts";
import { drawCloud, drawHalo, wavyLine } from "../scenery.ts";
import { areaBelow, circle, crescent, line, oval, path, polygon, rect, type Shape } from "../shapes.ts";
import { everything, type Painter } from "./painter.ts";

export const night: Painter = (g, { light, middle, deep, accent }, random) => {
  g.fill(everything, verticalGradient(darken(deep, 0.25), mix(middle, deep, 0.25), 0, 290));
  g.place({ x: 320, y: 110, turn: -24 }, () => {
    for (let i = 0; i < 4; i += 1) g.fill(oval(0, 0, 520, 58 - i * 14), lighten(middle, 0.25), 0.05);
    for (let i = 0; i < 90; i += 1)
      g.fill(
        circle(random.between(-420, 420), random.between(-26, 26) + random.between(-26, 26), random.between(0.5, 1.1)),
        lighten(light, 0.4),
        random.between(0.3, 0.8),
      );
  });
  for (let i = 0; i < 120; i += 1) {
    const y = random.next() * 232;
    g.fill(circle(random.between(-4, 644), y, random.between(0.6, 1.7)), lighten(light, 0.5), random.between(0.35, 1));
  }
  for (let i = 0; i < 7; i += 1) {
    g.place({ x: random.between(20, 620), y: random.between(16, 150), scale: random.between(0.6, 1.15) }, () => {
      g.fill(path("M 0 -9 Q 1 -1 9 0 Q 1 1 0 9 Q -1 1 -9 0 Q -1 -1 0 -9 Z"), lighten(accent, 0.55));
    });
  }
  const moonX = random.between(450, 540);
  const moonY = random.between(78, 100);
  const full = random.chance(0.4);
  drawHalo(g, moonX, moonY, 36, lighten(middle, 0.3), mix(deep, middle, 0.25), 3);
  g.fill(full ? circle(moonX, moonY, 36) : crescent(moonX, moonY, 38), lighten(accent, 0.62));
  if (full)
    g.fill(
      [
        ...circle(moonX - 12, moonY - 8, 8),
        ...circle(moonX + 10, moonY + 12, 10),
        ...circle(moonX + 14, moonY - 14, 4),
      ],
      lighten(accent, 0.42),
    );
  g.place({ x: random.between(150, 250), y: random.between(50, 90), turn: -28 }, () => {
    g.fill(polygon([0, -2.4], [0, 2.4], [120, 0]), lighten(light, 0.6), 0.55);
    g.fill(circle(0, 0, 3.4), WHITE);
  });
  const far = wavyLine(random, 232, 18, 460);
  g.fill(areaBelow(far, -4, 644, 420), mix(middle, deep, 0.5));
  for (let i = 0; i < 34; i += 1) {
    const x = random.between(0, 640);
    g.fill(rect(x, far(x) + random.between(10, 34), 2.6, 2.6), lighten(accent, 0.35), random.between(0.5, 1));
  }
  const mid = wavyLine(random, 268, 10, 560);
  g.fill(areaBelow(mid, -4, 644, 420), mix(deep, middle, 0.22));
  for (let x = random.between(-10, 10); x < 650; x += random.between(30, 74)) {
    const width = random.between(30, 46);
    const height = random.between(18, 30);
    const top = mid(x) - height + 12;
    const wall = mix(middle, deep, random.between(0.4, 0.62));
    g.fill(rect(x, top, width, height + 12), wall);
    g.fill(
      polygon([x - 6, top + 1], [x + width * 0.5, top - random.between(14, 20)], [x + width + 6, top + 1]),
      darken(deep, 0.3),
    );
    const lit = random.chance(0.8);
    g.fill(rect(x + width * 0.2, top + 7, 7, 8, 1), lit ? lighten(accent, 0.25) : darken(wall, 0.4));
    g.fill(rect(x + width * 0.58, top + 7, 7, 8, 1), random.chance(0.65) ? lighten(accent, 0.4) : darken(wall, 0.4));
  }
  const near = wavyLine(random, 314, 9, 700);
  const black = darken(deep, 0.55);
  const lamp = random.between(160, 270);
  g.fill(
    polygon(
      [lamp + 16, near(lamp) - 68],
      [lamp + 28, near(lamp) - 68],
      [lamp + 66, near(lamp) + 24],
      [lamp - 22, near(lamp) + 24],
    ),
    lighten(accent, 0.5),
    0.24,
  );
  g.fill(areaBelow(near, -4, 644, 420), black);
  g.clip(areaBelow(near, -4, 644, 420), () => g.fill(oval(lamp + 22, near(lamp) + 6, 56, 9), mix(black, accent, 0.35)));
  // Poles, wires and a street lamp on the near hill.
  for (const x of [84, 330, 576]) {
    g.fill(rect(x - 2.5, near(x) - 122, 5, 140), black);
    g.fill(rect(x - 26, near(x) - 110, 52, 4), black);
    g.fill(rect(x - 18, near(x) - 96, 36, 3.4), black);
  }
  for (const dy of [-111, -97]) {
    for (const [a, b] of [
      [-160, 84],
      [84, 330],
      [330, 576],
      [576, 800],
    ] as const) {
      g.fill(
        line(`M ${a} ${near(a) + dy} Q ${(a + b) / 2} ${(near(a) + near(b)) / 2 + dy + 30} ${b} ${near(b) + dy}`, 1.5),
        black,
      );
    }
  }
  g.fill(
    line(
      `M ${lamp} ${near(lamp) + 8} L ${lamp} ${near(lamp) - 64} Q ${lamp} ${near(lamp) - 76} ${lamp + 20} ${near(lamp) - 74}`,
      4,
    ),
    black,
  );
  g.fill(circle(lamp + 22, near(lamp) - 70, 16), lighten(accent, 0.5), 0.3);
  g.fill(oval(lamp + 22, near(lamp) - 71, 8, 5), lighten(accent, 0.7));
  // A cat looks up at the sky.
  const seat = random.between(430, 500);
  g.place({ x: seat, y: near(seat) + 3, scale: 0.9 }, () => {
    const figure = path(
      "M -14 2 C -18 -20 -10 -32 -6 -38 C -12 -46 -12 -54 -9 -62 L -2 -55 C 1 -56 4 -56 7 -55 L 14 -62 C 17 -54 16 -46 10 -38 C 16 -30 22 -16 18 2 Z",
    );
    g.place({ x: 1.4, y: -1.4 }, () =>
      g.fill([...figure, ...line("M 16 -2 C 34 0 38 -14 30 -24", 5)], lighten(middle, 0.45)),
    );
    g.fill(figure, black);
    g.fill(line("M 16 -2 C 34 0 38 -14 30 -24", 5), black);
  });
};

export const city: Painter = (g, { light, middle, deep, accent }, random) => {
  const sky = verticalGradient(mix(middle, WHITE, 0.2), lighten(light, 0.15), 0, 260);
  g.fill(everything, sky);
  const sunX = random.between(130, 300);
  drawHalo(g, sunX, 128, 44, lighten(accent, 0.6), colourAt(sky, 128), 3);
  g.fill(circle(sunX, 128, 44), lighten(accent, 0.5));
  drawCloud(g, random.between(420, 480), 74, 1, WHITE, 0.75);
  drawCloud(g, random.between(60, 110), 62, 0.7, WHITE, 0.6);
  drawCloud(g, 590, 120, 0.6, WHITE, 0.55);
  const row = (
    base: number,
    low: number,
    high: number,
    color: Rgb,
    window: Rgb | null,
    widths: readonly [number, number],
  ): void => {
    for (let x = -20; x < 650; ) {
      const width = random.between(widths[0], widths[1]);
      const height = random.between(low, high);
      const top = base - height;
      const wall = mix(color, deep, random.between(0, 0.16));
      g.fill(rect(x, top, width, 420 - top), wall);
      const cap = random.next();
      if (cap < 0.25) {
        g.fill(rect(x + width / 2 - 1, top - 24, 2.4, 26), wall);
        g.fill(circle(x + width / 2, top - 24, 2.6), accent);
      } else if (cap < 0.45) {
        g.fill(rect(x + width * 0.2, top - 9, width * 0.4, 12, 2), wall);
      } else if (cap < 0.6) {
        g.fill(polygon([x, top + 0.5], [x + width, top + 0.5], [x + width, top - 16]), wall);
      } else if (cap < 0.72 && window) {
        g.fill(rect(x + width * 0.3, top - 18, 20, 14, 3), darken(wall, 0.15));
        g.fill(rect(x + width * 0.3 + 2, top - 5, 3, 6), darken(wall, 0.15));
        g.fill(rect(x + width * 0.3 + 15, top - 5, 3, 6), darken(wall, 0.15));
      }
      if (window) {
        g.fill(rect(x + width - 7, top, 7, 420 - top), darken(wall, 0.3), 0.35);
        const columns = Math.floor((width - 16) / 13);
        const gap = (width - 8 - columns * 7) / (columns + 1);
        const lamps: Shape = [];
        const panes: Shape = [];
        for (let r = 0; top + 12 + r * 16 < base - 8; r += 1) {
          for (let c = 0; c < columns; c += 1) {
            (random.chance(0.42) ? lamps : panes).push(...rect(x + gap + c * (7 + gap), top + 11 + r * 16, 7, 9));
          }
        }
        g.fill(lamps, window);
        g.fill(panes, darken(wall, 0.3), 0.55);
      }
      x += width + random.between(-4, 5);
    }
  };
  row(280, 90, 150, mix(middle, light, 0.62), null, [34, 64]);
  row(300, 60, 122, mix(middle, deep, 0.22), lighten(light, 0.5), [44, 74]);
  // A broadcasting tower stands over the town.
  const tower = random.between(430, 500);
  g.fill(
    path(
      `M ${tower - 36} 312 C ${tower - 14} 220 ${tower - 6} 150 ${tower - 2} 62 L ${tower + 2} 62 C ${tower + 6} 150 ${tower + 14} 220 ${tower + 36} 312 L ${tower + 24} 312 C ${tower + 12} 272 ${tower - 12} 272 ${tower - 24} 312 Z`,
    ),
    accent,
  );
  g.fill(rect(tower - 15, 176, 30, 11, 3), WHITE);
  g.fill(rect(tower - 9, 122, 18, 8, 3), WHITE);
  g.fill(rect(tower - 24, 232, 48, 5), lighten(accent, 0.6));
  g.fill(rect(tower - 1, 36, 2, 30), accent);
  row(318, 34, 96, mix(middle, deep, 0.62), lighten(accent, 0.5), [54, 92]);
  // The railway in front, with its train.
  const near = darken(deep, 0.25);
  for (let x = 20; x < 660; x += 104) g.fill(path(`M ${x} 322 L ${x + 16} 322 L ${x + 16} 400 L ${x} 400 Z`), near);
  g.fill(
    areaBelow(() => 340, -4, 644, 420),
    darken(deep, 0.45),
    0.75,
  );
  for (let x = -10; x < 660; x += 24)
    g.fill(circle(x + random.between(-4, 4), 356, random.between(11, 18)), mix(near, middle, 0.28));
  g.fill(rect(-10, 314, 670, 13), near);
  g.fill(rect(-10, 314, 670, 3), lighten(deep, 0.3));
  const train = random.between(70, 220);
  g.place({ x: train, y: 313 }, () => {
    for (let car = 0; car < 3; car += 1) {
      const x = car * 98;
      const head = car === 2;
      const body = head
        ? path(`M ${x} -36 L ${x + 76} -36 C ${x + 90} -36 ${x + 98} -22 ${x + 98} -8 L ${x + 98} -3 L ${x} -3 Z`)
        : rect(x, -36, 94, 33, 3);
      g.fill(body, [250, 250, 252]);
      g.clip(body, () => {
        g.fill(rect(x - 2, -14, 104, 6), accent);
        g.fill(rect(x - 2, -5, 104, 4), darken(light, 0.3));
      });
      for (let w = 0; w < 4; w += 1)
        g.fill(rect(x + 9 + w * 20, -30, 13, 12, 2), w === 3 && head ? deep : lighten(accent, 0.62));
      g.fill([...circle(x + 18, -1, 4), ...circle(x + 76, -1, 4)], near);
    }
  });
};
