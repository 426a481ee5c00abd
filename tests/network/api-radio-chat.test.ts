/** The chat of a radio over the real network: calls, the socket with cookies and with tokens, and the pages. */
import { once } from "node:events";
import { beforeAll, describe, expect, test } from "vitest";
import { CHAT_ENDED } from "../../workers/contract/chat-names.ts";
import type { ChatEvent } from "../../workers/contract/chat-socket.ts";
import {
  createChatMessage,
  createChatRoomToken,
  deleteChatMessage,
  getChatRoom,
  listChatMessages,
  listRadioChatRestrictees,
  pinChatMessage,
  reactInChat,
  restrictRadioChat,
  unpinChatMessage,
  unrestrictRadioChat,
  updateChatRoom,
} from "../../workers/contract/radio-chat.ts";
import { createRadio, startRadio } from "../../workers/contract/radios.ts";
import { WITHOUT_SESSION } from "../../workers/contract/sign-out-watch.ts";
import { type Browser, browser, freshMember, type Member, network, openBrowserAs } from "../support/network.ts";
import { ask, refused } from "./support/calls.ts";

let fan: Member;
beforeAll(async () => {
  fan = await freshMember("聴く人");
});

/** Puts a radio of a new broadcaster on air. */
async function openRoom(publish_target_type: "public" | "url" = "public") {
  const broadcaster = await freshMember("放送する人");
  const { token } = broadcaster;
  const made = await ask(createRadio, { token, body: { title: "夜ふかし缶詰", publish_target_type } });
  const params = { radio_id: made.radio.radio_id };
  await ask(startRadio, { token, params });
  const path = `/${broadcaster.user.link_id}/radios/${params.radio_id}`;
  return { broadcaster, params, path, url_key: made.url_key };
}

// Node's WebSocket takes headers, which browsers' does not.
const Opened = WebSocket as unknown as new (url: string, options: object) => WebSocket;
async function openSocket(path: string, headers: Record<string, string> = {}): Promise<WebSocket> {
  return new Opened((await network()).url.replace("http", "ws") + path, { headers });
}
async function openAs(who: Browser, radio_id: string, origin?: string): Promise<WebSocket> {
  const cookie = [...who.cookies].map((pair) => pair.join("=")).join("; ");
  return openSocket(`/session/chat/${radio_id}`, { cookie, origin: origin ?? (await network()).url });
}
async function eventOf(socket: WebSocket): Promise<ChatEvent> {
  const [{ data }] = (await once(socket, "message")) as [MessageEvent];
  return JSON.parse(data);
}
const closeCodeOf = async (socket: WebSocket) => ((await once(socket, "close")) as [CloseEvent])[0].code;

