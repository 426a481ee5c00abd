/** Scenes in a room: a guitar on its stand and a cat at the window. */
import { BLUSH, darken, INK, lighten, mix, type Rgb, verticalGradient, WHITE } from "../colour.ts";
import { drawCloud, drawMug, drawPottedPlant, wavyLine } from "../scenery.ts";
import { areaBelow, circle, line, oval, path, polygon, rect, stroke } from "../shapes.ts";
import { everything, type Painter } from "./painter.ts";

export const guitar: Painter = (g, { light, middle, deep, accent }, random) => {
  g.fill(everything, light);
  g.fill(rect(-10, 0, 670, 290), verticalGradient(lighten(light, 0.12), light, 0, 290));
  // Light falls through a window on the wall.
  for (const [x, y] of [
    [60, 40],
    [134, 40],
    [60, 128],
    [134, 128],
  ] as const)
    g.fill(polygon([x, y + 12], [x + 64, y - 2], [x + 64, y + 74], [x, y + 88]), WHITE, 0.5);
  const floor = mix([206, 160, 116], deep, 0.12);
  g.fill(rect(-10, 282, 670, 100), floor);
  g.fill(rect(-10, 274, 670, 9), WHITE, 0.9);
  for (const [x, y] of [
    [40, 304],
    [300, 304],
    [520, 304],
    [150, 332],
    [430, 332],
  ] as const)
    g.fill(rect(x, y, 170, 2), darken(floor, 0.25), 0.4);
  g.fill(oval(330, 330, 270, 26), mix(middle, WHITE, 0.25));
  g.fill(oval(330, 329, 246, 21), mix(middle, WHITE, 0.5));
  g.fill(oval(330, 328, 214, 16), mix(middle, WHITE, 0.25));
  g.fill(circle(394, 92, 64), mix(light, lighten(accent, 0.7), 0.5));
  // Records and a poster.
  g.fill(rect(440, 44, 92, 112, 3), WHITE);
  g.fill(rect(448, 52, 76, 96), mix(middle, light, 0.15));
  g.clip(rect(448, 52, 76, 96), () => {
    g.fill(circle(486, 96, 24), lighten(accent, 0.2));
    g.fill(
      areaBelow((x) => 118 + Math.sin(x / 14) * 8, 444, 528, 160),
      mix(middle, deep, 0.5),
    );
    g.fill(
      areaBelow((x) => 130 + Math.sin(x / 11 + 2) * 6, 444, 528, 160),
      deep,
    );
  });
  g.fill(circle(588, 78, 38), mix(deep, INK, 0.6));
  g.fill(circle(588, 78, 28), mix(deep, INK, 0.45));
  g.fill(circle(588, 78, 24), mix(deep, INK, 0.6));
  g.fill(circle(588, 78, 13), accent);
  g.fill(circle(588, 78, 3), light);
  // The amplifier, with a plant and a mug.
  g.fill(oval(520, 322, 84, 8), deep, 0.3);
  g.fill(rect(448, 204, 144, 116, 9), mix(deep, INK, 0.25));
  g.fill(rect(458, 238, 124, 72, 5), mix(lighten(accent, 0.6), light, 0.4));
  for (let x = 466; x < 580; x += 9) g.fill(rect(x, 240, 2, 68), darken(accent, 0.2), 0.18);
  g.fill(rect(458, 212, 124, 20, 4), mix(lighten(accent, 0.75), light, 0.2));
  for (let i = 0; i < 5; i += 1) g.fill(circle(474 + i * 18, 222, 5), mix(deep, INK, 0.5));
  g.fill(circle(570, 222, 3.6), [232, 84, 74]);
  drawPottedPlant(g, 556, 205, 0.9, mix(middle, [86, 148, 96], 0.6), accent);
  drawMug(g, 486, 205, 0.72, WHITE, WHITE);
  // A floor lamp at the back.
  g.fill(rect(392, 92, 4, 216), mix(deep, INK, 0.4));
  g.fill(oval(394, 308, 30, 5), mix(deep, INK, 0.4));
  g.fill(path("M 374 58 L 414 58 L 432 106 L 356 106 Z"), lighten(accent, 0.62));
  g.fill(path("M 400 58 L 414 58 L 432 106 L 410 106 Z"), darken(accent, 0.05), 0.25);
  // The guitar on its stand.
  g.fill(oval(232, 332, 92, 10), deep, 0.32);
  g.fill(line("M 172 334 L 214 262 M 292 334 L 250 262", 6), mix(deep, INK, 0.5));
  g.place({ x: 226, y: 243, turn: 9, scale: 0.93 }, () => {
    const wood = mix(accent, [222, 146, 78], 0.55);
    const body = path(
      "M 0 -84 C 34 -88 58 -70 56 -42 C 55 -22 44 -14 46 0 C 49 14 74 24 74 54 C 74 88 40 98 0 98 C -40 98 -74 88 -74 54 C -74 24 -49 14 -46 0 C -44 -14 -55 -22 -56 -42 C -58 -70 -34 -88 0 -84 Z",
    );
    g.place({ x: 5, y: 2 }, () => g.fill(body, darken(wood, 0.5)));
    g.fill(body, darken(wood, 0.34));
    g.place({ scale: 0.95, y: 0.5 }, () => g.fill(body, wood));
    g.clip(body, () =>
      g.fill(path("M -80 -90 L -30 -90 C -60 -40 -60 40 -30 100 L -80 100 Z"), lighten(wood, 0.35), 0.4),
    );
    g.fill(circle(0, -14, 27), darken(wood, 0.3));
    g.fill(circle(0, -14, 24.5), lighten(wood, 0.5));
    g.fill(circle(0, -14, 21), mix(deep, INK, 0.75));
    g.fill(path("M 18 -4 C 34 -2 44 12 40 32 C 30 38 16 30 14 14 Z"), darken(wood, 0.5), 0.85);
    g.fill(rect(-11, -190, 22, 158, 3), mix(INK, wood, 0.22));
    for (let i = 0; i < 11; i += 1) g.fill(rect(-11, -180 + i * 13.5, 22, 1.6), [222, 214, 196]);
    for (const y of [-146, -119, -92]) g.fill(circle(0, y, 2.6), WHITE);
    g.fill(path("M -12 -188 L 12 -188 L 17 -232 C 10 -240 -10 -240 -17 -232 Z"), darken(wood, 0.3));
    for (const y of [-198, -211, -224])
      g.fill([...rect(-28, y - 3, 12, 7, 3), ...rect(16, y - 3, 12, 7, 3)], mix(INK, wood, 0.35));
    g.fill(rect(-30, 46, 60, 10, 3), mix(INK, wood, 0.25));
    for (let i = 0; i < 6; i += 1)
      g.fill(line(`M ${-7.5 + i * 3} -188 L ${-9 + i * 3.6} 50`, 0.9), [248, 244, 232], 0.9);
  });
  // Notes in the air, a sheet on the floor.
  for (const [x, y, s, turn] of [
    [318, 96, 1, -8],
    [336, 176, 0.72, 10],
    [132, 238, 0.8, -14],
  ] as const) {
    g.place({ x: x + random.between(-8, 8), y: y + random.between(-8, 8), scale: s, turn }, () => {
      g.fill(
        [
          ...oval(-12, 20, 9, 7),
          ...oval(16, 15, 9, 7),
          ...rect(-6, -20, 4, 40),
          ...rect(21, -25, 4, 40),
          ...polygon([-6, -20], [25, -26], [25, -16], [-6, -10]),
        ],
        accent,
      );
    });
  }
  g.place({ x: 84, y: 318, turn: -6 }, () => {
    g.fill(polygon([-40, -14], [46, -14], [62, 20], [-56, 20]), WHITE);
    for (const y of [-7, 1, 10]) g.fill(rect(-36 - y * 0.3, y, 78 + y * 0.8, 1.6), mix(deep, light, 0.4));
    for (const [x, y] of [
      [-24, -8],
      [-6, -4],
      [14, -9],
      [-14, 3],
      [24, 1],
      [4, 8],
    ] as const)
      g.fill(oval(x, y, 3.6, 2.4), deep);
  });
};

