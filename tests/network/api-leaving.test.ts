import { beforeAll, describe, expect, test } from "vitest";
import { REFRESH_COOKIE, SessionKeys } from "../../app/session/session.ts";
import { LEFT_NAME } from "../../workers/contract/bounds.ts";
import { createEventComment, deleteEventComment, listEventComments } from "../../workers/contract/comments.ts";
import { saveDraft } from "../../workers/contract/drafts.ts";
import { createEvent, getEvent } from "../../workers/contract/events.ts";
import { unsubscribeIdentity } from "../../workers/contract/identity.ts";
import { EXPORT_PARTS, exportAccount, unsubscribe } from "../../workers/contract/leaving.ts";
import { likeEvent } from "../../workers/contract/likes.ts";
import { listNotifications } from "../../workers/contract/notifications.ts";
import { listOfuses, sendFreeOfuse, updateOfuse } from "../../workers/contract/ofuses.ts";
import { follow } from "../../workers/contract/relationships.ts";
import { searchUsers } from "../../workers/contract/search.ts";
import {
  createProfile,
  getProfile,
  getUser,
  updateExternalLinks,
  updateGenres,
  updateProfile,
} from "../../workers/contract/users.ts";
import { newId } from "../../workers/kernel/ids.ts";
import {
  api,
  Browser,
  browser,
  database,
  demoToken,
  disable,
  freshCreator,
  freshMember,
  type Member,
  network,
  signIn,
  tick,
} from "../support/network.ts";
import { waitUntil } from "../support/wait.ts";
import { ask, refused, send, succeeded } from "./support/calls.ts";
import { addImage } from "./support/own-uploads.ts";

beforeAll(async () => void (await network()));

const run = async (sql: string, ...values: unknown[]) =>
  (await database())
    .prepare(sql)
    .bind(...values)
    .run();
const leave = async ({ token }: Member) => succeeded(unsubscribe, await send(unsubscribe, { token }));
const profileOf = async ({ token }: Member) => (await ask(getProfile, { token })).user;

const post = (title: string) => ({
  kind: "blog" as const,
  title,
  document: [{ type: "paragraph" as const, content: [{ type: "text" as const, text: `${title}の本文` }] }],
  status: "published" as const,
  publish_target_type: "public" as const,
});
const publish = async ({ token }: Member, title: string) =>
  (await ask(createEvent, { token, body: post(title) })).event.event_id;
const comment = async ({ token }: Member, event_id: string, message: string, parent_comment_id?: string) =>
  (await ask(createEventComment, { token, params: { event_id }, body: { message, parent_comment_id } })).comment
    .comment_id;

/** Creates a member with content of every kind, and two members who know them. */
async function world(mark: string) {
  const [leaver, friend, other] = (await Promise.all(
    [`去る人${mark}`, `友だち${mark}`, `ほかの人${mark}`].map(freshMember),
  )) as [Member, Member, Member];
  const { token } = leaver;
  await run("UPDATE users SET is_creator = 1 WHERE user_id = ?", leaver.user.user_id);
  const own = await publish(leaver, `去る人の投稿${mark}`);
  const theirs = await publish(friend, `友だちの投稿${mark}`);
  const said = await comment(leaver, theirs, `ひとりごと${mark}`);
  const answered = await comment(leaver, theirs, `答えられた言葉${mark}`);
  await comment(friend, theirs, `友だちの返事${mark}`, answered);
  await comment(friend, own, `去る人への言葉${mark}`);
  await ask(likeEvent, { token, params: { event_id: theirs }, body: { is_liked: true } });
  await ask(follow, { token, body: { following_id: friend.user.user_id } });
  await ask(follow, { token: friend.token, body: { following_id: leaver.user.user_id } });
  await ask(follow, { token: other.token, body: { following_id: leaver.user.user_id } });
  const letter = (from: Member, to: Member, message: string) =>
    ask(sendFreeOfuse, {
      token: from.token,
      body: { receiver_user_id: to.user.user_id, message, is_public: true },
    });
  const { ofuse } = await letter(leaver, friend, `去る人の手紙${mark}`);
  await letter(friend, leaver, `友だちの手紙${mark}`);
  const draft_id = own.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
  const fields = { title: `書きかけ${mark}` };
  await ask(saveDraft, { token, params: { draft_id }, body: { kind: "blog", fields, revision: 0 } });
  const external_links = [{ external_site_id: "website", url: `https://${encodeURIComponent("leaver")}.example/` }];
  await ask(updateExternalLinks, { token, body: { external_links } });
  await ask(updateGenres, { token, body: { genre_ids: ["music"] } });
  const image_id = await addImage(leaver.user.user_id, { access: "public" });
  await ask(updateProfile, { token, body: { icon_image_id: image_id, bio: `去る人の紹介${mark}` } });
  await tick();
  return { leaver, friend, other, own, theirs, said, answered, image_id, ofuse };
}

