import { beforeAll, expect, test } from "vitest";
import { findEdgeState, listSitemapEntries } from "../../workers/api/edge/queries.ts";
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
const news = newId(NOW_MS);
const shown = newId(NOW_MS);
const radio = newId(NOW_MS);
const remark = newId(NOW_MS);
const secret_letter = newId(NOW_MS);
const deleted_letter = newId(NOW_MS);

const readVersion = async (link_id?: string) => (await findEdgeState(contextOf(null), link_id)).version;
const runSql = (sql: string, ...values: unknown[]) =>
  d1
    .prepare(sql)
    .bind(...values)
    .run();

beforeAll(async () => {
  creator = await addUser("versioned", { is_creator: 1 });
  fan = await addUser("versioned_fan");
  await runSql(
    "INSERT INTO images (image_id, owner_user_id, access, alt, content_type, width, height, created_at) VALUES (?, ?, 'event', '', 'image/png', 1, 1, ?)",
    drawing,
    creator,
    now,
  );
  await runSql(
    "INSERT INTO media_files (media_id, owner_user_id, kind, access, content_type, processing_status, created_at) VALUES (?, ?, 'audio', 'event', 'audio/mpeg', 'completed', ?)",
    sound,
    creator,
    now,
  );
  await insertEvent(shown, "published");
});

