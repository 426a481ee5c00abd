import type { Page, WebSocketRoute } from "playwright/test";
import { peakWithoutScript } from "./support/radio.ts";
import { expect, type Person, test } from "./support/test.ts";

/**
 * A broadcast from the microphone of a browser. Chromium's own test microphone beeps. Chromium on Linux has no encoder
 * of AAC, so it loads ours.
 */

/** What the page says of its broadcast. */
const beingOnAir = (page: Page) => page.locator(".on-air > [role=status]");

/** What the recording may lose at each end and at the reload: packets that were not full, and a gap of up to a second. */
const SLACK_S = 4;

test("a creator goes on air with three taps, mutes, reloads and continues, ends, and hears the recording", async ({
  someone,
}) => {
  const creator = await someone();
  const { page } = creator;
  const button = (name: string) => page.getByRole("main").getByRole("button", { name, exact: true });
  const state = beingOnAir(page);
  const level = () => page.getByLabel("マイクの音量").evaluate((meter) => (meter as HTMLMeterElement).value);

  await creator.openAs("natsume", "/my/radio/new");
  await creator.isAlive();
  await page.getByLabel("タイトル").fill("三つ押すだけのラジオ");
  await button("保存する").click();
  await page.getByRole("link", { name: "三つ押すだけのラジオ" }).click();
  await creator.isAlive();
  await button("放送を始める").click();
  await expect(state).toHaveText("放送中です。");
  const began_ms = Date.now();
  await expect(page.getByText("経過時間")).toBeVisible();
  await expect.poll(level, "the beeps of the microphone").toBeGreaterThan(0.1);

  // The name stays, and the state says whether it is pressed.
  const mute = (is_muted: boolean) => page.getByRole("button", { name: "ミュート", exact: true, pressed: is_muted });
  await mute(false).click();
  await expect(page.getByText("ミュート中です。")).toBeVisible();
  await expect.poll(level).toBeLessThan(0.01);
  await mute(true).click();
  await expect(mute(false)).toBeVisible();

  await page.getByText("マイクの設定").click();
  await expect(page.getByLabel("マイク", { exact: true }).getByRole("option").nth(1)).toBeAttached();
  await page.getByLabel(/BGMや楽器の音も届ける/).check();
  await expect.poll(level, "the microphone was opened again").toBeGreaterThan(0.1);
  await expect(state).toHaveText("放送中です。");

  // Leaving a page on air asks first.
  const asked = page.waitForEvent("dialog");
  await page.getByRole("link", { name: "ofuse トップ" }).click({ noWaitAfter: true });
  const question = await asked;
  expect(question.message()).toMatch(/^放送中です。/);
  await question.dismiss();
  await expect(state).toHaveText("放送中です。");

  page.on("dialog", (dialog) => void dialog.accept());
  await page.reload();
  await expect(page.getByText("この画面からは、音声を送っていません。")).toBeVisible();
  await creator.isAlive();
  await button("放送を続ける").click();
  await expect(state).toHaveText("放送中です。");
  await expect.poll(level).toBeGreaterThan(0.1);

  await button("放送を終える").click();
  const sent_s = (Date.now() - began_ms) / 1000;
  await page.getByRole("dialog").getByRole("button", { name: "終える", exact: true }).click();
  const player = page.locator("audio.own-recording");
  await expect(player).toBeVisible();
  const duration = () => player.evaluate((audio) => (audio as HTMLAudioElement).duration);
  await expect.poll(duration).toBeGreaterThan(sent_s - SLACK_S);
  expect(await duration()).toBeLessThan(sent_s + SLACK_S);

  await button("録音を削除").click();
  await page.getByRole("dialog").getByRole("button", { name: "削除する", exact: true }).click();
  await expect(page.getByText("この放送の録音はありません。")).toBeVisible();
});

const NO_AAC = /JavaScriptを使わずに聴いている方には音が届きません/;

