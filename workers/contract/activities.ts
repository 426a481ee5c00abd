import * as z from "zod";
import { eventSummary } from "./events.ts";
import { countUpTo, id, time, userSummary } from "./fields.ts";
import { publicOfuse } from "./ofuses.ts";
import { defineOperation } from "./operation.ts";
import { followListFilter } from "./relationships.ts";

/**
 * One act of a creator whom the caller follows. `event_published` carries the post as a list shows it, locked where the
 * caller may not read it. `ofuse_replied` carries a letter that its sender made public, with the creator's reply.
 */
export const activity = z
  .object({
    activity_id: id.meta({ description: "活動のID（after に渡す）" }),
    type: z.enum(["event_published", "ofuse_replied"]).meta({ description: "投稿の公開か、公開のofuseへの返信か" }),
    user: userSummary.meta({ description: "活動した人" }),
    event: eventSummary.nullable().meta({ description: "公開された投稿。event_published のとき" }),
    ofuse: publicOfuse.nullable().meta({ description: "返信されたofuse。ofuse_replied のとき", examples: [null] }),
    created_at: time,
  })
  .meta({ id: "Activity", description: "フォロー中の人の活動" });
export type Activity = z.output<typeof activity>;

const followedOnAir = z
  .object({
    radio_id: id,
    title: z.string().meta({ description: "タイトル", examples: ["夜の作業部屋"] }),
    user: userSummary,
  })
  .meta({ id: "FollowedOnAir", description: "フォロー中の人が放送しているラジオ" });
export type FollowedOnAir = z.output<typeof followedOnAir>;

export const listFollowingActivities = defineOperation({
  id: "listFollowingActivities",
  method: "GET",
  path: "/v4/relationships/followings/activities",
  auth: "required",
  summary: "フォロー中の人の新しい活動",
  query: z.object({
    first: countUpTo(100, 20).meta({ description: "件数" }),
    after: id.meta({ description: "最後に読んだ活動のID" }).optional(),
    filter: followListFilter.default("all"),
  }),
  status: 200,
  answer: z.object({
    activities: z.array(activity),
    has_next: z.boolean().meta({ description: "続きがあるか" }),
    on_air: z.array(followedOnAir).meta({ description: "いま放送中で、聴けるラジオ（始まりの新しい順に5件まで）" }),
  }),
  errors: ["registration_required"],
});