describe("leaving", () => {
  test("deletes everything of the member, keeps others' things, and keeps letters without a name", async () => {
    const mark = crypto.randomUUID().slice(0, 8);
    const { leaver, friend, other, own, theirs, said, image_id, ofuse } = await world(mark);
    const { link_id, user_id } = leaver.user;
    const visitor = await browser();
    expect((await visitor.get(`/${link_id}`)).text).toContain(`去る人の投稿${mark}`);
    await waitUntil(async () => expect((await visitor.get("/")).text).toContain(`去る人の投稿${mark}`));
    expect(await profileOf(friend)).toMatchObject({ followers_count: 1, followings_count: 1 });

    await leave(leaver);

    // Cached pages expire within a second, unless the machine is busy.
    await waitUntil(async () => {
      for (const path of [`/${link_id}`, `/${link_id}/about`, `/${link_id}/feed.xml`, `/${link_id}/events/${own}`]) {
        expect([path, (await visitor.get(path)).status]).toEqual([path, 404]);
      }
      for (const path of ["/", `/${friend.user.link_id}/events/${theirs}`, `/${friend.user.link_id}/ofuse`]) {
        expect((await visitor.get(path)).text).not.toContain(`去る人${mark}`);
      }
    });
    await refused(getUser, "not_found", { query: { user_id } });
    await refused(getUser, "not_found", { query: { link_id } });
    await refused(getEvent, "not_found", { params: { event_id: own } });
    await refused(follow, "not_found", { token: friend.token, body: { following_id: user_id } });

    expect(await profileOf(friend)).toMatchObject({ followers_count: 0, followings_count: 0 });
    expect(await profileOf(other)).toMatchObject({ followings_count: 0 });
    const { event } = await ask(getEvent, { params: { event_id: theirs } });
    expect(event).toMatchObject({ likes_count: 0, comments_count: 1 });
    const { comments } = await ask(listEventComments, { params: { event_id: theirs } });
    const told = JSON.stringify(comments);
    expect(told).toContain(`友だちの返事${mark}`);
    for (const word of [`ひとりごと${mark}`, `答えられた言葉${mark}`, said]) expect(told).not.toContain(word);

    const received = await ask(listOfuses, { token: friend.token, query: { type: "received" } });
    expect(received.ofuses).toMatchObject([
      { message: `去る人の手紙${mark}`, sender: { name: LEFT_NAME, is_creator: false, icon_image: null } },
    ]);
    const sent = await ask(listOfuses, { token: friend.token, query: { type: "sent" } });
    expect(sent.ofuses).toMatchObject([{ message: `友だちの手紙${mark}`, receiver: { name: LEFT_NAME } }]);
    // They may still reply to their letters, but nobody is notified.
    await send(updateOfuse, {
      token: friend.token,
      params: { ofuse_id: ofuse.ofuse_id },
      body: { reply: "さようなら" },
    });
    const { notifications } = await ask(listNotifications, { token: friend.token });
    expect(JSON.stringify(notifications)).not.toContain(`去る人${mark}`);

    await tick();
    const { users } = await ask(searchUsers, { query: { keyword: `去る人${mark}` } });
    expect(users).toEqual([]);
    expect((await visitor.get(`/media/${image_id}/medium`)).status).toBe(404);
    await expectNothingOf(leaver);
  });

  test("voids the member's token at once", async () => {
    const leaver = await freshMember("あと戻り");
    await leave(leaver);
    const { token } = leaver;
    await refused(getProfile, "account_left", { token });
    await refused(unsubscribe, "account_left", { token });
    await refused(createProfile, "account_left", { token, body: { default_name: "もどる" } });
    await refused(getUser, "account_left", { token, query: { link_id: "natsume" } });
    expect((await ask(getUser, { query: { link_id: "natsume" } })).user.name).toBe("なつめ");
  });

  test("happens once, however many requests arrive at the same time, with the same answer under one key", async () => {
    const [twice, keyed] = [await freshMember("にどおし"), await freshMember("おなじ鍵")];
    const replies = await Promise.all(Array.from({ length: 5 }, () => send(unsubscribe, { token: twice.token })));
    expect(replies.map(({ status }) => status).sort()).toEqual([204, 403, 403, 403, 403]);
    const key = crypto.randomUUID();
    expect((await send(unsubscribe, { token: keyed.token, key })).status).toBe(204);
    await refused(unsubscribe, "account_left", { token: keyed.token, key });
  });

  test("is refused to a disabled account, to one without a profile, and to a creator with a paid plan", async () => {
    await refused(unsubscribe, "unauthenticated");
    await refused(unsubscribe, "registration_required", { token: await signIn("fan_new") });
    const disabled = await freshMember("止められた人");
    await disable(disabled);
    await refused(unsubscribe, "account_disabled", { token: disabled.token });
    const creator = await freshCreator("プランのある人");
    const [plan, fan] = [newId(Date.now()), await freshMember("プランに入った人")];
    const run = async (sql: string, ...values: string[]) =>
      (await database())
        .prepare(sql)
        .bind(plan, ...values)
        .run();
    await run(
      `INSERT INTO memberships (membership_id, user_id, title, description, amount, active_state, created_at)
       VALUES (?1, ?2, 'プラン', '', 500, 'active', ?3)`,
      creator.user.user_id,
      new Date().toISOString(),
    );
    await run(
      `INSERT INTO subscriptions (subscription_id, membership_id, user_id, status, paid_until, created_at)
       VALUES (?1, ?1, ?2, 'active', ?3, ?4)`,
      fan.user.user_id,
      new Date(Date.now() + 86_400_000).toISOString(),
      new Date().toISOString(),
    );
    await refused(unsubscribe, "account_has_subscribers", { token: creator.token });
    await refused(unsubscribe, "account_has_balance", { token: await signIn("natsume") });
    await refused(unsubscribeIdentity, "account_not_left", { token: creator.token });
    for (const spelling of ["%75nsubscribe", "unsubscrib%65", "unsubscribe/", "/unsubscribe"]) {
      const spelled = await api("POST", `/v2/general/users/${spelling}`, { token: creator.token });
      expect([spelled.status, (await profileOf(creator)).name], spelling).toEqual([404, "プランのある人"]);
    }
    await refused(unsubscribeIdentity, "account_disabled", { token: disabled.token });
    expect((await ask(getUser, { query: { link_id: "natsume" } })).user.name).toBe("なつめ");
  });

  test("is refused after an old sign-in, and to a custom token", async () => {
    const leaver = await freshMember("盗まれた人");
    const { secrets } = await network();
    const { token: custom } = (await api("GET", "/v2/general/auth/custom-token", leaver)).json as { token: string };
    const path = `/identitytoolkit.googleapis.com/v1/accounts:signInWithCustomToken?key=${secrets.IDENTITY_API_KEY}`;
    const { json } = await api("POST", path, { body: { token: custom, returnSecureToken: true } });
    await refused(unsubscribe, "recent_sign_in_required", { token: (json as { idToken: string }).idToken });

    const identity = await database("identity");
    const before = new Date(Date.now() - 6 * 60_000).toISOString();
    const ofLeaver = "WHERE local_id = (SELECT local_id FROM accounts WHERE email = ?2)";
    await identity.batch([
      identity.prepare(`UPDATE accounts SET valid_since = ?1 ${ofLeaver}`).bind(before, leaver.email),
      identity.prepare(`UPDATE sign_ins SET signed_in_at = ?1 ${ofLeaver}`).bind(before, leaver.email),
    ]);
    const old = await browser();
    await old.signIn(leaver);
    await identity.prepare(`UPDATE sign_ins SET signed_in_at = ?1 ${ofLeaver}`).bind(before, leaver.email).run();
    const refresh_token = await new SessionKeys(secrets.SESSION_KEYS).decrypt(
      old.cookies.get(REFRESH_COOKIE) ?? "",
      REFRESH_COOKIE,
    );
    const renewed = await api("POST", `/securetoken.googleapis.com/v1/token?key=${secrets.IDENTITY_API_KEY}`, {
      body: { grant_type: "refresh_token", refresh_token },
    });
    const token = (renewed.json as { id_token: string }).id_token;
    await refused(unsubscribe, "recent_sign_in_required", { token });
    await refused(unsubscribeIdentity, "account_not_left", { token });
    await leave(leaver);
    expect((await send(unsubscribeIdentity, { token })).status, "the sign-in may be old now").toBe(204);
    await refused(unsubscribeIdentity, "token_invalid", { token });
  });

  test("of a person without a profile needs a recent sign-in, and no browser deletes an account by the provider", async () => {
    const { secrets } = await network();
    const toolkit = (method: string, body: object) =>
      api("POST", `/identitytoolkit.googleapis.com/v1/accounts:${method}?key=${secrets.IDENTITY_API_KEY}`, { body });
    const address = { email: `${newId(Date.now())}@example.jp`, password: "correct horse battery" };
    const { idToken } = (await toolkit("signUp", { ...address, returnSecureToken: true })).json as { idToken: string };
    expect((await toolkit("delete", { idToken })).status).toBe(400);
    const custom = (await api("GET", "/v2/general/auth/custom-token", { token: idToken })).json as { token: string };
    const { json } = await toolkit("signInWithCustomToken", { token: custom.token, returnSecureToken: true });
    const borrowed = (json as { idToken: string }).idToken;
    await refused(unsubscribeIdentity, "recent_sign_in_required", { token: borrowed });
    expect((await send(unsubscribeIdentity, { token: idToken })).status).toBe(204);
  });

  test("reserves their link_id for a while", async () => {
    const [leaver, other] = [await freshMember("席をあける人"), await freshMember("席をねらう人")];
    await leave(leaver);
    const body = { link_id: leaver.user.link_id };
    await refused(updateProfile, "link_id_taken", { token: other.token, body });
  });

  test("deletes a comment's place that was kept only for their reply", async () => {
    const [leaver, friend] = [await freshMember("返事の人"), await freshMember("消した人")];
    const event_id = await publish(friend, "ひとつの場所");
    const parent = await comment(friend, event_id, "消される言葉");
    await comment(leaver, event_id, "返事だけ残る", parent);
    await send(deleteEventComment, { token: friend.token, params: { event_id, comment_id: parent } });
    expect((await ask(listEventComments, { params: { event_id } })).comments).toHaveLength(2);
    await leave(leaver);
    expect((await ask(listEventComments, { params: { event_id } })).comments).toEqual([]);
  });
});

