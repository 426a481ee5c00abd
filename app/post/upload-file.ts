import type { Image, MediaFile } from "../../workers/contract/fields.ts";

/** What became of one file: what it is now, or a sentence about why it was not taken. */
export type Uploaded = { image: Image } | { media: MediaFile } | { refused: string };

const UNSENT = "送信できませんでした。電波の状態をご確認のうえ、もう一度お試しください。";
const TOO_LARGE = "ファイルが大きすぎます。";

/**
 * Sends one file, and tells how much of it has left.
 *
 * @param onProgress from 0 to 1.
 */
export function uploadFile(file: File, onProgress: (part: number) => void): Promise<Uploaded> {
  // `fetch` tells nothing of what it has sent.
  const request = new XMLHttpRequest();
  const body = new FormData();
  body.set("file", file);
  return new Promise((resolve) => {
    request.upload.addEventListener("progress", ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0));
    request.addEventListener("error", () => resolve({ refused: UNSENT }));
    request.addEventListener("load", () => {
      const answer = request.response as ({ detail?: string } & Partial<{ image: Image; media: MediaFile }>) | null;
      if (request.status === 201 && answer?.image) resolve({ image: answer.image });
      else if (request.status === 201 && answer?.media) resolve({ media: answer.media });
      else resolve({ refused: answer?.detail ?? (request.status === 413 ? TOO_LARGE : UNSENT) });
    });
    request.open("POST", "/my/uploads/file");
    request.responseType = "json";
    request.send(body);
  });
}
