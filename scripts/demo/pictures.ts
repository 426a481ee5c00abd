/**
 * Draws every picture of the demo world, so that the repository carries no binary file and no borrowed art.
 *
 * A small vector rasteriser (paths -> antialiased coverage -> indexed PNG) and, on top of it, portraits,
 * scenes and covers in flat design. Everything is deterministic: the same arguments give the same bytes.
 */
import { deflateSync } from "node:zlib";

export type HairStyle = "bob" | "long" | "short" | "bun" | "spiky" | "twin";
export type Mood = "smile" | "calm" | "wink";

/** How a person of the demo looks. Colours are `#rrggbb`. */
export type Face = {
  skin: string;
  hair: string;
  hair_style: HairStyle;
  background: string;
  accent: string;
  mood: Mood;
};

export type Scene = "sea" | "mountain" | "night" | "flowers" | "city" | "sunset" | "forest" | "cake" | "guitar" | "cat";

/** Four colours in `#rrggbb`: the light one, the middle one, the deep one and the accent. */
export type Palette = readonly [light: string, middle: string, deep: string, accent: string];

/* ------------------------------------------------------------------ colour */

type Rgb = readonly [number, number, number];
/** A colour that changes from one height to another. */
type Gradient = { from: Rgb; to: Rgb; top: number; bottom: number };
type Paint = Rgb | Gradient;

const WHITE: Rgb = [255, 255, 255];
const INK: Rgb = [58, 46, 52];
const BLUSH: Rgb = [255, 122, 118];

