import * as z from "zod";
import {
  COMMENT_BYTES,
  COMMENT_GRAPHEMES,
  RADIO_DESCRIPTION_GRAPHEMES,
  RADIO_TRANSCRIPT_BYTES,
  RADIO_TRANSCRIPT_GRAPHEMES,
  TITLE_GRAPHEMES,
} from "./bounds.ts";
import { count, givenTime, id, image, pageAnswer, pageQuery, time, userSummary } from "./fields.ts";
import { likeAnswer, likeBody, likeErrors } from "./likes.ts";
import { defineOperation } from "./operation.ts";
import { text } from "./text.ts";

/**
 * Live audio. A caller may prove access to a radio with the visibility `url` by its key, which a header carries besides
 * the token or without one. A radio that the caller may not see is answered like an unknown one. Source: spec sections 3,
 * 6 and 7, Radios; docs/decisions/0039.
 */
export const radioVisibility = z.enum(["public", "fans", "memberships", "url"]).meta({
  id: "RadioVisibility",
  description: "聴ける人（全員、フォロワー、メンバーシップ、URLを知っている人）",
});
/** A recording has a visibility of its own. `none` keeps it to its owner. */
export const radioRecordingVisibility = z.enum([...radioVisibility.options, "none"]).meta({
  id: "RadioRecordingVisibility",
  description: "録音を聴ける人（全員、フォロワー、メンバーシップ、URLを知っている人、本人だけ）",
});
export const radioStatus = z
  .enum(["scheduled", "on_air", "finished"])
  .meta({ id: "RadioStatus", description: "状態（放送前、放送中、放送済み）", examples: ["scheduled"] });
const recordingState = z
  .enum(["none", "processing", "completed", "failed"])
  .meta({ id: "RadioRecordingState", description: "録音の状態（ない、作成中、聴ける、失敗）", examples: ["none"] });

/** The header that carries the key of a radio with the visibility `url`. The spec names the header, and not its name. */
export const URL_KEY_HEADER = "URL-Restricted-Access-Key";
/** 128 random bits in base64url. */
export const urlKey = z
  .string()
  .regex(/^[\w-]{22}$/)
  .meta({ description: "URLを知っている人だけが聴けるラジオの鍵", examples: ["q2Zt0cN5yVd8Rk1LwXo7Bg"] });

const visitId = z
  .string()
  .regex(/^[\w-]{1,128}$/, "閲覧のIDの形式が正しくありません。")
  .meta({ description: "聴いた端末を区別するID", examples: ["visit-0f9c2a"] });

const radioParams = z.object({ radio_id: id });
const commentParams = z.object({ radio_id: id, comment_id: id });
const userParams = z.object({ user_id: id });

/**
 * A radio in a list. When the caller may not hear it (`is_locked`), it has its title and neither description nor picture;
 * `placeholder` is the blurred picture.
 */
const radioSummary = z
  .object({
    radio_id: id,
    user: userSummary,
    title: z.string().meta({ description: "タイトル", examples: ["夜ふかし缶詰"] }),
    image: image.nullable().meta({ description: "画像。聴けないラジオでは null" }),
    placeholder: z
      .string()
      .nullable()
      .meta({ description: "画像をぼかした小さな画像（data: URI）。聴けないラジオでも見せてよい", examples: [null] }),
    status: radioStatus,
    is_locked: z.boolean().meta({ description: "呼び出した人には聴けないか" }),
    publish_target_type: radioVisibility,
    recording_publish_target_type: radioRecordingVisibility,
    publish_target_membership_id: id.nullable().meta({ description: "聴けるプランのID", examples: [null] }),
    starts_at: time.nullable().meta({ description: "放送の予定。決めていなければ null" }),
    started_at: time.nullable().meta({ description: "放送を始めた日時", examples: [null] }),
    finished_at: time.nullable().meta({ description: "放送を終えた日時", examples: [null] }),
    is_chat_on: z.boolean().meta({ description: "チャットを開くか", examples: [true] }),
    recording_state: recordingState,
    likes_count: count.meta({ description: "録音への「いいね」の数", examples: [12] }),
    comments_count: count.meta({ description: "コメントの数", examples: [3] }),
    is_recording_liked: z.boolean().meta({ description: "呼び出した人が録音に「いいね」を付けたか" }),
  })
  .meta({ id: "RadioSummary", description: "ラジオ（一覧）" });
