import { expect, test } from "vitest";
import { serveAsset } from "../../workers/web/assets.ts";

/** Serves a path from files of a build; asks for brotli. Returns the paths that were looked for. */
async function serve(path: string, files: readonly string[]) {
  const asked: string[] = [];
  const assets = {
    fetch: async (given: RequestInfo | URL) => {
      const { pathname } = new URL(given instanceof Request ? given.url : given);
      asked.push(pathname);
      return new Response(pathname, { status: files.includes(pathname) ? 200 : 404 });
    },
  } as unknown as Fetcher;
  const headers = { "accept-encoding": "br" };
  const response = await serveAsset(new Request(`https://ofuse.example${path}`, { headers }), assets, path);
  return { asked, response };
}

test("serves the brotli copy of a script", async () => {
  const { response } = await serve("/assets/a-1.js", ["/assets/a-1.js", "/assets/a-1.js.br"]);
  expect(response.headers.get("content-encoding")).toBe("br");
  expect(response.headers.get("content-type")).toMatch(/^text\/javascript/);
});

test.each(["png", "constructor", "toString", "__proto__"])(
  "looks for no brotli copy of a file that ends in .%s",
  async (end) => {
    const { asked, response } = await serve(`/assets/a-1.${end}`, []);
    expect(asked).toEqual([`/assets/a-1.${end}`]);
    expect([response.status, response.headers.get("vary")]).toEqual([404, null]);
  },
);
