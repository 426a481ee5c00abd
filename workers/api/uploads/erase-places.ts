/** How boxes are treated, by type: `null` erases a box, and a table enters it. Other boxes stay. */
interface Boxes {
  [type: string]: Boxes | null;
}
/** The type of an entry of `ilst` that is a number: the place in a list of keys, of which one may name a location. */
const NUMBERED = "\0";

const CAMERA: Boxes = { udta: null, meta: null, uuid: null };
const SONG: Boxes = { "\xa9xyz": null, loci: null, meta: { ilst: { "\xa9xyz": null, [NUMBERED]: null } } };
const RECORDER: Boxes = { udta: SONG, meta: null, uuid: null };
/**
 * Boxes of MP4 files (ISO/IEC 14496-12, section 4.2). A camera writes the place and the device into `udta`, `meta` and
 * `uuid` of a film. Of the `udta` of sound only places go, because it also holds a song's title and cover.
 */
const BOXES: Record<"audio" | "video", Boxes> = {
  video: { ...CAMERA, moov: { ...CAMERA, trak: CAMERA }, moof: { ...CAMERA, traf: CAMERA } },
  audio: { ...RECORDER, moov: { ...RECORDER, trak: RECORDER } },
};
/** Boxes beyond this number are not read: a file of empty boxes would cost a second for each 20 MB. */
const MAX_BOXES = 10_000;
const FREE = new TextEncoder().encode("free");
const TERMINATOR_BYTES = 4;
const SHORT_HEADER_BYTES = 8;
const LONG_HEADER_BYTES = 16;

/**
 * Erases where an MP4 file was recorded, while the file arrives. An erased box becomes a `free` box of zeros, so nothing
 * moves that the file refers to by its position. From a box with a wrong size on, and behind ten thousand boxes, the file stays as it is. Places that
 * are part of the recording itself, as of some action cameras, stay too.
 */
export async function* erasePlaces(
  kind: "audio" | "video",
  first: Uint8Array,
  chunks: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  /** The beginning of a header whose rest has not arrived. */
  let held = new Uint8Array();
  let passed = 0;
  let next_header = 0;
  let is_erasing = false;
  /** The boxes around the next one, the innermost last. */
  let outer: { boxes: Boxes; end: number }[] = [];
  let boxes = 0;
  for (let chunk: Uint8Array | undefined = first; chunk; ) {
    const piece = new Uint8Array(held.byteLength + chunk.byteLength);
    piece.set(held);
    piece.set(chunk, held.byteLength);
    let at = 0;
    while (at < piece.byteLength) {
      const start = passed + at;
      if (start < next_header) {
        const end = Math.min(next_header - passed, piece.byteLength);
        if (is_erasing) piece.fill(0, at, end);
        at = end;
        continue;
      }
      const header = readHeader(piece.subarray(at));
      if (!header) break;
      const { type, header_bytes, bytes } = header;
      const end = start + bytes;
      outer = outer.filter((box) => start < box.end);
      const [outermost] = outer;
      if (outermost && end === Number.POSITIVE_INFINITY) {
        // Four zero bytes may end a list of boxes, and begin `meta`. Source: QuickTime File Format, "User data atoms".
        boxes++;
        is_erasing = false;
        at += TERMINATOR_BYTES;
        next_header = passed + at;
        continue;
      }
      const is_wrong = ++boxes > MAX_BOXES || bytes < header_bytes || (outermost && end > outermost.end);
      const table = outer.at(-1)?.boxes ?? BOXES[kind];
      const inner = is_wrong ? undefined : table[type.startsWith(NUMBERED) ? NUMBERED : type];
      is_erasing = inner === null;
      if (inner) outer.push({ boxes: inner, end });
      if (is_erasing) piece.set(FREE, at + 4);
      at += header_bytes;
      next_header = is_wrong ? Number.POSITIVE_INFINITY : inner ? passed + at : end;
    }
    held = piece.slice(at);
    passed += at;
    yield piece.subarray(0, at);
    const next: IteratorResult<Uint8Array> = await chunks.next();
    chunk = next.done ? undefined : next.value;
  }
  yield held;
}

/** Reads the header of a box. Returns null when not all of it has arrived. A box of size 0 reaches to the end of the file. */
function readHeader(piece: Uint8Array) {
  if (piece.byteLength < SHORT_HEADER_BYTES) return null;
  const view = new DataView(piece.buffer, piece.byteOffset, piece.byteLength);
  const short = view.getUint32(0);
  const type = String.fromCharCode(...piece.subarray(4, SHORT_HEADER_BYTES));
  if (short !== 1) {
    return { type, header_bytes: SHORT_HEADER_BYTES, bytes: short === 0 ? Number.POSITIVE_INFINITY : short };
  }
  if (piece.byteLength < LONG_HEADER_BYTES) return null;
  return { type, header_bytes: LONG_HEADER_BYTES, bytes: Number(view.getBigUint64(SHORT_HEADER_BYTES)) };
}
