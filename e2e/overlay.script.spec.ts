import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type axe from "axe-core";
import { api, demoToken } from "../tests/support/network.ts";
import { keepCards, keptCards } from "./support/overlay.ts";
import { expect, test } from "./support/test.ts";

type Network = NonNullable<Parameters<typeof demoToken>[1]>;

/** Sends a call of a creator of the demo world that must succeed. Returns its answer. */
async function call(network: Network, method: string, path: string, body?: unknown) {
  const { status, json, text } = await api(method, path, { token: await demoToken("mio", network), body, network });
  if (status >= 300) throw new Error(`${method} ${path} answered ${text}`);
  // biome-ignore lint/suspicious/noExplicitAny: each test reads the fields that it needs.
  return json as any;
}
const makeToken = async (network: Network): Promise<string> => (await call(network, "PUT", "/v4/timeline_token")).token;

test("the stage is transparent, shows letters one after the other, and is empty when its address is replaced", async ({
  someone,
  network,
}) => {
  await call(network, "PUT", "/v4/my/streaming", { duration_seconds: 3, goal_amount: 10_000, goal_title: "マイク" });
  const { page } = await someone();
  await page.setViewportSize({ width: 1920, height: 1080 });
  await keepCards(page);
  const opened = page.waitForResponse((answer) => answer.url().includes("/events?"));
  await page.goto(`/overlay/${await makeToken(network)}`);
  await opened;
  await expect(page.getByText("0円 / 10,000円")).toBeVisible();
  for (const selector of ["html", "body"]) {
    await expect(page.locator(selector)).toHaveCSS("background-color", "rgba(0, 0, 0, 0)");
  }
  const hostile = "<img src=x onerror=alert(1)>";
  await call(network, "POST", "/v4/test_ofuses", { amount: 550, message: hostile });
  await call(network, "POST", "/v4/test_ofuses", { amount: 0, message: "ふたつめ" });
  await expect
    .poll(() => keptCards(page))
    .toEqual([[expect.stringContaining(hostile)], [expect.stringContaining("ふたつめ")]]);
  expect((await keptCards(page))[0]?.[0]).toContain("550円");
  await makeToken(network);
  await expect(page.locator("article")).toHaveCount(0);
  await expect(page.getByText("10,000円")).toHaveCount(0);
});

test("letters arrive by asking where the events do not come through", async ({ someone, network }) => {
  const { page } = await someone();
  await page.route("**/events?*", (route) => route.abort());
  const asked = page.waitForResponse((answer) => answer.url().includes("/news.json?after="));
  await page.goto(`/overlay/${await makeToken(network)}`);
  await call(network, "POST", "/v4/test_ofuses", { message: "回り道で届きました" });
  await asked;
  await expect(page.getByText("回り道で届きました")).toBeVisible({ timeout: 15_000 });
});

test("the timeline shows new letters by itself, and axe finds nothing to complain of", async ({ someone, network }) => {
  const { page } = await someone();
  await page.setViewportSize({ width: 375, height: 700 });
  const opened = page.waitForResponse((answer) => answer.url().includes("/events?"));
  await page.goto(`/overlay/${await makeToken(network)}/timeline`);
  await opened;
  await call(network, "POST", "/v4/test_ofuses", { amount: 1100, message: "タイムラインへ" });
  await expect(page.getByRole("listitem").first()).toContainText("タイムラインへ");
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375);
  await page.evaluate(readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8"));
  const { violations } = await page.evaluate(() => (window as unknown as { axe: typeof axe }).axe.run());
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
});
