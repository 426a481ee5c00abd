import { expect, test } from "vitest";
import { createEvent } from "../../workers/api/events/commands.ts";
import { listOwnEvents } from "../../workers/api/events/queries.ts";
import type { EventBody } from "../../workers/contract/events.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { addUser, contextOf, NOW_MS } from "./support/context.ts";

const post: EventBody = {
  kind: "blog",
  title: "題",
  document: [{ type: "paragraph", content: [{ type: "text", text: "本文" }] }],
  images: [],
  cover_image_id: null,
  video_url: null,
  video_media_id: null,
  event_category_id: null,
  comment_filter: "all",
  status: "published",
  publish_at: null,
  publish_target_type: "public",
  publish_target_membership_id: null,
};

test("a writer finds the post that was made of a draft, and nobody else does", async () => {
  const [writer, other] = [await addUser("writer"), await addUser("other")];
  const draft_id = newId(NOW_MS);
  const { event_id } = await createEvent(contextOf(writer), { ...post, draft_id });
  await createEvent(contextOf(writer), post);
  const find = async (user_id: string, draft_id: string) => {
    const { events } = await listOwnEvents(contextOf(user_id), user_id, { page_number: 1, page_size: 20, draft_id });
    return events.map((event) => event.event_id);
  };
  expect(await find(writer, draft_id)).toEqual([event_id]);
  expect(await find(writer, newId(NOW_MS))).toEqual([]);
  expect(await find(other, draft_id)).toEqual([]);
});