export type RadioSummary = z.output<typeof radioSummary>;

const ownRadioSummary = radioSummary
  .extend({
    listens_count: count.meta({ description: "聴いた人の数", examples: [40] }),
  })
  .meta({ id: "OwnRadioSummary", description: "自分のラジオ（一覧）" });
export type OwnRadioSummary = z.output<typeof ownRadioSummary>;

/** A radio on its own page. The last three fields are the broadcaster's alone, and null for everybody else. */
const radio = radioSummary
  .extend({
    description: z
      .string()
      .nullable()
      .meta({ description: "説明。聴けないラジオでは null", examples: ["眠れない夜のおしゃべりです。"] }),
    transcript: z
      .string()
      .nullable()
      .meta({ description: "録音の文字起こし。聴けないラジオでは null", examples: ["こんばんは。夜ふかし缶詰です。"] }),
    is_reminded: z
      .boolean()
      .meta({ description: "呼び出した人が、放送の始まりの知らせを頼んでいるか", examples: [false] }),
    listens_count: count.nullable().meta({ description: "聴いた人の数。放送する本人にだけ", examples: [null] }),
    last_signal_at: time
      .nullable()
      .meta({ description: "放送の音が最後に届いた日時。放送する本人にだけ", examples: [null] }),
    updated_at: time.nullable().meta({ description: "最後に変更した日時。放送する本人にだけ", examples: [null] }),
  })
  .meta({ id: "Radio", description: "ラジオ" });
export type Radio = z.output<typeof radio>;

/** The addresses of one listener for a radio on air. Source: live-engine.ts, `Sources`. */
const liveSources = z
  .object({
    opus: z
      .object({
        playlist: z.string().meta({
          description: "スクリプトで再生するためのプレイリスト（Opus）",
          examples: ["/media/live/eyJhbGciOiJIUzI1NiJ9.e30.c2ln/opus.m3u8"],
        }),
        mime_type: z.string().meta({ description: "その音声の種類", examples: ['audio/mp4; codecs="opus"'] }),
      })
      .meta({ description: "スクリプトで再生するための音声" }),
    hls: z.string().meta({
      description: "HLSのプレイリスト（AAC）",
      examples: ["/media/live/eyJhbGciOiJIUzI1NiJ9.e30.c2ln/aac.m3u8"],
    }),
    progressive: z.string().meta({
      description: "終わりまで続くAACの音声",
      examples: ["/media/live/eyJhbGciOiJIUzI1NiJ9.e30.c2ln/live.aac"],
    }),
    expires_at: time.meta({ description: "アドレスの期限" }),
  })
  .meta({ id: "LiveSources", description: "放送中の音声のアドレス。呼び出した人だけのもの" });

const recordingFile = z
  .object({
    path: z.string().meta({
      description: "アドレス。全員に公開の録音では変わらない。ほかの録音では、呼び出した人だけが、4時間のあいだ使える",
      examples: ["/media/01k9xq2ry8j4m6t3w5z7a9c1e3/recording"],
    }),
    content_type: z.string().meta({ description: "種類", examples: ["audio/mp4"] }),
    bytes: count.meta({ description: "大きさ（バイト）", examples: [14_900_000] }),
    duration_ms: count.meta({ description: "長さ（ミリ秒）", examples: [1_830_000] }),
  })
  .meta({ id: "RecordingFile", description: "録音" });
export type RecordingFile = z.output<typeof recordingFile>;

const radioSound = z
  .object({
    live: liveSources.nullable().meta({ description: "放送中の音声。放送中でないときと、いま用意できないときは null" }),
    recording: recordingFile.nullable().meta({ description: "録音。まだないときは null" }),
    listeners_count: count
      .nullable()
      .meta({ description: "いま聴いている人の数。放送中でないときと、数えられないときは null", examples: [12] }),
  })
  .meta({ id: "RadioSound", description: "ラジオの音声" });
export type RadioSound = z.output<typeof radioSound>;

