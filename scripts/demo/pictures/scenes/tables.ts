/** Scenes on a table: a vase of flowers and a cake. */
import { darken, lighten, mix, type Rgb, verticalGradient, WHITE } from "../colour.ts";
import { drawCloud, drawLeaf, drawMug, wavyLine } from "../scenery.ts";
import { areaBelow, circle, line, oval, path, polygon, rect } from "../shapes.ts";
import { everything, type Painter } from "./painter.ts";

export const flowers: Painter = (g, { light, middle, deep, accent }, random) => {
  g.fill(everything, verticalGradient(lighten(light, 0.2), light, 0, 280));
  // An arched window with a blurred view.
  g.clip([...circle(478, 118, 92), ...rect(386, 118, 184, 190)], () => {
    g.fill(everything, verticalGradient(lighten(middle, 0.5), lighten(middle, 0.82), 20, 280));
    drawCloud(g, 440, 120, 0.7, WHITE, 0.9);
    drawCloud(g, 540, 160, 0.6, WHITE, 0.8);
    g.fill(areaBelow(wavyLine(random, 232, 8, 200), 380, 580, 320), mix(middle, light, 0.35));
    g.fill(areaBelow(wavyLine(random, 250, 8, 160), 380, 580, 320), mix(middle, deep, 0.2));
    g.fill(rect(474, 0, 8, 320), WHITE);
    g.fill(rect(380, 168, 200, 7), WHITE);
  });
  g.fill(line("M 386 300 L 386 118 C 386 67 427 26 478 26 C 529 26 570 67 570 118 L 570 300", 9), WHITE);
  g.fill(rect(-400, 268, 1440, 200), mix(lighten(accent, 0.55), [214, 170, 128], 0.55));
  g.fill(rect(-400, 268, 1440, 7), lighten(accent, 0.72));
  g.fill(rect(-400, 318, 1440, 3), darken(accent, 0.1), 0.2);
  const vaseX = 232;
  g.fill(oval(vaseX + 20, 318, 82, 11), deep, 0.22);
  const turnOfKinds = Math.floor(random.between(0, 4));
  const stems: readonly [number, number, number, number][] = [
    [-96, 126, 27, 0],
    [-44, 70, 31, 1],
    [22, 46, 29, 2],
    [84, 84, 32, 0],
    [112, 148, 24, 1],
    [-4, 118, 34, 3],
    [52, 146, 28, 1],
    [-58, 156, 27, 2],
    [-116, 176, 20, 3],
  ];
  const green = mix(middle, deep, 0.45);
  for (const [dx, y] of stems)
    g.fill(line(`M ${vaseX} 250 Q ${vaseX + dx * 0.35} ${y + 70} ${vaseX + dx} ${y}`, 4), green);
  for (let i = 0; i < 17; i += 1) {
    const turn = -108 + i * 13.5 + random.between(-6, 6);
    const from = random.between(14, 70);
    const angle = (turn * Math.PI) / 180;
    drawLeaf(
      g,
      vaseX + Math.sin(angle) * from,
      214 - Math.cos(angle) * from * 0.9,
      random.between(52, 84),
      turn,
      mix(green, i % 2 ? lighten(middle, 0.15) : deep, 0.4),
    );
  }
  for (const [dx, y, r, slot] of stems) {
    const x = vaseX + dx;
    const kind = (slot + turnOfKinds) % 4;
    const color =
      [accent, lighten(accent, 0.62), lighten(mix(accent, [140, 104, 214], 0.6), 0.12), WHITE][kind] ?? accent;
    if (kind === 0) {
      // A tulip.
      g.place({ x, y, scale: r / 26, turn: dx / 5 }, () => {
        g.fill(
          path(
            "M -22 -18 C -26 8 -14 22 0 22 C 14 22 26 8 22 -18 C 16 -14 12 -10 10 -6 C 8 -16 4 -24 0 -28 C -4 -24 -8 -16 -10 -6 C -12 -10 -16 -14 -22 -18 Z",
          ),
          color,
        );
        g.fill(path("M 0 -28 C 10 -14 12 6 0 22 C -12 6 -10 -14 0 -28 Z"), lighten(color, 0.25));
      });
    } else if (kind === 1) {
      // A ranunculus: rings of petals.
      g.fill(circle(x, y, r), darken(color, 0.06));
      for (let i = 0; i < 7; i += 1)
        g.fill(
          circle(x + Math.cos(i * 0.9) * r * 0.62, y + Math.sin(i * 0.9) * r * 0.62, r * 0.46),
          lighten(color, i % 2 ? 0.25 : 0.05),
        );
      g.fill(circle(x, y, r * 0.62), mix(color, accent, 0.18));
      g.fill(circle(x + 1, y - 1, r * 0.44), mix(color, accent, 0.4));
      g.fill(circle(x, y, r * 0.24), mix(color, accent, 0.75));
    } else if (kind === 2) {
      // A cosmos.
      for (let i = 0; i < 8; i += 1) {
        g.place({ x, y, turn: i * 45 + dx, scale: r / 28 }, () =>
          g.fill(
            path("M 0 -2 C 12 -10 12 -26 7 -31 L 2 -28 L -2 -32 L -7 -29 C -12 -24 -10 -10 0 -2 Z"),
            i % 2 ? color : lighten(color, 0.16),
          ),
        );
      }
      g.fill(circle(x, y, r * 0.27), [247, 206, 98]);
    } else {
      // A daisy.
      for (let i = 0; i < 13; i += 1) {
        g.place({ x, y, turn: (i * 360) / 13, scale: r / 28 }, () =>
          g.fill(oval(0, -19, 5, 11), i % 2 ? WHITE : [240, 240, 248]),
        );
      }
      g.fill(circle(x, y, r * 0.34), [248, 196, 84]);
    }
  }
  const vase = path(
    `M ${vaseX - 30} 210 L ${vaseX + 30} 210 C ${vaseX + 24} 226 ${vaseX + 62} 240 ${vaseX + 60} 276 C ${vaseX + 58} 304 ${vaseX + 36} 318 ${vaseX + 26} 318 L ${vaseX - 26} 318 C ${vaseX - 36} 318 ${vaseX - 58} 304 ${vaseX - 60} 276 C ${vaseX - 62} 240 ${vaseX - 24} 226 ${vaseX - 30} 210 Z`,
  );
  const ware = mix(middle, deep, 0.3);
  g.fill(vase, ware);
  g.clip(vase, () => {
    g.fill(rect(vaseX + 22, 200, 60, 130, 30), darken(ware, 0.3), 0.45);
    for (const y of [262, 278])
      g.fill(line(`M ${vaseX - 70} ${y} Q ${vaseX} ${y + 12} ${vaseX + 70} ${y}`, 4), lighten(ware, 0.7));
    g.fill(line(`M ${vaseX - 44} 250 C ${vaseX - 50} 262 ${vaseX - 50} 280 ${vaseX - 42} 292`, 6), WHITE, 0.5);
  });
  g.fill(rect(vaseX - 34, 205, 68, 9, 4), lighten(ware, 0.2));
  // Things that the painter left on the table: a box of colours and a fallen petal or two.
  g.place({ x: 430, y: 320, turn: -3 }, () => {
    g.fill(rect(-58, -26, 128, 30, 5), WHITE);
    g.fill(rect(-58, -4, 128, 8, 3), darken(light, 0.2));
    [accent, mix(accent, [248, 196, 84], 0.7), middle, deep, green, mix(accent, deep, 0.5)].forEach((color, i) => {
      g.fill(rect(-51 + i * 19.4, -21, 15, 13, 3), color);
    });
    g.place({ x: 116, y: -6, turn: 68 }, () => {
      g.fill(rect(-2.5, -46, 5, 62, 2), deep);
      g.fill(rect(-3, 14, 6, 9), [214, 214, 220]);
      g.fill(path("M -3.4 23 L 3.4 23 C 4 30 1 36 0 40 C -1 36 -4 30 -3.4 23 Z"), accent);
    });
  });
  for (let i = 0; i < 3; i += 1) g.fill(oval(random.between(90, 360), random.between(326, 346), 8, 4), accent, 0.85);
};

