import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type axe from "axe-core";
import type { Page } from "playwright/test";
import { goOnAir, playing, pressPlay } from "./support/radio.ts";
import { expect, test } from "./support/test.ts";

const axeSource = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/** Fails when axe finds a violation of WCAG 2.2 AA. Its rule about films that play by themselves needs no sound. */
async function expectAccessible(page: Page, state: string): Promise<void> {
  await page.evaluate(axeSource);
  const violations = await page.evaluate(async () => {
    const runOnly = { type: "tag" as const, values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] };
    const found = await (window as unknown as { axe: typeof axe }).axe.run({ runOnly, preload: false });
    return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
  });
  expect(violations, state).toEqual([]);
}

/** Our script on a visitor's page of a live radio, and what a press loads: the player, and the script around it. */
const MAX_BYTES = { before: 2048, player: 4500 };

test("a visitor's page of a live radio loads the player on a press", async ({ someone, network }) => {
  const radio = await goOnAir(network, "akari", "軽いラジオ");
  const visitor = await someone();
  const { page } = visitor;
  const loaded = () =>
    page.evaluate(() =>
      (performance.getEntriesByType("resource") as PerformanceResourceTiming[])
        .filter(({ name }) => name.endsWith(".js"))
        .map(({ name, encodedBodySize }) => ({
          name: new URL(name).pathname.replace(/-\w+\.js$/, ""),
          encodedBodySize,
        })),
    );
  const bytesOf = (scripts: Awaited<ReturnType<typeof loaded>>) =>
    scripts.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
  await page.goto(radio.path);
  await expect.poll(async () => (await loaded()).map(({ name }) => name)).toEqual(["/assets/visitor"]);
  const before = bytesOf(await loaded());
  expect(before).toBeLessThan(MAX_BYTES.before);
  const counted = page.waitForResponse((response) => response.url().endsWith("/listen"));
  await pressPlay(visitor);
  expect((await counted).status()).toBe(204);
  await expect.poll(async () => (await loaded()).at(-1)?.name).toBe("/assets/listen");
  expect(bytesOf(await loaded()) - before).toBeLessThan(MAX_BYTES.player);
  await expectAccessible(page, "on air");
  await radio.finish();
});

test("a member's comment does not stop the sound of a live radio", async ({ someone, network }) => {
  const radio = await goOnAir(network, "akari", "話せるラジオ");
  const fan = await someone();
  const { page } = fan;
  await fan.openAs("fan_hana", radio.path);
  await fan.isAlive();
  await pressPlay(fan);
  await expect(page.getByText(/^放送中（約\d+秒遅れ）$/)).toBeVisible();
  const { time_s } = await playing(fan);
  await fan.stayingOnThePage(async () => {
    await page.getByRole("textbox", { name: "コメント" }).fill("聴いています");
    await page.getByRole("button", { name: "コメントする" }).click();
    await expect(page.getByRole("listitem").getByText("聴いています")).toBeVisible();
  });
  await expect.poll(async () => (await playing(fan)).time_s).toBeGreaterThan(time_s + 2);
  expect((await playing(fan)).is_by_script).toBe(true);
  await radio.finish();
});

test("a member who comes by a link gets the player, too", async ({ someone, network }) => {
  const radio = await goOnAir(network, "akari", "リンクで聴くラジオ");
  const fan = await someone();
  const { page } = fan;
  await fan.openAs("fan_hana", "/akari/radio");
  await fan.stayingOnThePage(async () => {
    await page.getByRole("link", { name: "リンクで聴くラジオ" }).first().click();
    await expect(page).toHaveURL(radio.path);
    await pressPlay(fan);
    await expect(page.getByText(/^放送中（約\d+秒遅れ）$/)).toBeVisible();
  });
  expect((await playing(fan)).is_by_script).toBe(true);
  await radio.finish();
});

test("the page of a radio is accessible before, on air and afterwards", async ({ someone, network }) => {
  const { page } = await someone();
  await page.goto("/natsume/radio");
  await page.getByRole("link", { name: "窓辺の夜ふかしラジオ" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "窓辺の夜ふかしラジオ" })).toBeVisible();
  await page.waitForLoadState();
  await expectAccessible(page, "before");
  const radio = await goOnAir(network, "akari", "だれでも聴けるラジオ");
  await page.goto(radio.path);
  await expectAccessible(page, "on air");
  await radio.finish();
  await expect(async () => {
    await page.goto(radio.path);
    await expect(page.getByText(/録音の長さ：/)).toBeVisible({ timeout: 1000 });
  }).toPass();
  await page.getByText("文字起こし", { exact: true }).click();
  await expectAccessible(page, "afterwards");
});