/** A recording in a person's list. */
export const radioRecording = z
  .object({
    radio_id: id,
    title: z.string().meta({ description: "タイトル", examples: ["夜ふかし缶詰"] }),
    description: z.string().meta({ description: "説明", examples: ["眠れない夜のおしゃべりです。"] }),
    image: image.nullable().meta({ description: "画像" }),
    publish_target_type: radioVisibility.exclude(["url"]).meta({ description: "録音を聴ける人", examples: ["public"] }),
    started_at: time.meta({ description: "放送を始めた日時" }),
    finished_at: time.meta({ description: "放送を終えた日時" }),
    file: recordingFile,
  })
  .meta({ id: "RadioRecording", description: "録音（一覧）" });
export type RadioRecording = z.output<typeof radioRecording>;

const radioComment = z
  .object({
    comment_id: id,
    user: userSummary,
    message: z.string().meta({ description: "本文", examples: ["声がやさしくて、よく眠れました。"] }),
    likes_count: count.meta({ description: "「いいね」の数", examples: [2] }),
    is_liked: z.boolean().meta({ description: "呼び出した人が「いいね」を付けたか" }),
    can_delete: z.boolean().meta({ description: "呼び出した人が削除できるか" }),
    created_at: time,
  })
  .meta({ id: "RadioComment", description: "ラジオへのコメント" });
export type RadioComment = z.output<typeof radioComment>;

/** The sound of a radio, as its broadcaster's page shows it. */
const radioBroadcast = z
  .object({
    status: radioStatus,
    listeners_count: count
      .nullable()
      .meta({ description: "いま聴いている人の数。放送中でないときと、数えられないときは null", examples: [12] }),
    last_signal_at: time.nullable().meta({ description: "放送の音が最後に届いた日時", examples: [null] }),
    recording_state: recordingState,
    recording: z
      .object({
        path: z.string().meta({
          description: "録音のアドレス。配信者だけが、1時間のあいだ使える",
          examples: ["/media/01k9xq2ry8j4m6t3w5z7a9c1e3/recording?expires=1763550000000&signature=c2ln"],
        }),
        duration_ms: count.meta({ description: "長さ（ミリ秒）", examples: [1_830_000] }),
        bytes: count.meta({ description: "大きさ（バイト）", examples: [14_900_000] }),
      })
      .nullable()
      .meta({ description: "できあがった録音" }),
  })
  .meta({ id: "RadioBroadcast", description: "ラジオの音声（放送する本人にだけ）" });
export type RadioBroadcast = z.output<typeof radioBroadcast>;

/** A complete radio as its owner sends it. Sending it again changes nothing. */
export const radioBody = z
  .object({
    title: text({ label: "タイトル", max: TITLE_GRAPHEMES, is_label: true }).meta({ examples: ["夜ふかし缶詰"] }),
    description: text({ label: "説明", max: RADIO_DESCRIPTION_GRAPHEMES, min: 0, lines: true })
      .default("")
      .meta({ examples: ["眠れない夜のおしゃべりです。"] }),
    image_id: id
      .nullable()
      .default(null)
      .meta({ description: "自分でアップロードした、公開の画像のID", examples: [null] }),
    publish_target_type: radioVisibility,
    recording_publish_target_type: radioRecordingVisibility.default("none"),
    publish_target_membership_id: id
      .nullable()
      .default(null)
      .meta({ description: "聴けるプランのID（放送か録音が memberships のとき）", examples: [null] }),
    starts_at: givenTime
      .nullable()
      .default(null)
      .meta({ description: "放送の予定。放送を始めたあとは変わらない", examples: [null] }),
    is_chat_on: z.boolean().default(true).meta({ description: "チャットを開くか" }),
    transcript: text({
      label: "文字起こし",
      max: RADIO_TRANSCRIPT_GRAPHEMES,
      max_bytes: RADIO_TRANSCRIPT_BYTES,
      min: 0,
      lines: true,
    })
      .default("")
      .meta({ examples: ["こんばんは。夜ふかし缶詰です。"] }),
  })
  .meta({ id: "RadioBody", description: "ラジオの内容" });
export type RadioBody = z.output<typeof radioBody>;

function refuseFaults(given: RadioBody, context: z.RefinementCtx): void {
  const { publish_target_type, recording_publish_target_type, publish_target_membership_id } = given;
  const is_of_plan = [publish_target_type, recording_publish_target_type].includes("memberships");
  if (!is_of_plan || publish_target_membership_id !== null) return;
  context.addIssue({ code: "custom", path: ["publish_target_membership_id"], message: "プランを選んでください。" });
}