/** Asserts that no table names the member, except the record of their leaving, and letters and reports of others. */
async function expectNothingOf({ user: { user_id }, email }: Member): Promise<void> {
  const db = await database();
  const { results } = await db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all<{ name: string }>();
  const tables = results.map(({ name }) => name).filter((name) => !/^(_cf_|sqlite_|d1_)/.test(name));
  const found: string[] = [];
  for (const table of tables) {
    const { results: rows } = await db.prepare(`SELECT * FROM ${table}`).all();
    if (rows.some((row) => JSON.stringify(row).includes(user_id))) found.push(table);
    expect(
      rows.filter((row) => JSON.stringify(row).includes(email)),
      table,
    ).toEqual([]);
  }
  // What remains: the version of a page that no longer exists, a deleted comment's place, and counts and rows that the
  // scheduled run deletes.
  expect(found.sort()).toEqual([
    "event_comments",
    "letter_words",
    "limited_acts",
    "link_id_changes",
    "ofuses",
    "outbox",
    "page_versions",
    "users",
  ]);
}

describe("the page for leaving", () => {
  const PATH = "/my/settings/leave";
  const signedIn = async (who: Member) => {
    const own = new Browser((await network()).url);
    await own.signIn(who);
    return own;
  };

  test("requires the confirmation words, ends both accounts and says goodbye; the address may register again", async () => {
    const leaver = await freshMember("画面から去る人");
    const [own, elsewhere] = [await signedIn(leaver), await signedIn(leaver)];
    expect((await own.get(PATH)).text).toContain("退会すると消えるもの");
    const wrong = await own.post(PATH, { confirmation: "退会" });
    expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining("「退会する」と入力してください。")]);
    expect((await profileOf(leaver)).name).toBe("画面から去る人");
    const { status, location } = await own.post(PATH, { confirmation: " 退会する " });
    expect([status, location]).toEqual([303, "/goodbye"]);
    expect((await own.get("/goodbye")).text).toContain("退会の手続きが終わりました");
    expect((await elsewhere.get("/goodbye")).status, "nobody left in this browser").toBe(404);
    expect((await own.get("/my/settings")).location).toMatch(/^\/login/);
    await waitUntil(async () => expect((await elsewhere.get("/my/box")).status).toBe(302));
    expect(elsewhere.cookies.has("soziIdAuth")).toBe(false);
    // The provider no longer has an account with that address.
    expect((await own.signIn(leaver)).location).not.toBe("/");
    const { url, secrets } = await network();
    const again = await fetch(
      `${url}/identitytoolkit.googleapis.com/v1/accounts:signUp?key=${secrets.IDENTITY_API_KEY}`,
      {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ email: leaver.email, password: "another good one", returnSecureToken: true }),
      },
    );
    expect(again.status).toBe(200);
  });

  test("finishes with the next page what the provider failed to do, and keeps the account signed out meanwhile", async () => {
    const leaver = await freshMember("なかばで去る人");
    const own = await signedIn(leaver);
    // Do only the product's half, as if the identity service had been down.
    await leave(leaver);
    const { status, location } = await own.get("/my/box");
    expect([status, location]).toEqual([302, "/"]);
    expect(own.cookies.has("soziIdAuth")).toBe(false);
    expect((await own.get("/")).text).toContain("退会の手続きが済んだアカウントです");
    expect((await own.signIn(leaver)).status).toBeGreaterThanOrEqual(400);
  });
});