/** Makes a radio and opens the page that puts it on air. */
async function openRadio(creator: Person, title: string): Promise<void> {
  const { page } = creator;
  await creator.openAs("natsume", "/my/radio/new");
  await creator.isAlive();
  await page.getByLabel("タイトル").fill(title);
  await page.getByRole("main").getByRole("button", { name: "保存する", exact: true }).click();
  await page.getByRole("link", { name: title }).click();
  await expect(page.getByRole("button", { name: "放送を始める", exact: true })).toBeVisible();
  await creator.isAlive();
}

async function goOnAir({ page }: Person): Promise<void> {
  await page.getByRole("main").getByRole("button", { name: "放送を始める", exact: true }).click();
  await expect(beingOnAir(page)).toHaveText("放送中です。");
}

test("listeners without a script hear a browser that has no encoder of AAC, and so does the recording", async ({
  someone,
}) => {
  const creator = await someone();
  const { page } = creator;
  const loaded: string[] = [];
  page.on("request", (request) => loaded.push(request.url()));
  const encoders = () => loaded.filter((url) => url.endsWith(".wasm")).length;
  await openRadio(creator, "どこでも聴けるラジオ");
  expect(encoders(), "before the press").toBe(0);
  await goOnAir(creator);
  await expect.poll(encoders).toBe(1);

  const { page: listener } = await someone();
  const path = await page.getByRole("link", { name: "リスナーのページを見る" }).getAttribute("href");
  await listener.goto(path ?? "");
  await expect.poll(() => peakWithoutScript(listener), "the beeps of the microphone").toBeGreaterThan(0.1);
  await expect(page.getByText(NO_AAC)).toBeHidden();

  await page.getByRole("button", { name: "放送を終える", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "終える", exact: true }).click();
  const recording = page.locator("audio.own-recording");
  await expect(recording).toBeVisible();
  const peak = await recording.evaluate(async (audio) => {
    const bytes = await (await fetch((audio as HTMLAudioElement).src)).arrayBuffer();
    const sound = await new OfflineAudioContext(1, 1, 48_000).decodeAudioData(bytes);
    return sound.getChannelData(0).reduce((loudest, sample) => Math.max(loudest, Math.abs(sample)), 0);
  });
  expect(peak).toBeGreaterThan(0.1);
});

test("a broadcast goes on when the encoder cannot be loaded, and the page says who does not hear it", async ({
  someone,
}) => {
  const creator = await someone();
  const { page } = creator;
  await page.context().route("**/*.wasm", (route) => route.abort());
  await openRadio(creator, "片方だけのラジオ");
  await goOnAir(creator);
  await expect(page.getByText(NO_AAC)).toBeVisible();
  await expect(beingOnAir(page)).toHaveText("放送中です。");
  await page.getByRole("button", { name: "放送を終える", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "終える", exact: true }).click();
  await expect(page.locator("audio.own-recording")).toBeVisible();
});

test("a reload of the page's data that fails leaves the broadcast on air", async ({ someone }) => {
  const creator = await someone();
  const { page } = creator;
  await page.addInitScript(() => {
    const tracks: MediaStreamTrack[] = [];
    const { mediaDevices } = navigator;
    const getUserMedia = mediaDevices.getUserMedia.bind(mediaDevices);
    mediaDevices.getUserMedia = async (asked) => {
      const stream = await getUserMedia(asked);
      tracks.push(...stream.getTracks());
      return stream;
    };
    Object.assign(window, { tracks });
  });
  await openRadio(creator, "途切れないラジオ");
  await goOnAir(creator);
  const told = page.locator(".toast-alert").getByText("最新の内容を読み込めませんでした。");
  const reload = /\/my\/radio\/\w+\.data/;
  await creator.stayingOnThePage(async () => {
    await page.route(reload, (route) => (route.request().method() === "GET" ? route.abort() : route.continue()));
    await page.getByLabel("発言する").fill("聞こえますか");
    await page.getByRole("button", { name: "発言する" }).click();
    await expect(told).toBeVisible();
    await expect(beingOnAir(page)).toHaveText("放送中です。");
    const states = await page.evaluate(() => {
      const { tracks } = window as unknown as { tracks: MediaStreamTrack[] };
      return tracks.map(({ readyState }) => readyState);
    });
    expect(states).toEqual(["live"]);
    const reloaded = page.waitForResponse((response) => reload.test(response.url()) && response.ok());
    await page.unroute(reload);
    await reloaded;
    await expect(beingOnAir(page)).toHaveText("放送中です。");
  });
  await page.getByRole("button", { name: "放送を終える", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "終える", exact: true }).click();
  await expect(page.locator("audio.own-recording")).toBeVisible();
});