/**
 * `url_key` is answered only to the call that makes it. A repeated call with the same Idempotency-Key gets null, and
 * learns by `is_url_key_new` that there is a key it was not told.
 */
const ownRadio = z.object({
  radio,
  url_key: urlKey.nullable().meta({
    description: "新しい鍵。URLを知っている人だけに聴かせるときの、作成した応答と、作り直した応答にだけある",
    examples: [null],
  }),
  // Optional, because older versions keep answers without it for retries.
  is_url_key_new: z
    .boolean()
    .optional()
    .meta({ description: "新しい鍵を作ったか。同じ Idempotency-Key の2回目からの応答では、鍵がなくても true" }),
});

const contentErrors = [
  "registration_required",
  "idempotency_key_reused",
  "membership_not_found",
  "image_not_usable",
  "starts_at_passed",
  "too_many_requests",
] as const;

export const createRadio = defineOperation({
  id: "createRadio",
  method: "POST",
  path: "/v4/radios",
  auth: "required",
  summary: "ラジオを作成する",
  body: radioBody.superRefine(refuseFaults),
  status: 201,
  answer: ownRadio,
  errors: contentErrors,
});

export const getRadio = defineOperation({
  id: "getRadio",
  method: "GET",
  path: "/v4/radios/{radio_id}",
  auth: "optional",
  takes_url_key: true,
  summary: "ラジオを1件取得",
  params: radioParams,
  status: 200,
  answer: z.object({ radio }),
  errors: [],
});

/**
 * Replaces the whole content of a radio. A radio that gets the visibility `url` gets a key as well. With
 * `seen_updated_at`, the call fails when another page has changed the content since. A start and an end do not count.
 */
export const updateRadio = defineOperation({
  id: "updateRadio",
  method: "PUT",
  path: "/v4/radios/{radio_id}",
  auth: "required",
  summary: "ラジオを変更する",
  params: radioParams,
  missing_fields: "reset",
  body: radioBody
    .extend({
      rotates_url_key: z.boolean().default(false).meta({ description: "鍵を作り直すか。それまでの鍵は使えなくなる" }),
      seen_updated_at: givenTime
        .meta({ description: "読んだときの updated_at。あとから変更されていれば、変更されない" })
        .optional(),
    })
    .superRefine(refuseFaults),
  status: 200,
  answer: ownRadio,
  errors: [...contentErrors, "radio_transition_refused", "radio_conflict"],
});

/** Deletes a radio with its comments. A radio on air must be finished first. */
export const deleteRadio = defineOperation({
  id: "deleteRadio",
  method: "DELETE",
  path: "/v4/radios/{radio_id}",
  auth: "required",
  summary: "ラジオを削除する",
  params: radioParams,
  status: 204,
  answer: null,
  errors: ["registration_required", "radio_transition_refused"],
});

/** Goes on air and notifies the followers who may hear the radio. A person has one radio on air. */
export const startRadio = defineOperation({
  id: "startRadio",
  method: "POST",
  path: "/v4/radios/{radio_id}/start",
  auth: "required",
  summary: "放送を始める",
  params: radioParams,
  status: 200,
  answer: z.object({ radio }),
  errors: [
    "broadcasts_paused",
    "registration_required",
    "idempotency_key_reused",
    "radio_transition_refused",
    "radio_already_on_air",
  ],
});

/** The clock finishes a radio too: five minutes after the last signal of the broadcaster, and 180 minutes after the start. */
export const finishRadio = defineOperation({
  id: "finishRadio",
  method: "POST",
  path: "/v4/radios/{radio_id}/finish",
  auth: "required",
  summary: "放送を終える",
  params: radioParams,
  status: 200,
  answer: z.object({ radio }),
  errors: ["registration_required", "idempotency_key_reused", "radio_transition_refused"],
});

/**
 * Opens the sound of a radio on air for a page of its broadcaster, which then sends the sound to `path`
 * (docs/decisions/0040). An older page of the same radio is closed. A repeated call opens it again: the answer, which
 * contains a token, is not stored.
 */
