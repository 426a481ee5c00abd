import * as z from "zod";
import { IMAGE_FILE_BYTES, MEDIA_FILE_BYTES } from "./bounds.ts";
import { image, mediaFile } from "./fields.ts";
import { defineOperation } from "./operation.ts";

/**
 * Multipart calls with the single field `file` (spec section 7, Uploads). The first bytes of a file decide its type;
 * its name and the Content-Type mean nothing.
 */
const picture = {
  max_bytes: IMAGE_FILE_BYTES,
  description:
    "画像（JPEG・PNG・WebP・AVIF・GIF、10MBまで）。作り直して保存し、位置情報などの付帯情報は残しません。動く画像は最初の1枚になります。",
};
const sound = { max_bytes: MEDIA_FILE_BYTES, description: "音声（MP3・M4A・AAC・Ogg・WAV・FLAC・WebM、200MBまで）" };
const film = {
  max_bytes: MEDIA_FILE_BYTES,
  description: "動画（MP4・WebM、200MBまで）。MP4からは、撮影場所と機種の情報を取り除きます。",
};

/** The state of a file's processing. Source: spec section 3, enumerations. */
export const processingStatus = z
  .enum(["processing", "completed", "failed"])
  .meta({ id: "ProcessingStatus", description: "処理の状態", examples: ["completed"] });

const imageAnswer = z.object({ image, processing_status: processingStatus });
const mediaAnswer = z.object({ media: mediaFile, processing_status: processingStatus });

const mediaErrors = [
  "registration_required",
  "file_missing",
  "file_type_not_allowed",
  "storage_full",
  "too_many_requests",
  "idempotency_key_reused",
  "uploads_paused",
] as const;
const imageErrors = [...mediaErrors, "file_broken", "image_too_many_pixels"] as const;

/** For icons and covers, which anybody may see. */
export const uploadImage = defineOperation({
  id: "uploadImage",
  method: "POST",
  path: "/v4/images",
  auth: "required",
  summary: "画像をアップロードする",
  file: picture,
  status: 201,
  answer: imageAnswer,
  errors: imageErrors,
});

export const uploadAudio = defineOperation({
  id: "uploadAudio",
  method: "POST",
  path: "/v4/audios",
  auth: "required",
  summary: "音声をアップロードする",
  file: sound,
  status: 201,
  answer: mediaAnswer,
  errors: mediaErrors,
});

/** For pictures of posts. The owner may see it, and everybody who may read the post that shows it. */
export const uploadPrivateImage = defineOperation({
  id: "uploadPrivateImage",
  method: "POST",
  path: "/v4/private_images",
  auth: "required",
  summary: "限定公開の画像をアップロードする",
  file: picture,
  status: 201,
  answer: imageAnswer,
  errors: imageErrors,
});

export const uploadPrivateAudio = defineOperation({
  id: "uploadPrivateAudio",
  method: "POST",
  path: "/v4/private_audios",
  auth: "required",
  summary: "限定公開の音声をアップロードする",
  file: sound,
  status: 201,
  answer: mediaAnswer,
  errors: mediaErrors,
});

/** The spec has no call for films, which the product decisions let a creator upload: docs/decisions/0016. */
export const uploadPrivateVideo = defineOperation({
  id: "uploadPrivateVideo",
  method: "POST",
  path: "/v4/private_videos",
  auth: "required",
  summary: "限定公開の動画をアップロードする",
  file: film,
  status: 201,
  answer: mediaAnswer,
  errors: mediaErrors,
});
