/** The arguments of every function that paints a scene. */
import type { Canvas } from "../canvas.ts";
import type { Random } from "../chance.ts";
import type { Tones } from "../palette.ts";
import { rect } from "../shapes.ts";

export const WIDE = 640;
export const TALL = 360;

export type Painter = (g: Canvas, tones: Tones, random: Random) => void;

export const everything = rect(-400, -200, 1440, 760);
