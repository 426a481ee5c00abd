import * as z from "zod";
import { CHAT_GRAPHEMES, NG_WORD_GRAPHEMES, NG_WORDS, SLOW_MODE_SECONDS } from "./bounds.ts";
import { CHAT_EMOJI, CHAT_SOCKET_PATH } from "./chat-names.ts";
import { amount, count, countUpTo, givenTime, ID_PART, id, pageToken, TIME_PART, time, userSummary } from "./fields.ts";
import { STAMPS } from "./letter-choices.ts";
import { defineOperation } from "./operation.ts";
import { text } from "./text.ts";

/**
 * The chat of live radio: one room per radio. Everybody who may hear a radio may read its chat, and members may write
 * while the radio is on air. Source: spec sections 3 and 7, Radios; docs/decisions/0044.
 */

/** Whether a page of the chat lies before or after `from_date`. The spec names no values. */
const chatDirection = z.enum(["older", "newer"]).meta({ description: "さかのぼるか、新しいほうへ進むか" });
/** The place at which the next page of a list begins, as its query takes it and as its answer gives it. */
const tokensOf = (pattern: string, example: string) => {
  const token = pageToken(pattern, 256).meta({ description: "前の応答にあった続きの印", examples: [example] });
  return {
    next_page_token: token.optional(),
    given_token: token.nullable().meta({ description: "続きの印。続きがなければ null", examples: [example] }),
  };
};
const messageTokens = tokensOf(ID_PART, "01kaf3b5c7d9f1g3h5j7k9m1np");
const restricteeTokens = tokensOf(`${TIME_PART}_${ID_PART}`, "2026-11-20T03:15:00.000Z_01kaf3b5c7d9f1g3h5j7k9m1np");

const radioParams = z.object({ radio_id: id });
const messageParams = z.object({ radio_id: id, message_id: id });
const userParams = z.object({ user_id: id });

/** A letter that arrived while the radio was on air. Its words are for its receiver. */
const chatLetter = z
  .object({
    is_paid: z.boolean().meta({ description: "有料かどうか", examples: [true] }),
    amount: amount.nullable().meta({ description: "金額（円）。公開された有料のofuseにだけ", examples: [550] }),
    stamp: z
      .object({
        stamp_id: z
          .enum(STAMPS.map(({ stamp_id }) => stamp_id))
          .meta({ description: "スタンプ", examples: ["thanks"] }),
        name: z.string().meta({ description: "スタンプの名前", examples: ["ありがとう"] }),
      })
      .nullable()
      .meta({ description: "スタンプ。なければ null" }),
  })
  .meta({ id: "ChatLetter", description: "放送中に届いたofuse。本文は含まない" });

/** A message of a chat, or the line of a letter. Identifiers sort in the order in which everybody got them. */
export const chatMessage = z
  .object({
    message_id: id,
    user: userSummary
      .nullable()
      .meta({ description: "発言した人、またはofuseを送った人。匿名やゲストのofuseでは null" }),
    message: z.string().meta({
      description: "発言。ofuseの行では、届いたことを伝える文",
      examples: ["こんばんは。今日も聴いています。"],
    }),
    letter: chatLetter.nullable().meta({ description: "届いたofuse。発言では null", examples: [null] }),
    pinned_at: time
      .nullable()
      .meta({ description: "固定した日時。録音の目次の時刻になる。固定していなければ null", examples: [null] }),
    created_at: time,
  })
  .meta({ id: "ChatMessage", description: "チャットの発言" });
export type ChatMessage = z.output<typeof chatMessage>;

const chatReaction = z
  .object({
    emoji: z.enum(CHAT_EMOJI).meta({ description: "絵文字", examples: ["👏"] }),
    times: count.meta({ description: "送られた回数", examples: [12] }),
  })
  .meta({ id: "ChatReaction", description: "チャットの絵文字の数" });

const slowModeSeconds = z
  .int()
  .min(0)
  .max(SLOW_MODE_SECONDS)
  .meta({ description: "ひとりが続けて発言できるまでの秒数。0 なら制限しない", examples: [10] });
const ngWords = z
  .array(text({ label: "NGワード", max: NG_WORD_GRAPHEMES, is_label: true }).meta({ examples: ["ネタバレ"] }))
  .max(NG_WORDS, `NGワードは${NG_WORDS}個までです。`)
  .meta({ description: "含む発言を受け付けない言葉（全角・半角と大文字・小文字を区別しない）" });

