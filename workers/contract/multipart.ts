/**
 * Parses forms with files part by part as they arrive, and holds only a few kilobytes. It is strict: it refuses a
 * format that no browser writes. Imports nothing. Source: RFC 7578, RFC 2046 section 5.1.
 */

export interface FormPart {
  name: string;
  /** The file's name, as sent. Null if the part is not a file. */
  file_name: string | null;
  /** The stated content type in lower case. Empty if the part states none. */
  type: string;
  /**
   * The file or the text, which can be read once. The reader discards what is left of it when the caller asks for the
   * next part.
   */
  body: AsyncIterable<Uint8Array>;
}

/** Thrown when the body is not a form, or ends before it is complete. */
export class MalformedForm extends Error {
  override name = "MalformedForm";
}

const MAX_HEADER_BYTES = 8192;
/**
 * The maximum number of parts: more than our forms have, with as many files as a person chooses at once. Each part
 * costs far more than its bytes.
 */
const MAX_PARTS = 1000;
/**
 * The maximum length of all headers together: enough for as many files, with the longest names that a file system
 * allows. A character of a header costs far more than a byte of a file.
 */
const MAX_ALL_HEADERS = 1024 * MAX_PARTS;
const CRLF = [13, 10] as const;

/**
 * A text that is sought in bytes. The search moves as far as the last byte of its window allows (Horspool), and compares
 * from the first byte. A delimiter contains CR only once, so no file makes the search read a byte more than a few times.
 */
class Sought {
  readonly bytes: Uint8Array;
  readonly length: number;
  /** How far the window may move, by its last byte. */
  readonly #steps: Uint8Array;

  constructor(text: string) {
    const bytes = new TextEncoder().encode(text);
    const { length } = bytes;
    this.bytes = bytes;
    this.length = length;
    this.#steps = new Uint8Array(256).fill(length);
    for (let at = 0; at < length - 1; at++) this.#steps[bytes[at] as number] = length - 1 - at;
  }

  /** Returns the index of the first occurrence, or -1 if there is none. */
  findIn(held: Uint8Array): number {
    // The loops read no property: asking an array of bytes for its length costs more than comparing a byte.
    const { bytes, length } = this;
    const steps = this.#steps;
    const end = held.length;
    for (let after = length; after <= end; after += steps[held[after - 1] as number] as number) {
      const at = after - length;
      let matched = 0;
      while (matched < length && held[at + matched] === bytes[matched]) matched++;
      if (matched === length) return at;
    }
    return -1;
  }
}

const BLANK_LINE = new Sought("\r\n\r\n");

/** How many bytes of a body are read at once. Each piece costs a turn of the event loop in every worker it passes. */
const PIECE_BYTES = 64 * 1024;

/** Reads the body of a request in pieces of 64 kB; the last piece may be shorter. Cancels the rest when the reader stops. */
export async function* readInPieces(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body.getReader({ mode: "byob" });
  try {
    for (let is_over = false; !is_over; ) {
      const { value, done } = await reader.read(new Uint8Array(PIECE_BYTES), { min: PIECE_BYTES });
      if (value && value.byteLength > 0) yield value;
      is_over = done;
    }
  } finally {
    await reader.cancel();
  }
}

