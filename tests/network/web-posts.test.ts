import { beforeAll, describe, expect, test } from "vitest";
import { getDraft, listDrafts, saveDraft } from "../../workers/contract/drafts.ts";
import { listOwnEvents } from "../../workers/contract/events.ts";
import type { Image } from "../../workers/contract/fields.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { type Browser, browser, database, freshMember, type Member } from "../support/network.ts";
import { pngOf, quarters } from "../support/pictures.ts";
import { ask } from "./support/calls.ts";
import { upload } from "./support/uploads.ts";

let member: Member;
let writer: Browser;
beforeAll(async () => {
  member = await freshMember("書く人");
  writer = await browser();
  await writer.signIn(member);
});

const NEW = "/my/posts/new";
const fieldsOf = (given: Record<string, string> = {}, who = member) => ({
  author: who.user.user_id,
  draft_id: newId(Date.now()),
  revision: "0",
  kind: "blog",
  idempotency_key: `form-${newId(Date.now())}`,
  title: "題",
  body: "本文です。",
  visibility: "public",
  when: "now",
  comment_filter: "all",
  do: "publish",
  ...given,
});
/** Sends the fields as the form's page does. */
const send = (who: Browser, fields: Record<string, string>) =>
  who.post(`${NEW}?content_type=${fields.kind}&draft_id=${fields.draft_id}`, fields);
async function uploadedPicture(): Promise<string> {
  const reply = await upload("/v4/private_images", member.token, { bytes: pngOf(quarters(8, 6)) });
  return (reply.json as { image: Image }).image.image_id;
}
const posts = async () => (await ask(listOwnEvents, { token: member.token, query: {} })).events;
const said = (page: { text: string }, words: string) => expect(page.text).toContain(words);

