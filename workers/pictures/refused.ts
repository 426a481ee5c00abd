import type { PictureRefusal } from "../contract/pictures.ts";

/** The file becomes no picture. Whoever sent it is told why. */
export class Refused extends Error {
  override name = "Refused";
  readonly code: PictureRefusal;

  constructor(code: PictureRefusal, cause?: unknown) {
    super(code, { cause });
    this.code = code;
  }
}
