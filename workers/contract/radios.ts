import * as z from "zod";
import { countUpTo, id, pageQuery, time } from "./fields.ts";
import { planOperation } from "./operation.ts";

/**
 * Live audio. A public read may carry the access key of a radio with the visibility `url` in a header, besides a token.
 * Without either it answers what everybody may hear. Source: spec sections 3, 6 and 7, Radios.
 */
export const radioVisibility = z.enum(["public", "fans", "memberships", "url"]);
/** A recording has a visibility of its own. `none` keeps it to its owner. */
export const radioRecordingVisibility = z.enum([...radioVisibility.options, "none"]);
export const radioStatus = z.enum(["scheduled", "on_air", "finished"]);

/** Whether a page of the chat lies before or after `from_date`. The spec names no values. */
const chatDirection = z.enum(["older", "newer"]);
const nextPageToken = z
  .string()
  .min(1)
  .max(256)
  .meta({ description: "前の応答にあった続きの印", examples: ["bXNnLTAwNDI"] });

const radioParams = z.object({ radio_id: id });
const commentParams = z.object({ radio_id: id, comment_id: id });
const userParams = z.object({ user_id: id });

export const createRadio = planOperation({
  id: "createRadio",
  method: "POST",
  path: "/v4/radios",
  auth: "required",
  summary: "ラジオを作成する",
});

export const getRadio = planOperation({
  id: "getRadio",
  method: "GET",
  path: "/v4/radios/{radio_id}",
  auth: "optional",
  summary: "ラジオを1件取得",
  params: radioParams,
});

export const updateRadio = planOperation({
  id: "updateRadio",
  method: "PUT",
  path: "/v4/radios/{radio_id}",
  auth: "required",
  summary: "ラジオを変更する",
  params: radioParams,
});

export const deleteRadio = planOperation({
  id: "deleteRadio",
  method: "DELETE",
  path: "/v4/radios/{radio_id}",
  auth: "required",
  summary: "ラジオを削除する",
  params: radioParams,
});

export const startRadio = planOperation({
  id: "startRadio",
  method: "POST",
  path: "/v4/radios/{radio_id}/start",
  auth: "required",
  summary: "放送を始める",
  params: radioParams,
});

export const finishRadio = planOperation({
  id: "finishRadio",
  method: "POST",
  path: "/v4/radios/{radio_id}/finish",
  auth: "required",
  summary: "放送を終える",
  params: radioParams,
});

export const listenToRadio = planOperation({
  id: "listenToRadio",
  method: "POST",
  path: "/v4/radios/{radio_id}/listen",
  auth: "optional",
  summary: "ラジオを聴いたことを記録する",
  params: radioParams,
});

export const likeRadioRecording = planOperation({
  id: "likeRadioRecording",
  method: "POST",
  path: "/v4/radios/{radio_id}/recording_like",
  auth: "optional",
  summary: "放送の録音に「いいね」を付ける",
  params: radioParams,
});

export const listOwnRadios = planOperation({
  id: "listOwnRadios",
  method: "GET",
  path: "/v4/my/radios",
  auth: "required",
  summary: "自分のラジオの一覧",
  query: z.object({
    ...pageQuery,
    status: radioStatus.optional(),
    publish_target_type: radioVisibility.optional(),
    publish_target_membership_id: id.optional(),
  }),
});

export const listUserRadios = planOperation({
  id: "listUserRadios",
  method: "GET",
  path: "/v4/users/{user_id}/radios",
  auth: "optional",
  summary: "ユーザーのラジオの一覧",
  params: userParams,
  query: z.object(pageQuery),
});

export const createChatRoomToken = planOperation({
  id: "createChatRoomToken",
  method: "POST",
  path: "/v4/radios/{radio_id}/chat_room_token",
  auth: "optional",
  summary: "チャットに入るトークンを発行する",
  params: radioParams,
});

export const listChatMessages = planOperation({
  id: "listChatMessages",
  method: "GET",
  path: "/v4/radios/{radio_id}/chat_messages",
  auth: "optional",
  summary: "チャットの発言の一覧",
  params: radioParams,
  query: z.object({
    limit: countUpTo(100, 50),
    from_date: time.optional(),
    direction: chatDirection.default("older"),
    next_page_token: nextPageToken.optional(),
  }),
});

export const deleteChatMessage = planOperation({
  id: "deleteChatMessage",
  method: "DELETE",
  path: "/v4/radios/{radio_id}/chat_room/messages/{message_id}",
  auth: "required",
  summary: "チャットの発言を削除する",
  params: z.object({ radio_id: id, message_id: id }),
});

export const restrictRadioChat = planOperation({
  id: "restrictRadioChat",
  method: "POST",
  path: "/v4/users/{user_id}/radio_chat_restriction",
  auth: "required",
  summary: "チャットへの書き込みを制限する",
  params: userParams,
});

export const unrestrictRadioChat = planOperation({
  id: "unrestrictRadioChat",
  method: "DELETE",
  path: "/v4/users/{user_id}/radio_chat_restriction",
  auth: "required",
  summary: "チャットへの書き込みの制限を解除する",
  params: userParams,
});

export const listRadioChatRestrictees = planOperation({
  id: "listRadioChatRestrictees",
  method: "GET",
  path: "/v4/my/radio_chat_restrictees",
  auth: "required",
  summary: "チャットへの書き込みを制限した相手の一覧",
  query: z.object({ limit: countUpTo(100, 50), next_page_token: nextPageToken.optional() }),
});

export const listRadioComments = planOperation({
  id: "listRadioComments",
  method: "GET",
  path: "/v4/radios/{radio_id}/comments",
  auth: "optional",
  summary: "ラジオのコメントの一覧",
  params: radioParams,
  query: z.object(pageQuery),
});

export const createRadioComment = planOperation({
  id: "createRadioComment",
  method: "POST",
  path: "/v4/radios/{radio_id}/comments",
  auth: "required",
  summary: "ラジオにコメントする",
  params: radioParams,
});

export const deleteRadioComment = planOperation({
  id: "deleteRadioComment",
  method: "DELETE",
  path: "/v4/radios/{radio_id}/comments/{comment_id}",
  auth: "required",
  summary: "ラジオのコメントを削除する（書いた人と放送した人だけ）",
  params: commentParams,
});

export const likeRadioComment = planOperation({
  id: "likeRadioComment",
  method: "POST",
  path: "/v4/radios/{radio_id}/comments/{comment_id}/like",
  auth: "optional",
  summary: "ラジオのコメントに「いいね」を付ける",
  params: commentParams,
});