describe("the form of a post", () => {
  test("sent twice makes one post, and redirects to it", async () => {
    const fields = fieldsOf({ title: "一度だけ" });
    const answers = await Promise.all([send(writer, fields), send(writer, fields)]);
    for (const { status, location } of answers) {
      expect([status, location]).toEqual([303, expect.stringMatching(/^\/\w+\/events\/\w{26}$/)]);
    }
    expect(new Set(answers.map(({ location }) => location)).size).toBe(1);
    expect((await posts()).filter(({ title }) => title === "一度だけ")).toHaveLength(1);
  });

  test("with invalid fields returns every word, with each error beside its field", async () => {
    const page = await send(
      writer,
      fieldsOf({ title: "", body: "</textarea><script>書いた</script>", visibility: "memberships:", when: "at" }),
    );
    expect(page.status).toBe(422);
    said(page, "&lt;/textarea&gt;&lt;script&gt;書いた");
    for (const [field, sentence] of [
      ["title", "タイトルを入力してください。"],
      ["publish_at", "公開する日時を入力してください。"],
      ["visibility", "プランを選んでください。"],
    ]) {
      expect(new RegExp(`id="post-${field}-error"[^>]*>([^<]*)`).exec(page.text)?.[1], field).toContain(sentence);
    }
  });

  test("accepts the longest possible text, and a hundred pictures described at length", async () => {
    // Four bytes each, which a form encodes as twelve. A grapheme of a description may take five bytes.
    const body = "𠮷".repeat(50_000);
    const images = Array.from({ length: 100 }, () => newId(Date.now()));
    const alts = Object.fromEntries(images.map((image_id) => [`alt.${image_id}`, "𠮷".repeat(200)]));
    const fields = fieldsOf({ title: "𠮷".repeat(100), body, ...alts });
    expect(new URLSearchParams(fields).toString().length).toBeGreaterThan(512 * 1024);
    const saved = await send(writer, { ...fields, do: "save" });
    expect([saved.status, saved.location]).toEqual([303, `${NEW}?content_type=blog&draft_id=${fields.draft_id}`]);
    const { draft } = await ask(getDraft, { token: member.token, params: { draft_id: fields.draft_id } });
    expect(draft.fields).toMatchObject({ body, ...alts });
    const published = await send(writer, { ...fields, revision: "1" });
    expect(published.location).toMatch(/^\/\w+\/events\/\w{26}$/);
  });

  test.each([
    ["a post", { body: "𠮷".repeat(50_001) }, "publish", 422, "本文は50,000文字以内で入力してください"],
    ["a draft", { body: "a".repeat(270_000) }, "save", 422, "内容が長すぎます。"],
    ["a call", { body: "\u0001".repeat(90_000) }, "save", 413, "大きすぎます"],
  ])("longer than %s is returned with every word", async (_, given, operation, status, sentence) => {
    const page = await send(writer, fieldsOf({ ...given, do: operation }));
    expect(page.status).toBe(status);
    said(page, sentence);
    said(page, given.body);
  });

  test("too long to be returned gets a page that says what to do", async () => {
    const fields = fieldsOf({ body: "あ".repeat(200_000) });
    const page = await send(writer, fields);
    expect(page.status).toBe(413);
    said(page, "ブラウザーの「戻る」で入力画面に戻り");
    expect([page.text.includes('href="/my/box"'), page.text.includes('href="/signup"')]).toEqual([true, false]);
  });

  test("without its required fields is refused on a page with its words", async () => {
    const { draft_id: _, ...fields } = fieldsOf({ body: "捨てられない言葉" });
    const page = await writer.post(`${NEW}?content_type=blog`, fields);
    expect(page.status).toBe(400);
    expect(page.text).toMatch(/<textarea[^>]*>\s*捨てられない言葉<\/textarea>/);
  });

  test("sent from an error page is redirected to its own address", async () => {
    const fields = fieldsOf();
    const page = await writer.post(NEW, fields);
    expect([page.status, page.location]).toEqual([307, `${NEW}?content_type=blog&draft_id=${fields.draft_id}`]);
  });

  test("keeps a post with the members of a plan that has closed, and publishes nothing without an audience", async () => {
    const fields = fieldsOf({ title: "会員のもの", visibility: "fans" });
    await send(writer, fields);
    const [{ event_id = "" } = {}] = (await posts()).filter(({ title }) => title === "会員のもの");
    const plan = newId(Date.now());
    const d1 = await database();
    await d1.batch([
      d1
        .prepare(
          "INSERT INTO memberships (membership_id, user_id, title, description, amount, active_state, created_at) VALUES (?, ?, '終わったプラン', '', 500, 'inactive', ?)",
        )
        .bind(plan, member.user.user_id, new Date().toISOString()),
      d1
        .prepare(
          "UPDATE events SET publish_target_type = 'memberships', publish_target_membership_id = ? WHERE event_id = ?",
        )
        .bind(plan, event_id),
    ]);
    const path = `/my/posts/${event_id}/edit`;
    const { text } = await writer.get(path);
    expect(text).toMatch(new RegExp(`<input(?=[^>]*value="memberships:${plan}")[^>]*\\bchecked\\b`));
    const { visibility: _, when: __, ...lost } = { ...fieldsOf(), event_id, title: "会員のもの" };
    const refused = await writer.post(path, lost);
    expect(refused.status).toBe(422);
    for (const sentence of ["公開範囲を選んでください。", "公開のしかたを選んでください。"]) said(refused, sentence);
    const [shown] = (await posts()).filter((post) => post.event_id === event_id);
    expect(shown?.publish_target_type).toBe("memberships");
  });

  test("refuses a plan, category or picture of another member", async () => {
    const stranger = newId(Date.now());
    for (const [given, sentence] of [
      [{ visibility: `memberships:${stranger}` }, "プラン"],
      [{ event_category_id: stranger }, "カテゴリー"],
      [{ kind: "image", images: stranger }, "使えない画像が含まれています"],
    ] as const) {
      const page = await send(writer, fieldsOf(given));
      expect(page.status, sentence).toBe(422);
      said(page, sentence);
    }
  });

  test("with a chosen but unsent file names the file, and publishes nothing", async () => {
    const page = await send(writer, fieldsOf({ title: "絵を忘れた", file: "sea.png" }));
    expect(page.status).toBe(422);
    said(page, "sea.png");
    expect((await posts()).some(({ title }) => title === "絵を忘れた")).toBe(false);
  });

  test("refuses a paywall line in a public post beside the audience field, with every word", async () => {
    const body = "ここまで。\n\n===\n\n秘密。";
    const fields = fieldsOf({ title: "線のある投稿", body });
    const page = await send(writer, fields);
    expect(page.status).toBe(422);
    expect(/id="post-visibility-error"[^>]*>([^<]*)/.exec(page.text)?.[1]).toContain("全員に公開できません。");
    said(page, body);
    expect((await posts()).some(({ title }) => title === "線のある投稿")).toBe(false);
    expect((await send(writer, { ...fields, visibility: "fans" })).status).toBe(303);
    const [{ event_id = "" } = {}] = (await posts()).filter(({ title }) => title === "線のある投稿");
    const list = await writer.post("/my/posts", { event_ids: event_id, change: "target:public" });
    expect(list.status).toBe(422);
    said(list, "全員に公開できません。");
  });

  test("asks about a picture that its text does not place, and publishes it at the end or not at all", async () => {
    const [placed, loose] = [await uploadedPicture(), await uploadedPicture()];
    const body = `はじめ。\n\n[画像:${placed}]`;
    const fields = fieldsOf({ title: "置き忘れ", body, images: `${placed} ${loose}` });
    const page = await send(writer, fields);
    expect(page.status).toBe(422);
    said(page, "アップロードした画像1枚が、まだ本文に入っていません。");
    expect(page.text).toMatch(/<button[^>]*value="publish_appended"/);
    expect((await posts()).some(({ title }) => title === "置き忘れ")).toBe(false);

    const shownIn = async (location: string | null) => {
      const { text } = await writer.get(location ?? "");
      return [placed, loose].map((image_id) => text.includes(`/media/${image_id}/`));
    };
    const appended = await send(writer, { ...fields, do: "publish_appended" });
    expect(await shownIn(appended.location)).toEqual([true, true]);
    const [one, other] = [await uploadedPicture(), await uploadedPicture()];
    const without = await send(
      writer,
      fieldsOf({ body: `[画像:${one}]`, images: `${one} ${other}`, do: "publish_without" }),
    );
    expect(without.status).toBe(303);
    // A cover is shown.
    const cover = await uploadedPicture();
    expect((await send(writer, fieldsOf({ images: cover, cover_image_id: cover }))).status).toBe(303);
  });

  test("publishes nothing over words that another page has saved since, even after other errors", async () => {
    const fields = fieldsOf({ title: "", body: "古い言葉" });
    const draft = { token: member.token, params: { draft_id: fields.draft_id } };
    const save = (revision: number, body: string) =>
      ask(saveDraft, { ...draft, body: { kind: "blog", fields: { body }, revision } });
    await save(0, "古い言葉");
    await save(1, "新しい言葉");
    // After the missing title, the page still has the form of the older words.
    const untitled = await send(writer, { ...fields, revision: "1" });
    expect(untitled.status).toBe(422);
    const [, revision = ""] = /name="revision" value="(\d+)"/.exec(untitled.text) ?? [];
    const page = await send(writer, { ...fields, title: "古い題", revision });
    expect(page.status).toBe(409);
    said(page, "別の画面でも保存されています");
    said(page, "古い言葉");
    expect((await ask(getDraft, draft)).draft.fields.body).toBe("新しい言葉");
    expect((await posts()).some(({ title }) => title === "古い題")).toBe(false);
    // The writer decides which words are kept.
    expect((await send(writer, { ...fields, title: "古い題", revision, do: "overwrite" })).status).toBe(303);
    expect((await ask(getDraft, draft)).draft.fields.body).toBe("古い言葉");
  });

  test("with changes to an outdated version of the post asks which version to keep", async () => {
    const { location } = await send(writer, fieldsOf({ title: "もとの題" }));
    const edit = `/my/posts/${location?.split("/").at(-1)}/edit`;
    const opened = await writer.get(edit);
    const [, seen_updated_at] = /name="seen_updated_at" value="([^"]*)"/.exec(opened.text) ?? [];
    expect(seen_updated_at).toBeDefined();
    const change = (title: string, given = {}) =>
      writer.post(edit, fieldsOf({ title, seen_updated_at: seen_updated_at ?? "", ...given }));
    expect((await change("別の画面の題")).status).toBe(303);
    const page = await change("この画面の題");
    expect(page.status).toBe(409);
    said(page, "別の画面で変更されています");
    said(page, 'value="この画面の題"');
    said(await writer.get(location ?? ""), "別の画面の題");
    expect((await change("この画面の題", { do: "publish_over" })).status).toBe(303);
    said(await writer.get(location ?? ""), "この画面の題");
  });

  test("keeps the chosen cover, however often it is sent", async () => {
    const [one, two] = await Promise.all([uploadedPicture(), uploadedPicture()]);
    const marks = `[画像:${one}]\n\n[画像:${two}]`;
    const film = { kind: "video", body: "", video_url: "https://vimeo.com/123456" };
    for (const [title, given] of Object.entries({ 文章の表紙: { body: marks }, 動画の表紙: film })) {
      const cover = title === "文章の表紙" ? two : await uploadedPicture();
      const fields = fieldsOf({ title, images: `${one} ${two}`, ...given, cover_image_id: cover });
      const { location } = await send(writer, fields);
      const edit = `/my/posts/${location?.split("/").at(-1)}/edit`;
      const { text } = await writer.get(edit);
      const [chosen = ""] = /<input(?=[^>]*name="cover_image_id")(?=[^>]*checked)[^>]*>/.exec(text) ?? [];
      expect(chosen, title).toContain(`value="${cover}"`);
    }
    // A cover chosen automatically follows the text.
    const own = await uploadedPicture();
    const { location } = await send(writer, fieldsOf({ images: own, body: `[画像:${own}]` }));
    const { text } = await writer.get(`/my/posts/${location?.split("/").at(-1)}/edit`);
    expect(text).toMatch(/<input(?=[^>]*name="cover_image_id")(?=[^>]*value="")(?=[^>]*checked)[^>]*>/);
  });

  test("refuses a publication date that does not exist", async () => {
    for (const publish_at of ["2039-02-30T10:00", "2039-04-31T10:00", "2039-01-01T25:00"]) {
      const page = await send(writer, fieldsOf({ when: "at", publish_at }));
      expect(page.status, publish_at).toBe(422);
      said(page, "公開する日時を入力してください。");
    }
  });

  test("with another member's post gets a 404 page that keeps the words", async () => {
    const { location } = await send(writer, fieldsOf());
    const event_id = location?.split("/").at(-1);
    const other = await freshMember("ほかの人");
    const stranger = await browser();
    await stranger.signIn(other);
    expect((await stranger.get(`/my/posts/${event_id}/edit`)).status).toBe(404);
    const page = await stranger.post(`/my/posts/${event_id}/edit`, fieldsOf({ body: "書きかえたい言葉" }, other));
    expect(page.status).toBe(404);
    said(page, "書きかえたい言葉");
    said(await writer.get(location ?? ""), "本文です。");
  });

  test("written by one member publishes nothing for another who signed in since", async () => {
    const other = await freshMember("あとから来た人");
    const shared = await browser();
    await shared.signIn(other);
    const page = await send(shared, fieldsOf({ body: "前の人の言葉" }));
    expect(page.status).toBe(403);
    said(page, "いま別のアカウントでログインしています");
    expect((await ask(listOwnEvents, { token: other.token, query: {} })).events).toEqual([]);
  });

  test("keeps the longest text and the descriptions of its pictures when the session has ended", async () => {
    const visitor = await browser();
    const body = "夜明けの海を、".repeat(7000);
    const alts = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`alt.${newId(at)}`, `${at}枚目の説明`]));
    const fields = fieldsOf({
      body,
      ...alts,
      visibility: "fans",
      images: Object.keys(alts)
        .map((name) => name.slice(4))
        .join(" "),
    });
    const sent = await send(visitor, fields);
    expect([sent.status, sent.location]).toEqual([302, expect.stringMatching(/^\/login\?to=%2Fmy%2Fposts%2Fnew/)]);
    await visitor.signIn(member, NEW);
    const page = await visitor.get(NEW);
    said(page, body);
    said(page, "39枚目の説明");
    expect(page.text).toMatch(/<input(?=[^>]*value="fans")[^>]*checked/);
    expect(page.text).toContain(fields.draft_id);
  });
});