function rgb(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

function mix(a: Rgb, b: Rgb, t: number): Rgb {
  return [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t];
}

const lighten = (color: Rgb, t: number): Rgb => mix(color, WHITE, t);
const darken = (color: Rgb, t: number): Rgb => mix(color, [34, 24, 48], t);
const luminance = (c: Rgb): number => (c[0] * 0.3 + c[1] * 0.59 + c[2] * 0.11) / 255;

function vertical(from: Rgb, to: Rgb, top: number, bottom: number): Gradient {
  return { from, to, top, bottom };
}

function isGradient(paint: Paint): paint is Gradient {
  return "from" in paint;
}

/* ------------------------------------------------------------------ chance */

type Random = {
  /** A number from 0 up to 1. */
  next(): number;
  between(low: number, high: number): number;
  chance(probability: number): boolean;
};

/** A seeded generator (mulberry32 over an FNV-1a hash), so that pictures never change between runs. */
function seeded(seed: string): Random {
  let state = 2166136261;
  for (let i = 0; i < seed.length; i += 1) {
    state = Math.imul(state ^ seed.charCodeAt(i), 16777619);
  }
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  return {
    next,
    between: (low, high) => low + (high - low) * next(),
    chance: (probability) => next() < probability,
  };
}

/* ------------------------------------------------------------------ shapes */

type Point = readonly [number, number];
/** Closed outlines, filled together under the non-zero winding rule. */
type Shape = Point[][];

function oval(x: number, y: number, rx: number, ry: number): Shape {
  const steps = Math.max(20, Math.min(96, Math.ceil(Math.max(rx, ry) * 1.6)));
  const outline: Point[] = [];
  for (let i = 0; i < steps; i += 1) {
    const angle = (i / steps) * Math.PI * 2;
    outline.push([x + Math.cos(angle) * rx, y + Math.sin(angle) * ry]);
  }
  return [outline];
}

const circle = (x: number, y: number, r: number): Shape => oval(x, y, r, r);

function rect(x: number, y: number, width: number, height: number, radius = 0): Shape {
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

const polygon = (...points: Point[]): Shape => [points];

/** Reads the absolute `M L Q C Z` commands of an SVG path. */
function path(data: string): Shape {
  const tokens = data.match(/[MLQCZ]|-?\d*\.?\d+/g) ?? [];
  const shape: Shape = [];
  let outline: Point[] = [];
  let pen: Point = [0, 0];
  let command = "M";
  let at = 0;
  const number = (): number => Number(tokens[at++]);
  const point = (): Point => [number(), number()];
  while (at < tokens.length) {
    if (/[MLQCZ]/.test(tokens[at] ?? "")) {
      command = tokens[at++] ?? "Z";
    }
    if (command === "M") {
      outline = [];
      shape.push(outline);
      pen = point();
      outline.push(pen);
      command = "L";
    } else if (command === "L") {
      pen = point();
      outline.push(pen);
    } else if (command === "Q" || command === "C") {
      const start = pen;
      const first = point();
      const second = command === "C" ? point() : first;
      const end = point();
      // A quadratic is the cubic whose handles sit two thirds of the way to its control point.
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

/** Turns open lines into a shape of the given thickness with round ends. */
function stroke(lines: Shape, thickness: number): Shape {
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

const line = (data: string, thickness: number): Shape => stroke(path(data), thickness);

/** The ground below a line `height(x)`, across the whole picture. */
function below(height: (x: number) => number, left: number, right: number, bottom: number): Shape {
  const outline: Point[] = [];
  for (let x = left; x <= right; x += 4) {
    outline.push([x, height(x)]);
  }
  outline.push([right, bottom], [left, bottom]);
  return [outline];
}

/** A moon with a bite taken out of it. */
function crescent(x: number, y: number, r: number): Shape {
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

/* ------------------------------------------------------------------ canvas */

type Matrix = readonly [number, number, number, number, number, number];
type Placement = { x?: number; y?: number; scale?: number; turn?: number; flip?: boolean };

type Canvas = {
  fill(shape: Shape, paint: Paint, alpha?: number): void;
  /** Draws with the origin moved, scaled and turned (degrees). */
  place(placement: Placement, draw: () => void): void;
  /** Draws only inside a shape. */
  clip(shape: Shape, draw: () => void): void;
  png(colors: number): Uint8Array;
};

function multiply(m: Matrix, n: Matrix): Matrix {
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
function createCanvas(width: number, height: number, unitWidth: number, unitHeight: number): Canvas {
  const pixels = new Float32Array(width * height * 3);
  const scale = Math.max(width / unitWidth, height / unitHeight);
  let matrix: Matrix = [scale, 0, 0, scale, (width - unitWidth * scale) / 2, (height - unitHeight * scale) / 2];
  const originY = matrix[5];
  let mask: Float32Array | null = null;
  const cover = new Float32Array(width + 2);
  const slope = new Float32Array(width + 2);

  /** Calls `row` for each pixel row the shape touches, with the covered fraction of every pixel. */
  function rasterise(shape: Shape, row: (y: number, left: number, right: number) => void): void {
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
        const crossings: { x: number; turn: number }[] = [];
        for (const edge of active) {
          if (edge.y0 <= at && edge.y1 > at) {
            const x = edge.x0 + ((at - edge.y0) / (edge.y1 - edge.y0)) * (edge.x1 - edge.x0);
            crossings.push({ x: Math.max(0, Math.min(width, x)), turn: edge.turn });
          }
        }
        crossings.sort((a, b) => a.x - b.x);
        let winding = 0;
        let from = 0;
        for (const crossing of crossings) {
          if (winding === 0) from = crossing.x;
          winding += crossing.turn;
          if (winding === 0 && crossing.x > from) span(from, crossing.x);
        }
      }
      row(y, left, right);
    }
  }

  /** Adds one sub-row of coverage: exact at both ends, a running sum in between. */
  function span(from: number, to: number): void {
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
    rasterise(shape, (y, left, right) => {
      if (isGradient(paint)) {
        const unitY = (y + 0.5 - originY) / scale;
        const t = (unitY - paint.top) / (paint.bottom - paint.top);
        color = mix(paint.from, paint.to, Math.max(0, Math.min(1, t)));
      }
      let running = 0;
      const end = Math.min(right, width);
      for (let x = left; x < end; x += 1) {
        running += slope[x] as number;
        let strength = ((cover[x] as number) + running) * alpha;
        if (strength < 0.002) continue;
        if (mask) strength *= mask[y * width + x] as number;
        if (strength > 0.998) strength = 1;
        const i = (y * width + x) * 3;
        const r = pixels[i] as number;
        const g = pixels[i + 1] as number;
        const b = pixels[i + 2] as number;
        pixels[i] = r + (color[0] - r) * strength;
        pixels[i + 1] = g + (color[1] - g) * strength;
        pixels[i + 2] = b + (color[2] - b) * strength;
      }
    });
  }

  function place(placement: Placement, draw: () => void): void {
    const before = matrix;
    const size = placement.scale ?? 1;
    const angle = ((placement.turn ?? 0) * Math.PI) / 180;
    const mirror = placement.flip ? -1 : 1;
    matrix = multiply(matrix, [
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
    const inside = new Float32Array(width * height);
    rasterise(shape, (y, left, right) => {
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
  }

  return { fill, place, clip, png: (colors) => encode(pixels, width, height, colors) };
}

/* --------------------------------------------------------------------- png */

type Swatch = { key: number; r: number; g: number; b: number; count: number };

/** Splits the colours in use into at most `limit` groups: the widest group first, along its longest side. */
function group(swatches: Swatch[], limit: number): Swatch[][] {
  type Box = { members: Swatch[]; axis: "r" | "g" | "b"; mean: number; error: number };
  const measure = (members: Swatch[]): Box => {
    let n = 0;
    let r = 0;
    let g = 0;
    let b = 0;
    let rr = 0;
    let gg = 0;
    let bb = 0;
    for (const s of members) {
      n += s.count;
      r += s.r * s.count;
      g += s.g * s.count;
      b += s.b * s.count;
      rr += s.r * s.r * s.count;
      gg += s.g * s.g * s.count;
      bb += s.b * s.b * s.count;
    }
    const er = rr - (r * r) / n;
    const eg = gg - (g * g) / n;
    const eb = bb - (b * b) / n;
    const error = members.length > 1 ? er + eg + eb : 0;
    if (eg >= er && eg >= eb) return { members, axis: "g", mean: g / n, error };
    return er >= eb ? { members, axis: "r", mean: r / n, error } : { members, axis: "b", mean: b / n, error };
  };
  const boxes: Box[] = [measure(swatches)];
  while (boxes.length < limit) {
    let widest = 0;
    boxes.forEach((box, i) => {
      if (box.error > (boxes[widest] as Box).error) widest = i;
    });
    const box = boxes[widest] as Box;
    if (box.error <= 0.01) break;
    const low = box.members.filter((s) => s[box.axis] <= box.mean);
    const high = box.members.filter((s) => s[box.axis] > box.mean);
    if (low.length === 0 || high.length === 0) {
      box.error = 0;
      continue;
    }
    boxes[widest] = measure(low);
    boxes.push(measure(high));
  }
  return boxes.map((box) => box.members);
}

function encode(pixels: Float32Array, width: number, height: number, colors: number): Uint8Array {
  const size = width * height;
  const keys = new Uint32Array(size);
  const found = new Map<number, Swatch>();
  let lastKey = -1;
  let last: Swatch | undefined;
  for (let i = 0; i < size; i += 1) {
    const r = Math.round(pixels[i * 3] as number);
    const g = Math.round(pixels[i * 3 + 1] as number);
    const b = Math.round(pixels[i * 3 + 2] as number);
    const key = (r << 16) | (g << 8) | b;
    keys[i] = key;
    if (key !== lastKey) {
      last = found.get(key);
      if (!last) {
        last = { key, r, g, b, count: 0 };
        found.set(key, last);
      }
      lastKey = key;
    }
    if (last) last.count += 1;
  }
  const groups = group([...found.values()], Math.min(256, colors));
  const palette = new Uint8Array(groups.length * 3);
  const slots = new Map<number, number>();
  groups.forEach((members, slot) => {
    let n = 0;
    let r = 0;
    let g = 0;
    let b = 0;
    for (const s of members) {
      n += s.count;
      r += s.r * s.count;
      g += s.g * s.count;
      b += s.b * s.count;
      slots.set(s.key, slot);
    }
    palette.set([Math.round(r / n), Math.round(g / n), Math.round(b / n)], slot * 3);
  });
  const rows = new Uint8Array((width + 1) * height);
  let slot = 0;
  lastKey = -1;
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const key = keys[y * width + x] as number;
      if (key !== lastKey) {
        slot = slots.get(key) ?? 0;
        lastKey = key;
      }
      rows[y * (width + 1) + 1 + x] = slot;
    }
  }
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header.set([8, 3, 0, 0, 0], 8);
  const parts = [
    Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10),
    chunk("IHDR", header),
    chunk("PLTE", palette),
    chunk("IDAT", deflateSync(rows, { level: 8 })),
    chunk("IEND", new Uint8Array(0)),
  ];
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k += 1) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});

function chunk(name: string, data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(data.length + 12);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, data.length);
  for (let i = 0; i < 4; i += 1) bytes[4 + i] = name.charCodeAt(i);
  bytes.set(data, 8);
  let crc = 0xffffffff;
  for (const byte of bytes.subarray(4, data.length + 8)) {
    crc = (CRC_TABLE[(crc ^ byte) & 255] as number) ^ (crc >>> 8);
  }
  view.setUint32(data.length + 8, (crc ^ 0xffffffff) >>> 0);
  return bytes;
}

/* ------------------------------------------------------------------- faces */

type Hair = { back(g: Canvas): void; front(g: Canvas): void };

/** What is drawn on the left, then the same mirrored at the middle of the portrait. */
const BOTH_SIDES: readonly Placement[] = [{}, { x: 192, flip: true }];

const HEAD = path("M 57 84 C 55 48 137 48 135 84 C 136 110 120 133 96 133 C 72 133 56 110 57 84 Z");

/** The hair of a style in two layers: behind the head and over the forehead. */
function hairOf(style: HairStyle, hair: Rgb, accent: Rgb): Hair {
  const shade = darken(hair, 0.22);
  const shine = lighten(hair, 0.3);
  const glossy = (g: Canvas, shape: Shape, gloss: string): void => {
    g.fill(shape, hair);
    g.clip(shape, () => g.fill(line(gloss, 5), shine, 0.55));
  };
  const styles: Record<HairStyle, Hair> = {
    bob: {
      back: (g) => {
        g.fill(
          path(
            "M 96 34 C 138 34 156 64 153 102 C 152 122 156 134 150 141 C 134 148 58 148 42 141 C 36 134 40 122 39 102 C 36 64 54 34 96 34 Z",
          ),
          shade,
        );
      },
      front: (g) => {
        glossy(
          g,
          path(
            "M 96 34 C 138 34 156 64 153 102 C 152 120 155 132 149 139 C 140 141 132 138 129 132 C 136 120 138 104 134 82 C 122 84 108 80 104 72 C 98 82 74 86 60 81 C 54 104 56 120 63 132 C 60 138 52 141 43 139 C 37 132 40 120 39 102 C 36 64 54 34 96 34 Z",
          ),
          "M 56 66 C 72 52 116 50 136 66",
        );
      },
    },
    long: {
      back: (g) => {
        g.fill(
          path(
            "M 96 33 C 140 33 157 66 154 106 C 153 134 168 150 164 180 C 163 190 158 196 152 200 L 40 200 C 34 196 29 190 28 180 C 24 150 39 134 38 106 C 35 66 52 33 96 33 Z",
          ),
          shade,
        );
      },
      front: (g) => {
        glossy(
          g,
          path(
            "M 92 33 C 140 30 157 66 154 106 C 153 130 164 146 161 172 C 160 180 152 186 146 178 C 138 160 138 134 138 112 C 138 96 128 88 116 80 C 108 74 102 68 99 58 C 92 76 72 84 60 90 C 54 98 54 106 54 116 C 54 140 54 160 46 178 C 40 186 32 180 31 172 C 28 146 39 130 38 106 C 35 66 52 35 92 33 Z",
          ),
          "M 50 70 C 66 54 84 52 94 50",
        );
        g.clip(polygon([104, 30], [160, 30], [160, 110], [104, 110]), () =>
          g.fill(line("M 112 52 C 126 56 136 64 142 74", 5), shine, 0.55),
        );
        flower(g, 140, 66, 8.5, lighten(accent, 0.25), lighten(accent, 0.8));
      },
    },
    short: {
      back: (g) => {
        g.fill(
          path(
            "M 96 36 C 136 34 150 60 146 92 C 145 104 138 112 128 118 L 64 118 C 54 112 47 104 46 92 C 42 60 56 36 96 36 Z",
          ),
          shade,
        );
      },
      front: (g) => {
        glossy(
          g,
          path(
            "M 52 104 C 44 96 42 76 48 62 C 54 44 76 32 100 33 C 128 34 150 52 148 84 C 148 94 144 102 140 104 C 138 96 138 88 134 82 C 128 80 122 76 119 70 C 112 80 88 82 74 74 C 70 82 64 86 58 87 C 55 92 55 98 52 104 Z",
          ),
          "M 58 58 C 72 46 100 44 118 50",
        );
      },
    },
    bun: {
      back: (g) => {
        g.fill(circle(112, 27, 20), shade);
        g.fill(circle(111, 25, 18), hair);
        g.fill(line("M 101 25 C 104 16 114 13 121 18", 3.5), shine, 0.6);
        g.fill(
          path(
            "M 96 36 C 136 34 151 62 147 92 C 146 102 138 110 128 116 L 64 116 C 54 110 46 102 45 92 C 41 62 56 36 96 36 Z",
          ),
          shade,
        );
        g.fill(line("M 128 10 L 96 44", 4), accent);
        g.fill(circle(129, 9, 5), lighten(accent, 0.35));
      },
      front: (g) => {
        glossy(
          g,
          path(
            "M 46 100 C 40 70 52 38 96 36 C 140 34 152 70 146 100 C 144 108 142 114 137 121 C 137 106 137 92 130 80 C 114 78 100 68 94 56 C 88 72 76 80 62 82 C 55 92 55 106 55 121 C 50 114 48 108 46 100 Z",
          ),
          "M 54 68 C 60 58 70 52 84 48",
        );
        g.fill(line("M 108 48 C 122 52 134 60 140 72", 4), shine, 0.5);
      },
    },
    spiky: {
      back: (g) => {
        g.fill(
          path("M 62 116 C 48 110 42 98 42 84 C 40 50 60 32 96 32 C 134 32 150 52 150 84 C 150 98 144 110 130 116 Z"),
          shade,
        );
      },
      front: (g) => {
        glossy(
          g,
          path(
            "M 51 106 C 44 100 38 92 36 82 C 39 83 41 83 43 82 C 38 74 36 66 37 56 C 41 60 45 61 49 60 C 49 50 53 40 61 33 C 63 38 66 40 70 40 C 74 30 82 22 94 18 C 93 24 94 28 97 31 C 104 26 112 24 121 26 C 119 30 119 34 121 37 C 129 36 137 38 144 43 C 141 46 140 50 141 54 C 147 57 153 62 156 69 C 152 70 150 73 149 76 C 152 81 153 87 152 94 C 149 94 146 98 141 106 C 139 97 138 89 134 81 C 130 85 126 87 121 88 C 122 83 121 78 118 73 C 112 81 104 87 95 89 C 96 84 96 79 94 74 C 87 81 79 86 69 87 C 71 83 72 79 72 75 C 67 80 62 83 57 84 C 54 91 53 98 51 106 Z",
          ),
          "M 58 64 C 74 54 108 52 132 62",
        );
      },
    },
    twin: {
      back: (g) => {
        for (const side of BOTH_SIDES) {
          g.place(side, () => {
            g.fill(
              path("M 48 58 C 24 52 9 78 11 110 C 12 134 22 146 17 168 C 38 162 48 140 47 116 C 46 98 56 84 54 64 Z"),
              hair,
            );
            g.fill(line("M 40 70 C 28 84 26 108 30 132", 3.5), shade, 0.6);
          });
        }
        g.fill(
          path(
            "M 96 36 C 134 34 150 60 146 90 C 145 100 138 108 128 114 L 64 114 C 54 108 47 100 46 90 C 42 60 58 36 96 36 Z",
          ),
          shade,
        );
      },
      front: (g) => {
        glossy(
          g,
          path(
            "M 52 104 C 40 72 52 37 96 35 C 140 37 152 72 140 104 C 138 94 137 87 134 79 C 128 83 120 83 115 79 C 112 83 104 85 97 79 C 90 85 82 85 77 79 C 72 84 64 85 58 81 C 55 90 54 98 52 104 Z",
          ),
          "M 56 66 C 72 52 120 52 136 66",
        );
        g.fill(line("M 96 36 L 96 50", 2), shade, 0.7);
        for (const side of BOTH_SIDES) {
          g.place(side, () => {
            g.fill(
              path("M 47 62 C 36 50 32 56 34 66 C 35 74 42 72 47 64 C 48 76 54 82 60 76 C 66 68 58 62 47 62 Z"),
              accent,
            );
            g.fill(circle(47, 64, 4.5), darken(accent, 0.18));
          });
        }
      },
    },
  };
  return styles[style];
}

/** A five-petalled flower. */
function flower(g: Canvas, x: number, y: number, r: number, petal: Rgb, heart: Rgb): void {
  for (let i = 0; i < 5; i += 1) {
    const angle = (i / 5) * Math.PI * 2 - Math.PI / 2;
    g.fill(circle(x + Math.cos(angle) * r * 0.62, y + Math.sin(angle) * r * 0.62, r * 0.52), petal);
  }
  g.fill(circle(x, y, r * 0.36), heart);
}

/** Skin in the shade: warmer, not greyer. */
const shaded = (skin: Rgb, t: number): Rgb => mix(skin, [196, 84, 70], t);

function clothes(g: Canvas, accent: Rgb, skin: Rgb, kind: number): void {
  const neck = shaded(skin, 0.24);
  const body = path("M 18 200 C 20 166 44 154 76 148 C 88 152 104 152 116 148 C 148 154 172 166 174 200 Z");
  g.fill(body, accent);
  g.clip(body, () => {
    if (kind === 1) {
      for (const y of [166, 178, 190]) g.fill(line(`M 10 ${y} Q 96 ${y + 8} 182 ${y}`, 4.5), lighten(accent, 0.62));
    }
    g.fill(path("M 18 200 C 20 176 34 164 46 160 C 40 174 40 188 40 200 Z"), darken(accent, 0.2), 0.45);
    g.fill(path("M 174 200 C 172 176 158 164 146 160 C 152 174 152 188 152 200 Z"), darken(accent, 0.2), 0.45);
  });
  g.fill(
    path("M 82 118 L 110 118 L 110 144 C 112 150 118 150 120 152 C 112 166 80 166 72 152 C 74 150 80 150 82 144 Z"),
    skin,
  );
  g.fill(path("M 82 124 C 90 136 102 136 110 124 L 110 138 C 102 145 90 145 82 138 Z"), neck);
  if (kind === 2) {
    // A hood with its two strings.
    g.fill(
      path(
        "M 68 146 C 56 148 48 154 46 160 C 60 172 82 176 96 176 C 110 176 132 172 144 160 C 142 154 136 148 124 146 C 122 158 108 166 96 166 C 84 166 70 158 68 146 Z",
      ),
      darken(accent, 0.16),
    );
    g.fill(line("M 82 170 L 81 190 M 110 170 L 111 190", 3), lighten(accent, 0.75));
  } else if (kind === 3) {
    // A shirt collar.
    g.fill(
      path("M 74 146 L 96 168 L 84 182 L 62 152 Z M 118 146 L 130 152 L 108 182 L 96 168 Z"),
      lighten(accent, 0.82),
    );
    g.fill(line("M 96 170 L 96 200", 2), darken(accent, 0.25), 0.6);
  } else if (kind === 0) {
    g.fill(line("M 70 150 C 78 167 114 167 122 150", 5), lighten(accent, 0.5));
  } else {
    g.fill(line("M 70 150 C 78 167 114 167 122 150", 5), lighten(accent, 0.62));
  }
}

/** Brows lie over the hair, so that no fringe cuts them in half. */
function brows(g: Canvas, mood: Mood, hair: Rgb): void {
  const lines: Record<Mood, string> = {
    smile: "M 70 87 Q 76 83 83 86 M 109 86 Q 116 83 122 87",
    calm: "M 71 89 Q 77 86.5 83 88.4 M 109 88.4 Q 115 86.5 121 89",
    wink: "M 70 86.6 Q 76 82.6 83 85.6 M 109 88.6 Q 115 86.6 121 89.6",
  };
  g.fill(line(lines[mood], 2.4), darken(hair, luminance(hair) > 0.5 ? 0.5 : 0.3));
}

function expression(g: Canvas, mood: Mood, hair: Rgb, skin: Rgb, lashes: boolean): void {
  const iris = mix(INK, hair, 0.18);
  const eye = (x: number, side: number): void => {
    g.fill(oval(x, 101, 5.4, 7), iris);
    g.fill(oval(x, 104, 3.6, 3.2), lighten(iris, 0.28), 0.75);
    g.fill(circle(x - 1.7, 98, 2.1), WHITE);
    g.fill(circle(x + 2, 103.6, 1), WHITE, 0.85);
    g.fill(line(`M ${x - 6} 96.5 Q ${x} 90.5 ${x + 6} 96.5`, 2.4), INK);
    if (lashes) g.fill(line(`M ${x + side * 6} 96.5 L ${x + side * 8.4} 94.6`, 2), INK);
  };
  const closed = (x: number, bend: number): void =>
    g.fill(line(`M ${x - 7} 101 Q ${x} ${101 + bend} ${x + 7} 101`, 2.7), INK);
  g.clip(HEAD, () => g.fill([...oval(70, 113, 8.5, 5.4), ...oval(122, 113, 8.5, 5.4)], BLUSH, 0.34));
  g.fill(line("M 95 108 Q 96.5 110 98.4 108.6", 2), shaded(skin, 0.5));
  if (mood === "calm") {
    closed(77, 7);
    closed(115, 7);
    if (lashes) g.fill(line("M 70.5 103 L 68 105 M 121.5 103 L 124 105", 1.8), INK);
    g.fill(line("M 89 119 Q 96 124.5 103 119", 2.4), [176, 74, 72]);
    return;
  }
  eye(77, -1);
  if (mood === "wink") closed(115, -8);
  else eye(115, 1);
  const mouth =
    mood === "smile"
      ? path(
          "M 86.5 116.5 Q 96 119.5 105.5 116.5 C 104.5 124.5 100.5 127.6 96 127.6 C 91.5 127.6 87.5 124.5 86.5 116.5 Z",
        )
      : path("M 88 117 Q 97 120 105 115.6 C 104.6 122.6 101.5 126 97 126 C 92.5 126 89 122.6 88 117 Z");
  g.fill(mouth, [158, 54, 58]);
  g.clip(mouth, () => {
    g.fill(oval(96, 128, 7, 4.6), [240, 122, 118]);
    g.fill(path("M 88 115 L 104 115 L 103 119.6 Q 96 121.4 89 119.6 Z"), WHITE);
  });
}

/** A square portrait (PNG). */
export function drawFace(face: Face, size: number): Uint8Array {
  const g = createCanvas(size, size, 192, 192);
  const skin = rgb(face.skin);
  const hair = rgb(face.hair);
  const accent = rgb(face.accent);
  const background = rgb(face.background);
  const random = seeded(`face ${face.skin} ${face.hair} ${face.hair_style} ${face.background} ${face.accent}`);
  const style = hairOf(face.hair_style, hair, accent);

  g.fill(rect(0, 0, 192, 192), background);
  const motif = Math.floor(random.next() * 3);
  const pale = lighten(background, 0.42);
  if (motif === 0) {
    for (let y = 0; y < 6; y += 1) {
      for (let x = 0; x < 6; x += 1) g.fill(circle(x * 40 + (y % 2) * 20 - 4, y * 38 + 4, 4.6), pale, 0.8);
    }
  } else if (motif === 1) {
    for (let x = -200; x < 200; x += 34)
      g.fill(polygon([x, 200], [x + 14, 200], [x + 214, 0], [x + 200, 0]), pale, 0.5);
  } else {
    for (let i = 0; i < 16; i += 1) {
      const a = (i / 16) * Math.PI * 2;
      const b = a + Math.PI / 16;
      g.fill(
        polygon(
          [96, 96],
          [96 + Math.cos(a) * 160, 96 + Math.sin(a) * 160],
          [96 + Math.cos(b) * 160, 96 + Math.sin(b) * 160],
        ),
        pale,
        0.5,
      );
    }
  }
  g.fill(circle(96, 98, 77), lighten(background, 0.55));

  style.back(g);
  clothes(g, accent, skin, Math.floor(random.next() * 4));
  for (const side of BOTH_SIDES) {
    g.place(side, () => {
      g.fill(oval(56, 99, 7.5, 9.5), skin);
      g.fill(oval(55, 100, 4, 5.5), shaded(skin, 0.24));
    });
  }
  g.fill(HEAD, skin);
  g.clip(HEAD, () => g.place({ y: 5 }, () => style.front(shadowOnly(g, shaded(skin, 0.26)))));
  expression(g, face.mood, hair, skin, face.hair_style !== "short" && face.hair_style !== "spiky");
  style.front(g);
  brows(g, face.mood, hair);
  return g.png(72);
}

/** The same canvas with every colour replaced, to cast the shadow of what is drawn. */
function shadowOnly(g: Canvas, color: Rgb): Canvas {
  const shadow: Canvas = {
    fill: (shape, _paint, alpha = 1) => {
      if (alpha === 1) g.fill(shape, color);
    },
    place: g.place,
    clip: (_shape, draw) => draw(),
    png: g.png,
  };
  return shadow;
}

/* ------------------------------------------------------------------ scenes */

const WIDE = 640;
const TALL = 360;

type Tones = { light: Rgb; middle: Rgb; deep: Rgb; accent: Rgb };
type Painter = (g: Canvas, tones: Tones, random: Random) => void;

const everything = rect(-400, -200, 1440, 760);

/** A flat-bottomed cloud; `x`, `y` is the middle of its base. */
function cloud(g: Canvas, x: number, y: number, scale: number, paint: Rgb, alpha: number): void {
  g.place({ x, y, scale }, () => {
    g.fill(
      [...rect(-62, -20, 124, 20, 10), ...circle(-28, -20, 20), ...circle(4, -30, 28), ...circle(34, -17, 17)],
      paint,
      alpha,
    );
  });
}

/** Rings of light around a sun or a moon. */
function halo(g: Canvas, x: number, y: number, r: number, color: Rgb, sky: Rgb, rings: number): void {
  // Opaque rings: over a sky that changes with height, glazes would only multiply the colours to store.
  for (let i = rings; i > 0; i -= 1)
    g.fill(circle(x, y, r * (1 + i * 0.36)), mix(lighten(sky, 0.12 * (rings + 1 - i)), color, 0.15 * (rings + 1 - i)));
}

/** The colour a gradient has at one height. */
function at(gradient: Gradient, y: number): Rgb {
  return mix(
    gradient.from,
    gradient.to,
    Math.max(0, Math.min(1, (y - gradient.top) / (gradient.bottom - gradient.top))),
  );
}

/** A rolling line made of two waves. */
function rolling(random: Random, y: number, height: number, length: number): (x: number) => number {
  const a = random.between(0, 6.28);
  const b = random.between(0, 6.28);
  return (x) => y + Math.sin((x / length) * 6.28 + a) * height + Math.sin((x / length) * 13.7 + b) * height * 0.35;
}

/** A rocky line through the given peaks. */
function ridge(random: Random, peaks: readonly Point[], rough: number): Point[] {
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

function conifer(g: Canvas, x: number, base: number, height: number, color: Rgb): void {
  g.place({ x, y: base, scale: height / 100 }, () => {
    g.fill(rect(-4, -14, 8, 16), darken(color, 0.35));
    const tree = path(
      "M 0 -100 C 6 -84 14 -76 22 -70 C 18 -68 16 -68 14 -68 C 20 -54 28 -46 34 -41 C 29 -39 25 -39 22 -40 C 28 -26 36 -17 44 -11 C 20 -5 -20 -5 -44 -11 C -36 -17 -28 -26 -22 -40 C -25 -39 -29 -39 -34 -41 C -28 -46 -20 -54 -14 -68 C -16 -68 -18 -68 -22 -70 C -14 -76 -6 -84 0 -100 Z",
    );
    g.fill(tree, color);
    g.clip(tree, () => g.fill(rect(2, -104, 60, 110), darken(color, 0.3), 0.4));
  });
}

function leaf(g: Canvas, x: number, y: number, length: number, turn: number, color: Rgb): void {
  g.place({ x, y, turn, scale: length / 40 }, () => {
    g.fill(path("M 0 0 C 10 -12 10 -28 0 -40 C -10 -28 -10 -12 0 0 Z"), color);
    g.fill(line("M 0 -2 L 0 -32", 1.2), darken(color, 0.3), 0.5);
  });
}

function bird(g: Canvas, x: number, y: number, size: number, color: Rgb): void {
  g.place({ x, y, scale: size }, () => g.fill(line("M -9 -3 Q -4 -7 0 0 Q 5 -7 10 -2", 2), color));
}

/** A mug or cup with two curls of steam. */
function mug(g: Canvas, x: number, y: number, scale: number, color: Rgb, steam: Rgb): void {
  g.place({ x, y, scale }, () => {
    g.fill(line("M 20 -30 C 38 -32 38 -8 18 -10", 5), darken(color, 0.12));
    g.fill(path("M -22 -38 L 22 -38 C 22 -16 18 0 8 0 L -8 0 C -18 0 -22 -16 -22 -38 Z"), color);
    g.fill(path("M 8 -38 L 22 -38 C 22 -16 18 0 8 0 L 2 0 C 10 -8 10 -26 8 -38 Z"), darken(color, 0.25), 0.3);
    g.fill(oval(0, -38, 22, 5), darken(color, 0.2));
    g.fill(oval(0, -37, 18, 3.4), [120, 78, 58]);
    g.fill(line("M -7 -48 C -13 -56 -1 -62 -7 -72 M 7 -48 C 1 -58 13 -64 7 -76", 3), steam, 0.75);
  });
}

function pottedPlant(g: Canvas, x: number, y: number, scale: number, green: Rgb, pot: Rgb): void {
  g.place({ x, y, scale }, () => {
    const leaves: readonly [number, number, number][] = [
      [-52, 62, 0.1],
      [50, 60, 0.05],
      [-26, 78, 0.2],
      [28, 76, 0.25],
      [0, 86, 0],
    ];
    for (const [turn, length, shade] of leaves) leaf(g, turn / 8, -40, length, turn, darken(green, shade));
    g.fill(path("M -26 -44 L 26 -44 L 19 0 L -19 0 Z"), pot);
    g.fill(path("M 8 -44 L 26 -44 L 19 0 L 6 0 Z"), darken(pot, 0.3), 0.35);
    g.fill(rect(-29, -50, 58, 11, 4), lighten(pot, 0.18));
  });
}

const sea: Painter = (g, { light, middle, deep, accent }, random) => {
  const horizon = random.between(160, 186);
  const sky = vertical(mix(middle, WHITE, 0.42), lighten(light, 0.25), 0, horizon);
  g.fill(everything, sky);
  const sunX = random.between(360, 540);
  const low = random.chance(0.4);
  const sunY = low ? horizon - 4 : random.between(60, 104);
  halo(g, sunX, sunY, low ? 46 : 34, lighten(accent, 0.5), at(sky, sunY), 3);
  if (low) g.fill(circle(sunX, sunY, 46), lighten(accent, 0.2));
  else g.fill(circle(sunX, sunY, 34), lighten(accent, 0.28));
  cloud(g, random.between(80, 200), random.between(74, 96), 1.15, WHITE, 0.92);
  cloud(g, random.between(240, 300), random.between(44, 60), 0.7, WHITE, 0.75);
  cloud(g, random.between(560, 610), horizon - random.between(10, 26), 0.8, WHITE, 0.7);
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
  g.fill(rect(-400, horizon, 1440, 400), vertical(mix(middle, light, 0.12), deep, horizon, TALL));
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
    const wave = rolling(random, y, 5 + i, 210 + i * 40);
    g.fill(below(wave, -4, 644, 400), mix(mix(middle, deep, 0.45 + i * 0.2), light, 0.1));
    g.fill(stroke([below(wave, -4, 644, 400).flat().slice(0, -2)], 2.2), lighten(middle, 0.6), 0.6);
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
    bird(g, sunX - 130 + i * 34, 96 + random.between(-20, 16), random.between(0.8, 1.2), mix(deep, INK, 0.3));
};

const mountain: Painter = (g, { light, middle, deep, accent }, random) => {
  const sky = vertical(mix(middle, WHITE, 0.3), lighten(light, 0.2), 0, 230);
  g.fill(everything, sky);
  const sunX = random.between(420, 560);
  const sunY = random.between(64, 116);
  halo(g, sunX, sunY, 30, lighten(accent, 0.55), at(sky, sunY), 3);
  g.fill(circle(sunX, sunY, 30), lighten(accent, 0.35));
  cloud(g, random.between(60, 120), random.between(70, 100), 0.9, WHITE, 0.8);
  const far = mix(middle, light, 0.4);
  g.fill(
    [
      [
        ...ridge(
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
  const west = ridge(
    random,
    [
      [peakX - 250, 300],
      [peakX - 130, 196],
      [peakX - 64, 116],
      [peakX, peakY],
    ],
    13,
  );
  const east = ridge(
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
          ...ridge(
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
    const snow = ridge(
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
            ...ridge(
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
  g.fill(below(rolling(random, 216, 7, 420), -4, 644, 420), lighten(light, 0.55), 0.5);
  const hills: readonly [number, number, number][] = [
    [246, 0.52, 16],
    [276, 0.74, 14],
    [312, 0.95, 12],
  ];
  for (const [y, depth, height] of hills) {
    const slopeLine = rolling(random, y, height, 520);
    const color = mix(mix(middle, light, 0.15), deep, depth);
    if (depth < 0.9) {
      for (let x = random.between(-6, 10); x < 650; x += random.between(15, 40)) {
        conifer(g, x, slopeLine(x) + 6, random.between(24, 40) * (0.7 + depth), mix(color, deep, 0.25));
      }
    }
    g.fill(below(slopeLine, -4, 644, 420), color);
    if (depth < 0.6)
      g.fill(
        below((x) => slopeLine(x) + 20, -4, 644, 420),
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
    conifer(g, x, 362, size, near);
  bird(g, 180, 92, 1, mix(deep, INK, 0.4));
  bird(g, 206, 82, 0.8, mix(deep, INK, 0.4));
};

const night: Painter = (g, { light, middle, deep, accent }, random) => {
  g.fill(everything, vertical(darken(deep, 0.25), mix(middle, deep, 0.25), 0, 290));
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
  halo(g, moonX, moonY, 36, lighten(middle, 0.3), mix(deep, middle, 0.25), 3);
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
  const far = rolling(random, 232, 18, 460);
  g.fill(below(far, -4, 644, 420), mix(middle, deep, 0.5));
  for (let i = 0; i < 34; i += 1) {
    const x = random.between(0, 640);
    g.fill(rect(x, far(x) + random.between(10, 34), 2.6, 2.6), lighten(accent, 0.35), random.between(0.5, 1));
  }
  const mid = rolling(random, 268, 10, 560);
  g.fill(below(mid, -4, 644, 420), mix(deep, middle, 0.22));
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
  const near = rolling(random, 314, 9, 700);
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
  g.fill(below(near, -4, 644, 420), black);
  g.clip(below(near, -4, 644, 420), () => g.fill(oval(lamp + 22, near(lamp) + 6, 56, 9), mix(black, accent, 0.35)));
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

const flowers: Painter = (g, { light, middle, deep, accent }, random) => {
  g.fill(everything, vertical(lighten(light, 0.2), light, 0, 280));
  // An arched window with its view, softly out of the way.
  g.clip([...circle(478, 118, 92), ...rect(386, 118, 184, 190)], () => {
    g.fill(everything, vertical(lighten(middle, 0.5), lighten(middle, 0.82), 20, 280));
    cloud(g, 440, 120, 0.7, WHITE, 0.9);
    cloud(g, 540, 160, 0.6, WHITE, 0.8);
    g.fill(below(rolling(random, 232, 8, 200), 380, 580, 320), mix(middle, light, 0.35));
    g.fill(below(rolling(random, 250, 8, 160), 380, 580, 320), mix(middle, deep, 0.2));
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
    leaf(
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
  // What the painter left on the table: a box of colours and a fallen petal or two.
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

const city: Painter = (g, { light, middle, deep, accent }, random) => {
  const sky = vertical(mix(middle, WHITE, 0.2), lighten(light, 0.15), 0, 260);
  g.fill(everything, sky);
  const sunX = random.between(130, 300);
  halo(g, sunX, 128, 44, lighten(accent, 0.6), at(sky, 128), 3);
  g.fill(circle(sunX, 128, 44), lighten(accent, 0.5));
  cloud(g, random.between(420, 480), 74, 1, WHITE, 0.75);
  cloud(g, random.between(60, 110), 62, 0.7, WHITE, 0.6);
  cloud(g, 590, 120, 0.6, WHITE, 0.55);
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
    below(() => 340, -4, 644, 420),
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

const sunset: Painter = (g, { light, middle, deep, accent }, random) => {
  const sky = vertical(mix(middle, deep, 0.3), lighten(light, 0.1), 0, 220);
  g.fill(everything, sky);
  const sunX = random.between(250, 420);
  const horizon = 222;
  for (let i = 2; i > 0; i -= 1)
    g.fill(circle(sunX, 196, 62 + i * 26), mix(at(sky, 150), lighten(accent, 0.2), 0.6 - i * 0.2));
  g.fill(circle(sunX, 196, 62), vertical(lighten(accent, 0.72), accent, 130, 250));
  for (let i = 0; i < 9; i += 1) {
    const y = 40 + i * 18 + random.between(-5, 5);
    const x = random.between(-60, 560);
    const width = random.between(90, 230);
    const tint = i < 4 ? mix(middle, deep, 0.12) : lighten(accent, 0.35);
    g.fill([...rect(x, y, width, 9, 5), ...rect(x + width * 0.25, y - 6, width * 0.45, 10, 5)], tint, 0.5);
  }
  g.fill(below(rolling(random, horizon - 16, 12, 380), -4, 644, 420), mix(middle, deep, 0.35));
  g.fill(below(rolling(random, horizon - 2, 6, 300), -4, 644, 420), mix(middle, deep, 0.6));
  // Flooded fields mirror the sky between dark banks.
  g.fill(rect(-10, horizon + 4, 670, 200), vertical(mix(light, accent, 0.25), mix(middle, deep, 0.25), horizon, TALL));
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
    bird(g, 440 + i * 26 + random.between(-8, 8), 92 + Math.abs(i - 2) * 12 + random.between(-4, 4), 0.9, near);
};

const forest: Painter = (g, { light, middle, deep, accent }, random) => {
  g.fill(everything, lighten(light, 0.1));
  halo(g, 330, 130, 84, lighten(light, 0.75), lighten(light, 0.1), 3);
  const trunks = (count: number, color: Rgb, width: number, base: number, skip: readonly [number, number]): void => {
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
  const canopy = (y: number, r: number, color: Rgb, step: number): void => {
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
  trunks(14, mix(light, middle, 0.55), 7, 250, [300, 360]);
  canopy(28, 34, mix(light, middle, 0.5), 34);
  g.fill(below(rolling(random, 236, 6, 300), -4, 644, 420), mix(light, middle, 0.62));
  trunks(11, mix(middle, deep, 0.2), 13, 276, [250, 410]);
  canopy(8, 40, mix(middle, deep, 0.08), 44);
  g.fill(below(rolling(random, 258, 8, 380), -4, 644, 420), mix(middle, deep, 0.18));
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
  canopy(-22, 44, mix(deep, middle, 0.25), 46);
  for (const [x, y, s] of [
    [20, 352, 1.2],
    [150, 356, 0.9],
    [520, 352, 1],
    [626, 350, 1.3],
    [590, 360, 0.9],
  ] as const) {
    for (let i = -3; i <= 3; i += 1)
      leaf(g, x + i * 3, y + 6, (52 - Math.abs(i) * 5) * s, i * 21, mix(deep, middle, 0.34 + (i % 2 ? 0.18 : 0)));
  }
  const mushroom = (x: number, y: number, s: number): void => {
    g.place({ x, y, scale: s }, () => {
      g.fill(path("M -8 0 C -6 -10 -6 -16 -5 -24 L 5 -24 C 6 -16 6 -10 8 0 Z"), [250, 240, 224]);
      g.fill(path("M -24 -20 C -24 -44 24 -44 24 -20 C 14 -14 -14 -14 -24 -20 Z"), accent);
      g.fill([...circle(-10, -28, 4), ...circle(4, -33, 3.4), ...circle(13, -25, 3)], WHITE, 0.95);
    });
  };
  mushroom(206, 348, 1);
  mushroom(232, 356, 0.66);
  mushroom(446, 340, 0.72);
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

const cake: Painter = (g, { light, middle, deep, accent }, random) => {
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
  // A yellow accent asks for a lemon cake, any other one for strawberries.
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
  const strawberry = (x: number, y: number, s: number, turn: number): void => {
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
  const slice = (x: number, y: number, s: number, turn: number): void => {
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
  const dollop = (x: number, y: number, s: number): void => {
    g.place({ x, y, scale: s }, () => {
      g.fill(
        path("M 0 -26 C 4 -18 14 -16 14 -9 C 20 -8 22 2 14 4 L -14 4 C -22 2 -20 -8 -14 -9 C -14 -16 -4 -18 0 -26 Z"),
        WHITE,
      );
      g.fill(line("M -12 -8 Q 0 -3 12 -9 M -8 -16 Q 0 -12 7 -17", 1.8), darken(icing, 0.2), 0.6);
    });
  };
  for (let i = 0; i < 5; i += 1) dollop(cx - 84 + i * 42, 156 - Math.sin((i / 4) * 3.14) * 3, 0.85);
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
    (lemon ? slice : strawberry)(cx + x, y, s, turn);
  leaf(g, cx + 10, 122, 26, 34, [126, 176, 108]);
  leaf(g, cx - 2, 120, 22, -30, [108, 160, 96]);
  // Tea on the right, a fork and a macaron on the left.
  g.fill(oval(520, 330, 76, 10), deep, 0.18);
  g.fill(oval(516, 322, 74, 14), china);
  g.fill(oval(516, 320, 50, 8), darken(light, 0.1));
  mug(g, 512, 318, 1.35, mix(middle, WHITE, 0.25), WHITE);
  const macaron = (x: number, y: number, color: Rgb): void => {
    g.place({ x, y }, () => {
      g.fill(path("M -27 -14 C -27 -36 27 -36 27 -14 Z"), color);
      g.fill(rect(-28, -15, 56, 8, 4), lighten(color, 0.25));
      g.fill(rect(-25, -10, 50, 7), [255, 248, 236]);
      g.fill(path("M -27 -4 C -24 12 24 12 27 -4 Z"), darken(color, 0.08));
      g.fill(line("M -17 -22 Q -10 -28 -1 -28", 2.6), WHITE, 0.6);
    });
  };
  g.fill(oval(94, 332, 66, 8), deep, 0.18);
  macaron(68, 322, lighten(accent, 0.3));
  macaron(124, 324, mix(middle, WHITE, 0.1));
  macaron(96, 294, mix([250, 214, 130], light, 0.2));
};

const guitar: Painter = (g, { light, middle, deep, accent }, random) => {
  g.fill(everything, light);
  g.fill(rect(-10, 0, 670, 290), vertical(lighten(light, 0.12), light, 0, 290));
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
      below((x) => 118 + Math.sin(x / 14) * 8, 444, 528, 160),
      mix(middle, deep, 0.5),
    );
    g.fill(
      below((x) => 130 + Math.sin(x / 11 + 2) * 6, 444, 528, 160),
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
  pottedPlant(g, 556, 205, 0.9, mix(middle, [86, 148, 96], 0.6), accent);
  mug(g, 486, 205, 0.72, WHITE, WHITE);
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

const cat: Painter = (g, { light, middle, deep, accent }, random) => {
  g.fill(everything, lighten(light, 0.15));
  for (let x = 8; x < 640; x += 40)
    for (let y = 12; y < 300; y += 40) g.fill(circle(x + ((y - 12) % 80 ? 20 : 0), y, 2.6), light);
  // The window and what is outside.
  g.fill(rect(120, 12, 400, 262, 8), WHITE);
  g.clip(rect(134, 26, 372, 248), () => {
    g.fill(everything, vertical(mix(middle, WHITE, 0.3), mix(light, WHITE, 0.45), 20, 260));
    g.fill(circle(random.between(190, 240), 84, 26), lighten(accent, 0.5));
    cloud(g, random.between(400, 450), 86, 0.95, WHITE, 0.9);
    cloud(g, random.between(270, 310), 62, 0.6, WHITE, 0.75);
    g.fill(below(rolling(random, 196, 9, 220), 120, 520, 300), mix(middle, light, 0.25));
    for (const [x, w, h] of [
      [160, 44, 34],
      [222, 36, 26],
      [424, 48, 36],
    ] as const) {
      g.fill(rect(x, 218 - h, w, h + 20), lighten(light, 0.4));
      g.fill(polygon([x - 7, 219 - h], [x + w / 2, 198 - h], [x + w + 7, 219 - h]), mix(accent, deep, 0.25));
      g.fill([...rect(x + 8, 226 - h, 8, 9), ...rect(x + w - 17, 226 - h, 8, 9)], mix(middle, deep, 0.3));
    }
    g.fill(below(rolling(random, 228, 7, 170), 120, 520, 300), mix(middle, deep, 0.32));
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
  pottedPlant(g, 176, 296, 1.05, mix(middle, [94, 156, 104], 0.55), mix(accent, WHITE, 0.1));
  mug(g, 472, 304, 0.95, lighten(accent, 0.72), WHITE);
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

const PAINTERS: Record<Scene, Painter> = { sea, mountain, night, flowers, city, sunset, forest, cake, guitar, cat };

/** Scenes that may be mirrored without reading wrong. */
const MIRRORED: ReadonlySet<Scene> = new Set<Scene>([
  "sea",
  "mountain",
  "night",
  "city",
  "sunset",
  "forest",
  "cake",
  "cat",
  "flowers",
]);

function tonesOf(palette: Palette): Tones {
  return { light: rgb(palette[0]), middle: rgb(palette[1]), deep: rgb(palette[2]), accent: rgb(palette[3]) };
}

/** A post's picture (PNG), 16:9 by design and cropped at the centre for any other ratio. */
export function drawScene(scene: Scene, palette: Palette, width: number, height: number): Uint8Array {
  const g = createCanvas(width, height, WIDE, TALL);
  const random = seeded(`scene ${scene} ${palette.join(" ")}`);
  const tones = tonesOf(palette);
  const flip = MIRRORED.has(scene) && random.chance(0.5);
  g.place({ x: flip ? WIDE : 0, flip }, () => PAINTERS[scene](g, tones, random));
  return g.png(scene === "forest" ? 76 : 232);
}

/** The wide picture at the top of a creator's page (PNG), 3:1 by design. */
export function drawCover(palette: Palette, width: number, height: number): Uint8Array {
  const g = createCanvas(width, height, 1200, 400);
  const random = seeded(`cover ${palette.join(" ")}`);
  const { light, middle, deep, accent } = tonesOf(palette);
  const sky = vertical(mix(light, middle, 0.32), lighten(light, 0.3), 0, 260);
  g.fill(rect(0, 0, 1200, 400), sky);
  const sunX = random.between(780, 960);
  const sunY = random.between(120, 160);
  halo(g, sunX, sunY, 66, lighten(accent, 0.4), at(sky, sunY), 3);
  g.fill(circle(sunX, sunY, 66), lighten(accent, 0.3));
  for (let i = 0; i < 6; i += 1) {
    const y = random.between(70, 190);
    cloud(
      g,
      i * 210 + random.between(0, 170),
      y,
      random.between(0.6, 1.5),
      lighten(at(sky, y), random.between(0.4, 0.85)),
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
    const hill = rolling(random, y, 24 - i * 2, 760 - i * 60);
    g.fill(below(hill, -4, 1208, 420), mix(mix(light, middle, 0.5 + i * 0.13), deep, i * 0.19));
    if (i === 1 || i === 3) {
      for (let x = random.between(0, 60); x < 1200; x += random.between(70, 170))
        conifer(g, x, hill(x) + 8, random.between(30, 48) + i * 7, mix(middle, deep, 0.28 + i * 0.18));
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
    flower(
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
