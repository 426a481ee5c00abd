/**
 * Draws every picture of the demo world, so that the repository holds no binary file and no borrowed art.
 *
 * A small vector rasteriser (paths, antialiased coverage, indexed PNG) draws portraits, scenes and covers in flat
 * design. The same arguments always give the same bytes.
 */
export { drawCover } from "./cover.ts";
export { drawFace, type Face } from "./face.ts";
export type { Palette } from "./palette.ts";
export { drawScene, type Scene } from "./scenes/index.ts";
