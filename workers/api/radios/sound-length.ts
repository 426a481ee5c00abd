/** A sound file whose parts can be read. Reading beyond the end returns fewer bytes. */
export interface SoundFile {
  bytes: number;
  read(offset: number, length: number): Promise<Uint8Array>;
}

const BLOCK_BYTES = 4 * 1024 * 1024;
/** A file may end with tags or a broken frame of this size. */
const TAIL_BYTES = 64 * 1024;
/** Longer than any recording. A header that says more is wrong. */
const LONGEST_MS = 24 * 60 * 60 * 1000;

/**
 * Returns how long a sound plays, in milliseconds, from the headers in its file and without decoding it. Returns null
 * when they do not say it, for example in WebM from a browser's recorder.
 */
export async function findSoundLength(content_type: string, file: SoundFile): Promise<number | null> {
  const length_ms = Math.round(((await readers[content_type]?.(file).catch(refuseBroken)) ?? 0) * 1000);
  return length_ms > 0 && length_ms <= LONGEST_MS ? length_ms : null;
}

/** A header that lies makes a reader look beyond the end of what it has. */
function refuseBroken(error: unknown): null {
  if (error instanceof RangeError) return null;
  throw error;
}

type Reader = (file: SoundFile) => Promise<number | null>;

const readers: Record<string, Reader> = {
  "audio/mp4": readMp4,
  "audio/mpeg": async (file) => sumFrames(file, await findEndOfTags(file), frameOfMp3),
  "audio/aac": (file) => sumFrames(file, 0, frameOfAac),
  "audio/ogg": readOgg,
  "audio/webm": readWebm,
  "audio/wav": readWav,
  "audio/flac": async (file) => lengthOfStreamInfo(viewOf(await file.read(0, 42)), 8),
};

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const textAt = (view: DataView, offset: number, length: number) =>
  Array.from({ length: Math.max(0, Math.min(length, view.byteLength - offset)) }, (_, index) =>
    String.fromCharCode(view.getUint8(offset + index)),
  ).join("");

/** The header of a frame: the frame's size, and how long it plays. */
interface Frame {
  bytes: number;
  seconds: number;
}
const FRAME_HEADER_BYTES = 7;

/** Adds up the frames of a file, which may have different bit rates. Returns null for a file with other content. */
async function sumFrames(
  file: SoundFile,
  start: number,
  frameAt: (view: DataView, at: number) => Frame | null,
): Promise<number | null> {
  let seconds = 0;
  let offset = start;
  while (offset < file.bytes) {
    const view = viewOf(await file.read(offset, BLOCK_BYTES));
    let at = 0;
    while (at + FRAME_HEADER_BYTES <= view.byteLength) {
      const frame = frameAt(view, at);
      if (!frame) return file.bytes - offset - at <= TAIL_BYTES ? seconds : null;
      seconds += frame.seconds;
      at += frame.bytes;
    }
    if (at === 0) break;
    offset += at;
  }
  return seconds;
}

/** Kilobits per second by the number in the header. Source: ISO/IEC 11172-3 and 13818-3, layer III. */
const MPEG1_KBITS = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const MPEG2_KBITS = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const MPEG1_RATES = [44_100, 48_000, 32_000];

function frameOfMp3(view: DataView, at: number): Frame | null {
  const header = view.getUint32(at);
  const version = (header >>> 19) & 3;
  const is_layer_3 = ((header >>> 17) & 3) === 1;
  if (header >>> 21 !== 0x7ff || version === 1 || !is_layer_3) return null;
  const kbits = (version === 3 ? MPEG1_KBITS : MPEG2_KBITS)[(header >>> 12) & 15];
  const base_rate = MPEG1_RATES[(header >>> 10) & 3];
  if (!kbits || !base_rate) return null;
  const rate = base_rate / (version === 3 ? 1 : version === 2 ? 2 : 4);
  const samples = version === 3 ? 1152 : 576;
  const padding = (header >>> 9) & 1;
  return { bytes: Math.floor((samples / 8) * ((kbits * 1000) / rate)) + padding, seconds: samples / rate };
}

const AAC_RATES = [96, 88.2, 64, 48, 44.1, 32, 24, 22.05, 16, 12, 11.025, 8, 7.35].map((khz) => khz * 1000);

