import { createMemoryRouter, data, redirect } from "react-router";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { keepPage } from "../../app/shell/keep-page.ts";
import { reloadAfterFailures } from "../../app/shell/reload-after-failures.ts";
import { keepLoaded, unsentFor } from "../../app/v4/failed-requests.ts";
import { onUnsent, UNREACHED } from "../../app/v4/unsent.ts";

/** Answers of servers in between, and of an API that is down. */
const FAILURES = {
  "a lost network": new TypeError("Failed to fetch"),
  "an answer that breaks off": new Error("Unable to decode turbo-stream response", { cause: new Error("closed") }),
  "HTML with 503": { status: 503, statusText: "", internal: false, data: "<h1>503</h1>" },
  "text with 404 of a server in between": { status: 404, statusText: "", internal: false, data: "no such host" },
  "too many requests": { status: 429, statusText: "", internal: false, data: { code: "too_many_requests" } },
  "an API that is down": { status: 503, statusText: "", internal: false, data: { code: "unavailable" } },
};
const NOT_FOUND = { status: 404, statusText: "", internal: false, data: { code: "not_found" } };

/** A router with two pages below a root, whose loaders answer with their number of calls, or as `fail` says. */
async function openRouter() {
  const calls = new Map<string, number>();
  const fail = new Map<string, unknown>();
  const loaderOf = (id: string) => () => {
    if (fail.has(id)) throw fail.get(id);
    calls.set(id, (calls.get(id) ?? 0) + 1);
    return calls.get(id);
  };
  const action = () => {
    const answer = fail.get("action");
    if (typeof answer === "function") return answer();
    throw answer;
  };
  const page = (id: string, path: string) => ({ id, path, loader: loaderOf(id), action });
  const root = { id: "root", middleware: [keepPage as never] };
  const children = [page("post", "/posts/:post_id"), page("list", "/list")];
  const router = createMemoryRouter([{ ...root, loader: loaderOf("root"), children }], {
    initialEntries: ["/posts/1?page=2"],
  });
  vi.stubGlobal("window", { __reactRouterDataRouter: router });
  vi.stubGlobal("location", new URL("http://localhost/posts/1?page=2"));
  await vi.waitUntil(() => router.state.initialized);
  return { router, fail };
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe("a reload of the page's data", () => {
  test.each(Object.entries(FAILURES))("keeps the page after %s", async (_, error) => {
    const { router, fail } = await openRouter();
    fail.set("root", error).set("post", error);
    await router.revalidate();
    expect(router.state.errors).toBeNull();
    expect(router.state.loaderData).toEqual({ root: 1, post: 1 });
    fail.clear();
    await router.revalidate();
    expect(router.state.loaderData).toEqual({ root: 2, post: 2 });
  });

  test("takes what has arrived", async () => {
    const { router, fail } = await openRouter();
    fail.set("post", FAILURES["a lost network"]);
    await router.revalidate();
    expect(router.state.loaderData).toEqual({ root: 2, post: 1 });
  });

  test("shows that the page is gone, and follows a redirect", async () => {
    const { router, fail } = await openRouter();
    fail.set("post", NOT_FOUND);
    await router.revalidate();
    expect(router.state.errors).toEqual({ root: NOT_FOUND });
    fail.clear();
    await router.revalidate();
    expect(router.state.errors).toBeNull();
    fail.set("post", redirect("/list"));
    await router.revalidate();
    expect(router.state.location.pathname).toBe("/list");
  });
});

describe("a navigation that fails", () => {
  test.each([
    ["to another route", "/list"],
    ["to another page of the route", "/posts/2"],
  ])("%s shows an error page with the root's data", async (_, to) => {
    const { router, fail } = await openRouter();
    const error = FAILURES["a lost network"];
    fail.set("root", error).set("post", error).set("list", error);
    await router.navigate(to);
    expect(router.state.location.pathname).toBe(to);
    expect(router.state.errors).toEqual({ root: error });
    expect(router.state.loaderData).toEqual({ root: 1 });
  });

  test("shows no id of an earlier request", async () => {
    const { router, fail } = await openRouter();
    fail.set("root", FAILURES["HTML with 503"]).set("list", FAILURES["HTML with 503"]);
    await router.navigate("/list");
    expect(router.state.errors?.root).toMatchObject({ status: 503, data: { request_id: "" } });
  });

  test("does not stay an error when the page is loaded again", async () => {
    const { router, fail } = await openRouter();
    fail.set("root", FAILURES["a lost network"]).set("list", FAILURES["a lost network"]);
    await router.navigate("/list");
    await router.revalidate();
    expect(router.state.errors, "the page has no data to keep").not.toBeNull();
    fail.clear();
    await router.revalidate();
    expect(router.state.errors).toBeNull();
  });
});

describe("a refused form", () => {
  beforeEach(() => {
    vi.stubGlobal("sessionStorage", { getItem: () => null, setItem: () => {}, removeItem: () => {} });
    vi.stubGlobal("dispatchEvent", () => true);
  });

  /** Sends a form that is refused with a status, as an answer or as an error. */
  async function refuse(status: number, kind: "answer" | "error", fields: Record<string, string> = {}) {
    const { router, fail } = await openRouter();
    fail.set("action", kind === "answer" ? () => data({ error: "x" }, status) : { ...NOT_FOUND, status });
    return { router, fail, send: () => send(router, fields) };
  }

  async function send(router: Awaited<ReturnType<typeof openRouter>>["router"], fields: Record<string, string>) {
    const formData = new FormData();
    for (const [name, value] of Object.entries({ one: "private:x", ...fields })) formData.set(name, value);
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = router.subscribe(({ fetchers }) => fetchers.get("button")?.state === "idle" && resolve());
    const sending = router.fetch("button", "post", "/posts/1?page=2", { formMethod: "post", formData });
    await Promise.all([sending, promise]);
    stop();
  }

  test.each([
    [404, "answer"],
    [409, "answer"],
    [404, "error"],
    [409, "error"],
  ] as const)("with %d as %s loads the page's data again", async (status, kind) => {
    const { router, send } = await refuse(status, kind);
    await send();
    expect(router.state.loaderData).toEqual({ root: 2, post: 2 });
  });

  test.each([
    ["with 422", 422, {}],
    ["with words", 404, { author: "u" }],
  ])("%s keeps its page as it is", async (_, status, fields) => {
    const { router, send } = await refuse(status, "answer", fields);
    await send();
    expect(router.state.loaderData).toEqual({ root: 1, post: 1 });
  });

  test("keeps a page that is itself gone, until it is loaded again", async () => {
    const { router, fail, send } = await refuse(404, "answer");
    fail.set("post", NOT_FOUND);
    await send();
    expect(router.state.errors).toBeNull();
    expect(router.state.loaderData).toMatchObject({ post: 1 });
    await router.revalidate();
    expect(router.state.errors).not.toBeNull();
  });
});

describe("after a failed reload", () => {
  let said: string[];
  let forget = () => {};
  beforeEach(() => {
    said = [];
    forget = onUnsent(({ text }) => said.push(text));
    vi.useFakeTimers();
    const state = { location: { pathname: "/mio", search: "" }, loaderData: { root: 1 }, errors: null };
    vi.stubGlobal("window", { __reactRouterDataRouter: { state } });
    vi.stubGlobal("location", new URL("http://localhost/mio"));
    vi.stubGlobal("addEventListener", () => {});
    vi.stubGlobal("removeEventListener", () => {});
  });
  afterEach(() => forget());
  const failReload = () =>
    void keepLoaded(new Request("http://localhost/mio"), {
      root: { type: "error", result: FAILURES["a lost network"] },
    });

  test("the page says so once, and reloads until it has its data", async () => {
    let failures_left = 2;
    const reload = vi.fn(async () => {
      if (failures_left-- > 0) failReload();
    });
    const stop = reloadAfterFailures(reload);
    failReload();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(reload).toHaveBeenCalledTimes(3);
    expect(said).toEqual([expect.stringContaining("最新の内容を読み込めませんでした。")]);
    failReload();
    expect(said).toHaveLength(2);
    stop();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(reload).toHaveBeenCalledTimes(3);
  });
});

describe("a form that fails", () => {
  const answered = (status: number, body: unknown) => ({ status, statusText: "", internal: false, data: body });

  test.each([500, 502, 503, 429])("with %d of a server in between asks for patience, not for a reload", (status) => {
    const { text } = unsentFor(answered(status, "<h1>busy</h1>"));
    expect(text).toContain("少し時間をおいて");
    expect(text).not.toContain("読み込み直");
  });

  test("says what the app says, or why nobody answered", () => {
    expect(unsentFor(answered(429, { detail: "送りすぎです。" })).text).toBe("送りすぎです。");
    expect(unsentFor(answered(403, null)).text).toContain("読み込み直して");
    expect(unsentFor(answered(413, null)).text).toContain("大きすぎます");
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    expect(unsentFor(new TypeError("Failed to fetch"))).toEqual(UNREACHED);
    expect(unsentFor(data(null))).toEqual(UNREACHED);
    warn.mockRestore();
  });
});
