import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { forgetMember } from "../../app/browser/forget-member.ts";
import * as radioKeys from "../../app/browser/radio-keys.ts";
import * as storedKeys from "../../app/browser/stored-keys.ts";

/** Storage as in browsers: it holds texts. */
class TextStorage implements Storage {
  readonly texts = new Map<string, string>();
  get length() {
    return this.texts.size;
  }
  key = (index: number) => [...this.texts.keys()][index] ?? null;
  getItem = (name: string) => this.texts.get(name) ?? null;
  setItem = (name: string, text: string) => void this.texts.set(name, String(text));
  removeItem = (name: string) => void this.texts.delete(name);
  clear = () => this.texts.clear();
}

let local: TextStorage;
let session: TextStorage;
const events = new EventTarget();
beforeEach(() => {
  [local, session] = [new TextStorage(), new TextStorage()];
  vi.stubGlobal("localStorage", local);
  vi.stubGlobal("sessionStorage", session);
  vi.stubGlobal("addEventListener", events.addEventListener.bind(events));
  vi.stubGlobal("removeEventListener", events.removeEventListener.bind(events));
});
afterEach(() => vi.unstubAllGlobals());

const notifyOtherTab = (key: string | null) => events.dispatchEvent(Object.assign(new Event("storage"), { key }));

/** Name, default, a value, its stored form, and invalid texts. Source: spec section 3, Browser-stored keys. */
const word = [null, "01k7pv3m08xq6ttjqb44twk30e", "01k7pv3m08xq6ttjqb44twk30e", [""]] as const;
const list = [[], ["a", "b"], '["a","b"]', ["", "[", "{}", "null", "[1]", '"a"']] as const;
const flag = [false, true, "true", ["", "1", '"true"', "null", "yes"]] as const;
const kept: Record<string, readonly [initial: unknown, value: unknown, text: string, corrupt: readonly string[]]> = {
  lastViewCreatorId: word,
  sideMenuRole: [null, "creator", "creator", ["", "admin", '"creator"']],
  tappedTutorials: list,
  "like-letter": list,
  "like-event": list,
  "like-event-comment": list,
  "like-radio-comment": list,
  "like-radio-recording": list,
  eventVisitId: word,
  timelineSettings: [
    { filter: "all" },
    { filter: "subscribing" },
    '{"filter":"subscribing"}',
    ["", "{", "null", "[]", '{"filter":"none"}', '"all"'],
  ],
  hasAboutFanLetterOpened: flag,
  broadcastAudioDeviceId: word,
  chattedRadioIds: list,
  hidePaidCommentBanner: flag,
  theme: [null, "dark", "dark", ["", "sepia", '"dark"']],
  showRegisterCompleteModal: [null, "creator", "creator", ["", "admin"]],
  monitoringSession: [
    null,
    { is_sampled: true, ends_at: 1, events: 2 },
    '{"is_sampled":true,"ends_at":1,"events":2}',
    ["", "{}", "[]", '{"is_sampled":1,"ends_at":1,"events":2}', '{"is_sampled":true,"ends_at":"1","events":2}'],
  ],
  unsentWords: [
    null,
    { author: "a", forms: { "/natsume/ofuse ": { message: "書きかけ" } } },
    '{"author":"a","forms":{"/natsume/ofuse ":{"message":"書きかけ"}}}',
    ["", "{", "null", "[]", "{}", '{"author":"a"}', '{"author":1,"forms":{}}', '{"author":"a","forms":null}'],
  ],
  sentKeys: [
    {},
    { "a /natsume/ofuse ": { key: "k", sent_ms: 1 } },
    '{"a /natsume/ofuse ":{"key":"k","sent_ms":1}}',
    ["", "{", "null", '"a"', '{"a":null}', '{"a":{"key":1,"sent_ms":1}}', '{"a":{"key":"k","sent_ms":"1"}}'],
  ],
};

