import { crc32 } from "node:zlib";
import { letOthersRun } from "../../kernel/heavy-work.ts";
import { logUnexpected } from "../../kernel/log.ts";

/**
 * Writes a ZIP while it is being made. Holds one chunk of a file and the directory of the names, never a file.
 * Source: PKWARE, APPNOTE.TXT 6.3.10; the numbers of its sections stand at the records below.
 */

export interface ZipEntry {
  /** A relative path of our own making: ASCII letters, digits, `-`, `_`, `.` and `/`. */
  name: string;
  modified_ms: number;
  /** Deflates texts. Pictures, sound and film are compressed already, and are stored as they are. */
  is_text: boolean;
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** The largest value of a field of 32 and of 16 bits. It also says that the value stands in the ZIP64 record. */
const MAX_32 = 0xffff_ffff;
const MAX_16 = 0xffff;
/** The sizes of a file follow it (bit 3), and its name is UTF-8 (bit 11). Source: 4.4.4. */
const FLAGS = 0x0808;
/** The version that a reader needs: 2.0 for deflate, 4.5 for ZIP64. Source: 4.4.3.2. */
const VERSION = { usual: 20, zip64: 45 };
/** Unix, so that the mode of a file counts: a plain file that everybody may read. Source: 4.4.2, 4.4.15. */
const MADE_BY = (3 << 8) | VERSION.zip64;
const MODE = 0o100644 * 0x1_0000;

/** Yields the bytes of the archive. Throws what a file's body throws, and an error for a file of 4 GiB. */
export async function* writeZip(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Uint8Array, void, undefined> {
  const directory: Uint8Array[] = [];
  let offset = 0;
  const count = (bytes: Uint8Array) => {
    offset += bytes.byteLength;
    return bytes;
  };
  for await (const entry of entries) {
    const name = new TextEncoder().encode(entry.name);
    const method = entry.is_text ? 8 : 0;
    const begin = offset;
    const moment = toDosTime(entry.modified_ms);
    yield count(localHeader(name, method, moment));
    const sum = { crc: 0, bytes: 0 };
    const counted = countBytes(entry.body, sum);
    const data_begin = offset;
    for await (const chunk of entry.is_text ? deflate(counted) : counted) yield count(chunk);
    const stored = offset - data_begin;
    if (sum.bytes >= MAX_32 || stored >= MAX_32) throw new Error(`${entry.name} is too large for this archive`);
    yield count(record(0x0807_4b50, [4, sum.crc], [4, stored], [4, sum.bytes]));
    directory.push(directoryEntry(name, method, moment, { ...sum, stored, begin }));
  }
  const directory_begin = offset;
  for (const each of directory) yield count(each);
  yield endOfDirectory(directory.length, directory_begin, offset - directory_begin);
}

/** A small file has three pieces. So others wait for no more than about twenty of them. */
const PIECES_OF_A_TURN = 64;

/**
 * Makes a stream of an archive. It makes the next piece when the last was taken, lets others run now and then, and stops
 * when its reader leaves. A failure ends the stream after its status 200, so it is logged here.
 */
export function streamZip(entries: AsyncIterable<ZipEntry>, request_id: string): ReadableStream<Uint8Array> {
  const pieces = writeZip(entries);
  let made = 0;
  let is_canceled = false;
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        try {
          if (++made % PIECES_OF_A_TURN === 0) await letOthersRun();
          const { done, value } = await pieces.next();
          if (is_canceled) return;
          if (done) controller.close();
          else controller.enqueue(value as Uint8Array<ArrayBuffer>);
        } catch (error) {
          if (!is_canceled) logUnexpected(error, request_id, { during: "the download of an archive" });
          throw error;
        }
      },
      async cancel() {
        is_canceled = true;
        await pieces.return();
      },
    },
    { highWaterMark: 0 },
  );
}

async function* countBytes(body: ZipEntry["body"], sum: { crc: number; bytes: number }) {
  for await (const chunk of body) {
    sum.crc = crc32(chunk, sum.crc);
    sum.bytes += chunk.byteLength;
    yield chunk;
  }
}

async function* deflate(body: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const { done, value } = await body.next();
      if (done) controller.close();
      else controller.enqueue(value as Uint8Array<ArrayBuffer>);
    },
    async cancel() {
      await body.return(undefined);
    },
  });
  const reader = source.pipeThrough(new CompressionStream("deflate-raw")).getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } finally {
    await reader.cancel();
  }
}

