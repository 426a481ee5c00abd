import { describe, expect, test } from "vitest";
import {
  createProfile,
  getProfile,
  getUser,
  LINK_ID,
  recommendUsers,
  updateProfile,
} from "../../workers/contract/users.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { api, database, disable, freshAccount, freshMember, network, signIn } from "../support/network.ts";
import { ask, NOBODY, refused, send, succeeded } from "./support/calls.ts";

describe("a member's own profile", () => {
  test("asks an account without a profile to complete its registration", async () => {
    await refused(getProfile, "registration_required", { token: await signIn("fan_new") });
  });

  test("is created once, from the name and the proven address", async () => {
    const { token, email } = await freshAccount();
    const { user } = await ask(createProfile, { token, body: { default_name: "  はじめ  " } });
    expect(user).toMatchObject({
      name: "はじめ",
      default_name: "はじめ",
      email,
      email_invalid: false,
      is_creator: false,
    });
    expect(user.link_id).toMatch(LINK_ID);
    await refused(createProfile, "profile_already_exists", { token, body: { default_name: "もう一度" } });
    expect(await ask(getProfile, { token })).toEqual({ user });
  });

  test("is not created from an unproven address", async () => {
    const { secrets } = await network();
    const email = `${crypto.randomUUID()}@example.com`;
    const path = `/identitytoolkit.googleapis.com/v1/accounts:signUp?key=${secrets.IDENTITY_API_KEY}`;
    const body = { email, password: "correct horse battery", returnSecureToken: true };
    const { idToken: token } = (await api("POST", path, { body })).json as { idToken: string };
    await refused(createProfile, "email_unverified", { token, body: { default_name: "未確認" } });
    await refused(getProfile, "registration_required", { token });
  });

  test("takes over a newly proven address", async () => {
    const { token, user, email } = await freshMember("不達");
    const statement = "UPDATE users SET email_invalid = 1, email = 'old@example.com' WHERE user_id = ?";
    await (await database()).prepare(statement).bind(user.user_id).run();
    expect((await ask(updateProfile, { token, body: { name: "不達" } })).user.email_invalid).toBe(true);
    const { user: confirmed } = await ask(updateProfile, { token, body: { email_confirmed: true } });
    expect(confirmed).toEqual({ ...user, email, email_invalid: false });
    expect((await ask(getProfile, { token })).user).toEqual(confirmed);
  });

  test("is created once, even by ten parallel requests", async () => {
    const { token } = await freshAccount();
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => send(createProfile, { token, body: { default_name: "同時" } })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
  });

  test.each([
    ["nothing", ""],
    ["spaces", " \u3000\n"],
    ["51 characters", "あ".repeat(51)],
    ["a line break", "なま\nえ"],
    ["a NUL", "な\u0000まえ"],
    ["100 kB of marks", `e${"\u0301".repeat(50_000)}`],
    ["nothing visible", "\u200b\u3164"],
    ["a turn of direction", "なつ\u202eめ"],
    ["signs alone", "♪♪"],
    ["the operators' word", "ＯＦＵＳＥ 公 式"],
  ])("refuses %s as a name", async (_, default_name) => {
    const { token } = await freshAccount();
    const { errors } = await refused(createProfile, "validation_failed", { token, body: { default_name } });
    expect(errors).toHaveProperty("default_name");
  });

  test("refuses a new deceptive name, and keeps an older one while other fields change", async () => {
    const { token, user } = await freshMember("まえ");
    await (await database()).prepare("UPDATE users SET name = 'なつめ公式' WHERE user_id = ?").bind(user.user_id).run();
    const body = { name: "なつめ公式", bio: "自己紹介を直しました" };
    expect((await ask(updateProfile, { token, body })).user).toMatchObject(body);
    for (const name of ["べつの公式", "なつ\u202eめ", "♪♪"]) {
      const { errors } = await refused(updateProfile, "name_not_usable", { token, body: { name } });
      expect(errors).toHaveProperty("name");
      await refused(updateProfile, "name_not_usable", { token, body: { default_name: name } });
    }
    await ask(updateProfile, { token, body: { name: "なつめ" } });
    await refused(updateProfile, "name_not_usable", { token, body: { name: "なつめ公式" } });
  });

  test("changes the given fields and keeps the rest", async () => {
    const { token, user } = await freshMember("まえ");
    const { user: changed } = await ask(updateProfile, { token, body: { bio: "一行目\r\n二行目" } });
    expect(changed).toEqual({ ...user, bio: "一行目\n二行目" });
    expect((await ask(updateProfile, { token, body: { name: "あと" } })).user).toEqual({ ...changed, name: "あと" });
    expect((await ask(updateProfile, { token, body: {} })).user).toEqual({ ...changed, name: "あと" });
    expect((await ask(getProfile, { token })).user).toEqual({ ...changed, name: "あと" });
  });

  test("shows its address to its owner alone", async () => {
    const { user, email } = await freshMember("ひみつ");
    const reply = await send(getUser, { query: { user_id: user.user_id }, token: await signIn("natsume") });
    succeeded(getUser, reply);
    expect(reply.text).not.toContain(email);
  });
});

