import { RouterContextProvider } from "react-router";
import { expect, test } from "vitest";
import { readableRefusal } from "../../app/middleware/refused-file.ts";
import { loader } from "../../app/routes/well-known.ts";
import type { Site } from "../../app/site/site.ts";
import { siteContext } from "../../app/site/site-context.ts";
import { demoSite } from "../../scripts/demo-site.ts";

function ask(name: string): Response {
  const url = new URL(`https://ofuse.example/.well-known/${name}`);
  const context = new RouterContextProvider();
  context.set(siteContext, demoSite as Site);
  return loader({ url, params: { "*": name }, context } as never);
}

test("a password manager finds the page that changes the password", () => {
  const { status, headers } = ask("change-password");
  expect([status, headers.get("location")]).toEqual([302, "/my/settings/password"]);
});

test("security.txt names the site's contact, and is valid for less than a year", async () => {
  const file = ask("security.txt");
  expect([file.status, file.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
  const text = await file.text();
  const [, expires = ""] = /^Expires: (.+)$/m.exec(text) ?? [];
  expect(text.replace(expires, "…")).toBe(`Contact: mailto:${demoSite.notice.email}
Expires: …
Preferred-Languages: ja
Canonical: https://ofuse.example/.well-known/security.txt
`);
  const days = (Date.parse(expires) - Date.now()) / (24 * 60 * 60 * 1000);
  expect(days).toBeGreaterThan(90);
  expect(days).toBeLessThan(365);
});

test.each(["", "assetlinks.json", "change-password/x", "SECURITY.TXT"])(
  "an unknown name is no page: %j",
  async (name) => {
    const request = new Request(`https://ofuse.example/.well-known/${name}`);
    const answer = await readableRefusal(request, ask(name));
    expect([answer.status, await answer.text()]).toEqual([404, "Not Found\n"]);
  },
);