type Field = [bytes: 2 | 4 | 8, value: number];

/** Writes the fields of a record, little-endian, after its signature. */
function record(signature: number, ...fields: Field[]): Uint8Array {
  return fieldsOf([4, signature], ...fields);
}

function fieldsOf(...fields: Field[]): Uint8Array {
  const bytes = new Uint8Array(fields.reduce((sum, [width]) => sum + width, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [width, value] of fields) {
    if (width === 2) view.setUint16(at, value, true);
    else if (width === 4) view.setUint32(at, value, true);
    else view.setBigUint64(at, BigInt(value), true);
    at += width;
  }
  return bytes;
}

function joined(...parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}

interface DosTime {
  time: number;
  date: number;
}

/** Source: 4.3.7. Its sizes and its checksum are 0 here, and follow the file. */
function localHeader(name: Uint8Array, method: number, { time, date }: DosTime): Uint8Array {
  return joined(
    record(
      0x0403_4b50,
      ...([
        [2, VERSION.usual],
        [2, FLAGS],
        [2, method],
        [2, time],
        [2, date],
      ] as Field[]),
      ...([
        [4, 0],
        [4, 0],
        [4, 0],
        [2, name.byteLength],
        [2, 0],
      ] as Field[]),
    ),
    name,
  );
}

/** Source: 4.3.12, and 4.5.3 for a file that begins after 4 GiB. */
function directoryEntry(
  name: Uint8Array,
  method: number,
  { time, date }: DosTime,
  { crc, bytes, stored, begin }: { crc: number; bytes: number; stored: number; begin: number },
): Uint8Array {
  const is_far = begin >= MAX_32;
  const extra = is_far ? fieldsOf([2, 1], [2, 8], [8, begin]) : new Uint8Array();
  return joined(
    record(
      0x0201_4b50,
      ...([
        [2, MADE_BY],
        [2, is_far ? VERSION.zip64 : VERSION.usual],
        [2, FLAGS],
        [2, method],
      ] as Field[]),
      ...([
        [2, time],
        [2, date],
        [4, crc],
        [4, stored],
        [4, bytes],
      ] as Field[]),
      ...([
        [2, name.byteLength],
        [2, extra.byteLength],
        [2, 0],
        [2, 0],
        [2, 0],
        [4, MODE],
      ] as Field[]),
      [4, is_far ? MAX_32 : begin],
    ),
    name,
    extra,
  );
}

/** Source: 4.3.16, and 4.3.14 and 4.3.15 for a directory that its fields cannot describe. */
function endOfDirectory(entries: number, begin: number, bytes: number): Uint8Array {
  const is_zip64 = entries >= MAX_16 || begin >= MAX_32 || bytes >= MAX_32;
  const end = begin + bytes;
  const zip64 = is_zip64
    ? [
        record(
          0x0606_4b50,
          ...([
            [8, 44],
            [2, MADE_BY],
            [2, VERSION.zip64],
            [4, 0],
            [4, 0],
          ] as Field[]),
          ...([
            [8, entries],
            [8, entries],
            [8, bytes],
            [8, begin],
          ] as Field[]),
        ),
        record(0x0706_4b50, [4, 0], [8, end], [4, 1]),
      ]
    : [];
  const count = Math.min(entries, MAX_16);
  return joined(
    ...zip64,
    record(
      0x0605_4b50,
      ...([
        [2, 0],
        [2, 0],
        [2, count],
        [2, count],
      ] as Field[]),
      ...([
        [4, Math.min(bytes, MAX_32)],
        [4, Math.min(begin, MAX_32)],
        [2, 0],
      ] as Field[]),
    ),
  );
}

const JAPAN_MS = 9 * 60 * 60 * 1000;

/** Returns a moment as DOS counts it: in local time, of Japan here, from 1980. Source: 4.4.6. */
function toDosTime(moment_ms: number): DosTime {
  const moment = new Date(Math.max(moment_ms, Date.UTC(1980, 0, 1)) + JAPAN_MS);
  const year = Math.min(moment.getUTCFullYear(), 2107) - 1980;
  return {
    time: (moment.getUTCHours() << 11) | (moment.getUTCMinutes() << 5) | (moment.getUTCSeconds() >> 1),
    date: (year << 9) | ((moment.getUTCMonth() + 1) << 5) | moment.getUTCDate(),
  };
}
