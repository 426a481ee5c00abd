import type { Page } from "playwright/test";
import { SessionKeys } from "../app/session/session.ts";
import { DEMO_PASSWORD } from "../scripts/demo/seed.ts";
import { expect, test } from "./support/test.ts";

/**
 * Returns a promise that resolves when the server has accepted the next socket on which the page waits for sign-outs. The
 * page opens another socket for notifications.
 */
async function expectWatch(page: Page): Promise<{ opened: Promise<void> }> {
  const { promise: opened, resolve } = Promise.withResolvers<void>();
  const devtools = await page.context().newCDPSession(page);
  const watches = new Set<string>();
  devtools.on("Network.webSocketCreated", ({ requestId, url }) => {
    if (url.endsWith("/session/watch")) watches.add(requestId);
  });
  devtools.on("Network.webSocketHandshakeResponseReceived", ({ requestId }) => {
    if (watches.has(requestId)) resolve();
  });
  await devtools.send("Network.enable");
  return { opened };
}

test("a page learns within a second that it was signed out elsewhere, and keeps unsent words", async ({
  someone,
  network,
}) => {
  const [phone, desk, writing] = [await someone(), await someone(), await someone()];
  const watches = await Promise.all([desk, writing].map(({ page }) => expectWatch(page)));
  await phone.openAs("fan_taro", "/my/box");
  await desk.openAs("fan_taro", "/my/box");
  await desk.isAlive();
  const typed = Promise.withResolvers<void>();
  await writing.page.route(/\/sign-out-watch-/, async (route) => {
    await typed.promise;
    await route.continue();
  });
  await writing.openAs("fan_taro", "/akari/ofuse");
  await writing.isAlive();
  await writing.page.getByLabel("メッセージ").fill("まだ送っていない言葉");
  typed.resolve();
  await Promise.all(watches.map(({ opened }) => opened));

  const credentials = await phone.page.context().cookies();
  const cookie = credentials.find(({ name }) => name === "soziIdAuth")?.value ?? "";
  const session = await new SessionKeys(network.secrets.SESSION_KEYS).open(cookie);
  if (!session || session === "expired") throw new Error("there is no session");
  await fetch(`${network.url}/v2/general/auth/refresh-token`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${session.token}` },
  });

  await expect(desk.page).toHaveURL(/\/login\?to=%2Fmy%2Fbox$/, { timeout: 3000 });
  await expect(desk.page.getByText("ほかの端末での操作により、ログアウトしました")).toBeVisible();
  const notice = writing.page.getByRole("alert").filter({ hasText: "ほかの端末での操作により、ログアウトしました" });
  await expect(notice.getByRole("link", { name: "新しいタブでログイン" })).toHaveAttribute(
    "href",
    "/login?to=%2Fakari%2Fofuse",
  );
  await expect(writing.page.getByLabel("メッセージ")).toHaveValue("まだ送っていない言葉");
});

test("signing in again to confirm one's identity signs out no other page of the browser", async ({ someone }) => {
  const fan = await someone();
  const { page } = fan;
  await fan.openAs("fan_hana", "/my/settings/email");
  const beside = await page.context().newPage();
  const first = await expectWatch(beside);
  await beside.goto("/akari/ofuse");
  await beside.getByLabel("メッセージ").fill("書きかけの言葉");
  await first.opened;

  const again = await expectWatch(beside);
  await page.goto("/login/confirm?to=/my/settings/sessions");
  await page.getByRole("main").getByLabel("パスワード").fill(DEMO_PASSWORD);
  await page.getByRole("button", { name: "確認する" }).click();
  await expect(page).toHaveURL(/\/my\/settings\/sessions$/);
  await expect(page.getByRole("main").getByText("この端末", { exact: true })).toBeVisible();

  // The confirmation ends the page's sign-in and begins another, which the page watches again.
  await again.opened;
  await expect(beside.getByRole("alert").filter({ hasText: "ログアウトしました" })).toBeHidden();
  await expect(beside.getByLabel("メッセージ")).toHaveValue("書きかけの言葉");
  await page.reload();
  await expect(page.getByRole("main").getByText("この端末", { exact: true })).toBeVisible();
});
