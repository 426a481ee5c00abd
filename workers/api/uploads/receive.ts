import { boundaryOf, type FormPart, MalformedForm, readMultipart } from "../../contract/multipart.ts";
import type { Operation } from "../../contract/operation.ts";
import { Problem } from "../../kernel/problem.ts";

/** What a form takes besides the file. */
const MAX_FORM_BYTES = 64 * 1024;

/** A file as it arrives, not yet judged; its bytes are read once. */
export interface Arriving {
  name: string;
  /** Throws `payload_too_large` past the bound, and `bad_request` where the form is broken or has another file in it. */
  body: AsyncIterable<Uint8Array>;
}

/**
 * The one file in a form. Throws `unsupported_media_type` where the body is no such form, `payload_too_large`, `file_missing`,
 * `bad_request`.
 */
export async function receiveFile(request: Request, { file }: Operation): Promise<Arriving> {
  const max_bytes = file?.max_bytes ?? 0;
  const boundary = boundaryOf(request.headers.get("content-type"));
  if (boundary === null) throw new Problem("unsupported_media_type");
  if (Number(request.headers.get("content-length") ?? 0) > max_bytes + MAX_FORM_BYTES) {
    throw new Problem("payload_too_large");
  }
  const parts = readMultipart(bounded(request.body ?? [], max_bytes + MAX_FORM_BYTES), boundary);
  const first = await fileOf(parts);
  if (!first) throw new Problem("file_missing");
  return { name: first.file_name ?? "", body: onlyFile(first, parts, max_bytes) };
}

/** The next part that is a file; an input nothing was chosen in sends one without name and bytes. */
async function fileOf(parts: AsyncGenerator<FormPart>): Promise<FormPart | null> {
  try {
    for (let next = await parts.next(); !next.done; next = await parts.next()) {
      const { name, file_name } = next.value;
      if (name === "file" && file_name) return next.value;
    }
    return null;
  } catch (error) {
    throw named(error);
  }
}

async function* onlyFile(first: FormPart, parts: AsyncGenerator<FormPart>, max_bytes: number) {
  try {
    yield* bounded(first.body, max_bytes);
    if (await fileOf(parts)) throw new Problem("bad_request");
  } catch (error) {
    throw named(error);
  }
}

async function* bounded(stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, max_bytes: number) {
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.byteLength;
    if (length > max_bytes) throw new Problem("payload_too_large");
    yield chunk;
  }
}

function named(error: unknown): unknown {
  return error instanceof MalformedForm ? new Problem("bad_request", { cause: error }) : error;
}

/** The file, and the SHA-256 of its bytes in hexadecimal, which is there once all of them have been read. */
export function withDigest(file: Arriving): { file: Arriving; digest(): Promise<string> } {
  // The types of browsers, which the app needs, know no such thing.
  const { DigestStream: Digest } = crypto as unknown as { DigestStream: typeof DigestStream };
  const stream = new Digest("SHA-256");
  const writer = stream.getWriter();
  async function* read() {
    for await (const chunk of file.body) {
      await writer.write(chunk);
      yield chunk;
    }
    await writer.close();
  }
  const digest = async () =>
    Array.from(new Uint8Array(await stream.digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return { file: { ...file, body: read() }, digest };
}
