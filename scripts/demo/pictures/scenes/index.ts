import { createCanvas } from "../canvas.ts";
import { createRandom } from "../chance.ts";
import { type Palette, tonesOf } from "../palette.ts";
import { type Painter, TALL, WIDE } from "./painter.ts";
import { cat, guitar } from "./rooms.ts";
import { cake, flowers } from "./tables.ts";
import { city, night } from "./towns.ts";
import { sea, sunset } from "./waters.ts";
import { forest, mountain } from "./wilds.ts";
import { game, pottery } from "./workshops.ts";

const PAINTERS = {
  sea,
  mountain,
  night,
  flowers,
  city,
  sunset,
  forest,
  cake,
  guitar,
  cat,
  pottery,
  game,
} satisfies Record<string, Painter>;

export type Scene = keyof typeof PAINTERS;

/** Scenes that look right when mirrored. */
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
  "pottery",
]);

/** Limits the colours of scenes with many edges, whose files would be too large for a phone. */
const COLOURS: Partial<Record<Scene, number>> = { forest: 32, mountain: 128, cake: 128 };

/** Draws a post's picture (PNG). It is designed for 16:9, and cropped at the centre for any other ratio. */
export function drawScene(scene: Scene, palette: Palette, width: number, height: number): Uint8Array {
  const g = createCanvas(width, height, WIDE, TALL);
  const random = createRandom(`scene ${scene} ${palette.join(" ")}`);
  const tones = tonesOf(palette);
  const flip = MIRRORED.has(scene) && random.chance(0.5);
  g.place({ x: flip ? WIDE : 0, flip }, () => PAINTERS[scene](g, tones, random));
  return g.png(COLOURS[scene] ?? 232);
}