export const openRadioSound = defineOperation({
  id: "openRadioSound",
  method: "POST",
  path: "/v4/radios/{radio_id}/sound",
  auth: "required",
  summary: "放送の音声を送りはじめる",
  params: radioParams,
  status: 200,
  answer: z.object({
    ingest: z
      .object({
        path: z.string().meta({
          description: "音声を送るアドレス。WebSocket または PUT で使う",
          examples: ["/media/live/eyJhbGciOiJIUzI1NiJ9.e30.c2ln/ingest"],
        }),
        epoch: z.int().meta({ description: "何回目の接続か。送る音声に付ける番号", examples: [1] }),
        expires_at: time.meta({ description: "アドレスの期限。送っているあいだは更新される" }),
      })
      .meta({ description: "音声の送り先" }),
  }),
  errors: ["registration_required", "radio_transition_refused"],
});

/** Only the radio's owner reads this. Everybody else gets `not_found`. */
export const getRadioBroadcast = defineOperation({
  id: "getRadioBroadcast",
  method: "GET",
  path: "/v4/radios/{radio_id}/broadcast",
  auth: "required",
  summary: "放送する本人が、聴いている人の数と録音を取得",
  params: radioParams,
  status: 200,
  answer: z.object({ broadcast: radioBroadcast }),
  errors: ["registration_required"],
});

/**
 * Makes an uploaded audio file the recording of a finished radio, in place of the one it has. While the recording of the
 * broadcast is being written, this is `radio_transition_refused`.
 */
export const putRadioRecording = defineOperation({
  id: "putRadioRecording",
  method: "PUT",
  path: "/v4/radios/{radio_id}/recording",
  auth: "required",
  summary: "アップロードした音声をラジオの録音にする",
  params: radioParams,
  body: z.object({ media_id: id.meta({ description: "自分でアップロードした音声のID" }) }),
  status: 200,
  answer: z.object({
    recording: recordingFile.omit({ path: true }).meta({ id: "UploadedRecording", description: "録音になった音声" }),
  }),
  errors: [
    "registration_required",
    "idempotency_key_reused",
    "radio_transition_refused",
    "media_not_usable",
    "recording_unreadable",
    "too_many_requests",
  ],
});

/** Deletes the recording of a finished radio, and keeps the radio. Repeating it changes nothing. */
export const deleteRadioRecording = defineOperation({
  id: "deleteRadioRecording",
  method: "DELETE",
  path: "/v4/radios/{radio_id}/recording",
  auth: "required",
  summary: "ラジオの録音を削除する",
  params: radioParams,
  status: 204,
  answer: null,
  errors: ["registration_required", "radio_transition_refused"],
});

/** Counts each `visit_id` once, for broadcast and recording together; nobody before the start, and never the owner. */
export const listenToRadio = defineOperation({
  id: "listenToRadio",
  method: "POST",
  path: "/v4/radios/{radio_id}/listen",
  auth: "optional",
  takes_url_key: true,
  summary: "ラジオを聴いたことを記録する",
  params: radioParams,
  body: z.object({ visit_id: visitId }),
  status: 200,
  answer: z.object({ is_counted: z.boolean().meta({ description: "新しく数えたか", examples: [true] }) }),
  errors: ["idempotency_key_reused", "too_many_requests"],
});

/**
 * The sound of a radio for one listener. While the engine of live sound fails, `live` is null. A member counts once as a
 * listener, and so does a browser with a `visit_id`. docs/decisions/0043.
 */
export const getRadioSound = defineOperation({
  id: "getRadioSound",
  method: "GET",
  path: "/v4/radios/{radio_id}/sound",
  auth: "optional",
  takes_url_key: true,
  summary: "ラジオの音声（放送か録音）のアドレスを取得",
  params: radioParams,
  query: z.object({ visit_id: visitId.optional() }),
  status: 200,
  answer: z.object({ sound: radioSound }),
  errors: [],
});

/** Lists the recordings that the caller may hear, newest first. Leaves out recordings for holders of a key. */
export const listUserRecordings = defineOperation({
  id: "listUserRecordings",
  method: "GET",
  path: "/v4/users/{user_id}/radio_recordings",
  auth: "optional",
  summary: "ユーザーの録音のうち、聴けるものの一覧（新しい順）",
  params: userParams,
  query: z.object(pageQuery),
  status: 200,
  answer: z.object({ recordings: z.array(radioRecording), ...pageAnswer }),
  errors: [],
});

/**
 * Sets or removes the caller's reminder: a notification of the radio's start, whatever their settings say of these.
 * Idempotent.
 */
