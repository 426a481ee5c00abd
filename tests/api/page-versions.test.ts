import { beforeAll, expect, test } from "vitest";
import { findEdgeState } from "../../workers/api/edge/queries.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { addUser, contextOf, d1, NOW_MS } from "./support/context.ts";

const now = new Date(NOW_MS).toISOString();
let creator: string;
let fan: string;
const image = newId(NOW_MS);
const plan = newId(NOW_MS);
const category = newId(NOW_MS);
const post = newId(NOW_MS);
const draft = newId(NOW_MS);
const letter = newId(NOW_MS);
const comment = newId(NOW_MS);
const drawing = newId(NOW_MS);
const sound = newId(NOW_MS);
const shown = newId(NOW_MS);
const secret_letter = newId(NOW_MS);
const deleted_letter = newId(NOW_MS);

const version = async (link_id?: string) => (await findEdgeState(contextOf(null), link_id)).version;
const run = (sql: string, ...values: unknown[]) =>
  d1
    .prepare(sql)
    .bind(...values)
    .run();

beforeAll(async () => {
  creator = await addUser("versioned", { is_creator: 1 });
  fan = await addUser("versioned_fan");
  await run(
    "INSERT INTO images (image_id, owner_user_id, access, alt, content_type, width, height, created_at) VALUES (?, ?, 'event', '', 'image/png', 1, 1, ?)",
    drawing,
    creator,
    now,
  );
  await run(
    "INSERT INTO media_files (media_id, owner_user_id, kind, access, content_type, processing_status, created_at) VALUES (?, ?, 'audio', 'event', 'audio/mpeg', 'completed', ?)",
    sound,
    creator,
    now,
  );
  await insertEvent(shown, "published");
});

