/** The pages of radios, without scripts. */
import { expect, test } from "vitest";
import { getRadio, listOwnRadios, listRadioComments, startRadio } from "../../workers/contract/radios.ts";
import { browser, database, freshMember, type Member, openBrowserAs } from "../support/network.ts";
import { waitUntil } from "../support/wait.ts";
import { ask } from "./support/calls.ts";
import { fieldsOf } from "./support/forms.ts";

const radio = {
  title: "夜ふかし缶詰",
  description: "眠れない夜のおしゃべりです。",
  publish_target_type: "public",
  recording_publish_target_type: "none",
  publish_target_membership_id: "",
  starts_at: "2099-12-24T21:00",
  is_chat_on: "on",
  do: "save",
};

const main = (text: string) => text.split('<main id="main">')[1]?.split("</main>")[0] ?? "";
const wordsOf = (text: string) => main(text).replace(/<[^>]*>/g, "");
const ownRadios = async ({ token }: Member) => (await ask(listOwnRadios, { token })).radios;

test("a radio is written, listed by its state, changed and deleted", async () => {
  const owner = await freshMember("話す人");
  const own = await openBrowserAs(owner);
  expect((await own.post("/my/radio/new", radio)).location).toBe("/my/radio");
  const [saved] = await ownRadios(owner);
  expect(saved).toMatchObject({ title: radio.title, starts_at: "2099-12-24T12:00:00.000Z", is_chat_on: true });
  const page = `/my/radio/${saved?.radio_id}`;
  const path = `${page}/edit`;
  const list = await own.get("/my/radio?status=scheduled&target=public");
  expect(main(list.text)).toContain(`href="${page}"`);
  expect(wordsOf(list.text)).toContain("2099/12/24 21:00");
  expect(main((await own.get("/my/radio?status=finished")).text)).not.toContain(page);
  expect(main((await own.get(page)).text)).toContain(`href="${path}"`);

  expect(fieldsOf((await own.get(path)).text, path)).toMatchObject({ title: radio.title, starts_at: radio.starts_at });
  const { is_chat_on: _, ...quiet } = radio;
  expect((await own.post(path, { ...quiet, title: "昼の缶詰" })).location).toBe("/my/radio");
  expect(await ownRadios(owner)).toMatchObject([{ title: "昼の缶詰", is_chat_on: false }]);
  expect((await own.post(path, { ...quiet, do: "delete" })).location).toBe("/my/radio");
  expect(await ownRadios(owner)).toEqual([]);
});

test("a refused radio keeps its words and says what is wrong", async () => {
  const own = await openBrowserAs(await freshMember("直す人"));
  const page = await own.post("/my/radio/new", { ...radio, title: "", starts_at: "2026-02-30T10:00" });
  expect(page.status).toBe(422);
  expect(wordsOf(page.text)).toContain("タイトルを入力してください。");
  expect(wordsOf(page.text)).toContain("日時を正しく入力してください。");
  expect(page.text).toContain(radio.description);
  const of_plan = await own.post("/my/radio/new", { ...radio, publish_target_type: "memberships" });
  expect([of_plan.status, wordsOf(of_plan.text).includes("プランを選んでください。")]).toEqual([422, true]);
});

test("a radio is started and ended without a script, by its owner alone", async () => {
  const [owner, other] = await Promise.all([freshMember("話す人"), freshMember("よその人")]);
  const [own, others] = await Promise.all([openBrowserAs(owner), openBrowserAs(other)]);
  await own.post("/my/radio/new", radio);
  const [saved] = await ownRadios(owner);
  const path = `/my/radio/${saved?.radio_id}`;
  const before = await own.get(path);
  expect(before.headers.get("permissions-policy")).toContain("microphone=(self)");
  expect((await own.get(`${path}/edit`)).headers.get("permissions-policy")).toContain("microphone=()");
  expect(wordsOf(before.text)).toContain("マイクの音声を届けるには、JavaScriptが必要です");
  expect([(await others.get(path)).status, (await others.post(path, { do: "start" })).status]).toEqual([404, 404]);
  expect((await own.post(path, { do: "start" })).location).toBe(path);
  const on_air = wordsOf((await own.get(path)).text);
  expect(on_air).toMatch(/経過時間0:\d\d/);
  expect(on_air).toContain("聴いている人0人");
  expect((await own.post(path, { do: "start" })).location, "the button was pressed twice").toBe(path);
  expect((await own.post(path, { do: "finish" })).location).toBe(path);
  expect(wordsOf((await own.get(path)).text)).toContain("この放送の録音はありません。");
  expect((await own.post(path, { do: "delete_recording" })).location).toBe(path);
  expect((await own.post(path, { do: "anything" })).status).toBe(400);
});

test("the script of the page opens the sound, and learns what is refused", async () => {
  const [owner, other] = await Promise.all([freshMember("話す人"), freshMember("よその人")]);
  const [own, others] = await Promise.all([openBrowserAs(owner), openBrowserAs(other)]);
  await own.post("/my/radio/new", radio);
  const [saved] = await ownRadios(owner);
  const path = `/my/radio/${saved?.radio_id}/sound.json`;
  const opened = await own.post(path);
  expect(JSON.parse(opened.text)).toEqual({ path: expect.stringMatching(/^\/media\/live\/.*\/ingest$/), epoch: 1 });
  expect(JSON.parse((await own.post(path)).text).epoch).toBe(2);
  expect(JSON.parse((await own.get(path)).text)).toEqual({ status: "on_air", listeners_count: 0 });
  expect([(await others.post(path)).status, (await others.get(path)).status]).toEqual([404, 404]);
  expect(JSON.parse((await (await browser()).post(path)).text).code).toBe("unauthenticated");
  await own.post(path.replace("/sound.json", ""), { do: "finish" });
  expect(JSON.parse((await own.post(path)).text).code).toBe("radio_transition_refused");
});

