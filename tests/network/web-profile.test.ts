import { beforeAll, describe, expect, test } from "vitest";
import { getProfile, updateExternalLinks } from "../../workers/contract/users.ts";
import { Browser, freshMember, type Member, network } from "../support/network.ts";
import { pngOf, quarters } from "../support/pictures.ts";
import { ask } from "./support/calls.ts";

const PATH = "/my/settings";
let member: Member;
let own: Browser;
beforeAll(async () => {
  member = await freshMember("書きかえる人");
  own = new Browser((await network()).url);
  await own.signIn(member);
});
const profile = async () => (await ask(getProfile, { token: member.token })).user;
const form = (fields: Record<string, string> = {}) => ({
  author: member.user.user_id,
  name: "書きかえる人",
  bio: "",
  has_links: "yes",
  genre_ids: "",
  ...fields,
});

describe("the form of a profile, without a script", () => {
  test("saves links and genres, and removes those it does not contain", async () => {
    const links = { link_site_0: "website", link_url_0: " https://a.example/ ", link_site_4: "x", link_url_4: "" };
    expect((await own.post(PATH, form({ ...links, in_genre_music: "on", in_genre_craft: "on" }))).status).toBe(303);
    expect(await profile()).toMatchObject({
      external_links: [{ external_site_id: "website", url: "https://a.example/" }],
      genre_ids: ["craft", "music"],
    });
    // A missing field keeps its value: an older form may not have it.
    expect((await own.post(PATH, { name: "書きかえる人", bio: "" })).status).toBe(303);
    expect((await profile()).genre_ids).toEqual(["craft", "music"]);
    expect((await own.post(PATH, form())).status).toBe(303);
    expect(await profile()).toMatchObject({ external_links: [], genre_ids: [] });
  });

  test("does not save links over those of another page until its writer says so", async () => {
    const linkOf = (name: string) => ({ external_site_id: "website", url: `https://${name}.example/` });
    const [a, b] = [linkOf("a"), linkOf("b")];
    const shown = form({ link_site_0: "website", link_url_0: a.url, seen_links: JSON.stringify([a]) });
    await ask(updateExternalLinks, { token: member.token, body: { external_links: [a, b] } });
    // Its writer changed other fields.
    expect((await own.post(PATH, { ...shown, bio: "別の欄" })).status).toBe(303);
    expect(await profile()).toMatchObject({ bio: "別の欄", external_links: [a, b] });
    const changed = { ...shown, link_site_1: "website", link_url_1: "https://c.example/", bio: "" };
    const refused = await own.post(PATH, changed);
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining("別の画面で変更されています")]);
    expect(refused.text).toContain('value="https://c.example/"');
    expect((await profile()).external_links).toEqual([a, b]);
    expect((await own.post(PATH, { ...changed, operation: "overwrite_links" })).status).toBe(303);
    expect((await profile()).external_links).toEqual([a, linkOf("c")]);
    await own.post(PATH, form());
  });

  test("adds or removes a row, keeps everything typed, and saves nothing", async () => {
    const typed = form({ bio: "消えない紹介", link_site_0: "x", link_url_0: "https://x.com/a", in_genre_voice: "on" });
    const more = await own.post(PATH, { ...typed, operation: "add_link" });
    expect(more.text).toContain('name="link_url_1"');
    expect(more.text).toContain("消えない紹介");
    expect(more.text).toMatch(/name="in_genre_voice"[^>]* checked=""|checked=""[^>]* name="in_genre_voice"/);
    const less = await own.post(PATH, {
      ...typed,
      link_site_1: "note",
      link_url_1: "まちがい",
      operation: "remove_link_0",
    });
    expect(less.text).toContain('value="まちがい"');
    expect(less.text).not.toContain("https://x.com/a");
    expect((await profile()).bio).toBe("");
  });

  test("shows what is wrong beside the right link, even after blank rows", async () => {
    const rows = { link_site_0: "website", link_url_0: "", link_site_1: "x", link_url_1: "https://evil.example/" };
    const wrong = await own.post(PATH, form(rows));
    expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining("XのURLを入力してください。")]);
    expect(wrong.text).toMatch(
      /name="link_url_1"[^>]*aria-describedby="link-1-error"|aria-describedby="link-1-error"[^>]*name="link_url_1"/,
    );
    // A removed row does not renumber the others.
    const gap = await own.post(PATH, form({ link_site_4: "x", link_url_4: "https://evil.example/" }));
    expect(gap.text).toMatch(/<li class="link-row">(?:(?!<\/li>).)*name="link_url_4"(?:(?!<\/li>).)*XのURLを入力/s);
    const plain = await own.post(PATH, form({ link_site_0: "website", link_url_0: "javascript:alert(1)" }));
    expect([plain.status, plain.text]).toEqual([
      422,
      expect.stringContaining("https:// で始まるURLを入力してください。"),
    ]);
    const many = Object.fromEntries(
      ["music", "craft", "voice", "game", "photo", "novel"].map((id) => [`in_genre_${id}`, "on"]),
    );
    expect((await own.post(PATH, form(many))).text).toContain("ジャンルは5つまで選べます。");
  });

  test("accepts a picture with the typed words, says why it refuses one, and saves it with the form", async () => {
    const send = async (file: File) => {
      const sent = new FormData();
      for (const [name, value] of Object.entries(form({ bio: "画像を選ぶ途中" }))) sent.set(name, value);
      sent.set("icon_image_id", "");
      sent.set("icon_file", file);
      const encoded = new Response(sent);
      return own.send("/my/uploads/profile", {
        method: "POST",
        body: new Uint8Array(await encoded.arrayBuffer()),
        headers: { ...own.sameOrigin(), "content-type": encoded.headers.get("content-type") ?? "" },
      });
    };
    const text = await send(new File(["text"], "icon.txt", { type: "text/plain" }));
    expect([text.status, text.location]).toEqual([303, `${PATH}#pictures`]);
    expect((await own.get(PATH)).text).toContain("この形式のファイルはアップロードできません。");
    await send(new File([pngOf(quarters(64, 64)) as Uint8Array<ArrayBuffer>], "icon.png", { type: "image/png" }));
    const page = (await own.get(PATH)).text;
    expect(page).toContain("画像を選ぶ途中");
    const [, image_id = ""] = /src="\/media\/([0-9a-z]{26})\/medium" alt="アイコン/.exec(page) ?? [];
    expect(image_id).not.toBe("");
    expect((await profile()).icon_image).toBeNull();
    expect((await own.get(`/media/${image_id}/medium`)).status).toBe(200);
    const saved = await own.post(PATH, form({ icon_image_id: image_id }));
    expect([saved.status, saved.location]).toEqual([303, PATH]);
    expect((await profile()).icon_image).toMatchObject({ image_id });
    const without = await own.post(PATH, form({ icon_image_id: image_id, operation: "remove_icon" }));
    expect(without.text).toMatch(/name="icon_image_id" value=""/);
  });
});

test("a link_id that is taken is returned as typed, with the error beside its field", async () => {
  const reply = await own.post("/my/settings/link_id", { author: member.user.user_id, link_id: "natsume" });
  expect([reply.status, reply.text]).toEqual([409, expect.stringContaining("このユーザーIDはすでに使われています。")]);
  expect(reply.text).toMatch(/name="link_id"[^>]*value="natsume"|value="natsume"[^>]*name="link_id"/);
});
