import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  boundaryOf,
  MalformedForm,
  readInPieces,
  readMultipart,
  writeMultipart,
} from "../../workers/contract/multipart.ts";

type Read = { name: string; file_name: string | null; body: string };

async function* splitBytes(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let at = 0, piece = 0; at < bytes.length; piece++) {
    const size = sizes[piece % sizes.length] ?? 1;
    yield bytes.slice(at, at + size);
    at += size;
  }
}

const toLatin1 = (bytes: Uint8Array) => String.fromCharCode(...bytes);

async function readParts(stream: AsyncIterable<Uint8Array>, boundary: string): Promise<Read[]> {
  const parts: Read[] = [];
  for await (const { name, file_name, body } of readMultipart(stream, boundary)) {
    let text = "";
    for await (const chunk of body) text += toLatin1(chunk);
    parts.push({ name, file_name, body: text });
  }
  return parts;
}

const field = fc.record({
  name: fc.string({ minLength: 1, maxLength: 20, unit: "grapheme" }).filter((name) => !/[\r\n"\0%]/.test(name)),
  file_name: fc.option(
    fc.string({ minLength: 1, maxLength: 30, unit: "grapheme" }).filter((name) => !/[\r\n\0%\\]/.test(name)),
  ),
  // Full of characters that delimiters consist of.
  body: fc.array(fc.constantFrom("\r", "\n", "\r\n", "--", "-", "b", "\r\n--", "x", "\xff", "\0"), { maxLength: 60 }),
});
const pieces = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 });

test("a form is parsed alike, whatever pieces it arrives in", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(field, { maxLength: 5 }), pieces, async (fields, sizes) => {
      const form = new FormData();
      const expected: Read[] = [];
      for (const { name, file_name, body } of fields) {
        const bytes = Uint8Array.from(body.join(""), (character) => character.charCodeAt(0));
        // Sent as a file, because a form changes line ends in text fields.
        form.append(name, new File([bytes], file_name ?? "a"));
        expected.push({ name, file_name: file_name ?? "a", body: body.join("") });
      }
      const encoded = new Response(form);
      const boundary = boundaryOf(encoded.headers.get("content-type")) ?? "";
      const bytes = new Uint8Array(await encoded.arrayBuffer());
      expect(await readParts(splitBytes(bytes, sizes), boundary)).toEqual(expected);
    }),
    { seed: 20_261_120, numRuns: 300 },
  );
});

test("a file that almost contains its delimiter keeps its bytes", async () => {
  const letters = fc.constantFrom("-", "b", "c");
  const boundaries = fc.string({ unit: letters, minLength: 1, maxLength: 12 });
  const bodies = fc.array(fc.oneof(letters, fc.constantFrom("\r", "\n", "\r\n--", "near")), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(boundaries, bodies, pieces, async (boundary, words, sizes) => {
      const body = words.map((word) => (word === "near" ? `\r\n--${boundary.slice(0, -1)}` : word)).join("");
      fc.pre(!body.includes(`\r\n--${boundary}`));
      const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n`;
      const bytes = new TextEncoder().encode(`${head}${body}\r\n--${boundary}--`);
      expect(await readParts(splitBytes(bytes, sizes), boundary)).toEqual([{ name: "file", file_name: "a", body }]);
    }),
    { seed: 20_261_122, numRuns: 500 },
  );
});

test("a body is read whole, in pieces of 64 kB", async () => {
  const bytes = Uint8Array.from({ length: 150_000 }, (_, at) => at % 251);
  const lengths: number[] = [];
  const read: Uint8Array[] = [];
  for await (const piece of readInPieces(new Response(bytes).body as ReadableStream<Uint8Array>)) {
    lengths.push(piece.byteLength);
    read.push(piece);
  }
  expect(lengths).toEqual([65_536, 65_536, 18_928]);
  expect(Buffer.concat(read).equals(bytes)).toBe(true);
});

test("any other input is read to its end or refused", async () => {
  const noise = fc.array(
    fc.constantFrom(
      "--b",
      "\r\n",
      "--b--",
      'Content-Disposition: form-data; name="file"',
      '; filename="a"',
      ":",
      "x",
      "\xff",
      '"',
      "\0",
    ),
    { maxLength: 30 },
  );
  await fc.assert(
    fc.asyncProperty(noise, pieces, async (words, sizes) => {
      const bytes = Uint8Array.from(words.join(""), (character) => character.charCodeAt(0));
      try {
        await readParts(splitBytes(bytes, sizes), "b");
      } catch (error) {
        expect(error).toBeInstanceOf(MalformedForm);
      }
    }),
    { seed: 20_261_120, numRuns: 1000 },
  );
});

test("a form with endless parts is refused before its end", async () => {
  let sent = 0;
  async function* writeEndlessly() {
    yield new TextEncoder().encode("--b");
    for (; sent < 100_000; sent++) {
      yield new TextEncoder().encode('\r\nContent-Disposition: form-data; name=""\r\n\r\n\r\n--b');
    }
    yield new TextEncoder().encode("--\r\n");
  }
  await expect(readParts(writeEndlessly(), "b")).rejects.toThrow(MalformedForm);
  expect(sent).toBeLessThan(2000);
});

test("a form whose parts have long headers is refused before its end", async () => {
  let sent = 0;
  async function* writeHeaders() {
    yield new TextEncoder().encode("--b");
    for (; sent < 900; sent++) {
      const parameters = "; a=b".repeat(1580);
      yield new TextEncoder().encode(`\r\nContent-Disposition: form-data; name="x"${parameters}\r\n\r\n\r\n--b`);
    }
    yield new TextEncoder().encode("--\r\n");
  }
  await expect(readParts(writeHeaders(), "b")).rejects.toThrow(MalformedForm);
  expect(sent).toBeLessThan(200);
});

test("a part whose header does not end is refused before the form's end", async () => {
  let sent = 0;
  async function* writeEndlessHeader() {
    yield new TextEncoder().encode('--b\r\nContent-Disposition: form-data; name="x"');
    for (; sent < 1000; sent++) yield new TextEncoder().encode("; a=b".repeat(200));
    yield new TextEncoder().encode("\r\n\r\n\r\n--b--\r\n");
  }
  await expect(readParts(writeEndlessHeader(), "b")).rejects.toThrow(MalformedForm);
  expect(sent).toBeLessThan(20);
});

test("a streamed file keeps its bytes, whatever its name", async () => {
  const name = 'a"b\r\nX-Evil: 1%.png';
  const file = Uint8Array.from({ length: 100_000 }, (_, at) => (at * 7) % 256);
  const { content_type, stream } = writeMultipart(name, splitBytes(file, [4096, 1, 77]));
  const parts = await readParts(stream as unknown as AsyncIterable<Uint8Array>, boundaryOf(content_type) ?? "");
  expect(parts).toEqual([{ name: "file", file_name: name, body: latin1From(file) }]);
});

/** The array is too long for spreading it into arguments. */
function latin1From(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

test.each([
  ["multipart/form-data; boundary=abc", "abc"],
  ['multipart/form-data; boundary="a b"', "a b"],
  ["Multipart/Form-Data; charset=utf-8; boundary=abc", "abc"],
  ["multipart/form-data", null],
  ["multipart/form-data; boundary=", null],
  ["multipart/mixed; boundary=abc", null],
  [`multipart/form-data; boundary=${"a".repeat(71)}`, null],
  ["multipart/form-data; boundary=a\u0001b", null],
  [null, null],
])("the boundary of %s is %s", (content_type, boundary) => {
  expect(boundaryOf(content_type)).toBe(boundary);
});