describe("a data export", () => {
  async function copyOf(who: Member): Promise<Record<string, Record<string, unknown>[]>> {
    const own = new Browser((await network()).url);
    await own.signIn(who);
    const { status, headers, text } = await own.get("/my/settings/export");
    expect(status).toBe(200);
    expect(headers.get("content-disposition")).toBe('attachment; filename="ofuse-export.json"');
    expect(headers.get("cache-control")).toBe("private, no-store");
    return JSON.parse(text);
  }

  test("contains everything of the member and nothing private of others", async () => {
    const mark = crypto.randomUUID().slice(0, 8);
    const { leaver, friend } = await world(mark);
    await run(
      "INSERT INTO blocks (blocker_id, blocking_id, created_at) VALUES (?, (SELECT user_id FROM users WHERE link_id = 'mio'), ?)",
      leaver.user.user_id,
      new Date().toISOString(),
    );
    const copy = await copyOf(leaver);
    expect(Object.keys(copy)).toEqual(["exported_at", ...EXPORT_PARTS]);
    const text = JSON.stringify(copy);
    for (const word of [
      ...[leaver.email, "去る人の紹介", "去る人の投稿", "の本文", "ひとりごと", "答えられた言葉", "書きかけ"],
      ...["去る人の手紙", "友だちの手紙", "https://leaver.example/", '"music"', '"mio"'],
    ]) {
      expect(text).toContain(word);
    }
    const count = (part: string) => copy[part]?.length;
    expect(Object.fromEntries(EXPORT_PARTS.map((part) => [part, count(part)]))).toMatchObject({
      ...{ profile: 1, posts: 1, comments: 2, letters_sent: 1, letters_received: 1, followings: 1, followers: 2 },
      ...{ blocks: 1, liked_posts: 1, images: 1, media_files: 0, reports: 0 },
    });
    for (const word of [friend.email, `友だちの投稿${mark}の本文`, `友だちの返事${mark}`, `去る人への言葉${mark}`]) {
      expect(text).not.toContain(word);
    }
    // The URLs open only for the member, in that browser.
    expect(copy.images?.[0]?.url).toMatch(/^http.*\/media\/[0-9a-z]{26}\/medium\?expires=/);
  });

  test("continues page by page, without gaps or repeats", async () => {
    const { token, user } = await freshMember("人気の人");
    const db = await database();
    const ids = Array.from({ length: 450 }, (_, at) => `01hzzzzzzzzzzzzzzzzzzzx${String(at).padStart(3, "0")}`);
    const at = (index: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, Math.floor(index / 7))).toISOString();
    await db.batch(
      ids.flatMap((id, index) => [
        db
          .prepare("INSERT INTO users (user_id, identity_id, link_id, name, created_at) VALUES (?, ?, ?, 'ファン', ?)")
          .bind(id, id, `x_${id.slice(-8)}`, at(index)),
        db.prepare("INSERT INTO relationships VALUES (?, ?, 1, ?)").bind(id, user.user_id, at(index)),
      ]),
    );
    const found: string[] = [];
    let after: string | undefined;
    do {
      const page = await ask(exportAccount, { token, query: { part: "followers", after } });
      found.push(...page.items.map((item) => String((item.person as { link_id: string }).link_id)));
      after = page.next ?? undefined;
    } while (after);
    expect(found.sort()).toEqual(ids.map((id) => `x_${id.slice(-8)}`).sort());
    await run("DELETE FROM users WHERE user_id LIKE '01hzzzzzzzzzzzzzzzzzzzx%'");
  });

  test("is for members alone, and limited in number", async () => {
    await refused(exportAccount, "unauthenticated", { query: { part: "profile" } });
    await refused(exportAccount, "registration_required", {
      token: await demoToken("fan_new"),
      query: { part: "profile" },
    });
    expect((await (await browser()).get("/my/settings/export")).location).toMatch(/^\/login/);
    const { token, user } = await freshMember("なんどでも");
    const now = new Date().toISOString();
    await run(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
        INSERT INTO limited_acts SELECT ?, ?, i FROM n`,
      10 * EXPORT_PARTS.length,
      `export ${user.user_id}`,
      now,
    );
    const reply = await send(exportAccount, { token, query: { part: "profile" } });
    expect([reply.status, Number(reply.headers.get("retry-after")) > 0]).toEqual([429, true]);
  });
});
