import { Refused } from "./refused.ts";

/** Reads numbers and text from a file. Reading past the end of the file throws. */
export class Bytes {
  readonly all: Uint8Array;
  readonly #view: DataView;

  constructor(all: Uint8Array) {
    this.all = all;
    this.#view = new DataView(all.buffer, all.byteOffset, all.byteLength);
  }

  get length(): number {
    return this.all.byteLength;
  }

  /** @throws Refused `file_broken` when the file ends too early. All other reading methods do the same. */
  u8(at: number): number {
    this.#assertInside(at, 1);
    return this.#view.getUint8(at);
  }

  u16(at: number, is_little = false): number {
    this.#assertInside(at, 2);
    return this.#view.getUint16(at, is_little);
  }

  u32(at: number, is_little = false): number {
    this.#assertInside(at, 4);
    return this.#view.getUint32(at, is_little);
  }

  u24le(at: number): number {
    return this.u16(at, true) | (this.u8(at + 2) << 16);
  }

  /** Reads text as Latin-1. */
  text(at: number, length: number): string {
    return String.fromCharCode(...this.part(at, length));
  }

  part(at: number, length: number): Uint8Array {
    this.#assertInside(at, length);
    return this.all.subarray(at, at + length);
  }

  #assertInside(at: number, length: number): void {
    if (!(at >= 0 && length >= 0 && at + length <= this.length)) throw new Refused("file_broken");
  }
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.byteLength;
  }
  return all;
}