/** In order: each change depends on those before it. */
const public_changes: [name: string, change: () => Promise<unknown>][] = [
  ["a bio", () => runSql("UPDATE users SET bio = '絵を描きます' WHERE user_id = ?", creator)],
  ["free letters accepted", () => runSql("UPDATE users SET accepts_free_ofuses = 1 WHERE user_id = ?", creator)],
  ["a link", () => runSql("INSERT INTO external_links VALUES (?, 0, 'x', 'https://x.example.com/')", creator)],
  [
    "a link changed",
    () => runSql("UPDATE external_links SET url = 'https://y.example.com/' WHERE user_id = ?", creator),
  ],
  ["a link removed", () => runSql("DELETE FROM external_links WHERE user_id = ?", creator)],
  ["a genre", () => runSql("INSERT INTO user_genres VALUES (?, 'music')", creator)],
  ["a genre removed", () => runSql("DELETE FROM user_genres WHERE user_id = ?", creator)],
  [
    "a plan",
    () =>
      runSql(
        "INSERT INTO memberships (membership_id, user_id, title, description, amount, active_state, created_at) VALUES (?, ?, 'プラン', '', 500, 'active', ?)",
        plan,
        creator,
        now,
      ),
  ],
  ["a plan closed", () => runSql("UPDATE memberships SET active_state = 'inactive' WHERE membership_id = ?", plan)],
  ["a category", () => runSql("INSERT INTO event_categories VALUES (?, ?, '日記', 0, ?)", category, creator, now)],
  ["a category renamed", () => runSql("UPDATE event_categories SET title = '絵' WHERE user_id = ?", creator)],
  ["a plan removed", () => runSql("DELETE FROM memberships WHERE membership_id = ?", plan)],
  ["a category removed", () => runSql("DELETE FROM event_categories WHERE user_id = ?", creator)],
  ["a post published", () => insertEvent(post, "published")],
  ["a post edited", () => runSql("UPDATE events SET body = '直した' WHERE event_id = ?", post)],
  ["a post locked", () => runSql("UPDATE events SET publish_target_type = 'fans' WHERE event_id = ?", post)],
  ["a picture of a post", () => runSql("INSERT INTO event_images VALUES (?, ?, 0, 0)", drawing, post)],
  ["a picture taken out", () => runSql("DELETE FROM event_images WHERE image_id = ?", drawing)],
  ["a sound of a post", () => runSql("INSERT INTO event_media VALUES (?, ?, 0, 1)", sound, post)],
  ["a sound taken out", () => runSql("DELETE FROM event_media WHERE media_id = ?", sound)],
  ["a first like", () => runSql("INSERT INTO event_likes VALUES (?, ?, ?)", post, fan, now)],
  ["another like", () => runSql("INSERT INTO event_likes VALUES (?, 'guest-1', ?)", post, now)],
  ["a like taken back", () => runSql("DELETE FROM event_likes WHERE liker = ?", fan)],
  ["a comment", () => insertComment()],
  ["a like on the comment", () => runSql("INSERT INTO event_comment_likes VALUES (?, ?, ?)", comment, fan, now)],
  ["the like on the comment taken back", () => runSql("DELETE FROM event_comment_likes WHERE comment_id = ?", comment)],
  [
    "the comment's words deleted",
    () => runSql("UPDATE event_comments SET deleted_at = ? WHERE comment_id = ?", now, comment),
  ],
  ["the first like on a post", () => runSql("INSERT INTO event_likes VALUES (?, ?, ?)", post, fan, now)],
  ["another like on that post", () => runSql("INSERT INTO event_likes VALUES (?, 'guest-x', ?)", post, now)],
  ["a like on that post taken back", () => runSql("DELETE FROM event_likes WHERE liker = 'guest-x'")],
  ["the commenter's new name", () => runSql("UPDATE users SET name = '別名' WHERE user_id = ?", fan)],
  ["the commenter's new address", () => runSql("UPDATE users SET link_id = 'moved_fan' WHERE user_id = ?", fan)],
  ["the commenter's new icon", () => insertFace(fan)],
  ["a comment hidden", () => runSql("UPDATE event_comments SET hidden_at = ? WHERE comment_id = ?", now, comment)],
  ["a comment deleted", () => runSql("DELETE FROM event_comments WHERE comment_id = ?", comment)],
  ["a post made private", () => runSql("UPDATE events SET status = 'private' WHERE event_id = ?", post)],
  ["a post published again", () => runSql("UPDATE events SET status = 'published' WHERE event_id = ?", post)],
  ["a post deleted", () => runSql("DELETE FROM events WHERE event_id = ?", post)],
  [
    "a radio",
    () =>
      runSql(
        `INSERT INTO radios (radio_id, user_id, title, description, publish_target_type, recording_publish_target_type,
           status, is_chat_on, created_at, updated_at) VALUES (?1, ?2, 'x', '', 'public', 'public', 'scheduled', 1, ?3, ?3)`,
        radio,
        creator,
        now,
      ),
  ],
  ["a radio announced", () => runSql("UPDATE radios SET starts_at = ? WHERE radio_id = ?", now, radio)],
  [
    "a radio on air",
    () =>
      runSql(
        "UPDATE radios SET status = 'on_air', started_at = ?1, last_signal_at = ?1 WHERE radio_id = ?2",
        ...[now, radio],
      ),
  ],
  [
    "a radio finished",
    () => runSql("UPDATE radios SET status = 'finished', finished_at = ? WHERE radio_id = ?", now, radio),
  ],
  ["a recording", () => runSql("UPDATE radios SET recording_state = 'completed' WHERE radio_id = ?", radio)],
  ["a first like of a recording", () => runSql("INSERT INTO radio_recording_likes VALUES (?, ?, ?)", radio, fan, now)],
  ["another like of it", () => runSql("INSERT INTO radio_recording_likes VALUES (?, 'guest-1', ?)", radio, now)],
  ["a like of it taken back", () => runSql("DELETE FROM radio_recording_likes WHERE liker = ?", fan)],
  [
    "a comment on a radio",
    () =>
      runSql(
        "INSERT INTO radio_comments (comment_id, radio_id, user_id, message, created_at) VALUES (?, ?, ?, 'x', ?)",
        ...[remark, radio, fan, now],
      ),
  ],
  ["a like of that comment", () => runSql("INSERT INTO radio_comment_likes VALUES (?, ?, ?)", remark, fan, now)],
  ["that like taken back", () => runSql("DELETE FROM radio_comment_likes WHERE liker = ?", fan)],
  ["its writer's new name", () => runSql("UPDATE users SET name = '聴く人' WHERE user_id = ?", fan)],
  ["its writer disabled", () => runSql("UPDATE users SET disabled_at = ? WHERE user_id = ?", now, fan)],
  ["its writer enabled again", () => runSql("UPDATE users SET disabled_at = NULL WHERE user_id = ?", fan)],
  ["that comment deleted", () => runSql("DELETE FROM radio_comments WHERE comment_id = ?", remark)],
  ["a follower", () => runSql("INSERT INTO relationships VALUES (?, ?, 1, ?)", fan, creator, now)],
  ["somebody followed", () => runSql("INSERT INTO relationships VALUES (?, ?, 1, ?)", creator, fan, now)],
  ["a follower gone", () => runSql("DELETE FROM relationships WHERE follower_id = ?", fan)],
  ["a public letter", () => insertOfuse(letter, 1)],
  ["the letter's sender's new name", () => runSql("UPDATE users SET name = '改名' WHERE user_id = ?", fan)],
  [
    "the letter's sender's new address",
    () => runSql("UPDATE users SET link_id = 'moved_again' WHERE user_id = ?", fan),
  ],
  ["the letter's sender's new icon", () => insertFace(fan)],
  [
    "a public reply",
    () => runSql("UPDATE ofuses SET reply_message = 'x', replied_at = ? WHERE ofuse_id = ?", now, letter),
  ],
  [
    "a public letter taken off the page",
    () => runSql("UPDATE ofuses SET hidden_at = ? WHERE ofuse_id = ?", now, letter),
  ],
  ["a public letter put back", () => runSql("UPDATE ofuses SET hidden_at = NULL WHERE ofuse_id = ?", letter)],
  ["a public letter made private", () => runSql("UPDATE ofuses SET is_public = 0 WHERE ofuse_id = ?", letter)],
  ["another public letter", () => insertOfuse(deleted_letter, 1)],
  ["a public letter deleted", () => runSql("DELETE FROM ofuses WHERE ofuse_id = ?", deleted_letter)],
  [
    "a picture",
    async () => {
      await runSql(
        "INSERT INTO images (image_id, owner_user_id, access, alt, content_type, width, height, created_at) VALUES (?, ?, 'public', '', 'image/png', 1, 1, ?)",
        image,
        creator,
        now,
      );
      await runSql("UPDATE users SET icon_image_id = ? WHERE user_id = ?", image, creator);
    },
  ],
  ["a cover", () => runSql("UPDATE users SET cover_image_id = ? WHERE user_id = ?", image, creator)],
  ["an account disabled", () => runSql("UPDATE users SET disabled_at = ? WHERE user_id = ?", now, creator)],
  ["the account enabled again", () => runSql("UPDATE users SET disabled_at = NULL WHERE user_id = ?", creator)],
  ["a picture described", () => runSql("UPDATE images SET alt = '顔' WHERE image_id = ?", image)],
];

