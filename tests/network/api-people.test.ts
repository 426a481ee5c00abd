import { beforeAll, describe, expect, test } from "vitest";
import { LINK_ID_CHANGES } from "../../workers/contract/bounds.ts";
import { ROUTE_NAMES } from "../../workers/contract/route-names.ts";
import { searchUsers } from "../../workers/contract/search.ts";
import { uploadImage } from "../../workers/contract/uploads.ts";
import {
  createProfile,
  getProfile,
  getUser,
  updateExternalLinks,
  updateGenres,
  updateProfile,
} from "../../workers/contract/users.ts";
import {
  browser,
  database,
  disable,
  freshAccount,
  freshMember,
  type Member,
  network,
  tick,
} from "../support/network.ts";
import { pngOf, quarters } from "../support/pictures.ts";
import { waitUntil } from "../support/wait.ts";
import { ask, refused, send, succeeded } from "./support/calls.ts";
import { addImage } from "./support/own-uploads.ts";
import { upload } from "./support/uploads.ts";

beforeAll(async () => void (await network()));

const run = async (sql: string, ...values: unknown[]) =>
  (await database())
    .prepare(sql)
    .bind(...values)
    .run();
let names = 0;
/** Returns an unused link_id. */
const fresh = () => `p${Date.now().toString(36)}_${(names++).toString(36)}`;
const change = ({ token }: Member, link_id: string) => send(updateProfile, { token, body: { link_id } });