describe("a draft", () => {
  const save = (who: Browser, fields: Record<string, string>) =>
    who.post(`/my/posts/drafts/${fields.draft_id}/save.json`, fields);
  const answer = ({ status, text }: { status: number; text: string }) => [status, JSON.parse(text).code ?? null];

  test("is saved for a script, which gets an error code when the session ended or another page saved", async () => {
    const fields = fieldsOf({ title: "書きかけ" });
    expect(answer(await save(writer, fields))).toEqual([200, null]);
    // Sent again because the answer was lost: these words are already stored.
    expect(JSON.parse((await save(writer, fields)).text)).toMatchObject({ revision: 1 });
    expect(answer(await save(writer, { ...fields, title: "別の画面" }))).toEqual([409, "draft_conflict"]);
    expect(answer(await save(writer, { ...fields, title: "別の画面", do: "overwrite" }))).toEqual([200, null]);
    expect(answer(await save(await browser(), fields))).toEqual([401, "unauthenticated"]);
    const other = await browser();
    await other.signIn(await freshMember("ほかの人"));
    expect(answer(await save(other, fields))).toEqual([403, "another_person"]);
    const foreign = await writer.send(`/my/posts/drafts/${fields.draft_id}/save.json`, {
      method: "POST",
      body: new URLSearchParams(fields),
      headers: { origin: "https://evil.example" },
    });
    expect(foreign.status).toBe(403);
  });

  test("is saved by every button but the one that discards it", async () => {
    const fields = fieldsOf({ do: "save", title: "ボタン" });
    const saved = await send(writer, fields);
    const path = `/my/posts/new?content_type=blog&draft_id=${fields.draft_id}`;
    expect([saved.status, saved.location]).toEqual([303, path]);
    const previewed = await send(writer, { ...fields, do: "preview", revision: "1", body: "# 見出し" });
    expect(previewed.location).toBe(`/my/posts/drafts/${fields.draft_id}/preview`);
    expect((await writer.get(previewed.location ?? "")).text).toMatch(/<h2[^>]*>見出し<\/h2>/);
    expect((await send(writer, { ...fields, do: "discard" })).location).toBe("/my/posts?status=draft");
    const { drafts } = await ask(listDrafts, { token: member.token, query: {} });
    expect(drafts.some(({ draft_id }) => draft_id === fields.draft_id)).toBe(false);
  });

  test("shows only its own pictures, only to their owner", async () => {
    const [first, second] = [await uploadedPicture(), await uploadedPicture()];
    const draft_id = newId(Date.now());
    const body = { kind: "image" as const, fields: { images: second }, upload_ids: [second], revision: 0 };
    await ask(saveDraft, { token: member.token, params: { draft_id }, body });
    const { draft } = await ask(getDraft, { token: member.token, params: { draft_id } });
    expect(draft.images.map(({ image_id }) => image_id)).toEqual([second]);
    expect(draft.images.map(({ image_id }) => image_id)).not.toContain(first);
    // Another member's picture may be named, but is not shown.
    const other = await freshMember("ほかの人");
    await ask(saveDraft, { token: other.token, params: { draft_id: newId(1) }, body: { ...body, upload_ids: [] } });
    const theirs = newId(Date.now());
    await ask(saveDraft, { token: other.token, params: { draft_id: theirs }, body });
    expect((await ask(getDraft, { token: other.token, params: { draft_id: theirs } })).draft.images).toEqual([]);
  });
});

