import { RouterContextProvider } from "react-router";
import { describe, expect, test, vi } from "vitest";
import { readableRefusal } from "../../app/middleware/refused-file.ts";
import { maintenanceContext, v4Context } from "../../app/request/context.ts";
import { loader as embed } from "../../app/routes/creator/embed.ts";
import { readOverlay } from "../../app/routes/overlay/read-overlay.ts";
import { V4 } from "../../app/v4/client.ts";
import type { ErrorCode } from "../../workers/contract/errors.ts";
import { NO_MAINTENANCE, readingAt } from "../../workers/contract/maintenance-status.ts";
import { problemJson } from "../../workers/contract/problem.ts";

vi.spyOn(console, "error").mockImplementation(() => {});

const HERE = "https://ofuse.example";
const INSIDES = /request_id|"code"|^null$|Unexpected/;

describe("a refused file", () => {
  const refusal = () => Response.json({ code: "not_found", detail: "x", request_id: "r" }, { status: 404 });
  const get = (path: string, response: Response) => readableRefusal(new Request(HERE + path), response);

  test.each<[string, string, Response]>([
    ["/natsume/feed.xml", "ページが見つかりません", refusal()],
    ["/my/box/letters.csv", "ページが見つかりません", Response.json(null, { status: 404 })],
    [
      "/my/settings/export",
      "しばらくお待ちください",
      Response.json({ detail: "しばらくお待ちください" }, { status: 429 }),
    ],
    [
      "/my/stats/figures.csv",
      "エラーが発生しました",
      new Response("Unexpected Server Error", { status: 500, headers: { "content-type": "text/plain" } }),
    ],
  ])("is a page for people: %s", async (path, said, response) => {
    const { status } = response;
    const page = await get(path, response);
    const text = await page.text();
    expect([page.status, page.headers.get("content-type")]).toEqual([status, "text/html; charset=utf-8"]);
    expect(text).toContain(said);
    expect(text).toContain('<a href="/">');
    expect(text).not.toMatch(INSIDES);
  });

  test("is a page when the address takes no such method", async () => {
    const request = new Request(`${HERE}/robots.txt`, { method: "POST" });
    const page = await readableRefusal(request, Response.json({ message: "x" }, { status: 405 }));
    expect(await page.text()).toContain("この操作はできませんでした");
  });

  test("escapes the API's sentence", async () => {
    const page = await get("/x/export", Response.json({ detail: "<script>" }, { status: 409 }));
    expect(await page.text()).toContain("<p>&lt;script&gt;</p>");
  });

  test("stays as scripts read it", async () => {
    for (const response of [
      await get("/session/state.json", refusal()),
      await readableRefusal(new Request(`${HERE}/my/uploads/file`, { method: "POST" }), refusal()),
    ]) {
      expect(await response.json()).toMatchObject({ code: "not_found" });
    }
  });

  test("is not made of a page or of a file that is served", async () => {
    for (const response of [
      new Response("<p>", { status: 404, headers: { "content-type": "text/html; charset=utf-8" } }),
      Response.json({ exported_at: "now" }),
      new Response("User-agent: *", { headers: { "content-type": "text/plain" } }),
    ]) {
      expect(await get("/x/file", response)).toBe(response);
    }
  });
});

/** Returns the context of a request, whose API refuses every call with this code. */
function contextOf(code: ErrorCode) {
  const context = new RouterContextProvider();
  const problem = problemJson(code, "request-1");
  const fetch = async () => new Response(JSON.stringify(problem), { status: problem.status });
  const limit = () => AbortSignal.timeout(1000);
  context.set(
    v4Context,
    new V4({ fetch, origin: "https://api.internal", token: null, request_id: "request-1", limit }),
  );
  context.set(maintenanceContext, readingAt(NO_MAINTENANCE, Date.now()));
  return context;
}

describe("an overlay", () => {
  const TOKEN = "x".repeat(22);
  const open = (code: ErrorCode, token = TOKEN) =>
    readOverlay(contextOf(code), token).then(
      () => expect.unreachable(),
      (thrown: Response) => thrown,
    );

  test.each([
    ["its address was replaced", TOKEN],
    ["its address is not one of ours", "xx"],
  ])("is an empty page when %s", async (_why, token) => {
    const page = await open("not_found", token);
    expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    expect(await page.text()).toMatch(/<body><\/body>/);
  });

  test("loads itself again after an outage, and not at a replaced address", async () => {
    const loaded = await Promise.all([open("internal_error"), open("not_found")]);
    const texts = await Promise.all(loaded.map((page) => page.text()));
    expect(texts.map((text) => text.includes('http-equiv="refresh"'))).toEqual([true, false]);
  });
});

describe("the letter form for other sites", () => {
  const open = async (path: string, code: ErrorCode = "not_found") => {
    const url = new URL(path, HERE);
    const link_id = url.pathname.split("/")[1];
    const args = { url, params: { link_id }, context: contextOf(code) };
    return embed(args as never).catch((thrown: Response) => thrown);
  };

  test.each<[string, number, string, ErrorCode]>([
    ["/nobodyhere/embed", 404, "ページが見つかりません", "not_found"],
    ["/NOBODY/embed", 404, "ページが見つかりません", "not_found"],
    ["/natsume/embed?theme=red", 404, "ページが見つかりません", "not_found"],
    ["/natsume/embed", 500, "エラーが発生しました", "internal_error"],
  ])("says in the frame why it is missing: %s is %i", async (path, status, said, code) => {
    const page = await open(path, code);
    expect([page.status, page.headers.get("content-type")]).toEqual([status, "text/html; charset=utf-8"]);
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors *");
    const text = await page.text();
    expect(text).toContain(`<h1>${said}</h1>`);
    expect(text).toContain('<a href="/" target="_blank" rel="noopener">');
    expect(text).not.toMatch(INSIDES);
  });

  test.each(["/natsume/embed/", "/natsume/embed//", "/natsume/EMBED"])("has one address, and not %s", async (path) => {
    const { status, headers } = await open(`${path}?theme=dark`);
    expect([status, headers.get("location")]).toEqual([301, "/natsume/embed?theme=dark"]);
  });
});
