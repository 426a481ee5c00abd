import { data, redirect } from "react-router";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { AUTHOR_FIELD } from "../../app/forms/author-field.ts";
import { keepPage } from "../../app/shell/keep-page.ts";
import { OWNER_FIELD } from "../../app/ui/owner-field.ts";

const PATH = "/my/transactions/payout";
const ADDRESS = `${PATH} `;

/** The modules of a document that was just loaded. The storage of the tab stays. */
async function loadDocument() {
  vi.resetModules();
  return import("../../app/forms/sent-keys.ts");
}

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
    const before = await loadDocument();
    expect(before.keyToSend(ADDRESS, formOf("first"))).toBe("first");
    before.noteSent(ADDRESS, formOf("first"));
    expect(before.keyToSend(ADDRESS, formOf("second"))).toBe("first");
    const { keyToSend, unansweredKey } = await loadDocument();
    expect(keyToSend(ADDRESS, formOf("third"))).toBe("first");
    expect(unansweredKey(ADDRESS, formOf("third"))).toBe("first");
  });

  test("gives its key to no other account, no other form, and no words of another author", async () => {
    const { keyToSend, noteSent } = await loadDocument();
    noteSent(ADDRESS, formOf("first"));
    expect(keyToSend(ADDRESS, formOf("other", "kanade"))).toBe("other");
    expect(keyToSend("/my/radio/new ", formOf("other"))).toBe("other");
    const words = (author: string, key: string) => formWith({ [AUTHOR_FIELD]: author, idempotency_key: key });
    noteSent(ADDRESS, words("a", "words"));
    expect(keyToSend(ADDRESS, words("b", "other"))).toBe("other");
  });

  test("gets a new key after a day, when the server has forgotten the old one", async () => {
    const { keyToSend, noteSent } = await loadDocument();
    noteSent(ADDRESS, formOf("first"));
    vi.advanceTimersByTime(23 * 60 * 60 * 1000);
    noteSent(ADDRESS, formOf("first"));
    expect(keyToSend(ADDRESS, formOf("second")), "counted from the first sending").toBe("first");
    vi.advanceTimersByTime(60 * 60 * 1000);
    expect(keyToSend(ADDRESS, formOf("second"))).toBe("second");
  });
});

test("the submit event puts the key of the unanswered form into its field, before the router reads the form", async () => {
  const { noteSent } = await loadDocument();
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
  const { keepKeys } = await import("../../app/shell/keep-keys.ts");
  keepKeys();
  page.dispatchEvent(Object.defineProperty(new Event("submit"), "target", { value: form }));
  expect(field.value).toBe("first");
});

describe("an answer", () => {
  test("ends the key: a page that could not load a new one sends the next form under another", async () => {
    const { endKey, keyToSend, noteSent } = await loadDocument();
    noteSent(ADDRESS, formOf("first"));
    endKey(formOf("first"));
    expect(keyToSend(ADDRESS, formOf("second"))).toBe("second");
    const next = keyToSend(ADDRESS, formOf("first"));
    expect(next).not.toBe("first");
    noteSent(ADDRESS, formOf(next));
    expect(keyToSend(ADDRESS, formOf("first"))).toBe(next);
    endKey(formOf(next));
    expect([next, "first"]).not.toContain(keyToSend(ADDRESS, formOf("first")));
  });

  test("that asks for the form again under its key leaves it the key", async () => {
    const { endKey, keyToSend } = await loadDocument();
    endKey(formOf("first"), "first");
    expect(keyToSend(ADDRESS, formOf("first"))).toBe("first");
  });
});

describe("the router", () => {
  /** Sends the form of a page through the middleware, and returns whether its key waits for an answer. */
  async function isWaitingAfter(result: unknown, type: "data" | "error" = "data"): Promise<boolean> {
    const body = new URLSearchParams({ [OWNER_FIELD]: "natsume", idempotency_key: "sent" });
    const request = new Request(`http://localhost${PATH}?amount=1100`, { method: "POST", body });
    await keepPage({ request } as never, async () => ({ payout: { type, result } }));
    const { unansweredKey } = await import("../../app/forms/sent-keys.ts");
    return unansweredKey(ADDRESS, formOf("any")) === "sent";
  }
  const answered = (status: number, body: unknown) => ({ status, statusText: "", internal: false, data: body });

  test.each([
    ["a redirect", redirect("/my/transactions", 303)],
    [
      "a redirect that loads a document",
      redirect("https://connect.stripe.com/", { headers: { "x-remix-reload-document": "true" } }),
    ],
    ["a redirect to the sign-in page", redirect("/login")],
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
