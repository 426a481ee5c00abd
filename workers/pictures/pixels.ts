/** A picture as red, green, blue and alpha, one byte each. */
export interface Pixels {
  width: number;
  height: number;
  data: Uint8Array | Uint8ClampedArray;
}

/**
 * Scales a picture down: each new pixel is the mean of the area it covers, weighted by opacity. It reads each pixel
 * once, row by row, and so can read from a decoder's memory. The loops create no arrays, because creating sixteen
 * million took longer than the arithmetic.
 */
export function scaleDown({ width, height, data }: Pixels, to_width: number, to_height: number): Pixels {
  if (to_width === width && to_height === height) return { width, height, data: data.slice() };
  const scaled_data = new Uint8ClampedArray(to_width * to_height * 4);
  const columns = new Float32Array(to_width * 4);
  const sums = new Float32Array(to_width * 4);
  const [x_step, y_step] = [to_width / width, to_height / height];
  const { starts, overs } = columnsOf(width, to_width);
  let row = 0;
  for (let y = 0; y < height; y++) {
    columns.fill(0);
    let from = y * width * 4;
    for (let x = 0; x < width; x++, from += 4) {
      const red = data[from] as number;
      const green = data[from + 1] as number;
      const blue = data[from + 2] as number;
      const alpha = (data[from + 3] as number) / 255;
      const at = starts[x] as number;
      const over = overs[x] as number;
      const weight = (x_step - over) * alpha;
      columns[at] = (columns[at] as number) + red * weight;
      columns[at + 1] = (columns[at + 1] as number) + green * weight;
      columns[at + 2] = (columns[at + 2] as number) + blue * weight;
      columns[at + 3] = (columns[at + 3] as number) + weight;
      if (over > 0) {
        const rest = over * alpha;
        columns[at + 4] = (columns[at + 4] as number) + red * rest;
        columns[at + 5] = (columns[at + 5] as number) + green * rest;
        columns[at + 6] = (columns[at + 6] as number) + blue * rest;
        columns[at + 7] = (columns[at + 7] as number) + rest;
      }
    }
    const to = Math.min(Math.floor(y * y_step), to_height - 1);
    const over = to + 1 < to_height ? Math.max(0, (y + 1) * y_step - (to + 1)) : 0;
    if (to > row) {
      writeRow(sums, scaled_data, row, to_width);
      row = to;
    }
    addRow(sums, columns, y_step - over);
    if (over > 0) {
      writeRow(sums, scaled_data, row, to_width);
      row = to + 1;
      addRow(sums, columns, over);
    }
  }
  writeRow(sums, scaled_data, row, to_width);
  return { width: to_width, height: to_height, data: scaled_data };
}

/**
 * Returns for each column of the old picture: where the sums of its new column begin, and how much of it belongs to the
 * next new column.
 */
function columnsOf(width: number, to_width: number): { starts: Int32Array; overs: Float64Array } {
  const step = to_width / width;
  const starts = new Int32Array(width);
  const overs = new Float64Array(width);
  for (let x = 0; x < width; x++) {
    const column = Math.min(Math.floor(x * step), to_width - 1);
    starts[x] = column * 4;
    overs[x] = column + 1 < to_width ? Math.max(0, (x + 1) * step - (column + 1)) : 0;
  }
  return { starts, overs };
}

function addRow(sums: Float32Array, columns: Float32Array, weight: number): void {
  for (let at = 0; at < sums.length; at++) sums[at] = (sums[at] as number) + (columns[at] as number) * weight;
}

/** Writes a finished row of the new picture from its sums, and resets the sums. */
function writeRow(sums: Float32Array, into: Uint8ClampedArray, row: number, width: number): void {
  let to = row * width * 4;
  for (let at = 0; at < sums.length; at += 4, to += 4) {
    const alpha = sums[at + 3] as number;
    if (alpha > 0) {
      into[to] = (sums[at] as number) / alpha;
      into[to + 1] = (sums[at + 1] as number) / alpha;
      into[to + 2] = (sums[at + 2] as number) / alpha;
      into[to + 3] = alpha * 255;
    }
  }
  sums.fill(0);
}

export function isOpaque({ data }: Pixels): boolean {
  for (let at = 3; at < data.length; at += 4) if (data[at] !== 255) return false;
  return true;
}

export function flattenOnWhite({ width, height, data }: Pixels): Pixels {
  const opaque = new Uint8ClampedArray(data.length);
  for (let at = 0; at < data.length; at += 4) {
    const alpha = (data[at + 3] as number) / 255;
    for (let part = at; part < at + 3; part++) opaque[part] = (data[part] as number) * alpha + 255 * (1 - alpha);
    opaque[at + 3] = 255;
  }
  return { width, height, data: opaque };
}

/**
 * Turns a picture upright by its orientation. Source: Exif 2.32, tag 0x0112: 1 is upright, 2 to 4 are mirrored or
 * upside down, 5 to 8 lie on their side.
 */
export function turnUpright(pixels: Pixels, orientation: number): Pixels {
  if (orientation < 2 || orientation > 8) return pixels;
  const { width, height, data } = pixels;
  const lies = orientation >= 5;
  const [to_width, to_height] = lies ? [height, width] : [width, height];
  const turned = new Uint8ClampedArray(data.length);
  const [from, to] = [new Uint32Array(data.buffer, data.byteOffset, width * height), new Uint32Array(turned.buffer)];
  const mirrors_x = [2, 3, 7, 8].includes(orientation);
  const mirrors_y = [3, 4, 6, 7].includes(orientation);
  for (let y = 0; y < to_height; y++) {
    for (let x = 0; x < to_width; x++) {
      // The position of this pixel in the stored picture.
      const [column, row] = lies ? [y, x] : [x, y];
      const from_x = mirrors_x ? width - 1 - column : column;
      const from_y = mirrors_y ? height - 1 - row : row;
      to[y * to_width + x] = from[from_y * width + from_x] as number;
    }
  }
  return { width: to_width, height: to_height, data: turned };
}
