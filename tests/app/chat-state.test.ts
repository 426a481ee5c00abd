import { describe, expect, test } from "vitest";
import { type LoadedChat, loadShown } from "../../app/routes/creator/chat-state.ts";
import { applyChatEvent, reopenChat } from "../../app/routes/creator/live-chat.ts";
import type { ChatMessage } from "../../workers/contract/radio-chat.ts";

const message = (id: string, pinned_at: string | null = null): ChatMessage => ({
  message_id: id,
  user: { user_id: "fan", link_id: "fan", name: "ファン", is_creator: false, icon_image: null },
  message: `発言${id}`,
  letter: null,
  pinned_at,
  created_at: "2026-11-20T03:15:00.000Z",
});
const loadedWith = (...messages: ChatMessage[]): LoadedChat => ({
  room: {
    is_open: true,
    may_write: true,
    is_restricted: false,
    slow_mode_seconds: 0,
    ng_words: null,
    pinned_messages: [],
    reactions: [{ emoji: "👏", times: 3 }],
  },
  messages,
  restricted: [],
  older: null,
  is_latest: true,
  loaded_ms: 0,
});
const idsOf = ({ messages }: { messages: ChatMessage[] }) => messages.map(({ message_id }) => message_id).join("");
const say = (...messages: ChatMessage[]) => ({ type: "messages", messages, people_count: 1 }) as const;

describe("an open chat", () => {
  test("shows each message once and in order, whether the page or the socket brought it first", () => {
    let shown = loadShown(loadedWith(message("a"), message("b")));
    shown = applyChatEvent(shown, say(message("b"), message("d")));
    shown = loadShown({ ...loadedWith(message("b"), message("c"), message("d")), older: "b" }, shown);
    expect(idsOf(shown)).toBe("abcd");
  });

  test("drops messages that were deleted while the socket was closed", () => {
    let shown = loadShown({ ...loadedWith(..."cdeg".split("").map((id) => message(id))), older: "c" });
    shown = reopenChat(applyChatEvent(shown, say(message("h"))));
    // The load began before "i" was written, and answers after the socket has brought it.
    shown = applyChatEvent(shown, say(message("i")));
    shown = loadShown({ ...loadedWith(message("d"), message("f"), message("g")), older: "d" }, shown);
    expect(idsOf(shown)).toBe("dfgi");
    expect(idsOf(loadShown(loadedWith(), reopenChat(shown)))).toBe("");
  });

  test("drops hidden messages on every load, and keeps those older than the loaded ones", () => {
    const shown = loadShown({ ...loadedWith(..."abcd".split("").map((id) => message(id))), older: "a" });
    const loaded = { ...loadedWith(message("b"), message("d")), older: "b" };
    expect(idsOf(loadShown(loaded, shown))).toBe("abd");
    expect(idsOf(loadShown({ ...loaded, older: null }, shown))).toBe("bd");
  });

  test("does not show a deleted message again that an older answer still has", () => {
    let shown = loadShown(loadedWith(message("a"), message("b")));
    shown = applyChatEvent(shown, { type: "deleted", message_id: "a" });
    expect(idsOf(shown)).toBe("b");
    expect(idsOf(loadShown(loadedWith(message("a"), message("b")), shown))).toBe("b");
    expect(idsOf(applyChatEvent(shown, say(message("a"))))).toBe("b");
  });

  test("shows what is pinned, and not what is unpinned", () => {
    const pinned_at = "2026-11-20T03:20:00.000Z";
    let shown = applyChatEvent(loadShown(loadedWith(message("a"))), { type: "pinned", message_id: "a", pinned_at });
    expect([shown.pinned.length, shown.messages[0]?.pinned_at]).toEqual([1, pinned_at]);
    shown = applyChatEvent(shown, { type: "pinned", message_id: "a", pinned_at: null });
    expect([shown.pinned.length, shown.messages[0]?.pinned_at]).toEqual([0, null]);
  });

  test("shows a pinned message that is older than those of the page", () => {
    const old = message("a", "2026-11-20T03:20:00.000Z");
    const event = { type: "pinned", message_id: "a", pinned_at: old.pinned_at, message: old } as const;
    const shown = applyChatEvent(loadShown({ ...loadedWith(message("b")), older: "b" }), event);
    expect([shown.pinned, idsOf(shown)]).toEqual([[old], "b"]);
    expect(applyChatEvent(shown, { type: "pinned", message_id: "a", pinned_at: null }).pinned).toEqual([]);
  });

  test("counts emoji upwards, and learns of a restriction", () => {
    let shown = loadShown(loadedWith());
    for (const times of [5, 4]) shown = applyChatEvent(shown, { type: "reaction", emoji: "👏", times });
    expect(shown.reactions).toEqual([{ emoji: "👏", times: 5 }]);
    expect(applyChatEvent(shown, { type: "restriction", is_restricted: true }).is_restricted).toBe(true);
  });

  test("keeps the latest 200 messages", () => {
    const many = Array.from({ length: 250 }, (_, n) => message(String(n).padStart(3, "0")));
    expect(applyChatEvent(loadShown(loadedWith()), say(...many)).messages).toHaveLength(200);
  });
});
