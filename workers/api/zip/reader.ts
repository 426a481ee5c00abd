import { crc32 } from "node:zlib";
import { readInPieces } from "../../contract/multipart.ts";

/**
 * Reads a ZIP that a stranger made, by its directory, entry by entry. A name is only a key to look an entry up by: no
 * path is made of it. Every length that the file states is checked against what is there, and what an entry inflates to
 * against the bound of its reader. Source: PKWARE, APPNOTE.TXT 6.3.10.
 */

/** The file, which is read in ranges. */
export interface RangedFile {
  bytes: number;
  read(offset: number, length: number): Promise<ReadableStream<Uint8Array>>;
}

export interface DirectoryEntry {
  name: string;
  method: number;
  crc: number;
  stored_bytes: number;
  bytes: number;
  begin: number;
}

/** Thrown for a file that is no ZIP, is broken, is encrypted, or inflates to more than its reader takes. */
export class ZipFault extends Error {
  override name = "ZipFault";
}

/** More than a file of our bound needs. Each entry of the directory costs more memory than its bytes. */
const MAX_ENTRIES = 20_000;
const MAX_DIRECTORY_BYTES = 4 * 1024 * 1024;
/** The end of the directory, with the longest comment. Source: 4.3.16. */
const END_BYTES = 22;
const LONGEST_END_BYTES = END_BYTES + 0xffff;

/** Returns the entries by their names. The first of two with one name counts. Throws {@link ZipFault}. */
export async function readDirectory(file: RangedFile): Promise<Map<string, DirectoryEntry>> {
  const end_begin = Math.max(0, file.bytes - LONGEST_END_BYTES);
  const end = await readRange(file, end_begin, file.bytes - end_begin);
  const at = findEnd(end);
  const count = end.getUint16(at + 10, true);
  const bytes = end.getUint32(at + 12, true);
  const begin = end.getUint32(at + 16, true);
  if (count > MAX_ENTRIES || bytes > MAX_DIRECTORY_BYTES) throw new ZipFault("a directory that is too long");
  if (begin + bytes > end_begin + at) throw new ZipFault("a directory beyond its end");
  return parseDirectory(await readRange(file, begin, bytes), count);
}

function findEnd(end: DataView): number {
  for (let at = end.byteLength - END_BYTES; at >= 0; at--) {
    const is_end = end.getUint32(at, true) === 0x0605_4b50;
    if (is_end && at + END_BYTES + end.getUint16(at + 20, true) === end.byteLength) return at;
  }
  throw new ZipFault("no ZIP");
}

function parseDirectory(directory: DataView, count: number): Map<string, DirectoryEntry> {
  const entries = new Map<string, DirectoryEntry>();
  const decoder = new TextDecoder();
  let next = 0;
  for (let n = 0; n < count; n++) {
    const at = next;
    if (at + 46 > directory.byteLength || directory.getUint32(at, true) !== 0x0201_4b50) {
      throw new ZipFault("a directory that is broken");
    }
    const read16 = (field: number) => directory.getUint16(at + field, true);
    const read32 = (field: number) => directory.getUint32(at + field, true);
    next = at + 46 + read16(28) + read16(30) + read16(32);
    if (next > directory.byteLength) throw new ZipFault("a name beyond the directory");
    if (read16(8) & 1) throw new ZipFault("an encrypted entry");
    const name = decoder.decode(new Uint8Array(directory.buffer, at + 46, read16(28)));
    if (entries.has(name)) continue;
    const [crc, stored_bytes, bytes, begin] = [read32(16), read32(20), read32(24), read32(42)];
    entries.set(name, { name, method: read16(10), crc, stored_bytes, bytes, begin });
  }
  return entries;
}

/** Yields an entry's bytes as they are read. Throws {@link ZipFault} as soon as there are more than `max_bytes`. */
export async function* readEntry(
  file: RangedFile,
  entry: DirectoryEntry,
  max_bytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { begin, stored_bytes, bytes, method, crc } = entry;
  if (bytes > max_bytes) throw new ZipFault("an entry that is too large");
  if (method !== 0 && method !== 8) throw new ZipFault("an entry in an unknown method");
  const header = await readRange(file, begin, 30);
  if (header.getUint32(0, true) !== 0x0403_4b50) throw new ZipFault("an entry that is not where it should be");
  const data_begin = begin + 30 + header.getUint16(26, true) + header.getUint16(28, true);
  if (data_begin + stored_bytes > file.bytes) throw new ZipFault("an entry beyond the file");
  let length = 0;
  let sum = 0;
  try {
    // R2 refuses a range of no bytes.
    const stored = stored_bytes > 0 ? await file.read(data_begin, stored_bytes) : null;
    for await (const piece of piecesOf(stored, method)) {
      length += piece.byteLength;
      if (length > bytes) throw new ZipFault("an entry that is larger than it says");
      sum = crc32(piece, sum);
      yield piece;
    }
  } catch (error) {
    // The stream of a broken deflate throws a TypeError.
    throw error instanceof TypeError ? new ZipFault("an entry that cannot be inflated") : error;
  }
  if (length !== bytes || sum !== crc) throw new ZipFault("an entry with other bytes than it says");
}

async function* piecesOf(stored: ReadableStream<Uint8Array> | null, method: number): AsyncGenerator<Uint8Array> {
  if (!stored) return;
  if (method === 0) return yield* readInPieces(stored);
  const inflated = (stored as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(
    new DecompressionStream("deflate-raw"),
  );
  const reader = inflated.getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } finally {
    // The stream of a broken deflate cannot be cancelled.
    await reader.cancel().catch(() => {});
  }
}

async function readRange(file: RangedFile, offset: number, length: number): Promise<DataView> {
  if (length === 0 || offset + length > file.bytes) throw new ZipFault("a range beyond the file");
  const bytes = await new Response((await file.read(offset, length)) as BodyInit).arrayBuffer();
  if (bytes.byteLength !== length) throw new ZipFault("a range that ends early");
  return new DataView(bytes);
}