/** Source: ISO/IEC 13818-7, ADTS. */
function frameOfAac(view: DataView, at: number): Frame | null {
  const header = view.getUint32(at);
  const rate = AAC_RATES[(header >>> 10) & 15];
  const bytes = (view.getUint32(at + 2) >>> 5) & 0x1fff;
  const blocks = (view.getUint8(at + 6) & 3) + 1;
  if (header >>> 20 !== 0xfff || ((header >>> 17) & 3) !== 0 || !rate || bytes < FRAME_HEADER_BYTES) return null;
  return { bytes, seconds: (1024 * blocks) / rate };
}

/** Returns where the sound begins after a tag of ID3v2. Source: id3.org, ID3v2.4, section 3.1. */
async function findEndOfTags(file: SoundFile): Promise<number> {
  const view = viewOf(await file.read(0, 10));
  if (view.byteLength < 10 || textAt(view, 0, 3) !== "ID3") return 0;
  const size = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + (view.getUint8(at) & 127), 0);
  const has_footer = (view.getUint8(5) & 0x10) !== 0;
  return 10 + size + (has_footer ? 10 : 0);
}

interface Box {
  start: number;
  end: number;
}
/** How many boxes of a level are read. A file that is not fragmented has a few. */
const MAX_BOXES = 64;

/** Returns the content of the first box of a type. Source: ISO/IEC 14496-12, section 4.2. */
async function findBox(file: SoundFile, type: string, { start, end }: Box): Promise<Box | null> {
  for (let at = start, count = 0; at + 8 <= end && count < MAX_BOXES; count++) {
    const view = viewOf(await file.read(at, 16));
    if (view.byteLength < 8) return null;
    const short = view.getUint32(0);
    const is_long = short === 1 && view.byteLength === 16;
    const size = is_long ? Number(view.getBigUint64(8)) : short === 0 ? end - at : short;
    if (size < 8) return null;
    if (textAt(view, 4, 4) === type) return { start: at + (is_long ? 16 : 8), end: Math.min(end, at + size) };
    at += size;
  }
  return null;
}

async function readMp4(file: SoundFile): Promise<number | null> {
  const movie = await findBox(file, "moov", { start: 0, end: file.bytes });
  const header = movie && (await findBox(file, "mvhd", movie));
  if (!header) return null;
  const view = viewOf(await file.read(header.start, 32));
  if (view.byteLength < 32) return null;
  const is_long = view.getUint8(0) === 1;
  const timescale = view.getUint32(is_long ? 20 : 12);
  const units = is_long ? Number(view.getBigUint64(24)) : view.getUint32(16);
  if (timescale === 0) return null;
  return (units || (await readFragments(file, movie))) / timescale;
}

/** Returns the duration in the header of a fragmented file; 0 without one. */
async function readFragments(file: SoundFile, movie: Box): Promise<number> {
  const extends_box = await findBox(file, "mvex", movie);
  const header = extends_box && (await findBox(file, "mehd", extends_box));
  if (!header) return 0;
  const view = viewOf(await file.read(header.start, 12));
  if (view.byteLength < 8) return 0;
  return view.getUint8(0) === 1 && view.byteLength === 12 ? Number(view.getBigUint64(4)) : view.getUint32(4);
}

/** The largest page of Ogg. Source: RFC 3533, section 6. */
const OGG_PAGE_BYTES = 65_307;

/** The last page of a stream has the number of its samples. Source: RFC 3533; RFC 7845, section 4; Vorbis I, 4.2.2. */
async function readOgg(file: SoundFile): Promise<number | null> {
  const first = viewOf(await file.read(0, 512));
  if (first.byteLength < 64) return null;
  const serial = first.getUint32(14);
  const head = 27 + first.getUint8(26);
  const is_opus = textAt(first, head, 8) === "OpusHead";
  const rate = is_opus ? 48_000 : rateInOgg(first, head);
  const skipped = is_opus ? first.getUint16(head + 10, true) : 0;
  if (!rate) return null;
  const last = viewOf(await file.read(Math.max(0, file.bytes - 2 * OGG_PAGE_BYTES), 2 * OGG_PAGE_BYTES));
  for (let at = last.byteLength - 27; at >= 0; at--) {
    if (last.getUint32(at) !== 0x4f676753 || last.getUint32(at + 14) !== serial) continue;
    const samples = Number(last.getBigInt64(at + 6, true));
    if (samples >= 0) return (samples - skipped) / rate;
  }
  return null;
}

