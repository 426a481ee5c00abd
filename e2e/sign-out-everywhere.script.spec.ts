import { SessionKeys } from "../app/session/session.ts";
import { expect, test } from "./support/test.ts";

test("a page hears within a second that it was signed out elsewhere, and keeps words that were not sent", async ({
  someone,
  network,
}) => {
  const [phone, desk, writing] = [await someone(), await someone(), await someone()];
  const watching = [desk, writing].map(({ page }) => page.waitForEvent("websocket"));
  await phone.page.goto("/login?to=/my/box");
  await phone.signIn("fan_taro");
  await expect(phone.page).toHaveURL(/\/my\/box$/);
  await desk.page.goto("/login?to=/my/box");
  await desk.signIn("fan_taro");
  await desk.isAlive();
  await writing.page.goto("/login?to=/akari/ofuse");
  await writing.signIn("fan_taro");
  await writing.isAlive();
  await writing.page.getByLabel("メッセージ").fill("まだ送っていない言葉");
  await Promise.all(watching);

  const credentials = await phone.page.context().cookies();
  const cookie = credentials.find(({ name }) => name === "soziIdAuth")?.value ?? "";
  const session = await new SessionKeys(network.secrets.SESSION_KEYS).open(cookie);
  if (!session || session === "expired") throw new Error("there is no session");
  await fetch(`${network.url}/v2/general/auth/refresh-token`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${session.token}` },
  });

  await expect(desk.page).toHaveURL(/\/login\?to=%2Fmy%2Fbox$/, { timeout: 3000 });
  await expect(desk.page.getByText("ほかの端末でログアウトしました")).toBeVisible();
  const notice = writing.page.getByRole("alert").filter({ hasText: "ほかの端末でログアウトしました" });
  await expect(notice.getByRole("link", { name: "新しいタブでログイン" })).toHaveAttribute(
    "href",
    "/login?to=%2Fakari%2Fofuse",
  );
  await expect(writing.page.getByLabel("メッセージ")).toHaveValue("まだ送っていない言葉");
});