test("another member's radio has no form", async () => {
  const [owner, other] = await Promise.all([freshMember("話す人"), freshMember("よその人")]);
  await (await openBrowserAs(owner)).post("/my/radio/new", radio);
  const [saved] = await ownRadios(owner);
  expect((await (await openBrowserAs(other)).get(`/my/radio/${saved?.radio_id}/edit`)).status).toBe(404);
});

test("the link with the key opens a radio once shown, and then the address without the key does", async () => {
  const owner = await freshMember("こっそり話す人");
  const own = await openBrowserAs(owner);
  const made = await own.post("/my/radio/new", { ...radio, publish_target_type: "url" });
  const [, key_path = ""] = /value="[^"]*?(\/[^"/]+\/radios\/[^"]+\?key=[\w-]{22})"/.exec(made.text) ?? [];
  const [path = ""] = key_path.split("?");
  const visitor = await browser();
  expect((await visitor.get(path)).status).toBe(404);
  const opened = await visitor.get(key_path);
  expect([opened.status, opened.location]).toEqual([302, path]);
  const page = await visitor.get(path);
  expect(page.status).toBe(200);
  expect(wordsOf(page.text)).toContain(radio.title);
  expect(page.text).toContain('<meta name="robots" content="noindex"/>');
  expect(page.headers.get("cache-control")).toContain("no-store");
  // The other pages are still the copies that all visitors share, and the list does not have the radio.
  const list = await visitor.get(`/${owner.user.link_id}/radio`);
  expect(list.headers.get("cache-control")).toBe("public, no-cache");
  expect(main(list.text)).not.toContain(path);
  // A mistyped link leaves the key that opens the radio in the browser.
  expect((await visitor.get(`${path}?key=${"x".repeat(22)}`)).location).toBe(path);
  expect((await visitor.get(path)).status).toBe(200);
  const [saved] = await ownRadios(owner);
  const rotated = await own.post(`/my/radio/${saved?.radio_id}/edit`, {
    ...radio,
    publish_target_type: "url",
    do: "rotate",
  });
  expect(rotated.text).toMatch(/\?key=[\w-]{22}"/);
  expect((await visitor.get(path)).status).toBe(404);
});

test("visitors see what is announced, on air and finished, and how to hear what is locked", async () => {
  const owner = await freshMember("放送する人");
  const own = await openBrowserAs(owner);
  const home = `/${owner.user.link_id}`;
  const visitor = await browser();
  expect(wordsOf((await own.get(`${home}/radio`)).text)).toContain("まだラジオがありません");
  await own.post("/my/radio/new", radio);
  const [saved] = await ownRadios(owner);
  const radio_id = saved?.radio_id ?? "";
  const path = `${home}/radios/${radio_id}`;
  const list = async () => (await visitor.get(`${home}/radio`)).text;
  expect(main(await list())).toContain(`href="${path}"`);
  expect(wordsOf((await visitor.get(path)).text)).toContain("放送の予定：2099/12/24 21:00");

  await own.post(`/my/radio/${radio_id}/edit`, { ...radio, publish_target_type: "fans" });
  expect((await visitor.get(path)).status).toBe(404);
  await ask(startRadio, { token: owner.token, params: { radio_id } });
  const locked = wordsOf((await visitor.get(path)).text);
  expect(locked).toContain("この放送はフォロワー限定です");
  expect(locked).not.toContain(radio.description);
  // A visitor's list is cached for a second at most.
  await waitUntil(async () => expect(wordsOf(await list())).toContain("放送中"));
});

test("a comment is written, and deleted by the radio's owner", async () => {
  const [owner, fan] = await Promise.all([freshMember("話す人"), freshMember("聴く人")]);
  const [own, fans] = await Promise.all([openBrowserAs(owner), openBrowserAs(fan)]);
  await own.post("/my/radio/new", radio);
  const [saved] = await ownRadios(owner);
  const params = { radio_id: saved?.radio_id ?? "" };
  const path = `/${owner.user.link_id}/radios/${params.radio_id}`;
  const { location } = await fans.post(`${path}/comments`, { message: "聴いています" });
  const [, comment_id] = /#comment-(\w+)$/.exec(location ?? "") ?? [];
  expect(location).toBe(`${path}#comment-${comment_id}`);
  expect(main((await fans.get(path)).text)).toContain("聴いています");
  expect(main((await own.get(path)).text)).toContain(`href="${path}/comments/${comment_id}/report"`);
  const liked = await fans.post(`${path}/comments/${comment_id}/like`, { is_liked: "true" });
  expect(liked.location).toBe(`${path}#comment-${comment_id}`);
  const guest = await browser();
  await guest.post(`${path}/comments/${comment_id}/like`, { is_liked: "true" });
  expect((await ask(listRadioComments, { params })).comments).toMatchObject([{ likes_count: 2 }]);
  const refused = await fans.post(`${path}/comments`, { message: "" });
  expect([refused.status, wordsOf(refused.text).includes("コメントを入力してください。")]).toEqual([422, true]);
  await own.post(`${path}/comments/${comment_id}`, { operation: "delete" });
  expect((await ask(getRadio, { params })).radio.comments_count).toBe(0);
  const rows = (await database()).prepare("SELECT COUNT(*) AS n FROM radio_comments WHERE radio_id = ?");
  expect(await rows.bind(params.radio_id).first("n")).toBe(0);
});
