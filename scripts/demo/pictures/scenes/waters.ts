/** Scenes of water: a sea, and flooded fields at sunset. */
import { colourAt, darken, INK, lighten, mix, verticalGradient, WHITE } from "../colour.ts";
import { drawBird, drawCloud, drawHalo, wavyLine } from "../scenery.ts";
import { areaBelow, circle, line, oval, type Point, path, polygon, rect, stroke } from "../shapes.ts";
import { everything, type Painter, TALL } from "./painter.ts";

export const sea: Painter = (g, { light, middle, deep, accent }, random) => {
  const horizon = random.between(160, 186);
  const sky = verticalGradient(mix(middle, WHITE, 0.42), lighten(light, 0.25), 0, horizon);
  g.fill(everything, sky);
  const sunX = random.between(360, 540);
  const low = random.chance(0.4);
  const sunY = low ? horizon - 4 : random.between(60, 104);
  drawHalo(g, sunX, sunY, low ? 46 : 34, lighten(accent, 0.5), colourAt(sky, sunY), 3);
  if (low) g.fill(circle(sunX, sunY, 46), lighten(accent, 0.2));
  else g.fill(circle(sunX, sunY, 34), lighten(accent, 0.28));
  drawCloud(g, random.between(80, 200), random.between(74, 96), 1.15, WHITE, 0.92);
  drawCloud(g, random.between(240, 300), random.between(44, 60), 0.7, WHITE, 0.75);
  drawCloud(g, random.between(560, 610), horizon - random.between(10, 26), 0.8, WHITE, 0.7);
  const coast = mix(mix(middle, deep, 0.4), light, 0.35);
  const island = random.between(-20, 60);
  g.fill(
    path(
      `M ${island - 80} ${horizon + 2} C ${island - 20} ${horizon - 30} ${island + 30} ${horizon - 54} ${island + 80} ${horizon - 44} C ${island + 120} ${horizon - 38} ${island + 130} ${horizon - 14} ${island + 196} ${horizon + 2} Z`,
    ),
    coast,
  );
  // A lighthouse on the cape.
  g.fill(
    polygon(
      [island + 66, horizon - 42],
      [island + 69, horizon - 78],
      [island + 79, horizon - 78],
      [island + 82, horizon - 42],
    ),
    WHITE,
  );
  g.fill(rect(island + 68, horizon - 66, 12, 8), accent);
  g.fill(rect(island + 68, horizon - 87, 12, 9, 3), deep);
  g.fill(rect(-400, horizon, 1440, 400), verticalGradient(mix(middle, light, 0.12), deep, horizon, TALL));
  for (let i = 0; i < 26; i += 1) {
    const t = random.next();
    const y = horizon + 5 + t * t * 108;
    const length = (10 + t * 34) * random.between(0.6, 1.2);
    const x = sunX + random.between(-1, 1) * (16 + t * 62) - length / 2;
    g.fill(rect(x, y, length, 1.8 + t * 2.4, 3), lighten(accent, 0.72), 0.75);
  }
  const boatX = random.between(210, 330);
  const boatY = horizon + random.between(34, 48);
  g.place({ x: boatX, y: boatY, scale: 1.15, turn: -2 }, () => {
    g.fill(oval(2, 17, 46, 4), deep, 0.35);
    g.fill(path("M -38 4 L 40 4 C 36 12 30 17 24 17 L -24 17 C -31 17 -36 11 -38 4 Z"), WHITE);
    g.fill(path("M -36 9 L 38 9 L 35 12.5 L -33.5 12.5 Z"), accent);
    g.fill(rect(-2, -72, 3, 78), mix(deep, INK, 0.5));
    g.fill(path("M 4 -70 C 26 -48 34 -22 36 -4 L 4 -4 Z"), lighten(accent, 0.06));
    g.fill(path("M -5 -60 C -12 -36 -22 -16 -32 -4 L -5 -4 Z"), [255, 250, 240]);
  });
  for (let i = 0; i < 3; i += 1) {
    const y = 252 + i * 30;
    const wave = wavyLine(random, y, 5 + i, 210 + i * 40);
    g.fill(areaBelow(wave, -4, 644, 400), mix(mix(middle, deep, 0.45 + i * 0.2), light, 0.1));
    g.fill(stroke([areaBelow(wave, -4, 644, 400).flat().slice(0, -2)], 2.2), lighten(middle, 0.6), 0.6);
  }
  const sand = mix(lighten(accent, 0.62), [246, 226, 190], 0.55);
  g.fill(path("M -10 296 C 70 292 150 316 230 338 C 290 352 330 356 380 372 L -10 372 Z"), lighten(middle, 0.7), 0.85);
  g.fill(path("M -10 304 C 66 302 140 322 214 344 C 250 354 290 360 320 372 L -10 372 Z"), WHITE);
  g.fill(path("M -10 314 C 60 312 130 332 196 352 C 220 360 240 364 262 374 L -10 374 Z"), sand);
  g.place({ x: 62, y: 342, turn: -18 }, () => {
    g.fill(path("M 0 8 C -16 4 -16 -12 0 -14 C 16 -12 16 4 0 8 Z"), lighten(accent, 0.3));
    g.fill(line("M 0 6 L 0 -12 M -1 6 L -8 -8 M 1 6 L 8 -8", 1.3), darken(accent, 0.1), 0.6);
  });
  for (let i = 0; i < 3; i += 1)
    drawBird(g, sunX - 130 + i * 34, 96 + random.between(-20, 16), random.between(0.8, 1.2), mix(deep, INK, 0.3));
};