export const cake: Painter = (g, { light, middle, deep, accent }, random) => {
  g.fill(everything, lighten(light, 0.1));
  for (let x = -20; x < 660; x += 44) g.fill(rect(x, -10, 20, 300), light, 0.65);
  // Bunting over the table.
  g.fill(line("M -10 26 Q 320 112 650 22", 2.4), darken(middle, 0.2));
  for (let i = 0; i < 13; i += 1) {
    const t = (i + 0.6) / 13.2;
    const x = -10 + t * 660;
    const y = (1 - t) * (1 - t) * 26 + 2 * (1 - t) * t * 112 + t * t * 22;
    g.place({ x, y, turn: (0.5 - t) * 26 }, () =>
      g.fill(path("M -17 0 L 17 0 L 0 34 Z"), [accent, WHITE, middle, lighten(accent, 0.5)][i % 4] ?? accent),
    );
  }
  const table = 268;
  g.fill(rect(-10, table, 670, 120), lighten(middle, 0.5));
  g.clip(rect(-10, table, 670, 120), () => {
    for (let i = -14; i < 16; i += 1)
      g.fill(
        polygon(
          [320 + i * 44, table - 10],
          [320 + i * 44 + 20, table - 10],
          [320 + i * 78 + 36, 380],
          [320 + i * 78, 380],
        ),
        middle,
        0.4,
      );
    for (const [y, h] of [
      [table + 8, 10],
      [table + 34, 14],
      [table + 66, 20],
    ] as const)
      g.fill(rect(-10, y, 670, h), middle, 0.4);
  });
  g.fill(rect(-10, table, 670, 4), WHITE, 0.8);
  const cx = 300;
  g.fill(oval(cx + 8, 330, 120, 12), deep, 0.2);
  // The stand.
  const china: Rgb = [250, 250, 252];
  g.fill(
    path(
      `M ${cx - 20} 272 L ${cx + 20} 272 C ${cx + 18} 300 ${cx + 30} 316 ${cx + 66} 326 L ${cx - 66} 326 C ${cx - 30} 316 ${cx - 18} 300 ${cx - 20} 272 Z`,
    ),
    darken(light, 0.12),
  );
  g.fill(oval(cx, 326, 66, 7), china);
  g.fill(oval(cx, 268, 172, 19), darken(light, 0.2));
  g.fill(oval(cx, 263, 172, 19), china);
  g.fill(oval(cx, 261, 152, 14), darken(light, 0.06));
  // The cake: sponge, cream, sponge, and icing that runs down its side.
  const left = cx - 124;
  const right = cx + 124;
  const body = path(`M ${left} 168 L ${left} 254 C ${left} 274 ${right} 274 ${right} 254 L ${right} 168 Z`);
  // A yellow accent gives a lemon cake, any other accent a strawberry cake.
  const lemon = accent[1] > 185 && accent[2] < 140;
  const sponge = !lemon && random.chance(0.4) ? mix([150, 98, 76], deep, 0.12) : mix([244, 208, 140], accent, 0.08);
  g.fill(body, sponge);
  g.clip(body, () => {
    g.fill(line(`M ${left - 4} 210 C ${left} 232 ${right} 232 ${right + 4} 210`, 15), [255, 250, 242]);
    for (let i = 0; i < 7; i += 1) g.fill(oval(left + 18 + i * 36, 220 + Math.sin((i / 6) * 3.14) * 8, 9, 6), accent);
    g.fill(rect(right - 44, 150, 60, 140), darken(sponge, 0.35), 0.22);
    g.fill(line(`M ${left - 4} 256 C ${left} 278 ${right} 278 ${right + 4} 256`, 8), darken(sponge, 0.18), 0.5);
  });
  const icing = mix(lighten(accent, 0.72), WHITE, 0.35);
  let drips = `M ${left} 166`;
  for (let i = 0; i < 8; i += 1) {
    const x = left + i * 31;
    const drop = random.between(14, 34) + Math.sin(((i + 0.5) / 8) * 3.14) * 15;
    drips += ` C ${x} ${178 + drop} ${x + 20} ${178 + drop} ${x + 21} ${180 + Math.sin(((i + 0.6) / 8) * 3.14) * 15} C ${x + 22} ${172 + Math.sin(((i + 0.8) / 8) * 3.14) * 15} ${x + 30} ${172 + Math.sin(((i + 1) / 8) * 3.14) * 15} ${x + 31} ${176 + Math.sin(((i + 1) / 8) * 3.14) * 12}`;
  }
  g.fill(path(`${drips} L ${right} 166 Z`), icing);
  g.fill(oval(cx, 166, 124, 22), lighten(icing, 0.45));
  const drawStrawberry = (x: number, y: number, s: number, turn: number): void => {
    g.place({ x, y, scale: s, turn }, () => {
      const berry = mix(accent, [226, 58, 66], 0.6);
      g.fill(oval(0, 2, 21, 6), darken(icing, 0.22), 0.5);
      g.fill(path("M 0 -34 C 10 -34 22 -14 20 -4 C 16 4 -16 4 -20 -4 C -22 -14 -10 -34 0 -34 Z"), berry);
      g.fill(path("M 4 -32 C 14 -28 22 -12 20 -4 C 18 0 12 2 6 2 C 14 -8 12 -22 4 -32 Z"), darken(berry, 0.25), 0.5);
      for (const [sx, sy] of [
        [-9, -10],
        [0, -20],
        [8, -8],
        [-2, -5],
        [-7, -19],
        [7, -18],
      ] as const)
        g.fill(oval(sx, sy, 1.3, 2), [255, 226, 150]);
    });
  };
  const drawSlice = (x: number, y: number, s: number, turn: number): void => {
    g.place({ x, y: y - 15, scale: s, turn }, () => {
      g.fill(oval(0, 17, 21, 6), darken(icing, 0.22), 0.5);
      g.fill(circle(0, 0, 20), accent);
      g.fill(circle(0, 0, 17), [255, 250, 226]);
      for (let i = 0; i < 8; i += 1)
        g.place({ turn: i * 45 }, () =>
          g.fill(path("M 0 -2.5 L 4.8 -11 C 4 -15.5 -4 -15.5 -4.8 -11 Z"), lighten(accent, 0.22)),
        );
    });
  };
  const drawDollop = (x: number, y: number, s: number): void => {
    g.place({ x, y, scale: s }, () => {
      g.fill(
        path("M 0 -26 C 4 -18 14 -16 14 -9 C 20 -8 22 2 14 4 L -14 4 C -22 2 -20 -8 -14 -9 C -14 -16 -4 -18 0 -26 Z"),
        WHITE,
      );
      g.fill(line("M -12 -8 Q 0 -3 12 -9 M -8 -16 Q 0 -12 7 -17", 1.8), darken(icing, 0.2), 0.6);
    });
  };
  for (let i = 0; i < 5; i += 1) drawDollop(cx - 84 + i * 42, 156 - Math.sin((i / 4) * 3.14) * 3, 0.85);
  for (const [x, y, s, turn] of [
    [-98, 172, 0.85, -8],
    [98, 172, 0.85, 8],
    [-34, 164, 1, -4],
    [34, 164, 1, 5],
    [0, 150, 1.05, 0],
    [-66, 178, 0.95, -6],
    [66, 178, 0.95, 6],
    [0, 182, 1.05, 2],
  ] as const)
    (lemon ? drawSlice : drawStrawberry)(cx + x, y, s, turn);
  drawLeaf(g, cx + 10, 122, 26, 34, [126, 176, 108]);
  drawLeaf(g, cx - 2, 120, 22, -30, [108, 160, 96]);
  // Tea on the right, a fork and a macaron on the left.
  g.fill(oval(520, 330, 76, 10), deep, 0.18);
  g.fill(oval(516, 322, 74, 14), china);
  g.fill(oval(516, 320, 50, 8), darken(light, 0.1));
  drawMug(g, 512, 318, 1.35, mix(middle, WHITE, 0.25), WHITE);
  const drawMacaron = (x: number, y: number, color: Rgb): void => {
    g.place({ x, y }, () => {
      g.fill(path("M -27 -14 C -27 -36 27 -36 27 -14 Z"), color);
      g.fill(rect(-28, -15, 56, 8, 4), lighten(color, 0.25));
      g.fill(rect(-25, -10, 50, 7), [255, 248, 236]);
      g.fill(path("M -27 -4 C -24 12 24 12 27 -4 Z"), darken(color, 0.08));
      g.fill(line("M -17 -22 Q -10 -28 -1 -28", 2.6), WHITE, 0.6);
    });
  };
  g.fill(oval(94, 332, 66, 8), deep, 0.18);
  drawMacaron(68, 322, lighten(accent, 0.3));
  drawMacaron(124, 324, mix(middle, WHITE, 0.1));
  drawMacaron(96, 294, mix([250, 214, 130], light, 0.2));
};