describe("another person's profile", () => {
  test("is found by link_id and by user_id", async () => {
    const { user } = await ask(getUser, { query: { link_id: "natsume" } });
    expect(user).toMatchObject({ name: "なつめ", is_creator: true, is_followed: false, accepts_free_ofuses: true });
    expect((await ask(getUser, { query: { user_id: user.user_id } })).user).toEqual(user);
  });

  test("has the person's pictures, and links in their order", async () => {
    const { user } = await freshMember("かざる人");
    const db = await database();
    const pictures = { icon: [newId(Date.now()), 200, 100], cover: [newId(Date.now()), 1200, 400] } as const;
    const links = ["https://z.example/", "https://a.example/"];
    await db.batch([
      ...Object.entries(pictures).map(([alt, [image_id, width, height]]) =>
        db
          .prepare(
            `INSERT INTO images (image_id, owner_user_id, access, alt, content_type, width, height, created_at)
             VALUES (?, ?, 'public', ?, 'image/png', ?, ?, ?)`,
          )
          .bind(image_id, user.user_id, alt, width, height, user.created_at),
      ),
      db
        .prepare("UPDATE users SET icon_image_id = ?, cover_image_id = ? WHERE user_id = ?")
        .bind(pictures.icon[0], pictures.cover[0], user.user_id),
      ...links.map((url, position) =>
        db.prepare("INSERT INTO external_links VALUES (?, ?, 'website', ?)").bind(user.user_id, position, url),
      ),
    ]);
    const { user: found } = await ask(getUser, { query: { user_id: user.user_id } });
    expect(found.external_links.map(({ url }) => url)).toEqual(links);
    expect(found).toMatchObject({
      icon_image: { image_id: pictures.icon[0], alt: "icon", width: 200, height: 100 },
      cover_image: { image_id: pictures.cover[0], alt: "cover", width: 1200, height: 400 },
    });
  });

  test("shows as followed to its followers only", async () => {
    const followed = async (token: string | null) =>
      (await ask(getUser, { query: { link_id: "sumire" }, token })).user.is_followed;
    expect(await followed(await signIn("fan_hana"))).toBe(true);
    expect(await followed(await signIn("yamato"))).toBe(false);
    expect(await followed(null)).toBe(false);
  });

  test("includes published posts on request", async () => {
    const { user, events = [] } = await ask(getUser, { query: { link_id: "sumire", with_events: true } });
    expect(events.length).toBeGreaterThan(2);
    expect(events.every(({ status }) => status === "published")).toBe(true);
    const { user_id, link_id, name, is_creator, icon_image } = user;
    const summary = { user_id, link_id, name, is_creator, icon_image };
    expect(events.map((event) => event.user)).toEqual(events.map(() => summary));
    expect((await ask(getUser, { query: { link_id: "sumire", with_events: false } })).events).toBeUndefined();
  });

  test("must be requested by exactly one name", async () => {
    await refused(getUser, "validation_failed");
    await refused(getUser, "validation_failed", { query: { link_id: "natsume", user_id: NOBODY } });
    await refused(getUser, "validation_failed", { query: { link_id: ["natsume", "hibiki"] } });
  });

  test("that does not exist is not found", async () => {
    await refused(getUser, "not_found", { query: { link_id: "nobody_at_all" } });
    await refused(getUser, "not_found", { query: { user_id: NOBODY } });
  });
});

describe("recommended creators", () => {
  test("are those with the most followers", async () => {
    const { users } = await ask(recommendUsers);
    const counts = users.map(({ followers_count }) => followers_count);
    expect(users).toHaveLength(6);
    expect(counts).toEqual([...counts].sort((a, b) => b - a));
    expect(users.every(({ is_creator }) => is_creator)).toBe(true);
  });

  test("leave out the caller and the creators whom the caller follows", async () => {
    const { users } = await ask(recommendUsers, { token: await signIn("sumire"), query: { limit: 25 } });
    const names = users.map(({ link_id }) => link_id);
    for (const known of ["sumire", "natsume", "hibiki"]) expect(names).not.toContain(known);
    expect(names).toContain("yamato");
  });

  test("leave out disabled creators until they are enabled", async () => {
    const popular = await freshMember("いちばん人気");
    const { user_id, link_id } = popular.user;
    const first = async () => (await ask(recommendUsers, { query: { limit: 1 } })).users[0]?.link_id;
    const set = async (is_creator: number, followers_count: number) =>
      (await database())
        .prepare("UPDATE users SET is_creator = ?, followers_count = ? WHERE user_id = ?")
        .bind(is_creator, followers_count, user_id)
        .run();
    await set(1, 1_000_000);
    try {
      await disable(popular);
      expect(await first()).not.toBe(link_id);
      await refused(getUser, "not_found", { query: { link_id } });
      await disable(popular, null);
      expect(await first()).toBe(link_id);
    } finally {
      await set(0, 0);
    }
  });

  test("are as many as requested, within bounds", async () => {
    expect((await ask(recommendUsers, { query: { limit: 2 } })).users).toHaveLength(2);
    for (const limit of [0, -1, 26, "abc", 1.5])
      await refused(recommendUsers, "validation_failed", { query: { limit } });
  });
});

test("the profile does not take over an unproven address", async () => {
  const { user } = await freshMember("未確認");
  const { secrets } = await network();
  const path = `/identitytoolkit.googleapis.com/v1/accounts:signUp?key=${secrets.IDENTITY_API_KEY}`;
  const body = {
    email: `${crypto.randomUUID()}@example.com`,
    password: "correct horse battery",
    returnSecureToken: true,
  };
  const { idToken: token, localId } = (await api("POST", path, { body })).json as Record<string, string>;
  const link = (await database()).prepare("UPDATE users SET identity_id = ? WHERE user_id = ?");
  await link.bind(localId, user.user_id).run();
  await refused(updateProfile, "email_unverified", { token, body: { email_confirmed: true } });
});
