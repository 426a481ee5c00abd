/** Reads, mixes and grades colours. */

export type Rgb = readonly [number, number, number];
/** A colour that changes from the height `top` to the height `bottom`. */
type Gradient = { from: Rgb; to: Rgb; top: number; bottom: number };
export type Paint = Rgb | Gradient;

export const WHITE: Rgb = [255, 255, 255];
export const INK: Rgb = [58, 46, 52];
export const BLUSH: Rgb = [255, 122, 118];

export function rgb(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

export function mix(a: Rgb, b: Rgb, t: number): Rgb {
  return [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t];
}

export const lighten = (color: Rgb, t: number): Rgb => mix(color, WHITE, t);
export const darken = (color: Rgb, t: number): Rgb => mix(color, [34, 24, 48], t);
export const luminance = (c: Rgb): number => (c[0] * 0.3 + c[1] * 0.59 + c[2] * 0.11) / 255;

export function verticalGradient(from: Rgb, to: Rgb, top: number, bottom: number): Gradient {
  return { from, to, top, bottom };
}

export function isGradient(paint: Paint): paint is Gradient {
  return "from" in paint;
}

/** Returns a gradient's colour at one height. */
export function colourAt(gradient: Gradient, y: number): Rgb {
  return mix(
    gradient.from,
    gradient.to,
    Math.max(0, Math.min(1, (y - gradient.top) / (gradient.bottom - gradient.top))),
  );
}
