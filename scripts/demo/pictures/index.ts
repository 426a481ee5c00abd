/**
 * Draws every picture of the demo world, so that the repository carries no binary file and no borrowed art.
 *
 * A small vector rasteriser (paths -> antialiased coverage -> indexed PNG) and, on top of it, portraits,
 * scenes and covers in flat design. Everything is deterministic: the same arguments give the same bytes.
 */
export { drawCover } from "./cover.ts";
export { drawFace, type Face } from "./face.ts";
export type { Palette } from "./palette.ts";
export { drawScene, type Scene } from "./scenes/index.ts";