/** In order: each change depends on those before it. */
const public_changes: [name: string, change: () => Promise<unknown>][] = [
  ["a bio", () => run("UPDATE users SET bio = '絵を描きます' WHERE user_id = ?", creator)],
  ["free letters accepted", () => run("UPDATE users SET accepts_free_ofuses = 1 WHERE user_id = ?", creator)],
  ["a link", () => run("INSERT INTO external_links VALUES (?, 0, 'x', 'https://x.example.com/')", creator)],
  ["a link changed", () => run("UPDATE external_links SET url = 'https://y.example.com/' WHERE user_id = ?", creator)],
  ["a link removed", () => run("DELETE FROM external_links WHERE user_id = ?", creator)],
  ["a genre", () => run("INSERT INTO user_genres VALUES (?, 'music')", creator)],
  ["a genre removed", () => run("DELETE FROM user_genres WHERE user_id = ?", creator)],
  ["a plan", () => run("INSERT INTO memberships VALUES (?, ?, 'プラン', '', 500, 'active', ?)", plan, creator, now)],
  ["a plan closed", () => run("UPDATE memberships SET active_state = 'inactive' WHERE membership_id = ?", plan)],
  ["a category", () => run("INSERT INTO event_categories VALUES (?, ?, '日記', 0, ?)", category, creator, now)],
  ["a category renamed", () => run("UPDATE event_categories SET title = '絵' WHERE user_id = ?", creator)],
  ["a plan removed", () => run("DELETE FROM memberships WHERE membership_id = ?", plan)],
  ["a category removed", () => run("DELETE FROM event_categories WHERE user_id = ?", creator)],
  ["a post published", () => insertEvent(post, "published")],
  ["a post edited", () => run("UPDATE events SET body = '直した' WHERE event_id = ?", post)],
  ["a post locked", () => run("UPDATE events SET publish_target_type = 'fans' WHERE event_id = ?", post)],
  ["a picture of a post", () => run("INSERT INTO event_images VALUES (?, ?, 0, 0)", drawing, post)],
  ["a picture taken out", () => run("DELETE FROM event_images WHERE image_id = ?", drawing)],
  ["a sound of a post", () => run("INSERT INTO event_media VALUES (?, ?, 0, 1)", sound, post)],
  ["a sound taken out", () => run("DELETE FROM event_media WHERE media_id = ?", sound)],
  ["a first like", () => run("INSERT INTO event_likes VALUES (?, ?, ?)", post, fan, now)],
  ["another like", () => run("INSERT INTO event_likes VALUES (?, 'guest-1', ?)", post, now)],
  ["a like taken back", () => run("DELETE FROM event_likes WHERE liker = ?", fan)],
  ["a comment", () => insertComment()],
  ["a like on the comment", () => run("INSERT INTO event_comment_likes VALUES (?, ?, ?)", comment, fan, now)],
  ["the like on the comment taken back", () => run("DELETE FROM event_comment_likes WHERE comment_id = ?", comment)],
  [
    "the comment's words deleted",
    () => run("UPDATE event_comments SET deleted_at = ? WHERE comment_id = ?", now, comment),
  ],
  ["the first like on a post", () => run("INSERT INTO event_likes VALUES (?, ?, ?)", post, fan, now)],
  ["another like on that post", () => run("INSERT INTO event_likes VALUES (?, 'guest-x', ?)", post, now)],
  ["a like on that post taken back", () => run("DELETE FROM event_likes WHERE liker = 'guest-x'")],
  ["the commenter's new name", () => run("UPDATE users SET name = '別名' WHERE user_id = ?", fan)],
  ["the commenter's new address", () => run("UPDATE users SET link_id = 'moved_fan' WHERE user_id = ?", fan)],
  ["the commenter's new icon", () => insertFace(fan)],
  ["a comment hidden", () => run("UPDATE event_comments SET hidden_at = ? WHERE comment_id = ?", now, comment)],
  ["a comment deleted", () => run("DELETE FROM event_comments WHERE comment_id = ?", comment)],
  ["a post made private", () => run("UPDATE events SET status = 'private' WHERE event_id = ?", post)],
  ["a post published again", () => run("UPDATE events SET status = 'published' WHERE event_id = ?", post)],
  ["a post deleted", () => run("DELETE FROM events WHERE event_id = ?", post)],
  ["a follower", () => run("INSERT INTO relationships VALUES (?, ?, 1, ?)", fan, creator, now)],
  ["somebody followed", () => run("INSERT INTO relationships VALUES (?, ?, 1, ?)", creator, fan, now)],
  ["a follower gone", () => run("DELETE FROM relationships WHERE follower_id = ?", fan)],
  ["a public letter", () => insertOfuse(letter, 1)],
  ["the letter's sender's new name", () => run("UPDATE users SET name = '改名' WHERE user_id = ?", fan)],
  ["the letter's sender's new address", () => run("UPDATE users SET link_id = 'moved_again' WHERE user_id = ?", fan)],
  ["the letter's sender's new icon", () => insertFace(fan)],
  [
    "a public reply",
    () => run("UPDATE ofuses SET reply_message = 'x', replied_at = ? WHERE ofuse_id = ?", now, letter),
  ],
  ["a public letter taken off the page", () => run("UPDATE ofuses SET hidden_at = ? WHERE ofuse_id = ?", now, letter)],
  ["a public letter put back", () => run("UPDATE ofuses SET hidden_at = NULL WHERE ofuse_id = ?", letter)],
  ["a public letter made private", () => run("UPDATE ofuses SET is_public = 0 WHERE ofuse_id = ?", letter)],
  ["another public letter", () => insertOfuse(deleted_letter, 1)],
  ["a public letter deleted", () => run("DELETE FROM ofuses WHERE ofuse_id = ?", deleted_letter)],
  [
    "a picture",
    async () => {
      await run(
        "INSERT INTO images (image_id, owner_user_id, access, alt, content_type, width, height, created_at) VALUES (?, ?, 'public', '', 'image/png', 1, 1, ?)",
        image,
        creator,
        now,
      );
      await run("UPDATE users SET icon_image_id = ? WHERE user_id = ?", image, creator);
    },
  ],
  ["a cover", () => run("UPDATE users SET cover_image_id = ? WHERE user_id = ?", image, creator)],
  ["an account disabled", () => run("UPDATE users SET disabled_at = ? WHERE user_id = ?", now, creator)],
  ["the account enabled again", () => run("UPDATE users SET disabled_at = NULL WHERE user_id = ?", creator)],
  ["a picture described", () => run("UPDATE images SET alt = '顔' WHERE image_id = ?", image)],
];

