import { boundaryOf, type FormPart, MalformedForm, readInPieces, readMultipart } from "../../contract/multipart.ts";
import type { Operation } from "../../contract/operation.ts";
import { Problem } from "../../kernel/problem.ts";

/** How many bytes an upload form may have besides the file. */
const MAX_FORM_BYTES = 64 * 1024;

/** A file while it arrives, before any check. Its bytes can be read once. */
export interface ArrivingFile {
  name: string;
  /**
   * Reading the bytes throws `payload_too_large` when the file is too large, and `bad_request` when the form is broken
   * or contains another file.
   */
  body: AsyncIterable<Uint8Array>;
}

/**
 * Returns the one file of an upload form. Throws `unsupported_media_type` when the body is not a multipart form,
 * `payload_too_large`, `file_missing`, `bad_request`.
 */
export async function receiveFile(request: Request, { file }: Operation): Promise<ArrivingFile> {
  const max_bytes = file?.max_bytes ?? 0;
  const boundary = boundaryOf(request.headers.get("content-type"));
  if (boundary === null) throw new Problem("unsupported_media_type");
  if (Number(request.headers.get("content-length") ?? 0) > max_bytes + MAX_FORM_BYTES) {
    throw new Problem("payload_too_large");
  }
  const pieces = request.body ? readInPieces(request.body) : [];
  const parts = readMultipart(limitBytes(pieces, max_bytes + MAX_FORM_BYTES), boundary);
  const first = await readNextFile(parts);
  if (!first) throw new Problem("file_missing");
  return { name: first.file_name ?? "", body: readOnlyFile(first, parts, max_bytes) };
}

/**
 * Returns the next part that is a file. A file input in which nothing was chosen sends a part without name and bytes.
 */
async function readNextFile(parts: AsyncGenerator<FormPart>): Promise<FormPart | null> {
  try {
    for (let next = await parts.next(); !next.done; next = await parts.next()) {
      const { name, file_name } = next.value;
      if (name === "file" && file_name) return next.value;
    }
    return null;
  } catch (error) {
    throw toProblem(error);
  }
}

async function* readOnlyFile(first: FormPart, parts: AsyncGenerator<FormPart>, max_bytes: number) {
  try {
    yield* limitBytes(first.body, max_bytes);
    if (await readNextFile(parts)) throw new Problem("bad_request");
  } catch (error) {
    throw toProblem(error);
  }
}

async function* limitBytes(stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, max_bytes: number) {
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.byteLength;
    if (length > max_bytes) throw new Problem("payload_too_large");
    yield chunk;
  }
}

function toProblem(error: unknown): unknown {
  return error instanceof MalformedForm ? new Problem("bad_request", { cause: error }) : error;
}

/** Adds to a file the SHA-256 of its bytes in hexadecimal. The digest is ready once all bytes have been read. */
export function withDigest(file: ArrivingFile): { file: ArrivingFile; digest(): Promise<string> } {
  // The type definitions of browsers, which the app needs, lack `DigestStream`.
  const { DigestStream: Digest } = crypto as unknown as { DigestStream: typeof DigestStream };
  const stream = new Digest("SHA-256");
  const writer = stream.getWriter();
  async function* readDigested() {
    for await (const chunk of file.body) {
      await writer.write(chunk);
      yield chunk;
    }
    await writer.close();
  }
  const digestHex = async () =>
    Array.from(new Uint8Array(await stream.digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return { file: { ...file, body: readDigested() }, digest: digestHex };
}
