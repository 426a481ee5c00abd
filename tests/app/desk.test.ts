import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { openDesk } from "../../app/post/desk.ts";
import { announceUnsent, onUnsent } from "../../app/v4/unsent.ts";

/** An event target that also dispatches events as the browser does: Node's own are never trusted. */
class Target {
  readonly listeners = new Map<string, Set<(event: object) => void>>();
  addEventListener(name: string, listener: (event: object) => void) {
    this.listeners.set(name, (this.listeners.get(name) ?? new Set()).add(listener));
  }
  removeEventListener(name: string, listener: (event: object) => void) {
    this.listeners.get(name)?.delete(listener);
  }
  /** Returns whether a listener has prevented the default. */
  fire(name: string, event: object = {}): boolean {
    let is_prevented = false;
    const preventDefault = () => {
      is_prevented = true;
    };
    for (const listener of this.listeners.get(name) ?? []) listener({ ...event, preventDefault });
    return is_prevented;
  }
  dispatchEvent({ type }: Event) {
    this.fire(type);
  }
}

/** A form with one field, which an editor covers. */
class Form extends Target {
  typed = "";
  body = "";
  querySelector = () => null;
}
/** The fields of a `Form`. The listeners of `formdata` may change them. */
class Fields extends FormData {
  constructor(form?: Form) {
    super();
    if (!form) return;
    this.set("body", form.body);
    form.fire("formdata", { formData: this });
  }
}

let form: Form;
let page: Target;
let posted: { body: FormData; answer: (response: Response) => void }[];
let told: string[];
let stopTelling: () => void;
const replaceState = vi.fn();
const ANSWERS = {
  saved: () => Response.json({ revision: 1, saved_at: "2026-11-20T00:00:00.000Z" }),
  down: () => Response.json({ code: "unavailable" }, { status: 503 }),
};
const settle = () => vi.advanceTimersByTimeAsync(0);
const closing = () => page.fire("beforeunload", { isTrusted: true });
/** Asks as app/shell/unsent-words.ts does. */
const leavingWithinApp = () => page.fire("beforeunload", { isTrusted: false });

beforeEach(() => {
  [form, page, posted, told] = [new Form(), new Target(), [], []];
  stopTelling = onUnsent(({ text }, is_told) => is_told || told.push(text));
  replaceState.mockClear();
  vi.useFakeTimers();
  vi.stubGlobal("FormData", Fields);
  vi.stubGlobal("window", page);
  vi.stubGlobal("document", Object.assign(new Target(), { visibilityState: "visible" }));
  vi.stubGlobal("location", { pathname: "/my/posts", search: "" });
  vi.stubGlobal("history", { state: null, replaceState });
  vi.stubGlobal("fetch", (_: string, { body }: { body: FormData }) => {
    return new Promise<Response>((answer) => posted.push({ body, answer }));
  });
  // Like the editor: on "write-down" it writes the typed text into the field, and fires "input".
  form.addEventListener("write-down", () => {
    if (form.body === form.typed) return;
    form.body = form.typed;
    form.fire("input");
  });
});
afterEach(() => {
  stopTelling();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const open = () =>
  openDesk(form as unknown as HTMLFormElement, {
    url: "/my/posts/drafts/1/save.json",
    path: "/my/posts/new?draft_id=1",
    onState: () => {},
    announce: announceUnsent,
  });
const bodies = () => posted.map(({ body }) => body.get("body"));

describe("the desk of a form that is left", () => {
  test("saves what the editor has not written yet", () => {
    const desk = open();
    form.typed = "さいご";
    desk.close();
    expect(bodies()).toEqual(["さいご"]);
  });

  test("saves what the editor has not written yet when the document is closed", () => {
    open();
    form.typed = "さいご";
    page.fire("pagehide");
    expect(bodies()).toEqual(["さいご"]);
  });

  test("announces words that are not saved, asks before the document is closed, and retries when it is online", async () => {
    const desk = open();
    form.typed = "さいご";
    desk.close();
    posted[0]?.answer(ANSWERS.down());
    await settle();
    expect(told).toEqual([expect.stringContaining("まだ下書きに保存できていません")]);
    expect([closing(), leavingWithinApp()]).toEqual([true, false]);
    page.fire("online");
    expect(bodies()).toEqual(["さいご", "さいご"]);
    posted[1]?.answer(ANSWERS.saved());
    await settle();
    expect([closing(), replaceState.mock.calls, told.length]).toEqual([false, [], 1]);
    expect([...page.listeners.values()].map(({ size }) => size)).toEqual([0, 0, 0, 0]);
  });

  test("asks before the document is closed with a long text, and not before a navigation within the app", () => {
    const desk = open();
    form.typed = "長".repeat(25_000);
    expect([closing(), leavingWithinApp()]).toEqual([true, false]);
    desk.close();
    expect(closing()).toBe(true);
  });

  test("asks before a navigation within the app after a failed save", async () => {
    open();
    form.typed = "さいご";
    page.fire("pagehide");
    posted[0]?.answer(ANSWERS.down());
    await settle();
    expect([closing(), leavingWithinApp()]).toEqual([true, true]);
  });
});
