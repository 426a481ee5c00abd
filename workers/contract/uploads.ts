import { z } from "zod";
import { image, mediaFile } from "./fields.ts";
import { defineOperation } from "./operation.ts";

/**
 * Multipart calls with a single field `file` (spec section 7, Uploads). The body is no JSON and is read as it comes:
 * `body` here only says what stands in it, and the rooms of uploads read it themselves.
 */

/** How far the processing of a file is. Source: spec section 3, enumerations. */
export const processingStatus = z
  .enum(["processing", "completed", "failed"])
  .meta({ id: "ProcessingStatus", description: "処理の状態", examples: ["completed"] });

const imageAnswer = z.object({ image, processing_status: processingStatus });
const mediaAnswer = z.object({ media: mediaFile, processing_status: processingStatus });

const errors = [
  "registration_required",
  "file_missing",
  "file_type_not_allowed",
  "file_broken",
  "image_too_many_pixels",
  "storage_full",
  "too_many_requests",
] as const;

/** For icons and covers: anybody may see it. */
export const uploadImage = defineOperation({
  id: "uploadImage",
  method: "POST",
  path: "/v4/images",
  auth: "required",
  summary: "画像をアップロードする",
  status: 201,
  answer: imageAnswer,
  errors,
});

export const uploadAudio = defineOperation({
  id: "uploadAudio",
  method: "POST",
  path: "/v4/audios",
  auth: "required",
  summary: "音声をアップロードする",
  status: 201,
  answer: mediaAnswer,
  errors,
});

/** For posts: as visible as the post that shows it, and to its owner. */
export const uploadPrivateImage = defineOperation({
  id: "uploadPrivateImage",
  method: "POST",
  path: "/v4/private_images",
  auth: "required",
  summary: "限定公開の画像をアップロードする",
  status: 201,
  answer: imageAnswer,
  errors,
});

export const uploadPrivateAudio = defineOperation({
  id: "uploadPrivateAudio",
  method: "POST",
  path: "/v4/private_audios",
  auth: "required",
  summary: "限定公開の音声をアップロードする",
  status: 201,
  answer: mediaAnswer,
  errors,
});

/** Ours beyond the spec, which has no call for the films that decisions let a creator upload: docs/decisions/0016. */
export const uploadPrivateVideo = defineOperation({
  id: "uploadPrivateVideo",
  method: "POST",
  path: "/v4/private_videos",
  auth: "required",
  summary: "限定公開の動画をアップロードする",
  status: 201,
  answer: mediaAnswer,
  errors,
});