export const remindOfRadio = defineOperation({
  id: "remindOfRadio",
  method: "POST",
  path: "/v4/radios/{radio_id}/reminder",
  auth: "required",
  takes_url_key: true,
  summary: "放送が始まったら知らせるように頼む、またはやめる",
  params: radioParams,
  body: z.object({
    is_reminded: z.boolean().meta({ description: "頼むなら true、やめるなら false", examples: [true] }),
  }),
  status: 200,
  answer: z.object({ is_reminded: z.boolean().meta({ description: "頼んであるか", examples: [true] }) }),
  errors: [
    "registration_required",
    "idempotency_key_reused",
    "blocked",
    "radio_transition_refused",
    "too_many_requests",
  ],
});

/** A radio without a finished recording has nothing to like: `not_found`. */
export const likeRadioRecording = defineOperation({
  id: "likeRadioRecording",
  method: "POST",
  path: "/v4/radios/{radio_id}/recording_like",
  auth: "optional",
  takes_url_key: true,
  summary: "放送の録音に「いいね」を付ける",
  params: radioParams,
  body: likeBody,
  status: 200,
  answer: likeAnswer,
  errors: likeErrors,
});

export const listOwnRadios = defineOperation({
  id: "listOwnRadios",
  method: "GET",
  path: "/v4/my/radios",
  auth: "required",
  summary: "自分のラジオの一覧（新しい順）",
  query: z.object({
    ...pageQuery,
    status: radioStatus.optional(),
    publish_target_type: radioVisibility.optional(),
    publish_target_membership_id: id.optional(),
  }),
  status: 200,
  answer: z.object({ radios: z.array(ownRadioSummary), ...pageAnswer }),
  errors: ["registration_required"],
});

/** Leaves out radios with the visibility `url` or `none`, and announced radios that the caller may not hear. */
export const listUserRadios = defineOperation({
  id: "listUserRadios",
  method: "GET",
  path: "/v4/users/{user_id}/radios",
  auth: "optional",
  summary: "ユーザーのラジオの一覧（新しい順）",
  params: userParams,
  query: z.object(pageQuery),
  status: 200,
  answer: z.object({ radios: z.array(radioSummary), ...pageAnswer }),
  errors: [],
});

/** Lists the comments of a radio that the caller may hear. */
export const listRadioComments = defineOperation({
  id: "listRadioComments",
  method: "GET",
  path: "/v4/radios/{radio_id}/comments",
  auth: "optional",
  takes_url_key: true,
  summary: "ラジオのコメントの一覧（新しい順）",
  params: radioParams,
  query: z.object(pageQuery),
  status: 200,
  answer: z.object({ comments: z.array(radioComment), ...pageAnswer }),
  errors: [],
});

export const createRadioComment = defineOperation({
  id: "createRadioComment",
  method: "POST",
  path: "/v4/radios/{radio_id}/comments",
  auth: "required",
  has_keys_of_words: true,
  takes_url_key: true,
  summary: "ラジオにコメントする",
  params: radioParams,
  body: z.object({
    message: text({ label: "コメント", max: COMMENT_GRAPHEMES, max_bytes: COMMENT_BYTES, lines: true }).meta({
      examples: ["声がやさしくて、よく眠れました。"],
    }),
  }),
  status: 201,
  answer: z.object({ comment: radioComment }),
  errors: [
    "registration_required",
    "idempotency_key_reused",
    "blocked",
    "too_many_requests",
    "daily_comment_limit_reached",
  ],
});

export const deleteRadioComment = defineOperation({
  id: "deleteRadioComment",
  method: "DELETE",
  path: "/v4/radios/{radio_id}/comments/{comment_id}",
  auth: "required",
  summary: "ラジオのコメントを削除する（書いた人と配信者だけ）",
  params: commentParams,
  status: 204,
  answer: null,
  errors: ["registration_required"],
});

export const likeRadioComment = defineOperation({
  id: "likeRadioComment",
  method: "POST",
  path: "/v4/radios/{radio_id}/comments/{comment_id}/like",
  auth: "optional",
  takes_url_key: true,
  summary: "ラジオのコメントに「いいね」を付ける",
  params: commentParams,
  body: likeBody,
  status: 200,
  answer: likeAnswer,
  errors: likeErrors,
});
