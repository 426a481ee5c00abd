import { expect, test } from "vitest";
import { createBlock } from "../../workers/api/blocks/commands.ts";
import { createEventComment, deleteEventComment } from "../../workers/api/comments/commands.ts";
import { listEventComments, listReceivedComments } from "../../workers/api/comments/queries.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { addUser, contextOf, d1, NOW_MS } from "./support/context.ts";

const page = { page_number: 1, page_size: 20 };

test("the owner of a post still sees the comments of a person whom they have blocked, because others do", async () => {
  const [owner, reader, pest, friend] = await Promise.all(
    ["post_owner", "post_reader", "post_pest", "post_friend"].map((link_id) => addUser(link_id, { is_creator: 1 })),
  );
  if (!owner || !reader || !pest || !friend) throw new Error("no people");
  const event_id = newId(NOW_MS);
  await d1
    .prepare(
      `INSERT INTO events (event_id, user_id, kind, title, lead, body, status, publish_target_type, published_at, created_at)
       VALUES (?, ?, 'blog', '海の絵', 'x', 'x', 'published', 'public', ?3, ?3)`,
    )
    .bind(event_id, owner, new Date(NOW_MS - 1000).toISOString())
    .run();
  let now_ms = NOW_MS;
  const write = (user_id: string, message: string, parent_comment_id: string | null = null) =>
    createEventComment(contextOf(user_id, { now_ms: now_ms++ }), event_id, { message, parent_comment_id });
  const { comment } = await write(pest, "いやな言葉");
  await write(friend, "それはちがいます", comment.comment_id);
  const seenBy = async (viewer: string | null) =>
    (await listEventComments(contextOf(viewer), event_id, page)).comments.map(({ message }) => message);
  const all = ["いやな言葉", "それはちがいます"];
  for (const user_id of [owner, reader]) await createBlock(contextOf(user_id), pest);
  expect([await seenBy(owner), await seenBy(reader), await seenBy(null)]).toEqual([all, [], all]);
  const received = async () =>
    (await listReceivedComments(contextOf(owner), owner, { ...page, sort_by: "newest" })).comments;
  expect(await received()).toMatchObject([{ message: "いやな言葉", can_delete: true }]);
  await deleteEventComment(contextOf(owner), event_id, comment.comment_id);
  expect(await received()).toEqual([]);
  expect(await seenBy(null)).toEqual(["", "それはちがいます"]);
});

test("a named comment is on the page that the list gives, for each reader, whatever the page number says", async () => {
  const [owner, reader, pest] = await Promise.all(
    ["place_owner", "place_reader", "place_pest"].map((link_id) => addUser(link_id)),
  );
  if (!owner || !reader || !pest) throw new Error("no people");
  const event_id = newId(NOW_MS);
  const now = new Date(NOW_MS).toISOString();
  const ids = Array.from({ length: 12 }, (_, n) => newId(NOW_MS + n));
  const [oldest, second] = ids as [string, string];
  const replies = [newId(NOW_MS + 100), newId(NOW_MS + 101)];
  const writing = d1.prepare(
    `INSERT INTO event_comments (comment_id, event_id, user_id, message, parent_comment_id, created_at)
     VALUES (?, ?, ?, 'x', ?, ?)`,
  );
  await d1.batch([
    d1
      .prepare(
        `INSERT INTO events (event_id, user_id, kind, title, lead, body, status, publish_target_type, published_at, created_at)
         VALUES (?, ?, 'blog', '海の絵', 'x', 'x', 'published', 'public', ?3, ?3)`,
      )
      .bind(event_id, owner, now),
    ...ids.map((comment_id, n) => writing.bind(comment_id, event_id, n > 9 ? pest : reader, null, now)),
    ...replies.map((comment_id) => writing.bind(comment_id, event_id, reader, oldest, now)),
  ]);
  const placeFor = async (viewer: string | null, comment_id: string) => {
    const listing = { page_number: 3, page_size: 5, comment_id };
    const { comments, page_number } = await listEventComments(contextOf(viewer), event_id, listing);
    return [page_number, comments.findIndex((comment) => comment.comment_id === comment_id)];
  };
  // The newest eleven threads come first, then the oldest one with its replies.
  expect(await placeFor(null, second)).toEqual([3, 0]);
  expect(await placeFor(null, oldest)).toEqual([3, 1]);
  expect(await placeFor(owner, replies[1] ?? "")).toEqual([3, 3]);
  expect(await placeFor(null, ids.at(-1) ?? "")).toEqual([1, 0]);
  expect(await placeFor(null, newId(NOW_MS))).toEqual([1, -1]);
  await createBlock(contextOf(reader), pest);
  expect(await placeFor(reader, second)).toEqual([2, 3]);
  expect(await placeFor(reader, ids.at(-1) ?? "")).toEqual([1, -1]);
  expect(await placeFor(null, second)).toEqual([3, 0]);
});
