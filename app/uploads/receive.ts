import { POST_FORM_BYTES } from "../../workers/contract/bounds.ts";
import { errorCatalogue } from "../../workers/contract/errors.ts";
import type { Image, MediaFile } from "../../workers/contract/fields.ts";
import { countBytes } from "../../workers/contract/graphemes.ts";
import {
  boundaryOf,
  type FormPart,
  MalformedForm,
  readInPieces,
  readMultipart,
  textOf,
} from "../../workers/contract/multipart.ts";
import {
  uploadImage,
  uploadPrivateAudio,
  uploadPrivateImage,
  uploadPrivateVideo,
} from "../../workers/contract/uploads.ts";
import type { Refusal, V4 } from "../v4/client.ts";

/** A form with files: its text fields, and the result of each file in order. */
export interface Received {
  form: FormData;
  images: Image[];
  media: MediaFile[];
  refused: { field: string; file_name: string; refusal: Refusal }[];
  /** The last picture that was uploaded in each field. */
  image_of: Map<string, Image>;
}

/** The purposes of uploaded files: a post, which may be locked, or a profile or newsletter, whose pictures are public. */
export type Purpose = "post" | "public";

/** Thrown when the request is not a form with files, or its text is too long. */
export class UnreadableForm extends Error {
  override name = "UnreadableForm";
}

/**
 * Parses a form as it arrives and forwards each file to the API, without holding it in memory.
 * @param findV4 gets the fields that came before a file. Returns the API that takes the file, or null to discard it.
 * @throws UnreadableForm
 */
export async function receiveUploads(
  request: Request,
  findV4: (form: FormData) => V4 | null,
  purpose: Purpose,
): Promise<Received> {
  const received: Received = { form: new FormData(), images: [], media: [], refused: [], image_of: new Map() };
  let left = POST_FORM_BYTES;
  for await (const part of partsOf(request)) {
    if (part.file_name === null) {
      const text = await textOf(part.body, left);
      if (text === null) throw new UnreadableForm("too many words");
      left -= countBytes(text) + countBytes(part.name);
      received.form.append(part.name, text);
    } else if (part.file_name !== "") {
      const v4 = findV4(received.form);
      if (v4) await forwardFile(part, part.file_name, v4, received, purpose);
    }
  }
  return received;
}

/** Reads the text fields of a form with files, and discards the files. */
export async function readWords(request: Request): Promise<FormData> {
  try {
    return (await receiveUploads(request, () => null, "post")).form;
  } catch (error) {
    if (error instanceof UnreadableForm) return new FormData();
    throw error;
  }
}

/** Yields the parts of a form with files as they arrive. @throws UnreadableForm */
export async function* partsOf(request: Request): AsyncGenerator<FormPart> {
  const boundary = boundaryOf(request.headers.get("content-type"));
  if (boundary === null || !request.body) throw new UnreadableForm("no form with files");
  try {
    yield* readMultipart(readInPieces(request.body), boundary);
  } catch (error) {
    throw error instanceof MalformedForm ? new UnreadableForm(error.message) : error;
  }
}

/** Forwards a file to the operation for its declared type. The API checks the real type. */
async function forwardFile(
  { type, body, name: field }: FormPart,
  file_name: string,
  v4: V4,
  received: Received,
  purpose: Purpose,
): Promise<void> {
  const file = { name: file_name, body };
  const [kind] = type.split("/");
  const refuseFile = (refusal: Refusal) => received.refused.push({ field, file_name, refusal });
  const limited = received.refused.find(({ refusal }) => refusal.code === "too_many_requests");
  // The API would refuse every later file as well.
  if (limited) return void refuseFile(limited.refusal);
  if (kind === "image") {
    const sent = await v4.upload(purpose === "public" ? uploadImage : uploadPrivateImage, file);
    if (!sent.ok) return void refuseFile(sent.refusal);
    received.images.push(sent.answer.image);
    received.image_of.set(field, sent.answer.image);
  } else if (purpose === "post" && (kind === "audio" || kind === "video")) {
    const sent = await v4.upload(kind === "audio" ? uploadPrivateAudio : uploadPrivateVideo, file);
    if (sent.ok) received.media.push(sent.answer.media);
    else refuseFile(sent.refusal);
  } else {
    refuseFile(NOT_ALLOWED);
  }
}

const NOT_ALLOWED: Refusal = {
  code: "file_type_not_allowed",
  ...errorCatalogue.file_type_not_allowed,
  fields: {},
  needs_sign_in: false,
  retry_after_s: null,
};
