import type { PictureRefusal } from "../contract/pictures.ts";

/** The error that a file cannot become a picture. The uploader gets its code. */
export class Refused extends Error {
  override name = "Refused";
  readonly code: PictureRefusal;

  constructor(code: PictureRefusal, cause?: unknown) {
    super(code, { cause });
    this.code = code;
  }
}
