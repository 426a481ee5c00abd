/** Tests that a line about a request holds no path, address or id but the request's: docs/operations.md, "Logs". */
import { createElement, type ReactNode, Suspense, use } from "react";
import { RouterContextProvider } from "react-router";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { handleError } from "../../app/entry.server.tsx";
import { edgeContext, refusedContext } from "../../app/request/context.ts";
import { identityContext } from "../../app/session/context.ts";
import { deleteIdentity } from "../../app/session/leave.ts";
import type { Session } from "../../app/session/session.ts";
import { renderHtml } from "../../app/shell/render-html.ts";

const URL_OF_POST = "https://letters.test/natsume/events/01k7pv3m08xq6ttjqb44twk30e?code=secret";
const context = new RouterContextProvider();

beforeEach(() => {
  const transport = { limit: () => AbortSignal.timeout(5000) };
  context.set(edgeContext, { request_id: "request-0001", transport } as never);
  context.set(identityContext, {
    fetch: async () => new Response(null, { status: 500 }),
    toolkit: { language: "ja" },
  } as never);
  context.set(refusedContext, null as never);
  vi.spyOn(console, "error").mockReturnValue();
});
afterEach(() => vi.restoreAllMocks());

/** Returns the fields of the last line but those of every line. */
function lastLine(): Record<string, unknown> {
  const { time: _t, level: _l, worker: _w, ...fields } = JSON.parse(vi.mocked(console.error).mock.lastCall?.[0]);
  return fields;
}

test("the line of an unexpected error has no address", () => {
  handleError(new Error("broken"), { request: new Request(URL_OF_POST), params: {}, context } as never);
  expect(lastLine()).toEqual({
    message: "request failed",
    request_id: "request-0001",
    stack: expect.stringContaining("Error: broken"),
  });
});

describe("the rendering of a page", () => {
  const render = (page: ReactNode, signal = new AbortController().signal) =>
    renderHtml(page, { nonce: undefined, signal, request_id: "request-0001" });
  const inSuspense = (Part: () => ReactNode) =>
    createElement("main", null, createElement(Suspense, { fallback: "…" }, createElement(Part)));

  test("that fails in a part is logged with the request's id and the cause", async () => {
    const html = await render(
      inSuspense(() => {
        throw new Error("no plan", { cause: new Error("no title") });
      }),
    );
    expect(html).toContain("<main>");
    expect(lastLine()).toEqual({
      message: "rendering failed",
      request_id: "request-0001",
      stack: expect.stringContaining("Error: no plan"),
      causes: [expect.stringContaining("Error: no title")],
    });
  });

  test("that ends because the client has left is no error", async () => {
    const leaving = new AbortController();
    const rendered = render(
      inSuspense(() => use(new Promise<string>(() => {}))),
      leaving.signal,
    );
    leaving.abort(new Error("the client has left"));
    await rendered.catch(() => {});
    await expect(render("words", AbortSignal.abort(new Error("left before"))).catch(() => "")).resolves.toBe("");
    expect(console.error).not.toHaveBeenCalled();
  });
});

test("the line of an account that is not deleted yet does not name the account", async () => {
  expect(await deleteIdentity(context, { id: "the-account", token: "token" } as unknown as Session)).toBe(false);
  expect(lastLine()).toEqual({
    message: "an account that left is not deleted yet",
    request_id: "request-0001",
    code: expect.any(String),
  });
});
