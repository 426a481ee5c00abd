import * as z from "zod";
import { id, pageAnswer, pageQuery, time, userSummary } from "./fields.ts";
import { defineOperation } from "./operation.ts";
import { radioRecording, urlKey } from "./radios.ts";

/**
 * Private podcast feeds: a member's own address of the recordings of one creator. docs/decisions/0043. The secret of the
 * address is sent as the key of a radio is, in the header `URL-Restricted-Access-Key`.
 */
const creatorParams = z.object({ user_id: id });

const podcastFeed = z
  .object({
    user: userSummary,
    created_at: time.meta({ description: "アドレスを作った日時" }),
  })
  .meta({ id: "PodcastFeed", description: "自分用のポッドキャストのアドレスと、録音した人" });

/** Replaces an earlier address of the same creator. A repeated call with the same Idempotency-Key gets no secret. */
export const createPodcastFeed = defineOperation({
  id: "createPodcastFeed",
  method: "POST",
  path: "/v4/users/{user_id}/podcast_feed",
  auth: "required",
  summary: "自分用のポッドキャストのアドレスを作る、または作り直す",
  params: creatorParams,
  status: 201,
  answer: z.object({
    feed: podcastFeed,
    secret: urlKey.nullable().meta({
      description: "アドレスに入る秘密の文字。作った応答にだけある",
      examples: ["q2Zt0cN5yVd8Rk1LwXo7Bg"],
    }),
  }),
  errors: ["registration_required", "idempotency_key_reused", "blocked", "too_many_requests"],
});

/** Succeeds also when there is no address. */
export const deletePodcastFeed = defineOperation({
  id: "deletePodcastFeed",
  method: "DELETE",
  path: "/v4/users/{user_id}/podcast_feed",
  auth: "required",
  summary: "自分用のポッドキャストのアドレスを無効にする",
  params: creatorParams,
  status: 204,
  answer: null,
  errors: ["registration_required"],
});

/** Lists the latest address first, and no secrets. */
export const listPodcastFeeds = defineOperation({
  id: "listPodcastFeeds",
  method: "GET",
  path: "/v4/my/podcast_feeds",
  auth: "required",
  summary: "自分用のポッドキャストのアドレスの一覧（新しい順）",
  query: z.object({
    ...pageQuery,
    user_id: id.optional().meta({ description: "この人の録音のアドレスだけを取得" }),
  }),
  status: 200,
  answer: z.object({ feeds: z.array(podcastFeed), ...pageAnswer }),
  errors: ["registration_required"],
});

/**
 * Reads the recordings of a feed by its secret: those that its member may hear now. Their addresses work as long as the
 * feed, and are checked for each request. A wrong or revoked secret is `not_found`.
 */
export const getPodcast = defineOperation({
  id: "getPodcast",
  method: "GET",
  path: "/v4/podcast",
  auth: "none",
  takes_url_key: true,
  summary: "自分用のアドレスのポッドキャストを取得",
  status: 200,
  answer: z.object({
    user: userSummary,
    recordings: z.array(radioRecording).meta({ description: "録音（新しい順、100件まで）" }),
  }),
  errors: [],
});