export const cat: Painter = (g, { light, middle, deep, accent }, random) => {
  g.fill(everything, lighten(light, 0.15));
  for (let x = 8; x < 640; x += 40)
    for (let y = 12; y < 300; y += 40) g.fill(circle(x + ((y - 12) % 80 ? 20 : 0), y, 2.6), light);
  // The window and what is outside.
  g.fill(rect(120, 12, 400, 262, 8), WHITE);
  g.clip(rect(134, 26, 372, 248), () => {
    g.fill(everything, verticalGradient(mix(middle, WHITE, 0.3), mix(light, WHITE, 0.45), 20, 260));
    g.fill(circle(random.between(190, 240), 84, 26), lighten(accent, 0.5));
    drawCloud(g, random.between(400, 450), 86, 0.95, WHITE, 0.9);
    drawCloud(g, random.between(270, 310), 62, 0.6, WHITE, 0.75);
    g.fill(areaBelow(wavyLine(random, 196, 9, 220), 120, 520, 300), mix(middle, light, 0.25));
    for (const [x, w, h] of [
      [160, 44, 34],
      [222, 36, 26],
      [424, 48, 36],
    ] as const) {
      g.fill(rect(x, 218 - h, w, h + 20), lighten(light, 0.4));
      g.fill(polygon([x - 7, 219 - h], [x + w / 2, 198 - h], [x + w + 7, 219 - h]), mix(accent, deep, 0.25));
      g.fill([...rect(x + 8, 226 - h, 8, 9), ...rect(x + w - 17, 226 - h, 8, 9)], mix(middle, deep, 0.3));
    }
    g.fill(areaBelow(wavyLine(random, 228, 7, 170), 120, 520, 300), mix(middle, deep, 0.32));
    g.fill(rect(314, 10, 12, 280), WHITE);
    g.fill(rect(120, 122, 400, 10), WHITE);
  });
  // Curtains.
  const cloth = mix(middle, WHITE, 0.35);
  for (const flip of [false, true]) {
    g.place({ x: flip ? 640 : 0, flip }, () => {
      const curtain = path(
        "M 66 0 L 196 0 C 196 70 176 132 122 180 C 130 214 128 250 132 292 L 66 292 C 76 200 72 90 66 0 Z",
      );
      g.fill(curtain, cloth);
      g.clip(curtain, () => {
        for (const x of [86, 112, 140, 166])
          g.fill(
            path(
              `M ${x} -4 C ${x + 2} 90 ${x - 14} 150 ${x - (x - 66) * 0.5} 184 L ${x - (x - 66) * 0.5 + 7} 184 C ${x + 6} 150 ${x + 14} 90 ${x + 12} -4 Z`,
            ),
            darken(cloth, 0.25),
            0.3,
          );
        g.fill(
          path("M 96 196 C 104 230 102 262 104 294 L 112 294 C 110 262 112 230 106 192 Z"),
          darken(cloth, 0.25),
          0.3,
        );
      });
      g.fill(path("M 68 170 C 90 184 110 186 130 172 L 132 186 C 110 198 90 196 70 184 Z"), accent);
    });
  }
  g.fill(rect(44, 0, 552, 9, 4), mix(deep, INK, 0.2));
  g.fill([...circle(44, 5, 9), ...circle(596, 5, 9)], mix(deep, INK, 0.2));
  const wood = mix([214, 172, 130], light, 0.2);
  g.fill(rect(-10, 282, 670, 100), wood);
  g.fill(rect(-10, 282, 670, 8), lighten(wood, 0.45));
  g.fill(rect(-10, 326, 670, 40), darken(wood, 0.16));
  drawPottedPlant(g, 176, 296, 1.05, mix(middle, [94, 156, 104], 0.55), mix(accent, WHITE, 0.1));
  drawMug(g, 472, 304, 0.95, lighten(accent, 0.72), WHITE);
  g.fill(rect(508, 292, 76, 11, 3), mix(deep, middle, 0.4));
  g.fill(rect(514, 281, 68, 11, 3), accent);
  g.fill(rect(510, 271, 64, 10, 3), mix(middle, WHITE, 0.55));
  // The cat.
  const coat = random.next();
  const fur: Rgb =
    coat < 0.45
      ? mix(accent, [238, 178, 112], 0.55)
      : coat < 0.75
        ? mix([166, 168, 180], middle, 0.2)
        : mix([84, 76, 88], deep, 0.15);
  const stripe = darken(fur, coat < 0.75 ? 0.3 : 0.08);
  const cream: Rgb = [255, 246, 232];
  const catX = random.between(318, 336);
  g.fill(oval(catX, 306, 84, 8), deep, 0.25);
  g.fill(line(`M ${catX + 50} 292 C ${catX + 104} 296 ${catX + 108} 336 ${catX + 76} 346`, 19), fur);
  g.clip(stroke(path(`M ${catX + 50} 292 C ${catX + 104} 296 ${catX + 108} 336 ${catX + 76} 346`), 19), () => {
    g.fill(line(`M ${catX + 82} 322 L ${catX + 110} 312 M ${catX + 80} 336 L ${catX + 108} 336`, 6), stripe);
    g.fill(circle(catX + 72, 348, 14), cream);
  });
  g.place({ x: catX, y: 306 }, () => {
    const body = path("M -58 0 C -70 -40 -56 -96 -34 -124 L 34 -124 C 56 -96 70 -40 58 0 C 40 4 -40 4 -58 0 Z");
    g.fill(body, fur);
    g.clip(body, () => {
      for (const y of [-88, -66, -44]) g.fill(line(`M -74 ${y} L -38 ${y + 8} M 74 ${y} L 38 ${y + 8}`, 8), stripe);
      g.fill(path("M -26 -122 C -34 -84 -22 -50 0 -46 C 22 -50 34 -84 26 -122 Z"), cream);
    });
    g.fill(
      path(
        "M -44 2 C -66 2 -68 -30 -44 -34 C -32 -30 -28 -12 -32 2 Z M 44 2 C 66 2 68 -30 44 -34 C 32 -30 28 -12 32 2 Z",
      ),
      darken(fur, 0.1),
    );
    g.fill([...rect(-27, -56, 24, 58, 11), ...rect(3, -56, 24, 58, 11)], fur);
    g.fill([...rect(-29, -16, 27, 19, 9), ...rect(2, -16, 27, 19, 9)], cream);
    g.fill(line("M -19 -8 L -19 0 M -11 -8 L -11 0 M 11 -8 L 11 0 M 19 -8 L 19 0", 1.8), stripe);
    // The head.
    g.place({ y: -152, turn: random.between(-5, 5) }, () => {
      for (const flip of [false, true]) {
        g.place({ flip }, () => {
          g.fill(path("M -58 -14 C -62 -44 -58 -66 -52 -74 C -40 -66 -24 -54 -16 -44 Z"), fur);
          g.fill(path("M -52 -26 C -54 -46 -52 -56 -49 -62 C -41 -56 -32 -48 -26 -42 Z"), [246, 176, 168]);
        });
      }
      const head = path(
        "M 0 -52 C 40 -52 64 -28 64 2 C 64 32 36 46 0 46 C -36 46 -64 32 -64 2 C -64 -28 -40 -52 0 -52 Z",
      );
      g.fill(head, fur);
      g.clip(head, () => {
        g.fill(
          path("M -8 -56 L 8 -56 L 4 -26 L -4 -26 Z M -26 -56 L -15 -54 L -15 -34 Z M 26 -56 L 15 -54 L 15 -34 Z"),
          stripe,
        );
        g.fill(line("M -70 4 L -48 8 M -70 18 L -50 18 M 70 4 L 48 8 M 70 18 L 50 18", 5), stripe);
        g.fill(
          path("M 0 -6 C 12 6 34 14 34 28 C 34 44 12 48 0 48 C -12 48 -34 44 -34 28 C -34 14 -12 6 0 -6 Z"),
          cream,
        );
      });
      g.fill([...oval(-38, 22, 9, 6), ...oval(38, 22, 9, 6)], BLUSH, 0.4);
      if (random.chance(0.5)) {
        g.fill([...oval(-26, 2, 8.5, 10), ...oval(26, 2, 8.5, 10)], INK);
        g.fill(
          [...circle(-28.5, -2, 3.2), ...circle(23.5, -2, 3.2), ...circle(-23, 6, 1.6), ...circle(29, 6, 1.6)],
          WHITE,
        );
      } else {
        g.fill(line("M -36 2 Q -26 12 -16 2 M 16 2 Q 26 12 36 2", 3.6), INK);
      }
      g.fill(path("M -6 12 C -3 10 3 10 6 12 C 5 17 2 19 0 19 C -2 19 -5 17 -6 12 Z"), [232, 124, 120]);
      g.fill(line("M 0 19 L 0 23 Q -6 30 -12 25 M 0 23 Q 6 30 12 25", 2.3), INK);
      g.fill(line("M -44 16 L -78 10 M -44 23 L -78 25 M 44 16 L 78 10 M 44 23 L 78 25", 1.5), WHITE, 0.9);
    });
    g.fill(
      path("M -36 -118 C -16 -102 16 -102 36 -118 L 38 -109 C 16 -93 -16 -93 -38 -109 Z"),
      mix(deep, middle, 0.25),
    );
    g.fill(circle(0, -98, 7.5), [250, 206, 92]);
    g.fill(line("M -4 -97 L 4 -97", 1.6), darken([250, 206, 92], 0.4));
  });
};
