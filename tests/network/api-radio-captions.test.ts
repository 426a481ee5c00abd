/** Captions and chapters on the pages of listeners and broadcasters, without scripts. */
import { expect, test } from "vitest";
import { exportAccount } from "../../workers/contract/leaving.ts";
import { createRadioCaption, deleteRadioCaption, listRadioCaptions } from "../../workers/contract/radio-captions.ts";
import { createChatMessage, deleteChatMessage, pinChatMessage } from "../../workers/contract/radio-chat.ts";
import { createRadio, finishRadio, startRadio } from "../../workers/contract/radios.ts";
import { browser, database, freshMember, network, openBrowserAs } from "../support/network.ts";
import { ask, refused } from "./support/calls.ts";

async function onAir(publish_target_type: "public" | "fans" = "public") {
  const speaker = await freshMember("話す人");
  const { token } = speaker;
  const body = { title: "夜ふかし", publish_target_type, recording_publish_target_type: publish_target_type };
  const { radio } = await ask(createRadio, { token, body });
  const params = { radio_id: radio.radio_id };
  await ask(startRadio, { token, params });
  return { speaker, token, params, path: `/${speaker.user.link_id}/radios/${params.radio_id}` };
}

test("a caption is written, read, in the writer's data export, and deleted", async () => {
  const { token, params } = await onAir();
  const { caption } = await ask(createRadioCaption, { token, params, body: { words: "こんばんは。" } });
  expect((await ask(listRadioCaptions, { params })).captions).toEqual([caption]);
  const { items } = await ask(exportAccount, { token, query: { part: "radio_captions" } });
  expect(items).toMatchObject([{ caption_id: caption.caption_id, words: "こんばんは。" }]);
  await ask(deleteRadioCaption, { token, params: { ...params, caption_id: caption.caption_id } });
  await refused(deleteRadioCaption, "not_found", { token, params: { ...params, caption_id: caption.caption_id } });
});

test("captions are typed on the broadcaster's page, read on a page of words, and begin the transcript", async () => {
  const { speaker, token, params, path } = await onAir();
  const own = await openBrowserAs(speaker);
  const captions_page = `/my/radio/${params.radio_id}/captions`;
  expect((await own.get(`/my/radio/${params.radio_id}`)).text).toContain(`action="${captions_page}"`);
  expect(await own.post(captions_page, { words: "こんばんは。" })).toMatchObject({ status: 303 });
  const from_on_air = await own.post(captions_page, { words: "今夜は缶詰の話です。", from: "on_air" });
  expect(from_on_air.location).toBe(`/my/radio/${params.radio_id}`);
  const long = "あ".repeat(201);
  const refusal = await own.post(captions_page, { words: long });
  expect([refusal.status, refusal.text.includes(`value="${long}"`)]).toEqual([422, true]);

  const visitor = await browser();
  expect((await visitor.get(path)).text).toContain(`href="${path}/text"`);
  const { text, headers } = await visitor.get(`${path}/text`);
  expect(text.indexOf("今夜は缶詰の話です。")).toBeLessThan(text.indexOf("こんばんは。"));
  expect(text).toContain(`href="${path}/text"`);
  expect(text.match(/<script\b/g)).toHaveLength(1);
  expect(headers.get("cache-control")).toContain("no-store");

  await ask(finishRadio, { token, params });
  const form = await own.get(`/my/radio/${params.radio_id}/edit`);
  expect(form.text).toContain("こんばんは。\n今夜は缶詰の話です。</textarea>");
  const { captions } = await ask(listRadioCaptions, { params });
  const deleted = await own.post(captions_page, { caption_id: captions[0]?.caption_id ?? "" });
  expect(deleted.status).toBe(303);
  expect((await visitor.get(`${path}/text`)).text).not.toContain("こんばんは。");
});

test("the words of a locked radio are not on its page for readers", async () => {
  const { token, params, path } = await onAir("fans");
  await ask(createRadioCaption, { token, params, body: { words: "ひみつの言葉" } });
  for (const reader of [await browser(), await openBrowserAs(await freshMember("よその人"))]) {
    const { status, text } = await reader.get(`${path}/text`);
    const words = text.replace(/<[^>]*>/g, "");
    expect([status, text.includes("ひみつの言葉"), words.includes("フォロワー限定")]).toEqual([200, false, true]);
  }
});

test("chapters are what was pinned, as links into the recording, until a message is deleted", async () => {
  const { token, params, path } = await onAir();
  const fan = await freshMember("聴く人");
  const said = { token: fan.token, params, body: { message: "缶切りの話" } };
  const { message_id } = await ask(createChatMessage, said);
  await ask(pinChatMessage, { token, params: { ...params, message_id } });
  await ask(finishRadio, { token, params });
  const run = async (query: string) => void (await (await database()).prepare(query).bind(params.radio_id).run());
  await run("UPDATE radios SET recording_state = 'completed', bytes = 9, duration_ms = 7200000 WHERE radio_id = ?");
  await run(`UPDATE radio_chat_messages SET pinned_at = strftime('%Y-%m-%dT%H:%M:%fZ',
    (SELECT started_at FROM radios WHERE radio_id = radio_chat_messages.radio_id), '+307 seconds') WHERE radio_id = ?`);
  const visitor = await browser();
  const link = `href="/media/${params.radio_id}/recording#t=307"`;
  const page = await visitor.get(path);
  expect([page.text.includes(link), page.text.includes("5:07")]).toEqual([true, true]);
  const chapters = await visitor.get(`${path}/chapters.json`);
  expect(chapters.headers.get("content-type")).toBe("application/json+chapters");
  expect(chapters.headers.get("access-control-allow-origin"), "for podcast apps in a browser").toBe("*");
  expect(JSON.parse(chapters.text)).toEqual({
    version: "1.2.0",
    chapters: [{ startTime: 307, title: "缶切りの話" }],
  });
  const feed = await visitor.get(`${path.split("/radios")[0]}/podcast.xml`);
  expect(feed.text).toContain(`<podcast:chapters url="${(await network()).url}${path}/chapters.json"`);
  await ask(deleteChatMessage, { token: fan.token, params: { ...params, message_id } });
  expect((await visitor.get(path)).text).not.toContain(link);
  expect(JSON.parse((await visitor.get(`${path}/chapters.json`)).text).chapters).toEqual([]);
});