const private_changes: [name: string, change: () => Promise<unknown>][] = [
  ["a draft", () => insertEvent(draft, "private")],
  ["a draft edited", () => runSql("UPDATE events SET body = '下書き' WHERE event_id = ?", draft)],
  ["a picture of a draft", () => runSql("INSERT INTO event_images VALUES (?, ?, 0, 0)", drawing, draft)],
  ["a picture taken out of a draft", () => runSql("DELETE FROM event_images WHERE image_id = ?", drawing)],
  ["a like of a post that is a draft again", () => runSql("INSERT INTO event_likes VALUES (?, ?, ?)", draft, fan, now)],
  ["a signal of a radio", () => runSql("UPDATE radios SET last_signal_at = '9' WHERE radio_id = ?", radio)],
  ["a listener", () => runSql("INSERT INTO radio_listens VALUES (?, 'browser', ?)", radio, now)],
  ["another listener", () => runSql("INSERT INTO radio_listens VALUES (?, 'browser-2', ?)", radio, now)],
  ["a visit", () => runSql("INSERT INTO event_visits VALUES (?, 'browser', ?)", shown, now)],
  ["another visit", () => runSql("INSERT INTO event_visits VALUES (?, 'browser-2', ?)", shown, now)],
  [
    "text typed into a form",
    () =>
      runSql(
        "INSERT INTO event_drafts (draft_id, user_id, kind, fields, revision, created_at, updated_at) VALUES ('d', ?, 'blog', '{}', 1, ?, ?)",
        creator,
        now,
        now,
      ),
  ],
  ["a draft deleted", () => runSql("DELETE FROM events WHERE event_id = ?", draft)],
  [
    "an address",
    () => runSql("UPDATE users SET email = 'new@mail.example', email_invalid = 1 WHERE user_id = ?", creator),
  ],
  [
    "a notification",
    () =>
      runSql(
        "INSERT INTO notifications VALUES (?, ?, 'custom', NULL, 'x', '/', 'once', 0, ?, NULL, NULL, NULL)",
        newId(NOW_MS),
        creator,
        now,
      ),
  ],
];

const insertNews = (is_published: number) =>
  runSql("INSERT INTO news VALUES (?, '題', 'お知らせ', '2026-12-01', '[]', ?, ?, ?)", news, is_published, now, now);
const publishNews = (is_published: number) =>
  runSql("UPDATE news SET is_published = ? WHERE news_id = ?", is_published, news);
const deleteNews = () => runSql("DELETE FROM news WHERE news_id = ?", news);

test.each<[name: string, is_shown: boolean, change: () => Promise<unknown>]>([
  ["a draft of news", false, () => insertNews(0)],
  ["news published", true, () => publishNews(1)],
  ["news withdrawn", true, () => publishNews(0)],
  ["a draft of news deleted", false, deleteNews],
  ["news written and published", true, () => insertNews(1)],
  ["published news deleted", true, deleteNews],
])("%s changes the version of the site's pages: %s", async (_, is_shown, change) => {
  const [site, pages] = [await readVersion(), await readVersion("versioned")];
  await change();
  expect((await readVersion()) !== site).toBe(is_shown);
  expect(await readVersion("versioned")).toBe(pages);
});