export const sunset: Painter = (g, { light, middle, deep, accent }, random) => {
  const sky = verticalGradient(mix(middle, deep, 0.3), lighten(light, 0.1), 0, 220);
  g.fill(everything, sky);
  const sunX = random.between(250, 420);
  const horizon = 222;
  for (let i = 2; i > 0; i -= 1)
    g.fill(circle(sunX, 196, 62 + i * 26), mix(colourAt(sky, 150), lighten(accent, 0.2), 0.6 - i * 0.2));
  g.fill(circle(sunX, 196, 62), verticalGradient(lighten(accent, 0.72), accent, 130, 250));
  for (let i = 0; i < 9; i += 1) {
    const y = 40 + i * 18 + random.between(-5, 5);
    const x = random.between(-60, 560);
    const width = random.between(90, 230);
    const tint = i < 4 ? mix(middle, deep, 0.12) : lighten(accent, 0.35);
    g.fill([...rect(x, y, width, 9, 5), ...rect(x + width * 0.25, y - 6, width * 0.45, 10, 5)], tint, 0.5);
  }
  g.fill(areaBelow(wavyLine(random, horizon - 16, 12, 380), -4, 644, 420), mix(middle, deep, 0.35));
  g.fill(areaBelow(wavyLine(random, horizon - 2, 6, 300), -4, 644, 420), mix(middle, deep, 0.6));
  // Flooded fields mirror the sky between dark banks.
  g.fill(
    rect(-10, horizon + 4, 670, 200),
    verticalGradient(mix(light, accent, 0.25), mix(middle, deep, 0.25), horizon, TALL),
  );
  for (let i = 0; i < 20; i += 1) {
    const t = i / 20;
    const width = (62 - t * 30) * random.between(0.5, 1.3);
    g.fill(
      rect(sunX - width + random.between(-14, 14), horizon + 8 + t * 112, width * 2, 3 + t * 2, 3),
      lighten(accent, 0.55),
      0.8 - t * 0.35,
    );
  }
  const bank = mix(deep, INK, 0.25);
  const banks: readonly [number, number][] = [
    [horizon + 26, 4],
    [horizon + 58, 6],
  ];
  for (const [y, thick] of banks)
    g.fill(path(`M -10 ${y} L 660 ${y - 6} L 660 ${y - 6 + thick} L -10 ${y + thick} Z`), bank);
  for (const [top, foot] of [
    [150, -60],
    [sunX - 20, 250],
    [500, 720],
  ] as const) {
    g.fill(polygon([top - 2, horizon + 4], [top + 2, horizon + 4], [foot + 14, 372], [foot - 14, 372]), bank);
  }
  // A path on the right bank, a pair walking home, poles and wires.
  const near = darken(bank, 0.35);
  g.fill(path("M -10 338 C 160 316 340 330 470 318 C 550 312 600 316 660 310 L 660 380 L -10 380 Z"), near);
  const poles: readonly [number, number][] = [
    [70, 1],
    [232, 0.74],
    [330, 0.56],
    [394, 0.44],
  ];
  for (const [x, s] of poles) {
    g.place({ x, y: 250 + s * 82, scale: s }, () => {
      g.fill(rect(-4, -236, 8, 250), near);
      g.fill(rect(-38, -222, 76, 6), near);
      g.fill(rect(-28, -200, 56, 5), near);
    });
  }
  for (const [dx, dy] of [
    [-34, -222],
    [34, -222],
    [-24, -200],
    [24, -200],
  ] as const) {
    let previous: Point = [-160, 60 + (dy + 222)];
    for (const [x, s] of poles) {
      const here: Point = [x + dx * s, 250 + s * 82 + dy * s];
      g.fill(
        line(
          `M ${previous[0]} ${previous[1]} Q ${(previous[0] + here[0]) / 2} ${(previous[1] + here[1]) / 2 + 24 * s} ${here[0]} ${here[1]}`,
          1.5,
        ),
        near,
      );
      previous = here;
    }
  }
  const walk = random.between(490, 540);
  g.place({ x: walk, y: 322 }, () => {
    // A grown-up in a long coat, a child with a sun hat and a schoolbag, hand in hand.
    g.fill(
      [
        ...circle(0, -66, 7),
        ...path("M -7 -57 C -3 -60 3 -60 7 -57 C 10 -44 12 -28 13 -18 L -13 -18 C -12 -28 -10 -44 -7 -57 Z"),
        ...line("M -4 -20 L -9 -2 M 4 -20 L 10 -4", 4.6),
        ...line("M -7 -54 L -13 -34", 3.8),
      ],
      near,
    );
    g.fill(
      [
        ...circle(33, -38, 6),
        ...path("M 23 -40 C 27 -43 27 -48 33 -49 C 39 -48 39 -43 43 -40 Z"),
        ...path("M 28 -31 C 31 -33 35 -33 38 -31 L 41 -13 L 25 -13 Z"),
        ...rect(37, -31, 8, 13, 3),
        ...line("M 30 -14 L 28 -2 M 36 -14 L 40 -3", 4),
      ],
      near,
    );
    g.fill(line("M 7 -54 L 16 -30 L 27 -29", 3.6), near);
  });
  for (let x = -6; x < 650; x += 7) {
    const h = random.between(8, 26) * (x < 180 || x > 590 ? 1.5 : 0.7);
    const lean = random.between(-8, 8);
    g.fill(
      path(
        `M ${x - 2.4} 366 Q ${x} ${356 - h * 0.5} ${x + lean} ${350 - h} Q ${x + 3} ${356 - h * 0.4} ${x + 2.6} 366 Z`,
      ),
      near,
    );
  }
  for (let i = 0; i < 5; i += 1)
    drawBird(g, 440 + i * 26 + random.between(-8, 8), 92 + Math.abs(i - 2) * 12 + random.between(-4, 4), 0.9, near);
};
