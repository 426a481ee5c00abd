import { createCanvas } from "../canvas.ts";
import { seeded } from "../chance.ts";
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
  "pottery",
]);

/** Scenes without wide skies, whose many edges would weigh too much on a phone in all their colours. */
const COLOURS: Partial<Record<Scene, number>> = { forest: 32, mountain: 128, cake: 128 };

/** A post's picture (PNG), 16:9 by design and cropped at the centre for any other ratio. */
export function drawScene(scene: Scene, palette: Palette, width: number, height: number): Uint8Array {
  const g = createCanvas(width, height, WIDE, TALL);
  const random = seeded(`scene ${scene} ${palette.join(" ")}`);
  const tones = tonesOf(palette);
  const flip = MIRRORED.has(scene) && random.chance(0.5);
  g.place({ x: flip ? WIDE : 0, flip }, () => PAINTERS[scene](g, tones, random));
  return g.png(COLOURS[scene] ?? 232);
}
