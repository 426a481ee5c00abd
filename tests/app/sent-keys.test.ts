import { data, redirect } from "react-router";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { AUTHOR_FIELD } from "../../app/forms/author-field.ts";
import { endKey, endRefusedKey, keyToSend, noteSent, unansweredKey } from "../../app/forms/sent-keys.ts";
import { keepKeys } from "../../app/shell/keep-keys.ts";
import { keepPage } from "../../app/shell/keep-page.ts";
import { OWNER_FIELD } from "../../app/ui/owner-field.ts";

const PATH = "/my/transactions/payout";
const ADDRESS = `${PATH} `;

const { FormData: RealFormData } = globalThis;
const formWith = (fields: Record<string, string>) => {
  const form = new RealFormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
};
const formOf = (key: string, owner = "natsume") => formWith({ [OWNER_FIELD]: owner, idempotency_key: key });

/** The events that tell the form of its answer. */
let told: string[] = [];

beforeEach(() => {
  told = [];
  const texts = new Map<string, string>();
  vi.stubGlobal("window", {});
  vi.stubGlobal("sessionStorage", {
    getItem: (name: string) => texts.get(name) ?? null,
    setItem: (name: string, text: string) => void texts.set(name, text),
    removeItem: (name: string) => void texts.delete(name),
  });
  vi.stubGlobal("location", new URL(`http://localhost${PATH}`));
  vi.stubGlobal("dispatchEvent", ({ type }: Event) => told.push(type));
  vi.useFakeTimers();
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe("a form that was sent and not answered", () => {
  test("keeps its key when its page has a new one, and when the tab has reloaded", async () => {
    expect(keyToSend(ADDRESS, formOf("first"))).toBe("first");
    noteSent(ADDRESS, formOf("first"));
    expect(keyToSend(ADDRESS, formOf("second"))).toBe("first");
    expect(keyToSend(ADDRESS, formOf("third"))).toBe("first");
    expect(unansweredKey(ADDRESS, formOf("third"))).toBe("first");
  });

  test("gives its key to no other account, no other form, and no words of another author", async () => {
    noteSent(ADDRESS, formOf("first"));
    expect(keyToSend(ADDRESS, formOf("other", "kanade"))).toBe("other");
    expect(keyToSend("/my/radio/new ", formOf("other"))).toBe("other");
    const words = (author: string, key: string) => formWith({ [AUTHOR_FIELD]: author, idempotency_key: key });
    noteSent(ADDRESS, words("a", "words"));
    expect(keyToSend(ADDRESS, words("b", "other"))).toBe("other");
  });

  test("gets a new key after a day, when the server has forgotten the old one", async () => {
    noteSent(ADDRESS, formOf("first"));
    vi.advanceTimersByTime(23 * 60 * 60 * 1000);
    noteSent(ADDRESS, formOf("first"));
    expect(keyToSend(ADDRESS, formOf("second")), "counted from the first sending").toBe("first");
    vi.advanceTimersByTime(60 * 60 * 1000);
    expect(keyToSend(ADDRESS, formOf("second"))).toBe("second");
  });
});

test("the submit event puts the key of the unanswered form into its field, before the router reads the form", async () => {
  noteSent(ADDRESS, formOf("first"));
  class Input {
    value = "second";
  }
  const field = new Input();
  const form = { action: `http://localhost${PATH}?amount=1100`, elements: { namedItem: () => field } };
  const page = new EventTarget();
  vi.stubGlobal("HTMLInputElement", Input);
  vi.stubGlobal("FormData", function read() {
    return formOf(field.value);
  });
  vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
  keepKeys();
  page.dispatchEvent(Object.defineProperty(new Event("submit"), "target", { value: form }));
  expect(field.value).toBe("first");
});

describe("an answer", () => {
  test("ends the key: a page that could not load a new one sends the next form under another", () => {
    noteSent(ADDRESS, formOf("ended"));
    endKey(ADDRESS, formOf("ended"));
    expect(keyToSend(ADDRESS, formOf("second"))).toBe("second");
    const next = keyToSend(ADDRESS, formOf("ended"));
    expect(next).not.toBe("ended");
    noteSent(ADDRESS, formOf(next));
    expect(keyToSend(ADDRESS, formOf("ended"))).toBe(next);
    endKey(ADDRESS, formOf(next));
    expect([next, "ended"]).not.toContain(keyToSend(ADDRESS, formOf("ended")));
  });

  test("that asks for the form again under its key leaves it the key", () => {
    endKey(ADDRESS, formOf("asked for"), "asked for");
    expect(keyToSend(ADDRESS, formOf("asked for"))).toBe("asked for");
  });

  test("to one form of a page does not end the same key of another", () => {
    noteSent("/hibiki/ofuse ", formOf("shared"));
    noteSent("/hibiki/follow ", formOf("shared"));
    endKey("/hibiki/follow ", formOf("shared"));
    expect(keyToSend("/hibiki/ofuse ", formOf("new"))).toBe("shared");
    expect(keyToSend("/hibiki/ofuse ", formOf("shared"))).toBe("shared");
  });

  test.each([
    [401, undefined],
    [403, undefined],
    [422, "lost"],
    [429, "lost"],
  ])("with %d to a second sending keeps the key: it does not say what the first one did", (status, given_back) => {
    noteSent(ADDRESS, formOf("lost"));
    noteSent(ADDRESS, formOf("lost"));
    expect(endRefusedKey(ADDRESS, formOf("lost"), status, given_back)).toBe(false);
    expect(keyToSend(ADDRESS, formOf("new"))).toBe("lost");
  });

  test.each([
    ["the first sending", false, 422, "refused"],
    ["a key that has other words", true, 409, "another"],
    ["a payout that the balance does not cover", true, 409, undefined],
    ["an accepted form", true, 200, undefined],
  ])("about %s ends the key", (_, is_again, status, given_back) => {
    noteSent(ADDRESS, formOf("refused"));
    if (is_again) noteSent(ADDRESS, formOf("refused"));
    expect(endRefusedKey(ADDRESS, formOf("refused"), status, given_back)).toBe(true);
    expect(unansweredKey(ADDRESS, formOf("any"))).toBeNull();
  });
});

describe("the router", () => {
  /** Sends the form of a page through the middleware, and returns whether its key waits for an answer. */
  async function isWaitingAfter(result: unknown, type: "data" | "error" = "data"): Promise<boolean> {
    const body = new URLSearchParams({ [OWNER_FIELD]: "natsume", idempotency_key: "sent" });
    const request = new Request(`http://localhost${PATH}?amount=1100`, { method: "POST", body });
    await keepPage({ request } as never, async () => ({ payout: { type, result } }));
    return unansweredKey(ADDRESS, formOf("any")) === "sent";
  }
  const answered = (status: number, body: unknown) => ({ status, statusText: "", internal: false, data: body });

  test.each([
    ["a redirect", redirect("/my/transactions", 303)],
    [
      "a redirect that loads a document",
      redirect("https://connect.stripe.com/", { headers: { "x-remix-reload-document": "true" } }),
    ],
    ["an accepted form", data(null, 200)],
    ["a refusal", data({ error: "残高が足りません。" }, 409)],
  ])("ends the key after %s", async (_, result) => {
    expect(await isWaitingAfter(result)).toBe(false);
  });

  test.each([
    ["a lost network", new TypeError("Failed to fetch"), "error"],
    ["an answer that breaks off", new Error("Unable to decode turbo-stream response"), "error"],
    ["HTML of a gateway", answered(502, "<h1>502</h1>"), "error"],
    ["a form that says itself that nobody answered", data({ result: {}, idempotency_key: "sent" }, 503), "data"],
    ["an API that is down", data({ error: "ただいま利用できません。" }, 503), "data"],
    ["a session that has ended", redirect("/login", { headers: { "x-remix-reload-document": "true" } }), "data"],
  ] as const)("keeps the key after %s", async (_, result, type) => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    expect(await isWaitingAfter(result, type)).toBe(true);
    expect(told).toEqual([]);
  });

  test("tells a form whose words came back that they were refused, so that it does not ask to send them again", async () => {
    await isWaitingAfter(data({ result: {}, idempotency_key: "fresh" }, 409));
    expect(told).toEqual(["form-refused"]);
  });
});
