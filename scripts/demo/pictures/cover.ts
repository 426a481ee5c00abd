import { createCanvas } from "./canvas.ts";
import { createRandom } from "./chance.ts";
import { colourAt, lighten, mix, verticalGradient, WHITE } from "./colour.ts";
import { type Palette, tonesOf } from "./palette.ts";
import { drawCloud, drawConifer, drawFlower, drawHalo, wavyLine } from "./scenery.ts";
import { areaBelow, circle, line, path, polygon, rect } from "./shapes.ts";

/** Draws the wide picture at the top of a creator's page (PNG). It is designed for 3:1. */
export function drawCover(palette: Palette, width: number, height: number): Uint8Array {
  const g = createCanvas(width, height, 1200, 400);
  const random = createRandom(`cover ${palette.join(" ")}`);
  const { light, middle, deep, accent } = tonesOf(palette);
  const sky = verticalGradient(mix(light, middle, 0.32), lighten(light, 0.3), 0, 260);
  g.fill(rect(0, 0, 1200, 400), sky);
  const sunX = random.between(780, 960);
  const sunY = random.between(120, 160);
  drawHalo(g, sunX, sunY, 66, lighten(accent, 0.4), colourAt(sky, sunY), 3);
  g.fill(circle(sunX, sunY, 66), lighten(accent, 0.3));
  for (let i = 0; i < 6; i += 1) {
    const y = random.between(70, 190);
    drawCloud(
      g,
      i * 210 + random.between(0, 170),
      y,
      random.between(0.6, 1.5),
      lighten(colourAt(sky, y), random.between(0.4, 0.85)),
      1,
    );
  }
  for (let i = 0; i < 14; i += 1) {
    g.place(
      {
        x: random.between(0, 1200),
        y: random.between(20, 220),
        scale: random.between(0.5, 1.1),
        turn: random.between(0, 360),
      },
      () => {
        g.fill(path("M 0 -12 C 9 -8 9 4 0 12 C -9 4 -9 -8 0 -12 Z"), random.chance(0.5) ? lighten(accent, 0.2) : WHITE);
      },
    );
  }
  for (let i = 0; i < 5; i += 1) {
    const y = 216 + i * 38;
    const hill = wavyLine(random, y, 24 - i * 2, 760 - i * 60);
    g.fill(areaBelow(hill, -4, 1208, 420), mix(mix(light, middle, 0.5 + i * 0.13), deep, i * 0.19));
    if (i === 1 || i === 3) {
      for (let x = random.between(0, 60); x < 1200; x += random.between(70, 170))
        drawConifer(g, x, hill(x) + 8, random.between(30, 48) + i * 7, mix(middle, deep, 0.28 + i * 0.18));
    }
    if (i === 2) {
      for (let x = random.between(40, 160); x < 1200; x += random.between(150, 320)) {
        const top = hill(x) - 20;
        g.fill(rect(x, top, 40, 34), lighten(light, 0.5));
        g.fill(polygon([x - 8, top + 1], [x + 20, top - 24], [x + 48, top + 1]), accent);
        g.fill([...rect(x + 7, top + 9, 8, 9), ...rect(x + 25, top + 9, 8, 9)], mix(middle, deep, 0.5));
      }
    }
  }
  for (let x = random.between(-10, 30); x < 1210; x += random.between(30, 72)) {
    const y = random.between(384, 402);
    const tall = random.between(26, 54);
    g.fill(line(`M ${x} ${y + 10} L ${x} ${y - tall}`, 2.6), mix(middle, deep, 0.75));
    drawFlower(
      g,
      x,
      y - tall,
      random.between(8, 14),
      random.chance(0.6) ? lighten(accent, random.between(0, 0.4)) : WHITE,
      [250, 214, 120],
    );
  }
  return g.png(100);
}
