/** Outlines to fill, in the picture's coordinates. */

export type Point = readonly [number, number];
/** Closed outlines, filled together under the non-zero winding rule. */
export type Shape = Point[][];

export function oval(x: number, y: number, rx: number, ry: number): Shape {
  const steps = Math.max(20, Math.min(96, Math.ceil(Math.max(rx, ry) * 1.6)));
  const outline: Point[] = [];
  for (let i = 0; i < steps; i += 1) {
    const angle = (i / steps) * Math.PI * 2;
    outline.push([x + Math.cos(angle) * rx, y + Math.sin(angle) * ry]);
  }
  return [outline];
}

export const circle = (x: number, y: number, r: number): Shape => oval(x, y, r, r);

export function rect(x: number, y: number, width: number, height: number, radius = 0): Shape {
  if (radius <= 0) {
    return [
      [
        [x, y],
        [x + width, y],
        [x + width, y + height],
        [x, y + height],
      ],
    ];
  }
  const r = Math.min(radius, width / 2, height / 2);
  const outline: Point[] = [];
  const corners: readonly [number, number, number][] = [
    [x + width - r, y + r, -0.5],
    [x + width - r, y + height - r, 0],
    [x + r, y + height - r, 0.5],
    [x + r, y + r, 1],
  ];
  for (const [cx, cy, start] of corners) {
    for (let i = 0; i <= 8; i += 1) {
      const angle = (start + i / 16) * Math.PI;
      outline.push([cx + Math.cos(angle) * r, cy + Math.sin(angle) * r]);
    }
  }
  return [outline];
}

export const polygon = (...points: Point[]): Shape => [points];

/** Reads the absolute `M L Q C Z` commands of an SVG path. */
export function path(data: string): Shape {
  const tokens = data.match(/[MLQCZ]|-?\d*\.?\d+/g) ?? [];
  const shape: Shape = [];
  let outline: Point[] = [];
  let pen: Point = [0, 0];
  let command = "M";
  let at = 0;
  const readNumber = (): number => Number(tokens[at++]);
  const readPoint = (): Point => [readNumber(), readNumber()];
  while (at < tokens.length) {
    if (/[MLQCZ]/.test(tokens[at] ?? "")) {
      command = tokens[at++] ?? "Z";
    }
    if (command === "M") {
      outline = [];
      shape.push(outline);
      pen = readPoint();
      outline.push(pen);
      command = "L";
    } else if (command === "L") {
      pen = readPoint();
      outline.push(pen);
    } else if (command === "Q" || command === "C") {
      const start = pen;
      const first = readPoint();
      const second = command === "C" ? readPoint() : first;
      const end = readPoint();
      // A quadratic curve equals the cubic whose handles lie two thirds of the way to its control point.
      const pull = command === "C" ? 1 : 2 / 3;
      const h1: Point = [start[0] + (first[0] - start[0]) * pull, start[1] + (first[1] - start[1]) * pull];
      const h2: Point = [end[0] + (second[0] - end[0]) * pull, end[1] + (second[1] - end[1]) * pull];
      for (let i = 1; i <= 18; i += 1) {
        const t = i / 18;
        const u = 1 - t;
        const a = u * u * u;
        const b = 3 * u * u * t;
        const c = 3 * u * t * t;
        const d = t * t * t;
        outline.push([
          a * start[0] + b * h1[0] + c * h2[0] + d * end[0],
          a * start[1] + b * h1[1] + c * h2[1] + d * end[1],
        ]);
      }
      pen = end;
    }
  }
  return shape;
}

/** Turns open lines into a shape of the given thickness, with round ends. */
export function stroke(lines: Shape, thickness: number): Shape {
  const half = thickness / 2;
  const shape: Shape = [];
  for (const line of lines) {
    let previous: Point | undefined;
    for (const here of line) {
      shape.push(...oval(here[0], here[1], half, half));
      if (previous) {
        const dx = here[0] - previous[0];
        const dy = here[1] - previous[1];
        const length = Math.hypot(dx, dy);
        if (length > 0) {
          const nx = (-dy / length) * half;
          const ny = (dx / length) * half;
          shape.push([
            [previous[0] - nx, previous[1] - ny],
            [here[0] - nx, here[1] - ny],
            [here[0] + nx, here[1] + ny],
            [previous[0] + nx, previous[1] + ny],
          ]);
        }
      }
      previous = here;
    }
  }
  return shape;
}

export const line = (data: string, thickness: number): Shape => stroke(path(data), thickness);

/** Returns the area below a line `height(x)`, across the whole picture. */
export function areaBelow(height: (x: number) => number, left: number, right: number, bottom: number): Shape {
  const outline: Point[] = [];
  for (let x = left; x <= right; x += 4) {
    outline.push([x, height(x)]);
  }
  outline.push([right, bottom], [left, bottom]);
  return [outline];
}

/** A crescent moon. */
export function crescent(x: number, y: number, r: number): Shape {
  const outline: Point[] = [];
  for (let i = 0; i <= 40; i += 1) {
    const angle = (-0.62 + (i / 40) * 1.24) * Math.PI + Math.PI * 0.75;
    outline.push([x + Math.cos(angle) * r, y + Math.sin(angle) * r]);
  }
  const [end] = outline.slice(-1);
  const [start] = outline;
  if (!start || !end) return [outline];
  const control: Point = [x - Math.cos(Math.PI * 0.75) * r * -1.2, y - Math.sin(Math.PI * 0.75) * r * -1.2];
  for (let i = 1; i < 24; i += 1) {
    const t = i / 24;
    const u = 1 - t;
    outline.push([
      u * u * end[0] + 2 * u * t * control[0] + t * t * start[0],
      u * u * end[1] + 2 * u * t * control[1] + t * t * start[1],
    ]);
  }
  return [outline];
}