function insertEvent(event_id: string, status: string) {
  return runSql(
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
  await runSql(
    "INSERT INTO images (image_id, owner_user_id, access, alt, content_type, width, height, created_at) VALUES (?, ?, 'public', '', 'image/png', 1, 1, ?)",
    image_id,
    user_id,
    now,
  );
  await runSql("UPDATE users SET icon_image_id = ? WHERE user_id = ?", image_id, user_id);
}

function insertComment() {
  return runSql(
    "INSERT INTO event_comments (comment_id, event_id, user_id, message, created_at) VALUES (?, ?, ?, 'x', ?)",
    comment,
    post,
    fan,
    now,
  );
}

function insertOfuse(ofuse_id: string, is_public: number) {
  return runSql(
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
    const before = [await readVersion("versioned"), await readVersion()];
    await change();
    const after = [await readVersion("versioned"), await readVersion()];
    expect(after[0], name).not.toBe(before[0]);
    expect(after[1], `${name}, on the other pages`).not.toBe(before[1]);
  }
});

test("a creator's pages keep their version after a change they do not show", async () => {
  for (const [name, change] of private_changes) {
    const before = [await readVersion("versioned"), await readVersion()];
    await change();
    expect([await readVersion("versioned"), await readVersion()], name).toEqual(before);
  }
});

test("a disabled account's pages have the version of an unknown link_id", async () => {
  const disabled = await addUser("versioned_disabled", { is_creator: 1 });
  expect(await readVersion("versioned_disabled")).toMatch(new RegExp(`^${disabled}\\.`));
  await runSql("UPDATE users SET disabled_at = ? WHERE user_id = ?", now, disabled);
  expect(await readVersion("versioned_disabled")).toBe(await readVersion("versioned_unknown"));
});

test("the sitemap says when a post was published or changed, whichever is later", async () => {
  const lastmod = async () => {
    const entries = await listSitemapEntries(contextOf(null), "events");
    return entries.find(({ path }) => path === `/versioned/events/${shown}`)?.updated_at;
  };
  const change = (at: string) => runSql("UPDATE events SET updated_at = ? WHERE event_id = ?", at, shown);
  expect(await lastmod()).toBe(now);
  const later = new Date(NOW_MS + 1000).toISOString();
  await change(later);
  expect(await lastmod()).toBe(later);
  // Its writer changed it before it was published.
  await change(new Date(NOW_MS - 1000).toISOString());
  expect(await lastmod()).toBe(now);
});

test("a private letter changes no version of the creator's pages, but the first page counts it", async () => {
  const before = await readVersion("versioned");
  const before_on_others = await readVersion();
  await insertOfuse(secret_letter, 0);
  expect(await readVersion("versioned")).toBe(before);
  expect(await readVersion()).not.toBe(before_on_others);
  const after = await readVersion();
  await runSql("UPDATE ofuses SET opened_at = ? WHERE ofuse_id = ?", now, secret_letter);
  expect([await readVersion("versioned"), await readVersion()]).toEqual([before, after]);
});

test("a change of one creator does not change another's version", async () => {
  await addUser("another", { is_creator: 1 });
  const before = await readVersion("another");
  await runSql("UPDATE users SET bio = 'また変えました' WHERE user_id = ?", creator);
  expect(await readVersion("another")).toBe(before);
});

test("a creator who joins or leaves changes the pages that list creators", async () => {
  const before = await readVersion();
  const user_id = await addUser("passing", { is_creator: 1 });
  const meanwhile = await readVersion();
  expect(meanwhile).not.toBe(before);
  await runSql("DELETE FROM users WHERE user_id = ?", user_id);
  expect(await readVersion()).not.toBe(meanwhile);
});

test("the pages of an unknown or deleted creator have the site's version, and no version repeats", async () => {
  expect(await readVersion("nobody_at_all")).toBe(await readVersion());
  expect(await readVersion()).toMatch(/^site\.[0-9A-F]{16}$/);
  const seen = new Set<string>();
  for (const bio of ["一", "二", "一", "二"]) {
    await runSql("UPDATE users SET bio = ? WHERE user_id = ?", bio, creator);
    seen.add(await readVersion("versioned"));
  }
  expect(seen.size).toBe(4);
  await runSql("DELETE FROM ofuses");
  await runSql("DELETE FROM users WHERE user_id = ?", creator);
  expect(await readVersion("versioned")).toBe(await readVersion());
});