const private_changes: [name: string, change: () => Promise<unknown>][] = [
  ["a draft", () => insertEvent(draft, "private")],
  ["a draft edited", () => run("UPDATE events SET body = '下書き' WHERE event_id = ?", draft)],
  ["a picture of a draft", () => run("INSERT INTO event_images VALUES (?, ?, 0, 0)", drawing, draft)],
  ["a picture taken out of a draft", () => run("DELETE FROM event_images WHERE image_id = ?", drawing)],
  ["a like of a post that is a draft again", () => run("INSERT INTO event_likes VALUES (?, ?, ?)", draft, fan, now)],
  ["a visit", () => run("INSERT INTO event_visits VALUES (?, 'browser', ?)", shown, now)],
  ["another visit", () => run("INSERT INTO event_visits VALUES (?, 'browser-2', ?)", shown, now)],
  [
    "text typed into a form",
    () =>
      run(
        "INSERT INTO event_drafts (draft_id, user_id, kind, fields, revision, created_at, updated_at) VALUES ('d', ?, 'blog', '{}', 1, ?, ?)",
        creator,
        now,
        now,
      ),
  ],
  ["a draft deleted", () => run("DELETE FROM events WHERE event_id = ?", draft)],
  [
    "an address",
    () => run("UPDATE users SET email = 'new@mail.example', email_invalid = 1 WHERE user_id = ?", creator),
  ],
  [
    "a notification",
    () =>
      run(
        "INSERT INTO notifications VALUES (?, ?, 'custom', NULL, 'x', '/', 'once', 0, ?, NULL, NULL)",
        newId(NOW_MS),
        creator,
        now,
      ),
  ],
];

function insertEvent(event_id: string, status: string) {
  return run(
    `INSERT INTO events (event_id, user_id, kind, title, lead, body, status, publish_target_type, published_at, created_at)
     VALUES (?, ?, 'blog', 'x', 'x', 'x', ?, 'public', ?, ?)`,
    event_id,
    creator,
    status,
    now,
    now,
  );
}

async function insertFace(user_id: string) {
  const image_id = newId(NOW_MS);
  await run(
    "INSERT INTO images (image_id, owner_user_id, access, alt, content_type, width, height, created_at) VALUES (?, ?, 'public', '', 'image/png', 1, 1, ?)",
    image_id,
    user_id,
    now,
  );
  await run("UPDATE users SET icon_image_id = ? WHERE user_id = ?", image_id, user_id);
}

function insertComment() {
  return run(
    "INSERT INTO event_comments (comment_id, event_id, user_id, message, created_at) VALUES (?, ?, ?, 'x', ?)",
    comment,
    post,
    fan,
    now,
  );
}

function insertOfuse(ofuse_id: string, is_public: number) {
  return run(
    `INSERT INTO ofuses (ofuse_id, sender_user_id, receiver_user_id, amount, message, is_public, created_at)
     VALUES (?, ?, ?, 0, 'x', ?, ?)`,
    ofuse_id,
    fan,
    creator,
    is_public,
    now,
  );
}

test("a creator's pages get a new version after every change they show", async () => {
  for (const [name, change] of public_changes) {
    const before = [await version("versioned"), await version()];
    await change();
    const after = [await version("versioned"), await version()];
    expect(after[0], name).not.toBe(before[0]);
    expect(after[1], `${name}, on the other pages`).not.toBe(before[1]);
  }
});

test("a creator's pages keep their version after a change they do not show", async () => {
  for (const [name, change] of private_changes) {
    const before = [await version("versioned"), await version()];
    await change();
    expect([await version("versioned"), await version()], name).toEqual(before);
  }
});

test("a private letter changes no version of the creator's pages, but the first page counts it", async () => {
  const before = await version("versioned");
  const before_on_others = await version();
  await insertOfuse(secret_letter, 0);
  expect(await version("versioned")).toBe(before);
  expect(await version()).not.toBe(before_on_others);
  const after = await version();
  await run("UPDATE ofuses SET opened_at = ? WHERE ofuse_id = ?", now, secret_letter);
  expect([await version("versioned"), await version()]).toEqual([before, after]);
});

test("a change of one creator does not change another's version", async () => {
  await addUser("another", { is_creator: 1 });
  const before = await version("another");
  await run("UPDATE users SET bio = 'また変えました' WHERE user_id = ?", creator);
  expect(await version("another")).toBe(before);
});

test("a creator who joins or leaves changes the pages that list creators", async () => {
  const before = await version();
  const user_id = await addUser("passing", { is_creator: 1 });
  const meanwhile = await version();
  expect(meanwhile).not.toBe(before);
  await run("DELETE FROM users WHERE user_id = ?", user_id);
  expect(await version()).not.toBe(meanwhile);
});

test("a creator's pages can be invalidated with all others, and no version repeats", async () => {
  expect(await version("nobody_at_all")).toBe(await version());
  expect(await version()).toMatch(/^site\.[0-9A-F]{16}$/);
  const seen = new Set<string>();
  for (const bio of ["一", "二", "一", "二"]) {
    await run("UPDATE users SET bio = ? WHERE user_id = ?", bio, creator);
    seen.add(await version("versioned"));
  }
  expect(seen.size).toBe(4);
  await run("DELETE FROM ofuses");
  await run("DELETE FROM users WHERE user_id = ?", creator);
  expect(await version("versioned")).toBe(await version());
});