/** A room as its visitors see it. `ng_words` is for the broadcaster alone. */
const chatRoom = z
  .object({
    is_open: z.boolean().meta({ description: "いま発言を受け付けているか", examples: [true] }),
    may_write: z.boolean().meta({ description: "呼び出した人が発言できるか", examples: [true] }),
    is_restricted: z.boolean().meta({ description: "呼び出した人が配信者に制限されているか", examples: [false] }),
    slow_mode_seconds: slowModeSeconds,
    ng_words: ngWords.nullable().meta({ description: "NGワード。放送する本人にだけ", examples: [null] }),
    pinned_messages: z.array(chatMessage).meta({ description: "固定された発言（固定した順、100件まで）" }),
    reactions: z.array(chatReaction).meta({ description: "送られた絵文字" }),
  })
  .meta({ id: "ChatRoom", description: "ラジオのチャット" });
export type ChatRoom = z.output<typeof chatRoom>;

/** Opens the chat and the captions of a radio on air for reading, and the chat for writing to members who may write. */
export const createChatRoomToken = defineOperation({
  id: "createChatRoomToken",
  method: "POST",
  path: "/v4/radios/{radio_id}/chat_room_token",
  auth: "optional",
  takes_url_key: true,
  summary: "チャットに入るトークンを発行する",
  params: radioParams,
  status: 201,
  answer: z.object({
    token: z
      .string()
      .meta({ description: "入室のトークン", examples: ["01kaf2m8q3v7x1n5r9t4w6y8ze.a_none.q2Zt0cN5yVd8"] }),
    socket_path: z.string().meta({
      description: "このトークンで開くWebSocketのパス",
      examples: [`${CHAT_SOCKET_PATH}01kaf2m8q3v7x1n5r9t4w6y8ze?token=01kaf2m8q3v7x1n5r9t4w6y8ze.a_none.q2Zt0cN5yVd8`],
    }),
    may_write: z.boolean().meta({ description: "発言できるか", examples: [true] }),
    people_count: count.meta({ description: "いまチャットにつながっている数", examples: [40] }),
    expires_at: time.meta({ description: "トークンの期限。つないだあとは切れない" }),
  }),
  errors: ["chat_closed"],
});

export const getChatRoom = defineOperation({
  id: "getChatRoom",
  method: "GET",
  path: "/v4/radios/{radio_id}/chat_room",
  auth: "optional",
  takes_url_key: true,
  summary: "チャットの状態と、固定された発言",
  params: radioParams,
  status: 200,
  answer: z.object({ room: chatRoom }),
  errors: [],
});

/** The owner's settings of a room. They hold from the next message on. */
export const updateChatRoom = defineOperation({
  id: "updateChatRoom",
  method: "PUT",
  path: "/v4/radios/{radio_id}/chat_room",
  auth: "required",
  summary: "チャットの設定を変更する",
  params: radioParams,
  missing_fields: "reset",
  body: z.object({ slow_mode_seconds: slowModeSeconds.default(0), ng_words: ngWords.default([]) }),
  status: 200,
  answer: z.object({ slow_mode_seconds: slowModeSeconds, ng_words: ngWords }),
  errors: ["registration_required", "idempotency_key_reused"],
});

/** The messages of a page are always in the order in which they were written, whatever the direction. */
export const listChatMessages = defineOperation({
  id: "listChatMessages",
  method: "GET",
  path: "/v4/radios/{radio_id}/chat_messages",
  auth: "optional",
  takes_url_key: true,
  summary: "チャットの発言の一覧（書かれた順）",
  params: radioParams,
  query: z.object({
    limit: countUpTo(100, 50).meta({ description: "件数" }),
    from_date: givenTime.optional().meta({ description: "この日時より前（older）、またはこの日時から（newer）の発言" }),
    direction: chatDirection.default("older"),
    next_page_token: messageTokens.next_page_token,
  }),
  status: 200,
  answer: z.object({
    messages: z.array(chatMessage).meta({ description: "発言（書かれた順）" }),
    next_page_token: messageTokens.given_token,
  }),
  errors: [],
});

