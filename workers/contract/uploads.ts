import { z } from "zod";
import { planOperation } from "./operation.ts";

/** Multipart calls with a single file. Source: spec section 7, Uploads. */

/** How far the processing of a file is. Source: spec section 3, enumerations. */
export const processingStatus = z.enum(["processing", "completed", "failed"]);

export const uploadImage = planOperation({
  id: "uploadImage",
  method: "POST",
  path: "/v4/images",
  auth: "required",
  summary: "画像をアップロードする",
});

export const uploadAudio = planOperation({
  id: "uploadAudio",
  method: "POST",
  path: "/v4/audios",
  auth: "required",
  summary: "音声をアップロードする",
});

export const uploadPrivateImage = planOperation({
  id: "uploadPrivateImage",
  method: "POST",
  path: "/v4/private_images",
  auth: "required",
  summary: "限定公開の画像をアップロードする",
});

export const uploadPrivateAudio = planOperation({
  id: "uploadPrivateAudio",
  method: "POST",
  path: "/v4/private_audios",
  auth: "required",
  summary: "限定公開の音声をアップロードする",
});