describe("a chat", () => {
  test("is written, read, pinned, reacted to, limited and cleared", async () => {
    const { broadcaster, params } = await openRoom();
    const { token } = broadcaster;
    const message = { token: fan.token, params, body: { message: "こんばんは" } };
    const { message_id } = await ask(createChatMessage, message);
    expect((await ask(listChatMessages, { params })).messages).toMatchObject([{ message_id, message: "こんばんは" }]);
    const of_message = { token, params: { ...params, message_id } };
    const { pinned_at } = await ask(pinChatMessage, of_message);
    expect((await ask(getChatRoom, { params })).room).toMatchObject({
      is_open: true,
      may_write: false,
      pinned_messages: [{ message_id, pinned_at }],
    });
    await ask(unpinChatMessage, of_message);
    expect(await ask(reactInChat, { token: fan.token, params, body: { emoji: "👏" } })).toEqual({
      emoji: "👏",
      times: 1,
    });
    await refused(updateChatRoom, "not_found", { token: fan.token, params, body: {} });
    await ask(updateChatRoom, { token, params, body: { slow_mode_seconds: 300, ng_words: ["ネタバレ"] } });
    await refused(createChatMessage, "chat_slow_mode", message);
    const restricted = { token, params: { user_id: fan.user.user_id } };
    await ask(restrictRadioChat, restricted);
    await refused(createChatMessage, "chat_restricted", message);
    expect((await ask(listRadioChatRestrictees, { token })).restrictees).toMatchObject([
      { user: { user_id: fan.user.user_id } },
    ]);
    await ask(unrestrictRadioChat, restricted);
    await ask(deleteChatMessage, of_message);
    expect((await ask(listChatMessages, { params })).messages).toEqual([]);
  });

  test("is read on a page's socket with the cookies of the browser, and only from our own pages", async () => {
    const { params, path, url_key } = await openRoom("url");
    const { radio_id } = params;
    const [stranger, visitor, member] = [await browser(), await browser(), await openBrowserAs(fan)];
    expect(await closeCodeOf(await openAs(stranger, radio_id))).toBe(CHAT_ENDED);
    for (const each of [visitor, member]) await each.get(`${path}?key=${url_key}`);
    const [of_visitor, of_member] = [await openAs(visitor, radio_id), await openAs(member, radio_id)];
    await Promise.all([of_visitor, of_member].map((socket) => once(socket, "open")));
    const heard = eventOf(of_visitor);
    of_member.send(JSON.stringify({ say: "鍵で来ました", key: "a" }));
    expect(await heard).toMatchObject({
      type: "messages",
      messages: [{ message: "鍵で来ました", user: { user_id: fan.user.user_id } }],
      people_count: 2,
    });
    for (const origin of ["https://evil.example", ""]) {
      expect(await closeCodeOf(await openAs(member, radio_id, origin))).not.toBe(CHAT_ENDED);
    }
    for (const socket of [of_visitor, of_member]) socket.close();
  });

  test("takes no message on the socket of a member who has logged out everywhere", async () => {
    const { params } = await openRoom();
    const member = await freshMember("ログアウトする人");
    const [one, other] = [await openBrowserAs(member), await openBrowserAs(member)];
    const socket = await openAs(one, params.radio_id);
    await once(socket, "open");
    const [answer, closed] = [eventOf(socket), closeCodeOf(socket)];
    expect((await other.post("/logout")).status).toBe(303);
    socket.send(JSON.stringify({ say: "まだ言えるかな", key: "a" }));
    expect(await answer).toMatchObject({ type: "refused", key: "a", code: "token_invalid" });
    expect(await closed).toBe(WITHOUT_SESSION);
    expect((await ask(listChatMessages, { params })).messages).toEqual([]);
  });

  test("is opened by a token without cookies, and not by a foreign one", async () => {
    const [one, other] = [await openRoom(), await openRoom()];
    const { socket_path, token } = await ask(createChatRoomToken, { token: fan.token, params: one.params });
    const socket = await openSocket(socket_path);
    await once(socket, "open");
    socket.close();
    const foreign = `/session/chat/${other.params.radio_id}?token=${encodeURIComponent(token)}`;
    const bad = [foreign, `${socket_path}x`, `/session/chat/${one.params.radio_id}?token=`];
    for (const path of bad) {
      let is_open = false;
      const refusedSocket = await openSocket(path);
      refusedSocket.addEventListener("open", () => {
        is_open = true;
      });
      await once(refusedSocket, "close");
      expect([path, is_open]).toEqual([path, false]);
    }
    expect((await (await browser()).get(socket_path)).status).toBe(426);
    expect((await (await browser()).get("/session/chat/natsume")).status).toBe(404);
  });
});

const main = (text: string) => text.split('<main id="main">')[1]?.split("</main>")[0] ?? "";
const wordsOf = (text: string) => main(text).replace(/<[^>]*>/g, "");

