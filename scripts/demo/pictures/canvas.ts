/** The rasteriser: turns shapes into antialiased coverage, and coverage into pixels. */
import { isGradient, mix, type Paint } from "./colour.ts";
import { encodePng } from "./png.ts";
import type { Shape } from "./shapes.ts";

type Matrix = readonly [number, number, number, number, number, number];
export type Placement = { x?: number; y?: number; scale?: number; turn?: number; flip?: boolean };

export type Canvas = {
  fill(shape: Shape, paint: Paint, alpha?: number): void;
  /** Moves, scales and turns (in degrees) the origin while `draw` runs. */
  place(placement: Placement, draw: () => void): void;
  /** Draws only inside a shape. */
  clip(shape: Shape, draw: () => void): void;
  png(colors: number): Uint8Array;
};

function multiplyMatrices(m: Matrix, n: Matrix): Matrix {
  return [
    m[0] * n[0] + m[2] * n[1],
    m[1] * n[0] + m[3] * n[1],
    m[0] * n[2] + m[2] * n[3],
    m[1] * n[2] + m[3] * n[3],
    m[0] * n[4] + m[2] * n[5] + m[4],
    m[1] * n[4] + m[3] * n[5] + m[5],
  ];
}

const SUB_ROWS = 4;

/** A canvas whose design coordinates (`unitWidth` x `unitHeight`) cover the pixels, cropped at the centre. */
export function createCanvas(width: number, height: number, unitWidth: number, unitHeight: number): Canvas {
  const pixels = new Float32Array(width * height * 3);
  const scale = Math.max(width / unitWidth, height / unitHeight);
  let matrix: Matrix = [scale, 0, 0, scale, (width - unitWidth * scale) / 2, (height - unitHeight * scale) / 2];
  const originY = matrix[5];
  let mask: Float32Array | null = null;
  /** Masks to use again. Each is as large as the picture, and a forest clips once per tree. */
  const spareMasks: Float32Array[] = [];
  const cover = new Float32Array(width + 2);
  const slope = new Float32Array(width + 2);
  const crossings: number[] = [];
  const turns: number[] = [];

  /** Calls `row` for each pixel row that the shape touches, with the covered fraction of every pixel. */
  function rasteriseShape(shape: Shape, row: (y: number, left: number, right: number) => void): void {
    const edges: { x0: number; y0: number; x1: number; y1: number; turn: number }[] = [];
    let top = Number.POSITIVE_INFINITY;
    let bottom = Number.NEGATIVE_INFINITY;
    let leftmost = Number.POSITIVE_INFINITY;
    let rightmost = Number.NEGATIVE_INFINITY;
    for (const outline of shape) {
      const last = outline.at(-1);
      if (!last) continue;
      let px = matrix[0] * last[0] + matrix[2] * last[1] + matrix[4];
      let py = matrix[1] * last[0] + matrix[3] * last[1] + matrix[5];
      for (const point of outline) {
        const x = matrix[0] * point[0] + matrix[2] * point[1] + matrix[4];
        const y = matrix[1] * point[0] + matrix[3] * point[1] + matrix[5];
        if (py < y) edges.push({ x0: px, y0: py, x1: x, y1: y, turn: 1 });
        else if (py > y) edges.push({ x0: x, y0: y, x1: px, y1: py, turn: -1 });
        if (y < top) top = y;
        if (y > bottom) bottom = y;
        if (x < leftmost) leftmost = x;
        if (x > rightmost) rightmost = x;
        px = x;
        py = y;
      }
    }
    const firstRow = Math.max(0, Math.floor(top));
    const lastRow = Math.min(height - 1, Math.floor(bottom));
    const left = Math.max(0, Math.floor(leftmost));
    const right = Math.min(width, Math.ceil(rightmost) + 1);
    if (left >= right) return;
    edges.sort((a, b) => a.y0 - b.y0);
    let started = 0;
    let active: typeof edges = [];
    for (let y = firstRow; y <= lastRow; y += 1) {
      cover.fill(0, left, right + 1);
      slope.fill(0, left, right + 1);
      for (let next = edges[started]; next && next.y0 < y + 1; next = edges[started]) {
        active.push(next);
        started += 1;
      }
      active = active.filter((edge) => edge.y1 > y);
      for (let sub = 0; sub < SUB_ROWS; sub += 1) {
        const at = y + (sub + 0.5) / SUB_ROWS;
        let count = 0;
        for (const edge of active) {
          if (edge.y0 > at || edge.y1 <= at) continue;
          const x = edge.x0 + ((at - edge.y0) / (edge.y1 - edge.y0)) * (edge.x1 - edge.x0);
          addCrossing(count, Math.max(0, Math.min(width, x)), edge.turn);
          count += 1;
        }
        let winding = 0;
        let from = 0;
        for (let i = 0; i < count; i += 1) {
          const x = crossings[i] as number;
          if (winding === 0) from = x;
          winding += turns[i] as number;
          if (winding === 0 && x > from) addSpan(from, x);
        }
      }
      row(y, left, right);
    }
  }

  /**
   * Inserts a crossing into the sorted crossings of a sub-row. There are few of them, so this is faster than a new
   * sorted array per row.
   */
  function addCrossing(count: number, x: number, turn: number): void {
    let place = count;
    for (; place > 0 && (crossings[place - 1] as number) > x; place -= 1) {
      crossings[place] = crossings[place - 1] as number;
      turns[place] = turns[place - 1] as number;
    }
    crossings[place] = x;
    turns[place] = turn;
  }

  /** Adds the coverage of one sub-row: exact at both ends, a running sum between them. */
  function addSpan(from: number, to: number): void {
    const first = Math.floor(from);
    const last = Math.floor(to);
    const weight = 1 / SUB_ROWS;
    if (first === last) {
      cover[first] = (cover[first] as number) + (to - from) * weight;
      return;
    }
    cover[first] = (cover[first] as number) + (first + 1 - from) * weight;
    slope[first + 1] = (slope[first + 1] as number) + weight;
    slope[last] = (slope[last] as number) - weight;
    cover[last] = (cover[last] as number) + (to - last) * weight;
  }

  function fill(shape: Shape, paint: Paint, alpha = 1): void {
    let color = isGradient(paint) ? paint.from : paint;
    rasteriseShape(shape, (y, left, right) => {
      if (isGradient(paint)) {
        const unitY = (y + 0.5 - originY) / scale;
        const t = (unitY - paint.top) / (paint.bottom - paint.top);
        color = mix(paint.from, paint.to, Math.max(0, Math.min(1, t)));
      }
      const [red, green, blue] = color;
      let running = 0;
      const end = Math.min(right, width);
      for (let x = left; x < end; x += 1) {
        running += slope[x] as number;
        let strength = ((cover[x] as number) + running) * alpha;
        if (strength < 0.002) continue;
        if (mask) strength *= mask[y * width + x] as number;
        const i = (y * width + x) * 3;
        if (strength > 0.998) {
          pixels[i] = red;
          pixels[i + 1] = green;
          pixels[i + 2] = blue;
          continue;
        }
        const r = pixels[i] as number;
        const g = pixels[i + 1] as number;
        const b = pixels[i + 2] as number;
        pixels[i] = r + (red - r) * strength;
        pixels[i + 1] = g + (green - g) * strength;
        pixels[i + 2] = b + (blue - b) * strength;
      }
    });
  }

  function place(placement: Placement, draw: () => void): void {
    const before = matrix;
    const size = placement.scale ?? 1;
    const angle = ((placement.turn ?? 0) * Math.PI) / 180;
    const mirror = placement.flip ? -1 : 1;
    matrix = multiplyMatrices(matrix, [
      Math.cos(angle) * size * mirror,
      Math.sin(angle) * size * mirror,
      -Math.sin(angle) * size,
      Math.cos(angle) * size,
      placement.x ?? 0,
      placement.y ?? 0,
    ]);
    draw();
    matrix = before;
  }

  function clip(shape: Shape, draw: () => void): void {
    const before = mask;
    const inside = spareMasks.pop() ?? new Float32Array(width * height);
    rasteriseShape(shape, (y, left, right) => {
      let running = 0;
      for (let x = left; x < Math.min(right, width); x += 1) {
        running += slope[x] as number;
        const outer = before ? (before[y * width + x] as number) : 1;
        inside[y * width + x] = Math.min(1, (cover[x] as number) + running) * outer;
      }
    });
    mask = inside;
    draw();
    mask = before;
    spareMasks.push(inside.fill(0));
  }

  return { fill, place, clip, png: (colors) => encodePng(pixels, width, height, colors) };
}