describe("the list of own posts", () => {
  test("has a hidden first button, so that the Enter key does not press a post's own button", async () => {
    await send(writer, fieldsOf());
    const { text } = await writer.get("/my/posts");
    const [, form = ""] =
      /<form(?=[^>]*action="\/my\/posts")(?=[^>]*method="post")[^>]*>([\s\S]*?)<\/form>/.exec(text) ?? [];
    const [first, second] = form.match(/<button[^>]*type="submit"[^>]*>/g) ?? [];
    expect(second).toContain('name="one"');
    expect(first).toContain("aria-hidden");
    expect(first).not.toContain("name=");
  });

  test("names a draft without a title by its first words", async () => {
    const picture = await uploadedPicture();
    const body = `[画像:${picture.slice(-5)}]\n\n# 夜明けの**海**\n\nつづき`;
    await send(writer, fieldsOf({ title: "", body, images: picture, do: "save" }));
    expect((await writer.get("/my/posts?status=draft")).text).toContain(">夜明けの海</a>");
  });

  test("changes the ticked or named posts, and explains what it does not accept", async () => {
    const titles = ["まとめ一", "まとめ二"];
    for (const title of titles) await send(writer, fieldsOf({ title }));
    const ids = async () =>
      (await posts()).filter(({ title }) => titles.includes(title)).map(({ event_id }) => event_id);
    const [one = "", two = ""] = await ids();
    const change = (pairs: [string, string][]) =>
      writer.send("/my/posts?status=is_published", {
        method: "POST",
        body: new URLSearchParams(pairs),
        headers: writer.sameOrigin(),
      });
    const ticked: [string, string][] = [one, two].map((event_id) => ["event_ids", event_id]);
    expect((await change([...ticked, ["change", "target:fans"]])).location).toBe("/my/posts?status=is_published");
    const targets = (await posts()).filter(({ title }) => titles.includes(title));
    expect(targets.map(({ publish_target_type }) => publish_target_type)).toEqual(["fans", "fans"]);
    await change([["one", `private:${one}`]]);
    expect((await posts()).find(({ event_id }) => event_id === one)?.status).toBe("private");
    for (const [pairs, sentence] of [
      [[["change", "status:private"]], "投稿を選んでください。"],
      [ticked, "変更の内容を選んでください。"],
      [[...ticked, ["change", "status:sold"]], "この変更はできません。"],
      [[["one", "explode:all"]], "この変更はできません。"],
    ] as [[string, string][], string][]) {
      const page = await change(pairs);
      expect(page.status).toBe(422);
      said(page, sentence);
    }
    const deleted = await writer.send("/my/posts?status=is_private&page=2", {
      method: "POST",
      body: new URLSearchParams([...ticked, ["one", "delete"]]),
      headers: writer.sameOrigin(),
    });
    expect(await ids()).toEqual([]);
    const emptied = await writer.get(deleted.location ?? "");
    expect(emptied.location, "a page that was emptied leads to the one before").toBe(
      "/my/posts?status=is_private&page=1",
    );
  });
});
