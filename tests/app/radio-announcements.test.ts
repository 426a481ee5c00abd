import { createElement, type FunctionComponent } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { createRoutesStub, Outlet } from "react-router";
import { describe, expect, test } from "vitest";
import { RadioChat, sendOnEnter } from "../../app/routes/creator/radio-chat.tsx";
import RadioPage from "../../app/routes/creator/radio-page.tsx";
import { RadioSoundSection } from "../../app/routes/creator/radio-sound.tsx";
import RadioText from "../../app/routes/creator/radio-text.tsx";
import { Elapsed } from "../../app/routes/my/elapsed.tsx";

/** What a screen reader hears of a live radio, as far as the markup says it. The journeys in e2e hear the changes. */

function render(Component: FunctionComponent<never>, props: object): string {
  const Page = () => createElement(Component as FunctionComponent, props);
  const Layout = () =>
    createElement(Outlet, {
      context: { creator: { is_followed: true }, is_own: false, viewer_id: "fan", idempotency_key: "key" },
    });
  const Stub = createRoutesStub([
    { id: "root", path: "/", Component: Layout, children: [{ index: true, Component: Page }] },
  ]);
  return renderToStaticMarkup(createElement(Stub, { hydrationData: { loaderData: {} } }));
}

const broadcaster = { user_id: "own", link_id: "akari", name: "あかり", is_creator: true, icon_image: null };
const radio = {
  ...{ radio_id: "radio", title: "夜のラジオ", user: broadcaster, status: "on_air", is_locked: false, image: null },
  ...{ started_at: "2026-11-20T03:15:00.000Z", starts_at: null, finished_at: null, description: "", transcript: "" },
  ...{ publish_target_type: "public", recording_publish_target_type: "public", recording_state: "none" },
  ...{ is_reminded: false, comments_count: 0 },
};
const message = {
  ...{ message_id: "a", message: "こんばんは", letter: null, pinned_at: null, created_at: radio.started_at },
  user: { user_id: "fan", link_id: "hana", name: "はな", is_creator: false, icon_image: null },
};
const chat = {
  room: {
    ...{ is_open: true, may_write: true, is_restricted: false, slow_mode_seconds: 0, ng_words: null },
    ...{
      pinned_messages: [],
      reactions: [
        { emoji: "👏", times: 1234 },
        { emoji: "😂", times: 0 },
      ],
    },
  },
  ...{ messages: [message], restricted: [], older: null, is_latest: true, loaded_ms: 0 },
};

describe("the time on air", () => {
  const MAX_MIN = 180;
  const spokenAt = (left_min: number) => {
    const html = renderToStaticMarkup(createElement(Elapsed, { elapsed_s: (MAX_MIN - left_min) * 60 }));
    return /<span role="status"[^>]*>(.*?)<\/span>/.exec(html)?.[1];
  };

  test("is warned of ten, five and one minutes before the end", () => {
    for (const left_min of [10, 5, 1]) expect(spokenAt(left_min)).toBe(`あと${left_min}分で、自動的に終わります。`);
  });

  test("is silent in between, and the element that speaks is always there", () => {
    for (const left_min of [180, 11, 9, 7, 4, 2]) expect(spokenAt(left_min)).toBe("");
  });
});

describe("the chat", () => {
  const html = render(RadioChat as FunctionComponent<never>, {
    ...{ radio, path: "/akari/radios/radio", chat, onEnd() {} },
    viewer: { is_own: false, viewer_id: "fan", idempotency_key: "key" },
  });

  test("is a log that does not read out its buttons, and a message is no landmark", () => {
    expect(html).toMatch(/<div [^>]*role="log"[^>]*aria-live="off"/);
    expect(html).toContain('<fieldset class="comment-actions" aria-label="はなさんの発言">');
    expect(html).not.toMatch(/<form[^>]*aria-label/);
  });

  test("reads out no message with which the page was opened", () => {
    expect(html).toContain('<div aria-live="polite" class="visually-hidden"></div>');
  });

  test("sends a message on Enter, but neither that of an input method nor an empty one", () => {
    const pressed: string[] = [];
    const press = (of: object, value = "こんばんは") => {
      const button = { click: () => pressed.push("sent") };
      const field = { value, form: { querySelector: () => button } };
      const nativeEvent = { isComposing: false };
      const preventDefault = () => pressed.push("no line break");
      sendOnEnter({ key: "Enter", nativeEvent, currentTarget: field, preventDefault, ...of } as never);
      return pressed.splice(0);
    };
    expect(press({})).toEqual(["no line break", "sent"]);
    expect(press({}, " \n")).toEqual(["no line break"]);
    for (const of of [{ key: "a" }, { shiftKey: true }, { keyCode: 229 }, { nativeEvent: { isComposing: true } }]) {
      expect(press(of)).toEqual([]);
    }
  });

  test("names an emoji with its count, and has a place that confirms a sent one", () => {
    expect(html).toContain('aria-label="👏を送る（1,234回）"');
    expect(html).toContain('aria-label="😂を送る"');
    expect(html).toContain('<span role="status" class="visually-hidden"></span>');
  });
});

describe("the end of a broadcast", () => {
  test("has a place in the page of the radio that says it", () => {
    const loaderData = { ...{ radio, sound: null, chapters: [], comments: [], has_next: false, page: 1 }, kept: null };
    const html = render(RadioPage as FunctionComponent<never>, { loaderData: { ...loaderData, chat: null } });
    expect(html).toMatch(/<p role="status"><time[^>]*>[^<]*<\/time>から放送しています。<\/p>/);
  });

  const soundOf = (is_over: boolean, recording_publish_target_type = "public", live: object | null = {}) =>
    render(RadioSoundSection as FunctionComponent<never>, {
      ...{ radio: { ...radio, recording_publish_target_type }, is_over, path: "/akari/radios/radio", chapters: [] },
      sound: { live: live && { hls: "/h", progressive: "/p" }, recording: null, listeners_count: 3 },
    });
  const AGAIN = '<a href="/akari/radios/radio">読み込み直す</a>';

  test.each([
    ["public", `録音を用意しています。少し待ってから、${AGAIN}と聴けます。`],
    ["fans", `録音（フォロワー限定）を用意しています。少し待ってから、${AGAIN}と聴けます。`],
  ])("leads to the recording for %s, and no more to the broadcast", (audience, words) => {
    expect(soundOf(false, audience)).toContain(`音が止まったときは、${AGAIN}と今の放送に戻ります。`);
    expect(soundOf(true, audience)).toContain(words);
    expect(soundOf(true, audience)).not.toMatch(/今の放送|聴いています/);
  });

  test("promises no recording that is for nobody", () => {
    const html = soundOf(true, "none", null);
    expect(html).toContain("data-state");
    expect(html).not.toMatch(/読み込み直|今の放送/);
  });

  test("has a place in the page of captions that says it", () => {
    const loaderData = { radio, path: "/akari/radios/radio", captions: [], older: null, is_live: true };
    const html = render(RadioText as FunctionComponent<never>, { loaderData });
    expect(html).toContain('<span role="status" data-ended="放送は終わりました。"></span>');
    expect(html).toContain('<span class="badge badge-new" data-ended="放送済み">放送中</span>');
  });
});
