/** Tests captions: who may write, read and delete them when, and that they reach open pages. */
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { answerChatSocket } from "../../workers/api/radio-chat/socket.ts";
import type { ChatEvent } from "../../workers/contract/chat-socket.ts";
import type { RadioCaption } from "../../workers/contract/radio-captions.ts";
import { stopClock } from "../support/stopped-clock.ts";
import {
  addMember,
  addRadio,
  changeRadio,
  finishRadio,
  follow,
  type Member,
  outcomeOf,
  startRadio,
  succeed,
} from "./support/radios.ts";

const pathOf = (radio_id: string) => `/v4/radios/${radio_id}/captions`;
const caption = (radio_id: string, who: Partial<Member>, words = "こんばんは") => ({
  method: "POST",
  path: pathOf(radio_id),
  ...(who.token && { token: who.token }),
  body: { words },
});
const reading = (radio_id: string, who: Partial<Member> & { url_key?: string } = {}, query = "") => ({
  method: "GET",
  path: pathOf(radio_id) + query,
  ...(who.token && { token: who.token }),
  ...(who.url_key && { url_key: who.url_key }),
});
async function wordsOf(...args: Parameters<typeof reading>): Promise<string[]> {
  const { captions } = await succeed(reading(...args));
  return captions.map(({ words }: RadioCaption) => words);
}
async function onAir(more: Parameters<typeof addRadio>[1] = {}) {
  const owner = await addMember("owner");
  const { radio_id, url_key } = await addRadio(owner, more);
  await startRadio(owner, radio_id);
  return { owner, radio_id, url_key };
}

describe("a caption", () => {
  test("is written by the owner alone, while the radio is on air", async () => {
    const owner = await addMember("owner");
    const { radio_id } = await addRadio(owner);
    expect(await outcomeOf(caption(radio_id, owner))).toBe("radio_transition_refused");
    await startRadio(owner, radio_id);
    expect(await outcomeOf(caption(radio_id, owner))).toBe("201");
    expect(await outcomeOf(caption(radio_id, await addMember()))).toBe("not_found");
    expect(await outcomeOf(caption(radio_id, {}))).toBe("unauthenticated");
    expect(await outcomeOf(caption(radio_id, owner, "あ".repeat(201)))).toBe("validation_failed");
    await finishRadio(owner, radio_id);
    expect(await outcomeOf(caption(radio_id, owner))).toBe("radio_transition_refused");
    expect(await wordsOf(radio_id, owner)).toEqual(["こんばんは"]);
  });

  test("is read by who may hear the radio, on air and afterwards", async () => {
    const { owner, radio_id } = await onAir({ publish_target_type: "fans", recording_publish_target_type: "none" });
    const [fan, other] = await Promise.all([addMember(), addMember()]);
    await follow(fan, owner);
    await succeed(caption(radio_id, owner));
    expect(await wordsOf(radio_id, fan)).toEqual(["こんばんは"]);
    for (const who of [other, {}]) expect(await outcomeOf(reading(radio_id, who))).toBe("not_found");
    await finishRadio(owner, radio_id);
    expect(await outcomeOf(reading(radio_id, fan))).toBe("not_found");
    await changeRadio(owner, radio_id, { publish_target_type: "fans", recording_publish_target_type: "public" });
    expect(await wordsOf(radio_id)).toEqual(["こんばんは"]);

    const keyed = await onAir({ publish_target_type: "url" });
    await succeed(caption(keyed.radio_id, keyed.owner));
    expect(await wordsOf(keyed.radio_id, { url_key: keyed.url_key ?? "" })).toEqual(["こんばんは"]);
    expect(await outcomeOf(reading(keyed.radio_id, fan))).toBe("not_found");
  });

  test("is listed page by page from the last one back, in the order of writing", async () => {
    const { owner, radio_id } = await onAir();
    for (const words of ["一", "二", "三", "四", "五"]) await succeed(caption(radio_id, owner, words));
    const last = await succeed(reading(radio_id, {}, "?limit=2"));
    expect(last.captions.map(({ words }: RadioCaption) => words)).toEqual(["四", "五"]);
    const before = await succeed(reading(radio_id, {}, `?limit=3&next_page_token=${last.next_page_token}`));
    expect(before.captions.map(({ words }: RadioCaption) => words)).toEqual(["一", "二", "三"]);
    expect(before.next_page_token).toBeNull();
  });

  test("reaches open pages at once with the chat off, and leaves them when its writer deletes it", async () => {
    const { owner, radio_id } = await onAir({ is_chat_on: false });
    const { token } = await succeed({ method: "POST", path: `/v4/radios/${radio_id}/chat_room_token` });
    const request = new Request(`https://api.internal/chat?${new URLSearchParams({ radio_id, token })}`, {
      headers: { upgrade: "websocket" },
    });
    const { webSocket } = await answerChatSocket(request, Date.now(), env);
    if (!webSocket) throw new Error("no socket");
    const { promise, resolve } = Promise.withResolvers<ChatEvent[]>();
    const events: ChatEvent[] = [];
    webSocket.addEventListener("message", ({ data }) => {
      if (events.push(JSON.parse(String(data))) === 2) resolve(events);
    });
    webSocket.accept();
    const made = (await succeed(caption(radio_id, owner))).caption as RadioCaption;
    const path = `${pathOf(radio_id)}/${made.caption_id}`;
    expect(await outcomeOf({ method: "DELETE", path, token: (await addMember()).token })).toBe("not_found");
    expect(await outcomeOf({ method: "DELETE", path, token: owner.token })).toBe("204");
    expect(await promise).toEqual([
      { type: "caption", caption: made },
      { type: "caption_deleted", caption_id: made.caption_id },
    ]);
    expect(await wordsOf(radio_id)).toEqual([]);
    expect(await outcomeOf({ method: "DELETE", path, token: owner.token })).toBe("not_found");
    webSocket.close(1000);
  });

  test("is written at most twenty times in ten seconds", async () => {
    stopClock();
    const { owner, radio_id } = await onAir();
    const write = (count: number) =>
      Promise.all(Array.from({ length: count }, (_, n) => outcomeOf(caption(radio_id, owner, `${n}`))));
    expect((await write(22)).toSorted()).toEqual([...Array(20).fill("201"), "too_many_requests", "too_many_requests"]);
    vi.setSystemTime(Date.now() + 9_900);
    expect(await write(1)).toEqual(["too_many_requests"]);
  });
});