type Key = storedKeys.Stored<unknown>;
const keys = Object.values({ ...storedKeys, ...radioKeys }).filter(
  (each) => typeof each === "object" && "subscribe" in each,
) as unknown as Key[];
const ofTheTab = ["showRegisterCompleteModal", "monitoringSession", "unsentWords", "sentKeys"];

test("the keys are those of the specification, and three of ours", () => {
  expect(keys.map(({ name }) => name).sort()).toEqual(Object.keys(kept).sort());
});

test("a member who leaves takes along what the next user of the browser must not see, and nothing else", () => {
  for (const { name, write } of keys) write((kept[name] ?? [])[1]);
  // A browser's storage lists its keys as properties.
  const removeItem = (name: string) => delete listed[name];
  const listed: Record<string, unknown> = Object.assign(Object.create({ removeItem }), Object.fromEntries(local.texts));
  vi.stubGlobal("localStorage", listed);
  forgetMember();
  expect(Object.keys(listed).sort()).toEqual([
    ...["broadcastAudioDeviceId", "eventVisitId", "hasAboutFanLetterOpened"],
    ...["sideMenuRole", "tappedTutorials", "theme"],
  ]);
  expect([...session.texts.keys()]).toEqual(["showRegisterCompleteModal", "monitoringSession"]);
});

describe.each(keys.map((key) => [key.name, key] as const))("%s", (name, key) => {
  const [initial, value, text, corrupt] = kept[name] ?? [null, null, "", []];
  const findStorage = () => (ofTheTab.includes(name) ? session : local);

  test("has its default until it is written, and then the written value, only in its own storage", () => {
    expect(key.read()).toEqual(initial);
    key.write(value);
    expect([...findStorage().texts]).toEqual([[name, text]]);
    expect(key.read()).toEqual(value);
    expect(local.length + session.length).toBe(1);
  });

  test.each(corrupt.map((found) => [found]))("falls back to its default for %j", (found) => {
    findStorage().setItem(name, found);
    expect(key.read()).toEqual(initial);
  });

  test("can be read and removed in one step", () => {
    key.write(value);
    expect([key.take(), key.read(), findStorage().length]).toEqual([value, initial, 0]);
  });

  test("has its default in a browser without storage, and throws nothing", () => {
    const refuseAccess = () => {
      throw new DOMException("no", "SecurityError");
    };
    for (const name of ["localStorage", "sessionStorage"]) {
      Object.defineProperty(globalThis, name, { configurable: true, get: refuseAccess });
    }
    expect([key.read(), key.write(value), key.take()]).toEqual([initial, undefined, initial]);
  });

  test("survives a full disk", () => {
    findStorage().setItem = () => {
      throw new DOMException("full", "QuotaExceededError");
    };
    key.write(value);
    expect(key.read()).toEqual(initial);
  });
});

test("the same text gives the same object, so that a component does not render again", () => {
  local.setItem("like-event", '["a"]');
  const first = storedKeys.likedEvents.read();
  expect(storedKeys.likedEvents.read()).toBe(first);
  local.setItem("like-event", '["a","b"]');
  expect(storedKeys.likedEvents.read()).toEqual(["a", "b"]);
});

test("a list keeps its newest thousand entries", () => {
  storedKeys.likedEvents.write(Array.from({ length: 1005 }, (_, n) => `e${n}`));
  const values = storedKeys.likedEvents.read();
  expect([values.length, values[0], values.at(-1)]).toEqual([1000, "e5", "e1004"]);
});

test("a listener gets the writes of its key, in this tab and others, until it unsubscribes", () => {
  const heard = vi.fn();
  const stop = storedKeys.theme.subscribe(heard);
  storedKeys.theme.write("dark");
  expect(heard).toHaveBeenCalledTimes(1);
  notifyOtherTab("theme");
  notifyOtherTab(null);
  expect(heard).toHaveBeenCalledTimes(3);
  notifyOtherTab("sideMenuRole");
  storedKeys.sideMenuRole.write("creator");
  stop();
  notifyOtherTab("theme");
  storedKeys.theme.write("light");
  expect(heard).toHaveBeenCalledTimes(3);
});
