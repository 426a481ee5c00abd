import * as z from "zod";
import { CAPTION_GRAPHEMES } from "./bounds.ts";
import { countUpTo, ID_PART, id, pageToken, time } from "./fields.ts";
import { defineOperation } from "./operation.ts";
import { text } from "./text.ts";

/**
 * Captions: what a broadcaster says, in words that they type while the radio is on air. Everybody who may hear
 * a radio may read its captions. Source: docs/decisions/0043.
 */
const radioParams = z.object({ radio_id: id });
const captionToken = pageToken(ID_PART, 64).meta({
  description: "前の応答にあった続きの印",
  examples: ["01kaf3b5c7d9f1g3h5j7k9m1np"],
});

const radioCaption = z
  .object({
    caption_id: id,
    words: z.string().meta({ description: "字幕の言葉", examples: ["こんばんは。今夜は缶詰の話です。"] }),
    created_at: time,
  })
  .meta({ id: "RadioCaption", description: "放送中に書かれた字幕" });
export type RadioCaption = z.output<typeof radioCaption>;

/** Shows a caption to everybody who reads along. Only the owner of a radio on air writes captions. */
export const createRadioCaption = defineOperation({
  id: "createRadioCaption",
  method: "POST",
  path: "/v4/radios/{radio_id}/captions",
  auth: "required",
  summary: "放送中に字幕を書く（放送する人だけ）",
  params: radioParams,
  body: z.object({
    words: text({ label: "字幕", max: CAPTION_GRAPHEMES, max_bytes: 8192 }).meta({
      examples: ["こんばんは。今夜は缶詰の話です。"],
    }),
  }),
  status: 201,
  answer: z.object({ caption: radioCaption }),
  errors: ["registration_required", "idempotency_key_reused", "radio_transition_refused", "too_many_requests"],
});

/** Lists the last captions, or those before the token, in the order in which they were written. */
export const listRadioCaptions = defineOperation({
  id: "listRadioCaptions",
  method: "GET",
  path: "/v4/radios/{radio_id}/captions",
  auth: "optional",
  takes_url_key: true,
  summary: "字幕の一覧（書かれた順）",
  params: radioParams,
  query: z.object({
    limit: countUpTo(500, 100).meta({ description: "件数" }),
    next_page_token: captionToken.optional(),
  }),
  status: 200,
  answer: z.object({
    captions: z.array(radioCaption).meta({ description: "字幕（書かれた順）" }),
    next_page_token: captionToken
      .nullable()
      .meta({ description: "前の字幕の印。なければ null", examples: ["01kaf3b5c7d9f1g3h5j7k9m1np"] }),
  }),
  errors: [],
});

/** For the radio's owner. Open pages that read along lose the caption at once. */
export const deleteRadioCaption = defineOperation({
  id: "deleteRadioCaption",
  method: "DELETE",
  path: "/v4/radios/{radio_id}/captions/{caption_id}",
  auth: "required",
  summary: "字幕を削除する（配信者だけ）",
  params: z.object({ radio_id: id, caption_id: id }),
  status: 204,
  answer: null,
  errors: ["registration_required"],
});
