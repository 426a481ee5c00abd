import type { Page, Request, WebSocket } from "playwright/test";
import { api, demoToken } from "../tests/support/network.ts";
import { goOnAir, playing, pressPlay } from "./support/radio.ts";
import { expect, test } from "./support/test.ts";

/** What arrives by itself on the pages of a radio: letters in the chat, captions; and chapters that move the player. */

type Network = NonNullable<Parameters<typeof demoToken>[1]>;

/** Sends a call that must succeed as a person of the demo world. Returns its answer. */
async function call(network: Network, link_id: string, method: string, path: string, body?: unknown) {
  const { status, json, text } = await api(method, path, { token: await demoToken(link_id, network), body, network });
  if (status >= 300) throw new Error(`${method} ${path} answered ${text}`);
  // biome-ignore lint/suspicious/noExplicitAny: each test reads the fields that it needs.
  return json as any;
}

/** Whether the script reads the page of captions again. */
const isReading = (request: Request) => request.resourceType() === "fetch" && request.url().endsWith("/text");
/** Waits for the first message of the chat's socket: it may come before the page has loaded. */
async function waitForChat(page: Page): Promise<WebSocket> {
  const socket = await page.waitForEvent("websocket", (opened) => opened.url().includes("/session/chat/"));
  await socket.waitForEvent("framereceived");
  return socket;
}
const captionsOf = (page: Page) => page.getByRole("list", { name: "字幕" }).getByRole("listitem");

test("a letter appears in an open chat, without its words", async ({ someone, network }) => {
  const radio = await goOnAir(network, "akari", "手紙のラジオ");
  const reader = await someone();
  const { page } = reader;
  await Promise.all([waitForChat(page), reader.openAs("fan_hana", radio.path)]);
  const { user } = await call(network, "akari", "GET", "/v4/users?link_id=akari");
  const body = { receiver_user_id: user.user_id, message: "ふたりだけの言葉", stamp_id: "cheer" };
  await call(network, "hibiki", "POST", "/v4/free_ofuses", body);
  await reader.stayingOnThePage(async () => {
    // A screen reader reads out what is added to a live part: the words, and not the buttons of the log.
    const spoken = page.locator("#chat > [aria-live=polite]");
    await expect(spoken).toHaveText(/さんからofuseが届きました。応援してます$/);
    const log = page.getByRole("log", { name: "チャット" });
    await expect(log.getByRole("listitem").getByText(/さんからofuseが届きました。$/)).toBeVisible();
    await expect(page.getByRole("img", { name: "応援してます" })).toBeVisible();
    await expect(page.getByText("ふたりだけの言葉")).toBeHidden();
  });
  await radio.finish();
});

test("Enter sends a message, Shift+Enter breaks its line, and the field is ready for the next one", async ({
  someone,
  network,
}) => {
  const radio = await goOnAir(network, "akari", "打ち込むラジオ");
  const writer = await someone();
  const { page } = writer;
  await writer.openAs("fan_hana", radio.path);
  const field = page.getByLabel("発言する");
  await expect(page.getByText("Enterキーで発言します。")).toBeVisible();
  const log = page.getByRole("log", { name: "チャット" });
  await writer.stayingOnThePage(async () => {
    await field.fill("こんばんは");
    // The Enter that ends a conversion of an input method.
    await field.dispatchEvent("keydown", { key: "Enter", isComposing: true });
    await field.press("Shift+Enter");
    await expect(field).toHaveValue("こんばんは\n");
    await field.press("Enter");
    await expect(log.getByText("こんばんは", { exact: true })).toBeVisible();
    await expect(field).toHaveValue("");
    await expect(field).toBeFocused();
    await field.press("Enter");
    await expect(field).toHaveValue("");
  });
  await radio.finish();
});