describe("the page of a radio on air", () => {
  test("takes messages and emoji, shows older ones, and lets the broadcaster keep order", async () => {
    const { broadcaster, params, path } = await openRoom();
    const [own, fans] = await Promise.all([openBrowserAs(broadcaster), openBrowserAs(fan)]);
    expect(await fans.post(`${path}/chat`, { message: "一行目\r\n二行目" })).toMatchObject({
      status: 303,
      location: `${path}#chat`,
    });
    const refusedPage = await fans.post(`${path}/chat`, { message: "" });
    expect([refusedPage.status, wordsOf(refusedPage.text).includes("発言を入力してください。")]).toEqual([422, true]);
    const visitor = await (await browser()).get(path);
    expect(wordsOf(visitor.text)).toContain("一行目 二行目");
    expect(wordsOf(visitor.text)).toContain("ログインして発言する");
    expect(main(visitor.text)).not.toContain('value="pin"');
    expect((await fans.post(`${path}/reactions`, { emoji: "🎉" })).location).toBe(`${path}#chat`);
    expect(wordsOf((await fans.get(path)).text)).toContain("🎉 1");

    const { messages } = await ask(listChatMessages, { params });
    const { message_id = "" } = messages[0] ?? {};
    const of_message = `${path}/chat/${message_id}`;
    const user_id = fan.user.user_id;
    expect((await own.post(of_message, { operation: "pin", user_id })).location).toBe(`${path}#chat`);
    expect(wordsOf((await own.get(path)).text)).toContain("固定された発言");
    await own.post(of_message, { operation: "restrict", user_id });
    expect(wordsOf((await fans.get(path)).text)).toContain("このチャットには書き込めません");
    const refusedMessage = await fans.post(`${path}/chat`, { message: "まだ言えるかな" });
    expect(refusedMessage.status).toBe(403);
    expect(wordsOf(refusedMessage.text)).toContain("このチャットには書き込めません");
    expect(refusedMessage.text).toContain("まだ言えるかな");
    expect(wordsOf((await own.get("/my/radio/restrictees")).text)).toContain("聴く人");
    await own.post("/my/radio/restrictees", { user_id });
    expect(wordsOf((await own.get("/my/radio/restrictees")).text)).toContain("制限した相手はいません");
    await own.post(of_message, { operation: "delete", user_id });
    expect(wordsOf((await own.get(path)).text)).toContain("まだ発言はありません");
  });

  test("has settings for its broadcaster alone", async () => {
    const { broadcaster, params } = await openRoom();
    const [own, fans] = await Promise.all([openBrowserAs(broadcaster), openBrowserAs(fan)]);
    const settings = `/my/radio/${params.radio_id}/chat`;
    expect((await fans.get(settings)).status).toBe(404);
    const saved = await own.post(settings, { slow_mode_seconds: "30", ng_words: "ネタバレ\r\n\r\n 荒らし " });
    expect([saved.status, saved.location]).toEqual([303, settings]);
    const { room } = await ask(getChatRoom, { token: broadcaster.token, params });
    expect(room).toMatchObject({ slow_mode_seconds: 30, ng_words: ["ネタバレ", "荒らし"] });
    expect((await own.get(settings)).text).toContain("ネタバレ\n荒らし");
    const long = await own.post(settings, { slow_mode_seconds: "30", ng_words: "長".repeat(31) });
    expect([long.status, wordsOf(long.text).includes("NGワードは30文字以内で入力してください")]).toEqual([422, true]);
  });

  test("leads to older messages", async () => {
    const { params, path } = await openRoom();
    const people = await Promise.all(Array.from({ length: 6 }, (_, n) => freshMember(`聴く人${n}`)));
    for (let n = 0; n < 54; n++) {
      const { token } = people[n % 6] as Member;
      await ask(createChatMessage, { token, params, body: { message: `${n}番目の発言` } });
    }
    const visitor = await browser();
    const first = await visitor.get(path);
    expect(wordsOf(first.text)).toContain("53番目の発言");
    const [, older = ""] = /href="([^"]*\?chat=[^"#]*)#chat"/.exec(first.text) ?? [];
    const second = wordsOf((await visitor.get(older)).text);
    expect(second).toContain("0番目の発言");
    expect(second).toContain("3番目の発言");
    expect(second).not.toContain("4番目の発言");
    expect(second).toContain("最新の発言へ戻る");
  });
});