/** Returns the boundary in a Content-Type. Returns null if it is not that of a form with files. */
export function boundaryOf(content_type: string | null): string | null {
  const found = /^multipart\/form-data\s*;(?:[^"]*;)?\s*boundary=(?:"([^"]+)"|([^\s;"]+))\s*(?:;|$)/i.exec(
    content_type ?? "",
  );
  const boundary = found?.[1] ?? found?.[2] ?? "";
  return /^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/.test(boundary) ? boundary : null;
}

/** @throws MalformedForm */
export async function* readMultipart(
  stream: AsyncIterable<Uint8Array>,
  boundary: string,
): AsyncGenerator<FormPart, void, undefined> {
  const source = new Source(stream);
  const delimiter = new Sought(`\r\n--${boundary}`);
  // The first delimiter has no line break before it.
  await source.expect(delimiter.bytes.subarray(2));
  let headers_length = 0;
  for (let parts = 1; await beginsPart(source); parts++) {
    if (parts > MAX_PARTS) throw new MalformedForm("endless parts");
    const headers = await source.takeUntilBlankLine();
    headers_length += headers.length;
    if (headers_length > MAX_ALL_HEADERS) throw new MalformedForm("endless headers");
    const body = new Body(source, delimiter);
    yield { ...headersOf(headers), body };
    await body.finish();
  }
}

/** Returns whether another part follows the delimiter that was just read. */
async function beginsPart(source: Source): Promise<boolean> {
  const [first, second] = await source.take(2);
  if (first === CRLF[0] && second === CRLF[1]) return true;
  if (first === 45 && second === 45) return false;
  throw new MalformedForm("a delimiter that ends in neither a line nor the form");
}

function headersOf(lines: string): Omit<FormPart, "body"> {
  const headers = lines.split("\r\n").filter((line) => /^content-disposition\s*:/i.test(line));
  const [, parameters] = /^[^:]*:\s*form-data\s*(;[\s\S]*)$/i.exec(headers[0] ?? "") ?? [];
  if (headers.length !== 1 || parameters === undefined) throw new MalformedForm("a part that is of no form");
  const given = [...parameters.matchAll(/;\s*([\w*-]+)=(?:"([^"]*)"|([^\s;"]*))/g)];
  const parameterOf = (name: string) => {
    const values = given.filter(([, key]) => key?.toLowerCase() === name);
    if (values.length > 1) throw new MalformedForm(`a part with two of ${name}`);
    const value = values[0]?.[2] ?? values[0]?.[3];
    // Undo the escapes that browsers write: https://html.spec.whatwg.org/#multipart-form-data
    return value?.replace(/%0A/gi, "\n").replace(/%0D/gi, "\r").replace(/%22/g, '"');
  };
  const name = parameterOf("name");
  if (name === undefined) throw new MalformedForm("a part without a name");
  const [, type = ""] = /^content-type\s*:\s*([^\s;]*)/im.exec(lines) ?? [];
  return { name, file_name: parameterOf("filename") ?? null, type: type.toLowerCase() };
}

/** The bytes that have arrived and were not read yet. */
class Source {
  #held = new Uint8Array();
  readonly #chunks: AsyncIterator<Uint8Array>;

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /** Returns at least `length` bytes and does not consume them. */
  async peek(length: number): Promise<Uint8Array> {
    while (this.#held.byteLength < length) await this.#pull();
    return this.#held;
  }

  async take(length: number): Promise<Uint8Array> {
    const taken = (await this.peek(length)).subarray(0, length);
    this.drop(length);
    return taken;
  }

  drop(length: number): void {
    this.#held = this.#held.subarray(length);
  }

  async expect(bytes: Uint8Array): Promise<void> {
    const taken = await this.take(bytes.byteLength);
    if (taken.some((byte, at) => byte !== bytes[at])) throw new MalformedForm("it does not begin as it says");
  }

  /** Returns header lines as text, and consumes the blank line after them. */
  async takeUntilBlankLine(): Promise<string> {
    for (let length = BLANK_LINE.length; length <= MAX_HEADER_BYTES; ) {
      const held = (await this.peek(length)).subarray(0, MAX_HEADER_BYTES);
      const at = BLANK_LINE.findIn(held);
      // All bytes that arrived were searched, so wait for at least one more.
      length = held.byteLength + 1;
      if (at < 0) continue;
      this.drop(at + BLANK_LINE.length);
      try {
        return new TextDecoder("utf-8", { fatal: true }).decode(held.subarray(0, at));
      } catch {
        throw new MalformedForm("a header that is no text");
      }
    }
    throw new MalformedForm("a part with endless headers");
  }

  async #pull(): Promise<void> {
    const { done, value } = await this.#chunks.next();
    if (done) throw new MalformedForm("it ends before it is complete");
    const grown = new Uint8Array(this.#held.byteLength + value.byteLength);
    grown.set(this.#held);
    grown.set(value, this.#held.byteLength);
    this.#held = grown;
  }
}

/** The content of a part. Reading it to its end also consumes the next delimiter. */
class Body implements AsyncIterable<Uint8Array> {
  #is_over = false;
  readonly #source: Source;
  readonly #delimiter: Sought;

  constructor(source: Source, delimiter: Sought) {
    this.#source = source;
    this.#delimiter = delimiter;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    while (!this.#is_over) {
      const held = await this.#source.peek(this.#delimiter.length);
      // Another reader of the same part was faster, so nothing is left.
      if (this.#is_over) return;
      const at = this.#delimiter.findIn(held);
      this.#is_over = at >= 0;
      // Keep the last bytes back, because they may begin the delimiter.
      const length = this.#is_over ? at : held.byteLength - this.#delimiter.length + 1;
      const part = held.subarray(0, length);
      this.#source.drop(this.#is_over ? length + this.#delimiter.length : length);
      if (part.byteLength > 0) yield part;
    }
  }

  async finish(): Promise<void> {
    for await (const _ of this);
  }
}

/**
 * Returns the text of a part, or null if it has more than `max_bytes`.
 * @throws MalformedForm if the text is not UTF-8.
 */
export async function textOf(body: AsyncIterable<Uint8Array>, max_bytes: number): Promise<string | null> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  let length = 0;
  try {
    for await (const chunk of body) {
      length += chunk.byteLength;
      if (length > max_bytes) return null;
      text += decoder.decode(chunk, { stream: true });
    }
    return text + decoder.decode();
  } catch (error) {
    if (error instanceof TypeError) throw new MalformedForm("a field that is no text");
    throw error;
  }
}

/**
 * Writes a form with one file, which is forwarded while it arrives. `settled` resolves when nothing more of the file
 * will be read.
 */
export function writeMultipart(file_name: string, body: AsyncIterable<Uint8Array>) {
  const boundary = `----${crypto.randomUUID()}`;
  const quoted = file_name.replace(/[\r\n"]/g, (character) => encodeURIComponent(character));
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${quoted}"\r\n\r\n`;
  const chunks = (async function* () {
    yield new TextEncoder().encode(head);
    yield* body;
    yield new TextEncoder().encode(`\r\n--${boundary}--\r\n`);
  })();
  let pulled: Promise<unknown> = Promise.resolve();
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = chunks.next();
      pulled = next.catch(() => {});
      const { done, value } = await next;
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
  return { content_type: `multipart/form-data; boundary=${boundary}`, stream, settled: () => pulled };
}