test("a message that is deleted while the page is hidden is gone when it is shown again", async ({
  someone,
  network,
}) => {
  const radio = await goOnAir(network, "akari", "消える言葉のラジオ");
  const of_radio = `/v4/radios/${radio.radio_id}`;
  const reader = await someone();
  const { page } = reader;
  const [socket] = await Promise.all([waitForChat(page), reader.openAs("fan_hana", radio.path)]);
  const write = (message: string) => call(network, "akari", "POST", `${of_radio}/chat_messages`, { message });
  const { message_id } = await write("消される言葉");
  const log = page.getByRole("log", { name: "チャット" });
  await expect(log.getByText("消される言葉")).toBeVisible();
  await expect(page.locator("#chat > [aria-live=polite]")).toHaveText(/^あかり.*：消される言葉$/);
  const setVisibility = (state: "hidden" | "visible") =>
    page.evaluate((value) => {
      Object.defineProperty(document, "visibilityState", { value, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }, state);
  const closed = socket.waitForEvent("close");
  await setVisibility("hidden");
  await closed;
  await call(network, "akari", "DELETE", `${of_radio}/chat_room/messages/${message_id}`);
  await write("残る言葉");
  await setVisibility("visible");
  await expect(log.getByText("残る言葉")).toBeVisible();
  await expect(page.getByText("消される言葉")).toHaveCount(0);
  await radio.finish();
});

for (const link_id of [null, "fan_hana"]) {
  test(`captions arrive on the page of ${link_id ? "a member" : "a visitor"} while they are typed`, async ({
    someone,
    network,
  }) => {
    const radio = await goOnAir(network, "akari", "文字のラジオ");
    const reader = await someone();
    const { page } = reader;
    const captions = `/v4/radios/${radio.radio_id}/captions`;
    await call(network, "akari", "POST", captions, { words: "こんばんは。" });
    if (link_id) await reader.startSession(link_id);
    await page.goto(radio.path);
    const opened = page.waitForEvent("websocket", (socket) => socket.url().includes("/session/chat/"));
    const seen = Promise.withResolvers<void>();
    const read_again = Promise.withResolvers<void>();
    await page.route("**/text", async (route) => {
      if (!isReading(route.request())) return route.continue();
      await seen.promise;
      await route.fulfill({ response: await route.fetch() });
      read_again.resolve();
    });
    await page.getByRole("link", { name: "文字で読む" }).click();
    await expect(captionsOf(page)).toHaveText(["こんばんは。"]);
    const first = await captionsOf(page).elementHandle();
    seen.resolve();
    await read_again.promise;
    await opened;
    const { caption } = await call(network, "akari", "POST", captions, { words: "今夜は缶詰の話です。" });
    await expect(captionsOf(page)).toHaveText(["今夜は缶詰の話です。", "こんばんは。"]);
    // A screen reader reads out each caption that is inserted, so the one that was there has stayed.
    expect(await first?.evaluate((item) => item.isConnected)).toBe(true);
    await call(network, "akari", "DELETE", `${captions}/${caption.caption_id}`);
    await expect(captionsOf(page)).toHaveText(["こんばんは。"]);
    await radio.finish();
  });
}

test("an open page learns that the radio has ended: its sound plays to the end, and its chat is closed", async ({
  someone,
  network,
}) => {
  const radio = await goOnAir(network, "akari", "終わるラジオ", { recording_publish_target_type: "none" });
  const listener = await someone();
  const { page } = listener;
  await Promise.all([waitForChat(page), listener.openAs("fan_hana", radio.path)]);
  await listener.stayingOnThePage(async () => {
    await pressPlay(listener);
    await expect(page.getByText(/^放送中（約\d+秒遅れ）$/)).toBeVisible();
    await page.getByRole("textbox", { name: "コメント" }).fill("書きかけの感想");
    await radio.finish();
    await expect(page.getByText("放送済み", { exact: true })).toBeVisible();
    await expect(page.locator("article > [role=status]")).toHaveText("放送は終わりました。");
    await expect(page.getByText("今の放送に戻ります")).toHaveCount(0);
    await expect(page.getByText("放送が終わったため、チャットに書き込めません。")).toBeVisible();
    await expect(page.getByLabel("発言する")).toHaveCount(0);
    await expect(page.locator("[data-state]")).toHaveText(/終わりました/);
    await expect(page.getByRole("textbox", { name: "コメント" })).toHaveValue("書きかけの感想");
  });
});

for (const link_id of [null, "fan_hana"]) {
  test(`the page of words says to ${link_id ? "a member" : "a visitor"} that the radio has ended`, async ({
    someone,
    network,
  }) => {
    const radio = await goOnAir(network, "akari", "読み終わるラジオ", { recording_publish_target_type: "none" });
    const reader = await someone();
    const { page } = reader;
    const captions = `/v4/radios/${radio.radio_id}/captions`;
    await call(network, "akari", "POST", captions, { words: "それでは、また。" });
    if (link_id) await reader.startSession(link_id);
    await Promise.all([waitForChat(page), page.goto(`${radio.path}/text`)]);
    await expect(page.getByText("放送中", { exact: true })).toBeVisible();
    await radio.finish();
    await expect(page.getByText("放送済み", { exact: true })).toBeVisible();
    await expect(page.getByRole("status").getByText("放送は終わりました。")).toBeVisible();
    await expect(captionsOf(page)).toHaveText(["それでは、また。"]);
  });
}

test("a broadcaster types one caption after another without leaving the page", async ({ someone, network }) => {
  const radio = await goOnAir(network, "akari", "字幕のラジオ");
  const creator = await someone();
  const { page } = creator;
  await creator.openAs("akari", `/my/radio/${radio.radio_id}`);
  await creator.isAlive();
  const field = page.getByLabel("話していること");
  await creator.stayingOnThePage(async () => {
    for (const words of ["こんばんは。", "今夜は缶詰の話です。"]) {
      await field.fill(words);
      await field.press("Enter");
      await expect(field).toHaveValue("");
      await expect(field).toBeFocused();
    }
  });
  const written = async () => {
    const { captions } = await call(network, "akari", "GET", `/v4/radios/${radio.radio_id}/captions`);
    return captions.map(({ words }: { words: string }) => words);
  };
  await expect.poll(written).toEqual(["こんばんは。", "今夜は缶詰の話です。"]);
  await radio.finish();
});

for (const link_id of [null, "fan_hana"]) {
  test(`a chapter moves the player of ${link_id ? "a member" : "a visitor"}`, async ({ someone, network }) => {
    const radio = await goOnAir(network, "akari", "目次のラジオ");
    const of_radio = `/v4/radios/${radio.radio_id}`;
    const { message_id } = await call(network, "fan_hana", "POST", `${of_radio}/chat_messages`, {
      message: "缶切りの話",
    });
    // The second second of the broadcast.
    const { radio: now } = await call(network, "akari", "GET", of_radio);
    await expect.poll(() => Date.now() - Date.parse(now.started_at)).toBeGreaterThan(2000);
    await call(network, "akari", "POST", `${of_radio}/chat_room/messages/${message_id}/pin`);
    await radio.finish();
    const listener = await someone();
    const { page } = listener;
    if (link_id) await listener.startSession(link_id);
    const chapter = page.getByRole("link", { name: /^0:0\d$/ });
    await expect(async () => {
      await listener.open(radio.path);
      await expect(chapter).toBeVisible({ timeout: 1000 });
    }).toPass();
    const at_s = Number(((await chapter.textContent()) ?? "").split(":")[1]);
    expect(at_s).toBeGreaterThanOrEqual(2);
    // The script of a visitor's page is loaded beside it.
    await expect(page.getByRole("button", { name: "1.5倍" })).toBeVisible();
    await chapter.click();
    await expect.poll(async () => (await playing(listener)).time_s).toBeGreaterThan(at_s);
    await expect(page).toHaveURL(radio.path);
  });
}