test("the page says before and after the end how much speech could not be sent", async ({ someone }) => {
  // The page waits 20 seconds before it gives up. With them, the steps of a busy machine take longer than a journey may.
  test.setTimeout(180_000);
  const creator = await someone();
  const { page } = creator;
  const sockets: WebSocketRoute[] = [];
  let is_cut = false;
  await page.routeWebSocket(/\/ingest$/, async (socket) => {
    if (is_cut) return socket.close();
    socket.connectToServer();
    sockets.push(socket);
  });
  await page.route(/\/ingest$/, (route) => (is_cut ? route.abort() : route.continue()));
  await openRadio(creator, "電波の届かないラジオ");
  await goOnAir(creator);
  is_cut = true;
  for (const socket of sockets) await socket.close();
  await expect(beingOnAir(page)).toContainText("接続し直しています。");
  await page.getByRole("button", { name: "放送を終える", exact: true }).click();
  const dialog = page.getByRole("dialog");
  const unsent = /まだ送れていない音声があります。.*（(\d+)秒分）/;
  await expect(dialog).toContainText(unsent);
  const unsent_s = Number(unsent.exec((await dialog.textContent()) ?? "")?.[1]);
  await dialog.getByRole("button", { name: "終える", exact: true }).click();
  // The page waits 20 seconds for the network before it gives up.
  await expect(page.getByText("放送済み", { exact: true })).toBeVisible({ timeout: 40_000 });
  const lost = /^放送を終えました。(\d+)秒分の音声は送れませんでした。$/;
  const alert = page.getByRole("alert");
  await expect(alert).toHaveText(lost);
  const lost_s = Number(lost.exec((await alert.textContent()) ?? "")?.[1]);
  // Nothing was sent after the dialog was read, and the microphone added sound until the end.
  expect(unsent_s).toBeGreaterThanOrEqual(1);
  expect(lost_s).toBeGreaterThanOrEqual(unsent_s);
});

/** The address that starts a radio and opens its sound. */
const OPENING = /\/my\/radio\/\w+\/sound\.json$/;

for (const lost of [1, 2]) {
  test(`a start whose answer is lost ${lost === 1 ? "once is repeated" : "twice shows that the radio may be on air"}`, async ({
    someone,
  }) => {
    const creator = await someone();
    const { page } = creator;
    let asked = 0;
    await page.route(OPENING, async (route) => {
      if (route.request().method() !== "POST" || ++asked > lost) return route.continue();
      await route.fetch();
      return route.abort();
    });
    await openRadio(creator, `答えが${lost}回ないラジオ`);
    const main = page.getByRole("main");
    await main.getByRole("button", { name: "放送を始める", exact: true }).click();
    if (lost === 2) {
      await expect(page.getByRole("alert")).toContainText("放送が始まったか確認できませんでした。");
      await main.getByRole("button", { name: "放送を続ける", exact: true }).click();
    }
    await expect(beingOnAir(page)).toHaveText("放送中です。");
    await page.getByRole("button", { name: "放送を終える", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "終える", exact: true }).click();
    await expect(page.getByText("放送済み", { exact: true })).toBeVisible();
  });
}

test("the page says why there is no sound, and starts no radio", async ({ someone }) => {
  const creator = await someone();
  const { page } = creator;
  await creator.openAs("natsume", "/my/radio");
  await page.getByRole("link", { name: "窓辺の夜ふかしラジオ" }).click();
  const start = page.getByRole("button", { name: "放送を始める", exact: true });
  await expect(start).toBeVisible();
  await creator.isAlive();
  await page.evaluate(() => {
    navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException("", "NotAllowedError"));
  });
  await start.click();
  await expect(page.getByRole("alert")).toContainText("マイクの使用が許可されていません");
  await expect(page.getByText("放送前", { exact: true })).toBeVisible();
  await expect(start).toBeEnabled();
});