function rateInOgg(view: DataView, head: number): number {
  if (textAt(view, head, 7) === "\x01vorbis") return view.getUint32(head + 12, true);
  return textAt(view, head, 5) === "\x7fFLAC" && view.byteLength >= head + 31 ? view.getUint32(head + 27) >>> 12 : 0;
}

/** The part of a WebM file in which its length must be. */
const WEBM_HEAD_BYTES = 64 * 1024;
const SEGMENT = 0x18538067;
const INFO = 0x1549a966;
const TIMESTAMP_SCALE = 0x2ad7b1;
const DURATION = 0x4489;

/** Source: RFC 8794; RFC 9559, section 5.1.2. */
async function readWebm(file: SoundFile): Promise<number | null> {
  const view = viewOf(await file.read(0, WEBM_HEAD_BYTES));
  const whole = { start: 0, end: view.byteLength };
  const segment = findElement(view, SEGMENT, whole);
  const info = segment && findElement(view, INFO, segment);
  if (!info) return null;
  const duration = findElement(view, DURATION, info);
  const scale = findElement(view, TIMESTAMP_SCALE, info);
  if (!duration || ![4, 8].includes(duration.end - duration.start)) return null;
  const units = duration.end - duration.start === 8 ? view.getFloat64(duration.start) : view.getFloat32(duration.start);
  return (units * (scale ? unsignedIn(view, scale) : 1_000_000)) / 1e9;
}

function findElement(view: DataView, id: number, { start, end }: Box): Box | null {
  for (let at = start; at < end; ) {
    const found = numberAt(view, at, false);
    const size = found && numberAt(view, found.end, true);
    if (!found || !size) return null;
    // All bits of a size set: unknown, up to the end of the parent.
    const is_unknown = size.value === 2 ** (7 * (size.end - found.end)) - 1;
    const content = { start: size.end, end: is_unknown ? end : Math.min(end, size.end + size.value) };
    if (found.value === id) return content.end > content.start ? content : null;
    at = content.end;
  }
  return null;
}

/** Reads a number whose first byte says its length. An id keeps the marker of the length, a size does not. */
function numberAt(view: DataView, at: number, is_size: boolean): { value: number; end: number } | null {
  const first = at < view.byteLength ? view.getUint8(at) : 0;
  const length = Math.clz32(first) - 23;
  if (first === 0 || at + length > view.byteLength) return null;
  const head = is_size ? first & (0xff >> length) : first;
  const value = unsignedIn(view, { start: at + 1, end: at + length }, head);
  return { value, end: at + length };
}

function unsignedIn(view: DataView, { start, end }: Box, head = 0): number {
  let value = head;
  for (let at = start; at < end; at++) value = value * 256 + view.getUint8(at);
  return value;
}

async function readWav(file: SoundFile): Promise<number | null> {
  const view = viewOf(await file.read(0, TAIL_BYTES));
  let bytes_a_second = 0;
  for (let at = 12; at + 8 <= view.byteLength; ) {
    const size = view.getUint32(at + 4, true);
    const type = textAt(view, at, 4);
    if (type === "fmt " && at + 20 <= view.byteLength) bytes_a_second = view.getUint32(at + 16, true);
    // A recorder that was stopped leaves 0 or the largest number as the size.
    if (type === "data") {
      const rest = file.bytes - at - 8;
      return bytes_a_second === 0 ? null : (size === 0 ? rest : Math.min(size, rest)) / bytes_a_second;
    }
    at += 8 + size + (size % 2);
  }
  return null;
}

/** Source: RFC 9639, section 8.2. */
function lengthOfStreamInfo(view: DataView, at: number): number | null {
  if (view.byteLength < at + 18) return null;
  const rate = view.getUint32(at + 10) >>> 12;
  const samples = (view.getUint8(at + 13) & 15) * 2 ** 32 + view.getUint32(at + 14);
  return rate === 0 ? null : samples / rate;
}
