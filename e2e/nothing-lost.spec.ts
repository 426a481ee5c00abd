import { tampered } from "../tests/support/tampered.ts";
import { expect, test } from "./support/test.ts";

/** The cookies of a session. */
const SESSION_COOKIES = /^soziId(Auth|Refresh)$/;

test("a letter survives a session that ended while it was written", async ({ someone }) => {
  const fan = await someone();
  await fan.openAs("fan_hana", "/kanade/ofuse");
  await fan.isAlive();
  await fan.page.getByLabel("メッセージ").fill("夜のラジオ、いつも楽しみにしています。");
  await fan.page.getByLabel(/ページで公開する/).check();
  await fan.loseSession();

  await fan.page.getByRole("button", { name: "送信する" }).click();
  await expect(fan.page).toHaveURL(/\/login\?to=%2Fkanade%2Fofuse$/);
  await expect(fan.page.getByText("書きかけの内容に戻れます")).toBeVisible();
  await fan.signIn("fan_hana");

  await expect(fan.page.getByLabel("メッセージ")).toHaveValue("夜のラジオ、いつも楽しみにしています。");
  await expect(fan.page.getByLabel(/ページで公開する/)).toBeChecked();
  await fan.isAlive();
  await fan.page.getByRole("button", { name: "送信する" }).click();
  await expect(fan.page.getByText("送信しました")).toBeVisible();
  await expect(fan.page.getByRole("region", { name: "公開されたofuse" })).toContainText(
    "夜のラジオ、いつも楽しみにしています。",
  );
});

test("a letter that was too long is returned after the sign-in with the reason", async ({ someone }) => {
  const fan = await someone();
  const long = "長い手紙。".repeat(60);
  await fan.page.goto("/sumire/ofuse");
  await fan.page.getByLabel("メッセージ").fill(long);
  await fan.page.getByRole("button", { name: "送信する" }).click();
  await fan.signIn("fan_hana");
  await expect(fan.page.getByLabel("メッセージ")).toHaveValue(long);
  await expect(fan.page.getByText("メッセージは200文字以内で入力してください（現在300文字）。")).toBeVisible();
});

test("a creator's reply survives the end of her session", async ({ someone }) => {
  const creator = await someone();
  await creator.openAs("yamato", "/my/box?filter=not_replied");
  await creator.page.getByRole("main").getByRole("listitem").first().getByRole("link").click();
  await expect(creator.page.getByRole("heading", { name: "返信する" })).toBeVisible();
  await creator.isAlive();
  await creator.page.getByLabel("返信", { exact: true }).fill("山頂から、ありがとうを送ります。");
  await creator.loseSession();
  await creator.page.getByRole("button", { name: "返信を送る" }).click();
  await expect(creator.page).toHaveURL(/\/login\?to=/);
  await creator.signIn("yamato");
  await expect(creator.page.getByLabel("返信", { exact: true })).toHaveValue("山頂から、ありがとうを送ります。");
  await creator.isAlive();
  await creator.page.getByRole("button", { name: "返信を送る" }).click();
  await expect(creator.page.getByText("返信を送信しました")).toBeVisible();
});

test("an expired session is refreshed while its refresh token is valid", async ({ someone }) => {
  const fan = await someone();
  await fan.openAs("fan_hana", "/my/box");
  await fan.page.context().clearCookies({ name: "soziIdAuth" });
  await fan.page.goto("/my/notifications");
  await expect(fan.page.getByRole("heading", { name: "お知らせ" })).toBeVisible();
  const names = (await fan.page.context().cookies()).map((cookie) => cookie.name);
  expect(names).toContain("soziIdAuth");
});

test("a tampered session counts as signed out, without an error", async ({ someone }) => {
  const fan = await someone();
  // A page without pictures that are signed for her: one that loads late would be refused.
  await fan.openAs("fan_hana", "/my/settings/notifications");
  const context = fan.page.context();
  const [session] = (await context.cookies()).filter((cookie) => cookie.name === "soziIdAuth");
  if (!session) throw new Error("there is no session cookie");
  await context.addCookies([{ ...session, value: tampered(session.value, -4) }]);
  await fan.page.goto("/natsume");
  await expect(fan.page.getByRole("link", { name: "ログイン" }).first()).toBeVisible();
  expect((await context.cookies()).filter((cookie) => SESSION_COOKIES.test(cookie.name))).toEqual([]);
});

test("another member who signs in on the same browser does not see the words", async ({ someone }) => {
  const fan = await someone();
  await fan.openAs("fan_hana", "/kanade/ofuse");
  await fan.isAlive();
  await fan.page.getByLabel("メッセージ").fill("はなだけの言葉");
  await fan.loseSession();
  await fan.page.getByRole("button", { name: "送信する" }).click();
  await fan.signIn("fan_taro");
  await expect(fan.page).toHaveURL(/\/kanade\/ofuse$/);
  // Words come back when the page is hydrated.
  await fan.isAlive();
  await expect(fan.page.getByLabel("メッセージ")).toHaveValue("");
});
