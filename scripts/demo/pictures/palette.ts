import { type Rgb, rgb } from "./colour.ts";

/** Four colours in `#rrggbb`: the light one, the middle one, the deep one and the accent. */
export type Palette = readonly [light: string, middle: string, deep: string, accent: string];

export type Tones = { light: Rgb; middle: Rgb; deep: Rgb; accent: Rgb };

export function tonesOf(palette: Palette): Tones {
  return { light: rgb(palette[0]), middle: rgb(palette[1]), deep: rgb(palette[2]), accent: rgb(palette[3]) };
}
