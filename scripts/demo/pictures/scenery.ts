/** Elements that several pictures share: skies, land, plants and cups. */
import type { Canvas } from "./canvas.ts";
import type { Random } from "./chance.ts";
import { darken, lighten, mix, type Rgb } from "./colour.ts";
import { circle, line, oval, path, rect } from "./shapes.ts";

/** A flat-bottomed cloud; `x`, `y` is the middle of its base. */
export function drawCloud(g: Canvas, x: number, y: number, scale: number, paint: Rgb, alpha: number): void {
  g.place({ x, y, scale }, () => {
    g.fill(
      [...rect(-62, -20, 124, 20, 10), ...circle(-28, -20, 20), ...circle(4, -30, 28), ...circle(34, -17, 17)],
      paint,
      alpha,
    );
  });
}

/** Rings of light around a sun or a moon. */
export function drawHalo(g: Canvas, x: number, y: number, r: number, color: Rgb, sky: Rgb, rings: number): void {
  // Uses opaque rings. Transparent ones over a sky gradient would multiply the number of colours in the file.
  for (let i = rings; i > 0; i -= 1)
    g.fill(circle(x, y, r * (1 + i * 0.36)), mix(lighten(sky, 0.12 * (rings + 1 - i)), color, 0.15 * (rings + 1 - i)));
}

/** Returns a wavy line made of two waves. */
export function wavyLine(random: Random, y: number, height: number, length: number): (x: number) => number {
  const a = random.between(0, 6.28);
  const b = random.between(0, 6.28);
  return (x) => y + Math.sin((x / length) * 6.28 + a) * height + Math.sin((x / length) * 13.7 + b) * height * 0.35;
}

export function drawConifer(g: Canvas, x: number, base: number, height: number, color: Rgb): void {
  g.place({ x, y: base, scale: height / 100 }, () => {
    g.fill(rect(-4, -14, 8, 16), darken(color, 0.35));
    const tree = path(
      "M 0 -100 C 6 -84 14 -76 22 -70 C 18 -68 16 -68 14 -68 C 20 -54 28 -46 34 -41 C 29 -39 25 -39 22 -40 C 28 -26 36 -17 44 -11 C 20 -5 -20 -5 -44 -11 C -36 -17 -28 -26 -22 -40 C -25 -39 -29 -39 -34 -41 C -28 -46 -20 -54 -14 -68 C -16 -68 -18 -68 -22 -70 C -14 -76 -6 -84 0 -100 Z",
    );
    g.fill(tree, color);
    g.clip(tree, () => g.fill(rect(2, -104, 60, 110), darken(color, 0.3), 0.4));
  });
}

export function drawLeaf(g: Canvas, x: number, y: number, length: number, turn: number, color: Rgb): void {
  g.place({ x, y, turn, scale: length / 40 }, () => {
    g.fill(path("M 0 0 C 10 -12 10 -28 0 -40 C -10 -28 -10 -12 0 0 Z"), color);
    g.fill(line("M 0 -2 L 0 -32", 1.2), darken(color, 0.3), 0.5);
  });
}

/** A five-petalled flower. */
export function drawFlower(g: Canvas, x: number, y: number, r: number, petal: Rgb, heart: Rgb): void {
  for (let i = 0; i < 5; i += 1) {
    const angle = (i / 5) * Math.PI * 2 - Math.PI / 2;
    g.fill(circle(x + Math.cos(angle) * r * 0.62, y + Math.sin(angle) * r * 0.62, r * 0.52), petal);
  }
  g.fill(circle(x, y, r * 0.36), heart);
}

export function drawBird(g: Canvas, x: number, y: number, size: number, color: Rgb): void {
  g.place({ x, y, scale: size }, () => g.fill(line("M -9 -3 Q -4 -7 0 0 Q 5 -7 10 -2", 2), color));
}

/** A mug or cup with two curls of steam. */
export function drawMug(g: Canvas, x: number, y: number, scale: number, color: Rgb, steam: Rgb): void {
  g.place({ x, y, scale }, () => {
    g.fill(line("M 20 -30 C 38 -32 38 -8 18 -10", 5), darken(color, 0.12));
    g.fill(path("M -22 -38 L 22 -38 C 22 -16 18 0 8 0 L -8 0 C -18 0 -22 -16 -22 -38 Z"), color);
    g.fill(path("M 8 -38 L 22 -38 C 22 -16 18 0 8 0 L 2 0 C 10 -8 10 -26 8 -38 Z"), darken(color, 0.25), 0.3);
    g.fill(oval(0, -38, 22, 5), darken(color, 0.2));
    g.fill(oval(0, -37, 18, 3.4), [120, 78, 58]);
    g.fill(line("M -7 -48 C -13 -56 -1 -62 -7 -72 M 7 -48 C 1 -58 13 -64 7 -76", 3), steam, 0.75);
  });
}

export function drawPottedPlant(g: Canvas, x: number, y: number, scale: number, green: Rgb, pot: Rgb): void {
  g.place({ x, y, scale }, () => {
    const leaves: readonly [number, number, number][] = [
      [-52, 62, 0.1],
      [50, 60, 0.05],
      [-26, 78, 0.2],
      [28, 76, 0.25],
      [0, 86, 0],
    ];
    for (const [turn, length, shade] of leaves) drawLeaf(g, turn / 8, -40, length, turn, darken(green, shade));
    g.fill(path("M -26 -44 L 26 -44 L 19 0 L -19 0 Z"), pot);
    g.fill(path("M 8 -44 L 26 -44 L 19 0 L 6 0 Z"), darken(pot, 0.3), 0.35);
    g.fill(rect(-29, -50, 58, 11, 4), lighten(pot, 0.18));
  });
}
