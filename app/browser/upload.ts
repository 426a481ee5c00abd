import type { Image, MediaFile } from "../../workers/contract/fields.ts";

/** Uploads a file from a page and reports the progress. Loaded when a person chooses a file. */

export type Uploaded = { image: Image; media?: undefined } | { media: MediaFile; image?: undefined };

/** Why a file was refused, with a message for the person. `status` is 0 if there was no answer. */
class UploadRefused extends Error {
  override name = "UploadRefused";
  readonly status: number;

  constructor(detail: string, status: number) {
    super(detail);
    this.status = status;
  }
}

interface UploadOptions {
  /** The progress from 0 to 1. At 1 the browser has sent everything, and the server is processing it. */
  onProgress?(share: number): void;
  signal?: AbortSignal;
  /** True for the pictures of a profile or a newsletter. Otherwise the file belongs to a post, which may be locked. */
  is_public?: boolean;
  /** Fields to send before the file. The server can refuse it by them while it arrives. */
  fields?: Readonly<Record<string, string>>;
}

/**
 * The maximum size of a picture before the upload. Larger pictures are shrunk to send fewer bytes; the server would
 * shrink them anyway. The value is below the server's decoding limit for every type.
 */
const MAX_PIXELS = 6_000_000;
const SHRUNK_QUALITY = 0.92;
const RETRIES = 2;
const RETRY_AFTER_MS = 1500;
/** How long a request may make no progress. */
const PROGRESS_MS = 60_000;
const NO_ANSWER = "通信が途切れました。電波の良いところでもう一度お試しください。";
const TOO_LARGE = "ファイルが大きすぎて、送れませんでした。小さくしてから、もう一度お試しください。";

/**
 * Uploads the file, and retries if there was no answer.
 * @throws UploadRefused, or the signal's reason if it was aborted.
 */
export async function uploadFile(file: File, options: UploadOptions = {}): Promise<Uploaded> {
  const sent = await shrinkPicture(file);
  const { signal } = options;
  for (let attempt = 0; ; attempt++) {
    try {
      return await sendFile(sent, options);
    } catch (error) {
      const may_help = error instanceof UploadRefused && error.status === 0 && attempt < RETRIES;
      if (!may_help) throw error;
      await new Promise((done) => setTimeout(done, RETRY_AFTER_MS * (attempt + 1)));
      signal?.throwIfAborted();
    }
  }
}

function sendFile(
  file: File,
  { onProgress, signal, is_public = false, fields = {} }: UploadOptions,
): Promise<Uploaded> {
  return new Promise((done, failed) => {
    signal?.throwIfAborted();
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    form.set("file", file);
    const request = new XMLHttpRequest();
    const abortRequest = () => request.abort();
    let limit = setTimeout(abortRequest, PROGRESS_MS);
    signal?.addEventListener("abort", abortRequest, { once: true });
    request.open("POST", is_public ? "/my/uploads/file?is_public" : "/my/uploads/file");
    request.responseType = "json";
    request.upload.onprogress = ({ loaded, total }) => {
      clearTimeout(limit);
      limit = setTimeout(abortRequest, PROGRESS_MS);
      onProgress?.(total > 0 ? loaded / total : 0);
    };
    request.onloadend = () => {
      clearTimeout(limit);
      signal?.removeEventListener("abort", abortRequest);
      const { status, response } = request;
      if (signal?.aborted) failed(signal.reason);
      else if (status === 201 && response) done(response as Uploaded);
      else {
        const { detail } = (response ?? {}) as { detail?: string };
        // Cloudflare refuses a body above its plan's bound before our worker runs, so the answer has no detail.
        failed(new UploadRefused(detail ?? (status === 413 ? TOO_LARGE : NO_ANSWER), status));
      }
    };
    request.send(form);
  });
}

/** Shrinks a large picture. Returns other files unchanged, and also pictures that this browser cannot decode. */
async function shrinkPicture(file: File): Promise<File> {
  // Skip GIF, because a canvas would drop its animation.
  if (!/^image\/(?:jpeg|png|webp|avif)$/.test(file.type)) return file;
  try {
    const picture = await createImageBitmap(file);
    const { width, height } = picture;
    const ratio = Math.sqrt(MAX_PIXELS / (width * height));
    if (ratio >= 1) {
      picture.close();
      return file;
    }
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.getContext("2d")?.drawImage(picture, 0, 0, canvas.width, canvas.height);
    picture.close();
    // JPEG has no transparency, so convert the other types to WebP.
    const type = file.type === "image/jpeg" ? "image/jpeg" : "image/webp";
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, type, SHRUNK_QUALITY));
    return blob ? new File([blob], file.name, { type: blob.type }) : file;
  } catch {
    return file;
  }
}
