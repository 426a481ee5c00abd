/** Writes boxes of ISO base media files (ISO/IEC 14496-12, section 4.2). All numbers are big-endian. */

export type Bytes = Uint8Array<ArrayBuffer>;

export function join(parts: readonly Uint8Array[]): Bytes {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

export const zeros = (length: number): Bytes => new Uint8Array(length);

/** Returns a number in 16 bits. A negative number is in two's complement. */
export function int16(value: number): Bytes {
  return Uint8Array.of(value >>> 8, value);
}

/** Returns a number in 32 bits. */
export function int32(value: number): Bytes {
  return Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value);
}

/** Returns numbers in 32 bits each. */
export function int32List(values: ArrayLike<number>): Bytes {
  const bytes = new Uint8Array(values.length * 4);
  const view = new DataView(bytes.buffer);
  for (let index = 0; index < values.length; index++) view.setUint32(index * 4, values[index] ?? 0);
  return bytes;
}

/** Returns a number in 64 bits. */
export function int64(value: number): Bytes {
  return join([int32(Math.floor(value / 2 ** 32)), int32(value)]);
}

/** Returns a text of ASCII characters. */
export function ascii(text: string): Bytes {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

export function box(type: string, ...parts: readonly Uint8Array[]): Bytes {
  const length = parts.reduce((bytes, part) => bytes + part.length, 8);
  return join([int32(length), ascii(type), ...parts]);
}

/** Returns a box with a version and flags. */
export function fullBox(type: string, version: number, flags: number, ...parts: readonly Uint8Array[]): Bytes {
  return box(type, int32(version * 2 ** 24 + flags), ...parts);
}