describe("a new link_id", () => {
  test("works at once, and the old one redirects: pages, lists and feeds", async () => {
    const member = await freshMember("引っ越す人");
    const [old, link_id] = [member.user.link_id, fresh()];
    const visitor = await browser();
    expect((await visitor.get(`/${old}`)).status).toBe(200);
    expect((await visitor.get(`/${link_id}`)).status).toBe(404);
    expect((await ask(updateProfile, { token: member.token, body: { link_id } })).user.link_id).toBe(link_id);
    expect((await ask(getUser, { query: { link_id: old } })).user).toMatchObject({ link_id, name: "引っ越す人" });
    // Cached copies of both pages expire within a second.
    await waitUntil(async () => {
      const [before, after] = [await visitor.get(`/${old}/about`), await visitor.get(`/${link_id}`)];
      expect([before.status, before.location, after.status]).toEqual([302, `/${link_id}/about`, 200]);
      expect((await visitor.get(`/${old}`)).location).toBe(`/${link_id}`);
    });
    expect((await visitor.get(`/${old}/feed.xml`)).location).toBe(`/${link_id}/feed.xml`);
    expect((await visitor.get(`/${link_id}/feed.xml`)).text).toContain(`/${link_id}</link>`);
  });

  test("is refused if it is taken, and given to only one of two parallel requests", async () => {
    const [left, right] = [await freshMember("ひだり"), await freshMember("みぎ")];
    const { errors } = await refused(updateProfile, "link_id_taken", {
      token: left.token,
      body: { link_id: "natsume" },
    });
    expect(errors).toEqual({ link_id: ["このユーザーIDはすでに使われています。"] });
    const link_id = fresh();
    const replies = await Promise.all([change(left, link_id), change(right, link_id)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
    const owner = replies[0]?.status === 200 ? left : right;
    expect((await ask(getUser, { query: { link_id } })).user.user_id).toBe(owner.user.user_id);
  });

  test("is reserved for ninety days after its owner changed it, and the owner may take it back", async () => {
    const [owner, other] = [await freshMember("もとの人"), await freshMember("ほかの人")];
    const old = owner.user.link_id;
    succeeded(updateProfile, await change(owner, fresh()));
    await refused(updateProfile, "link_id_taken", { token: other.token, body: { link_id: old } });
    succeeded(updateProfile, await change(owner, old));
    expect((await ask(getUser, { query: { link_id: old } })).user.link_id).toBe(old);
    succeeded(updateProfile, await change(owner, fresh()));
    await run("UPDATE link_id_changes SET held_until = '2026-01-01T00:00:00.000Z' WHERE link_id = ?", old);
    await refused(getUser, "not_found", { query: { link_id: old } });
    succeeded(updateProfile, await change(other, old));
    expect((await ask(getUser, { query: { link_id: old } })).user.user_id).toBe(other.user.user_id);
  });

  test(`can be set ${LINK_ID_CHANGES.times} times in ${LINK_ID_CHANGES.days} days`, async () => {
    const member = await freshMember("なんども");
    for (let time = 0; time < LINK_ID_CHANGES.times; time++) succeeded(updateProfile, await change(member, fresh()));
    const { user } = await ask(getProfile, { token: member.token });
    await refused(updateProfile, "link_id_change_limit_reached", { token: member.token, body: { link_id: fresh() } });
    expect((await ask(getProfile, { token: member.token })).user).toEqual(user);
    // Their present link_id counts as no change.
    succeeded(updateProfile, await change(member, user.link_id));
  });

  test("cannot be a reserved word of the site, or malformed", async () => {
    const { token } = await freshMember("なりすまし");
    const reserved = [...ROUTE_NAMES.filter((name) => name.length >= 3), "api", "media", "admin", "official"];
    reserved.push("ofuse_support", "__proto__", "_root", "0fuse", "adm1n_x", "constructor");
    expect(reserved).toEqual(expect.arrayContaining(["search", "signup", "login", "goodbye", "404"]));
    for (const link_id of reserved) await refused(updateProfile, "link_id_reserved", { token, body: { link_id } });
    for (const link_id of ["ab", "A_b", "a-b", "あいう", "a".repeat(33), "a b", "../x", ""]) {
      const { errors } = await refused(updateProfile, "validation_failed", { token, body: { link_id } });
      expect(errors).toHaveProperty("link_id");
    }
  });
});

describe("a profile picture", () => {
  test("must be the member's own upload for that purpose; null removes it", async () => {
    const { token } = await freshMember("絵のある人");
    const sent = await upload(uploadImage.path, token, { bytes: pngOf(quarters(64, 64)) });
    const { image } = succeeded(uploadImage, sent);
    const { image_id } = image;
    const { user } = await ask(updateProfile, { token, body: { icon_image_id: image_id, cover_image_id: image_id } });
    expect(user).toMatchObject({ icon_image: { image_id }, cover_image: { image_id } });
    expect(await ask(getProfile, { token })).toEqual({ user });
    const { user: without } = await ask(updateProfile, { token, body: { icon_image_id: null } });
    expect(without).toMatchObject({ icon_image: null, cover_image: { image_id } });
  });

  test("cannot be another member's picture, a post's picture, or missing", async () => {
    const [{ token, user }, other] = [await freshMember("ほしい人"), await freshMember("持ち主")];
    const images = [
      await addImage(other.user.user_id, { access: "public" }),
      await addImage(user.user_id),
      await addImage(user.user_id, { access: "public", processing_status: "failed" }),
      "01hzzzzzzzzzzzzzzzzzzzzzzz",
    ];
    for (const image_id of images) {
      await refused(updateProfile, "image_not_usable", { token, body: { cover_image_id: image_id } });
    }
    expect((await ask(getProfile, { token })).user).toEqual(user);
  });
});

describe("links", () => {
  const link = (external_site_id: string, url: string) => ({ external_site_id, url });

  test("are replaced as a whole, keep their order, and lead through the outbound page", async () => {
    const { token, user } = await freshMember("つながる人");
    const external_links = [link("x", "https://x.com/natsume"), link("website", "https://natsume.example/")];
    expect(await ask(updateExternalLinks, { token, body: { external_links } })).toEqual({ external_links });
    expect((await ask(getProfile, { token })).user.external_links).toEqual(external_links);
    const { text } = await (await browser()).get(`/${user.link_id}`);
    expect(text).toMatch(/href="\/redirect\?[^"]*x\.com[^"]*" rel="nofollow ugc"/);
    await ask(updateExternalLinks, { token, body: { external_links: external_links.slice(1) } });
    expect((await ask(getProfile, { token })).user.external_links).toEqual(external_links.slice(1));
  });

  test("are kept from a page that has not read them: of two changes of the same links, one is refused", async () => {
    const { token } = await freshMember("ふたつの画面の人");
    const names = ["a", "b", "c", "d"];
    const change = (name: string, seen: ReturnType<typeof link>[]) => {
      const external_links = [...seen, link("website", `https://${name}.example/?q="漢字"`)];
      return send(updateExternalLinks, { token, body: { external_links, seen_external_links: seen } });
    };
    const stored = async () => (await ask(getProfile, { token })).user.external_links;
    for (const count of [1, 2]) {
      const seen = await stored();
      const answers = await Promise.all(names.map((name) => change(name, seen)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
      expect(await stored()).toHaveLength(count);
    }
    const { json } = await change("a", []);
    expect(json).toMatchObject({ code: "external_links_conflict" });
  });

  test.each([
    "http://natsume.example/",
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "//natsume.example/",
    "https://good.example@evil.example/",
    "https://localhost/",
    "https://192.168.0.1/",
    `https://natsume.example/${"a".repeat(500)}`,
    "natsume.example",
  ])("cannot lead to %s", async (url) => {
    const { token } = await freshMember("あやしい人");
    const body = { external_links: [link("website", url)] };
    const { errors } = await refused(updateExternalLinks, "validation_failed", { token, body });
    expect(Object.keys(errors ?? {})).toEqual(["external_links.0.url"]);
  });

  test("of a listed site must lead to that site", async () => {
    const { token } = await freshMember("まちがえた人");
    for (const [site, url, field] of [
      ["x", "https://x.com.evil.example/natsume", "url"],
      ["x", "https://evilx.com/", "url"],
      ["myspace", "https://myspace.example/", "external_site_id"],
    ] as const) {
      const body = { external_links: [link("website", "https://ok.example/"), link(site, url)] };
      const { errors } = await refused(updateExternalLinks, "external_link_not_usable", { token, body });
      expect(Object.keys(errors ?? {})).toEqual([`external_links.1.${field}`]);
    }
    expect((await ask(getProfile, { token })).user.external_links).toEqual([]);
    const many = Array.from({ length: 11 }, () => link("website", "https://ok.example/"));
    await refused(updateExternalLinks, "validation_failed", { token, body: { external_links: many } });
  });
});

describe("genres", () => {
  test("are at most five of the list, and search finds a creator by them", async () => {
    const { token, user } = await freshMember("ジャンルの人");
    await run("UPDATE users SET is_creator = 1 WHERE user_id = ?", user.user_id);
    const found = async (genre_id: string) => {
      const { users } = await ask(searchUsers, { query: { genre_id, keyword: "ジャンルの人" } });
      return users.some(({ user_id }) => user_id === user.user_id);
    };
    const chosen = ["music", "craft", "music"];
    expect(await ask(updateGenres, { token, body: { genre_ids: chosen } })).toEqual({ genre_ids: ["craft", "music"] });
    await tick();
    expect(await found("craft")).toBe(true);
    await ask(updateGenres, { token, body: { genre_ids: ["music"] } });
    await tick();
    expect([await found("craft"), await found("music")]).toEqual([false, true]);
    await refused(updateGenres, "genre_not_found", { token, body: { genre_ids: ["music", "dance"] } });
    const six = ["illustration", "manga", "music", "novel", "photo", "voice"];
    await refused(updateGenres, "validation_failed", { token, body: { genre_ids: six } });
    expect((await ask(getProfile, { token })).user.genre_ids).toEqual(["music"]);
  });
});

test("an unregistered or disabled account cannot change a profile", async () => {
  const member = await freshMember("止められた人");
  await disable(member);
  const calls = [
    [updateProfile, { link_id: fresh() }],
    [updateExternalLinks, { external_links: [] }],
    [updateGenres, { genre_ids: [] }],
  ] as const;
  for (const [operation, body] of calls) {
    await refused(operation, "account_disabled", { token: member.token, body });
    await refused(operation, "unauthenticated", { body });
  }
});

describe("the year of birth", () => {
  const year = Number(new Intl.DateTimeFormat("en", { timeZone: "Asia/Tokyo", year: "numeric" }).format(new Date()));

  test("admits everybody who turns thirteen this year, and minors with their guardian's consent", async () => {
    const { token } = await freshAccount();
    const register = (age: number, guardian_consent?: true) => ({
      token,
      body: { default_name: "年ごろ", birth_year: year - age, guardian_consent },
    });
    expect((await refused(createProfile, "under_age", register(12, true))).errors).toHaveProperty("birth_year");
    const { errors } = await refused(createProfile, "guardian_consent_required", register(13));
    expect(errors).toHaveProperty("guardian_consent");
    await refused(createProfile, "guardian_consent_required", register(17));
    const { user } = await ask(createProfile, register(13, true));
    expect(user.birth_year).toBe(year - 13);
    const row = await (await database())
      .prepare("SELECT guardian_consented_at FROM users WHERE user_id = ?")
      .bind(user.user_id)
      .first<{ guardian_consented_at: string | null }>();
    expect(row?.guardian_consented_at).not.toBeNull();
  });

  test("of an adult needs no consent, is private, and cannot change", async () => {
    const { token } = await freshAccount();
    const { user } = await ask(createProfile, { token, body: { default_name: "大人", birth_year: year - 18 } });
    const { user: seen } = await ask(getUser, { query: { link_id: user.link_id } });
    expect(seen).not.toHaveProperty("birth_year");
    await refused(updateProfile, "birth_year_already_given", { token, body: { birth_year: 1980 } });
  });

  test("may be missing from an old client, and can be added later", async () => {
    const { token, user } = await freshMember("むかしの人");
    expect(user.birth_year).toBeNull();
    await refused(updateProfile, "under_age", { token, body: { birth_year: year - 5 } });
    expect((await ask(updateProfile, { token, body: { birth_year: 1990 } })).user.birth_year).toBe(1990);
  });

  test("is a field of the registration form, which keeps the typed words and shows each error beside its field", async () => {
    const account = await freshAccount();
    const newcomer = await browser();
    await newcomer.signIn(account);
    const send = (fields: Record<string, string>) =>
      newcomer.post("/signup/registration", { default_name: "登録する人", ...fields });
    const nothing = await send({});
    expect([nothing.status, nothing.text]).toEqual([422, expect.stringContaining("生まれた年を入力してください。")]);
    expect(nothing.text).toContain('value="登録する人"');
    expect((await send({ birth_year: "きのう" })).text).toContain("1900年から今年までの西暦を、数字で入力してください");
    const minor = await send({ birth_year: String(year - 15) });
    expect([minor.status, minor.text]).toEqual([422, expect.stringContaining("保護者の同意が必要です。")]);
    const child = await send({ birth_year: String(year - 9), guardian_consent: "on" });
    expect([child.status, child.text]).toEqual([403, expect.stringContaining("13歳になる年から登録できます")]);
    await refused(getProfile, "registration_required", { token: account.token });
    // Full-width digits, as phones type them.
    expect((await send({ birth_year: "１９９８" })).status).toBe(303);
    expect((await ask(getProfile, { token: account.token })).user.birth_year).toBe(1998);
  });
});