/** The answer has no words, so that no stored answer keeps a message that was deleted. */
export const createChatMessage = defineOperation({
  id: "createChatMessage",
  method: "POST",
  path: "/v4/radios/{radio_id}/chat_messages",
  auth: "required",
  has_keys_of_words: true,
  takes_url_key: true,
  summary: "チャットで発言する",
  params: radioParams,
  body: z.object({
    message: text({ label: "発言", max: CHAT_GRAPHEMES, max_bytes: 8192 }).meta({
      examples: ["こんばんは。今日も聴いています。"],
    }),
  }),
  status: 201,
  answer: z.object({ message_id: id, created_at: time }),
  errors: [
    "registration_required",
    "idempotency_key_reused",
    "blocked",
    "chat_closed",
    "chat_restricted",
    "chat_word_refused",
    "chat_slow_mode",
    "too_many_requests",
  ],
});

/** For the message's writer and the broadcaster. */
export const deleteChatMessage = defineOperation({
  id: "deleteChatMessage",
  method: "DELETE",
  path: "/v4/radios/{radio_id}/chat_room/messages/{message_id}",
  auth: "required",
  summary: "チャットの発言を削除する（書いた人と配信者だけ）",
  params: messageParams,
  status: 204,
  answer: null,
  errors: ["registration_required"],
});

/** Pins a message on the owner's radio. Idempotent: the first moment stays, and becomes a chapter of the recording. */
export const pinChatMessage = defineOperation({
  id: "pinChatMessage",
  method: "POST",
  path: "/v4/radios/{radio_id}/chat_room/messages/{message_id}/pin",
  auth: "required",
  summary: "チャットの発言を固定する",
  params: messageParams,
  status: 200,
  answer: z.object({ pinned_at: time.meta({ description: "固定した日時" }) }),
  errors: ["registration_required", "idempotency_key_reused"],
});

export const unpinChatMessage = defineOperation({
  id: "unpinChatMessage",
  method: "DELETE",
  path: "/v4/radios/{radio_id}/chat_room/messages/{message_id}/pin",
  auth: "required",
  summary: "チャットの発言の固定をやめる",
  params: messageParams,
  status: 204,
  answer: null,
  errors: ["registration_required"],
});

export const reactInChat = defineOperation({
  id: "reactInChat",
  method: "POST",
  path: "/v4/radios/{radio_id}/chat_room/reactions",
  auth: "required",
  takes_url_key: true,
  summary: "チャットに絵文字を送る",
  params: radioParams,
  body: z.object({
    emoji: z.enum(CHAT_EMOJI, "絵文字を選んでください。").meta({ description: "絵文字", examples: ["👏"] }),
  }),
  status: 200,
  answer: chatReaction,
  errors: [
    "registration_required",
    "idempotency_key_reused",
    "blocked",
    "chat_closed",
    "chat_restricted",
    "too_many_requests",
  ],
});

/** Holds for every radio of the caller, from the next message on. Idempotent. */
export const restrictRadioChat = defineOperation({
  id: "restrictRadioChat",
  method: "POST",
  path: "/v4/users/{user_id}/radio_chat_restriction",
  auth: "required",
  summary: "チャットへの書き込みを制限する",
  params: userParams,
  status: 200,
  answer: z.object({ is_restricted: z.literal(true).meta({ description: "制限したか", examples: [true] }) }),
  errors: ["registration_required", "idempotency_key_reused", "cannot_restrict_yourself"],
});

export const unrestrictRadioChat = defineOperation({
  id: "unrestrictRadioChat",
  method: "DELETE",
  path: "/v4/users/{user_id}/radio_chat_restriction",
  auth: "required",
  summary: "チャットへの書き込みの制限を解除する",
  params: userParams,
  status: 204,
  answer: null,
  errors: ["registration_required"],
});

export const listRadioChatRestrictees = defineOperation({
  id: "listRadioChatRestrictees",
  method: "GET",
  path: "/v4/my/radio_chat_restrictees",
  auth: "required",
  summary: "チャットへの書き込みを制限した相手の一覧（新しい順）",
  query: z.object({
    limit: countUpTo(100, 50).meta({ description: "件数" }),
    next_page_token: restricteeTokens.next_page_token,
    "user_id[]": z.array(id).max(100).meta({ description: "この中の相手だけ" }).optional(),
  }),
  status: 200,
  answer: z.object({
    restrictees: z
      .array(z.object({ user: userSummary, created_at: time }))
      .meta({ description: "制限した相手（新しい順）" }),
    next_page_token: restricteeTokens.given_token,
  }),
  errors: ["registration_required"],
});
