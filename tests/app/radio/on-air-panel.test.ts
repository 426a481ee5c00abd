import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { createMemoryRouter, RouterProvider } from "react-router";
import { describe, expect, test } from "vitest";
import { type BroadcastState, broadcastWords, delayedSeconds, endWords } from "../../../app/radio/broadcast-state.ts";
import { EndRadio } from "../../../app/routes/my/on-air-panel.tsx";
import { type Broadcasting, showState } from "../../../app/routes/my/use-broadcast.ts";

const LIVE: Broadcasting = {
  phase: "live",
  state: "on_air",
  words: "放送中です。",
  delayed_s: 0,
  is_muted: true,
  has_aac: false,
};

/** Shows a state on a page. Returns what the page shows after it, and what it was told, in its order. */
function show(state: BroadcastState, before: Broadcasting) {
  let shown = before;
  const told: unknown[] = [];
  showState({ broadcastWords, delayedSeconds, endWords }, state, {
    setShown(next) {
      shown = typeof next === "function" ? next(shown) : next;
    },
    onEnd: (words) => told.push(words),
    onChange: () => told.push("changed"),
  });
  return { shown, told };
}

describe("the panel of a broadcast", () => {
  test.each([
    ["the broadcaster", "ended", "放送を終えました。90秒分の音声は送れませんでした。"],
    ["its silence", "finished", "このラジオは終了しました。90秒分の音声は送れませんでした。"],
  ] as const)(
    "hands over the words about lost speech, before the page changes, when %s ends it",
    (_, reason, words) => {
      const { shown, told } = show({ kind: "ended", reason, unsent_s: 60, lost_s: 30 }, LIVE);
      expect([shown, told]).toEqual([{ phase: "idle", error: null }, [words, "changed"]]);
    },
  );

  test("says nothing after an end that lost nothing", () => {
    const { told } = show({ kind: "ended", reason: "ended", unsent_s: 0, lost_s: 0 }, LIVE);
    expect(told).toEqual([null, "changed"]);
  });

  test("counts the unsent seconds while it is live and while it ends, and keeps the rest", () => {
    const state: BroadcastState = { kind: "reconnecting", unsent_s: 42, lost_s: 0 };
    const words = "接続し直しています。42秒分の音声は、つながりしだい送ります。";
    expect(show(state, LIVE).shown).toEqual({ ...LIVE, state: "reconnecting", words, delayed_s: 42 });
    expect(show(state, { phase: "ending", delayed_s: 50 }).shown).toEqual({ phase: "ending", delayed_s: 42 });
    expect(show({ kind: "on_air", unsent_s: 2 }, LIVE).shown).toMatchObject({ delayed_s: 0 });
    expect(show({ kind: "connecting" }, { phase: "opening" }).shown).toMatchObject({ phase: "live", delayed_s: 0 });
  });

  test.each([
    [90, "（90秒分）"],
    [0, null],
  ])("asks before the end with %i seconds unsent, and says: %s", (delayed_s, words) => {
    const element = createElement(EndRadio, { end: async () => {}, isLive: () => true, delayed_s });
    const router = createMemoryRouter([{ path: "/", element }]);
    const page = renderToStaticMarkup(createElement(RouterProvider, { router }));
    expect(page).toContain("放送を終えますか？");
    expect(page.includes("まだ送れていない音声があります")).toBe(words !== null);
    if (words) expect(page).toContain(words);
  });
});
