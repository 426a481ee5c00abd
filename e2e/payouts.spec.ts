import Stripe from "stripe";
import { openSql } from "../scripts/sql.ts";
import { postTransfer } from "../workers/api/ledger/commands.ts";
import { receivePayment, releaseEarnings, splitPayment } from "../workers/api/ledger/rules.ts";
import { openDatabase } from "../workers/api/storage/database.ts";
import { newId } from "../workers/kernel/ids.ts";
import { expect, type Person, test } from "./support/test.ts";

const DAY_S = 24 * 60 * 60;

test("a member registers for monetization, is paid out once, and learns why the next payout failed", async ({
  someone,
  network,
}) => {
  const d1 = openSql(network.miniflare, "api");
  const stripe = new Stripe(network.secrets.GATEWAY_KEY, { host: "localhost", port: network.port, protocol: "http" });
  const passDays = async (days: number) => {
    const clock = (await stripe.rawRequest("GET", "/v1/test_helpers/clock")) as unknown as { now: number };
    await stripe.rawRequest("POST", "/v1/test_helpers/clock/advance", { frozen_time: clock.now + days * DAY_S });
  };
  const runClock = () => network.fireClock("ofuse-api");
  const person = await someone();
  const { page } = person;
  const link_id = person.has_script ? "fan_sora" : "fan_kenji";

  await person.openAs(link_id, "/signup/monetize");
  await person.isAlive();
  await page.getByLabel(/^個人/).check();
  await page.getByRole("button", { name: "手続きを始める" }).click();
  // The gateway's own page.
  await page.getByLabel("氏名または法人名").fill("山田 花");
  await page.getByLabel("フリガナ（カタカナ）").fill("ヤマダ ハナ");
  await page.getByLabel(/^生年月日/).fill("1990/4/1");
  await page.getByLabel("電話番号").fill("0312345678");
  await page.getByLabel("受け取りサービスの規約（デモ）に同意する").check();
  await page.getByRole("button", { name: "登録する" }).click();
  await expect(page).toHaveURL("/signup/monetize");
  const steps = page.getByRole("region", { name: "手続きの流れ" });
  await expect(steps.getByRole("listitem").nth(1)).toContainText("確認できました。");

  await person.isAlive();
  await page.getByRole("link", { name: "振込先の口座を登録する" }).click();
  await page.getByRole("link", { name: "口座を登録する", exact: true }).click();
  await registerBank(person, "0001234");
  if (person.has_script) {
    // The first page outside the registration and its bank account greets the new creator, once.
    await person.open("/my/posts");
    const greeting = page.getByRole("dialog", { name: "ファンからの応援を受け取れるようになりました" });
    await expect(greeting).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(greeting).toHaveCount(0);
  }
  await person.open("/signup/monetize");
  await page.getByRole("button", { name: "いまの状態を確かめる" }).click();
  await expect(page.getByText("すべての手続きが済んでいます。")).toBeVisible();

  // Fans pay; the gateway makes the money available.
  await stripe.paymentIntents.create({
    amount: 50_000,
    currency: "jpy",
    confirm: true,
    payment_method: "pm_card_visa",
  });
  await passDays(5);
  const user = await d1
    .prepare("SELECT user_id FROM users WHERE link_id = ?")
    .bind(link_id)
    .first<{ user_id: string }>();
  await earn(d1, user?.user_id ?? "", 10_000);

  await page.getByRole("link", { name: "売上のページへ" }).click();
  await expect(page.getByRole("region", { name: "残高" })).toContainText("9,000円");
  await requestPayout(person, "4000", "3,750円");
  await runClock();
  await passDays(3);
  await expect.poll(() => statusOf(d1)).toBe("paid");
  await person.open("/my/transactions");
  await expect(page.getByRole("region", { name: "振込", exact: true })).toContainText("振込済み");

  await person.open("/my/settings/bank/edit");
  await registerBank(person, "1111116");
  await person.open("/my/transactions");
  await requestPayout(person, "5000", "4,750円");
  await runClock();
  await passDays(3);
  await expect.poll(() => statusOf(d1)).toBe("failed");
  await runClock();
  await person.open("/my/notifications");
  await page.getByText(/^5,000円の振込ができませんでした。/).click();
  await expect(page).toHaveURL("/my/transactions");
  await expect(page.getByRole("region", { name: "振込", exact: true })).toContainText(
    "振込先の口座が見つかりません。5,000円の全額を残高に戻しました。",
  );
  await expect(page.getByRole("region", { name: "残高" })).toContainText("5,000円");
});

async function registerBank({ page }: Person, account_number: string): Promise<void> {
  await page.getByRole("link", { name: "みずほ銀行 0001" }).click();
  await page.getByLabel(/^支店の名前/).fill("しぶや");
  await page.getByRole("button", { name: "探す" }).click();
  await page.getByRole("link", { name: /^渋谷 / }).click();
  await page.getByLabel("口座番号", { exact: true }).fill(account_number);
  await page.getByLabel("口座名義（カナ）").fill("ヤマダ ハナ");
  await page.getByRole("button", { name: "この口座を登録する" }).click();
  await expect(page).toHaveURL("/my/settings/bank");
}

/** Asks for a payout on its pages, which say first what will arrive. */
async function requestPayout({ page }: Person, amount: string, arrives: string): Promise<void> {
  await page.getByRole("link", { name: "振込を申請する" }).click();
  await page.getByLabel("残高から引く額（円）").fill("百円");
  await page.getByRole("button", { name: "届く額を確認する" }).click();
  await expect(page.getByText("残高から引く額は、数字だけで入力してください。")).toBeVisible();
  await page.getByLabel("残高から引く額（円）").fill(amount);
  await page.getByRole("button", { name: "届く額を確認する" }).click();
  await expect(page.getByText(arrives, { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "この内容で申請する" }).click();
  await expect(page).toHaveURL("/my/transactions");
  await expect(page.getByRole("region", { name: "振込", exact: true })).toContainText("手続き中");
}

/** Lets a creator earn a payment, which can be paid out. */
async function earn(d1: D1Database, creator_id: string, amount_yen: number): Promise<void> {
  const now_ms = Date.now();
  const cause = { kind: "membership" as const, cause_id: newId(now_ms), creator_id, campaign_id: null };
  const payment = { ...cause, ...splitPayment(amount_yen) };
  const database = openDatabase(d1);
  const statements = [receivePayment(payment), releaseEarnings(payment)].flatMap((transfer) =>
    postTransfer({ database, now_ms }, transfer),
  );
  await d1.batch(statements.map((each) => d1.prepare(each.sql).bind(...each.parameters)));
}

/** The status of the newest payout. */
const statusOf = (d1: D1Database) =>
  d1.prepare("SELECT status FROM payouts ORDER BY payout_id DESC LIMIT 1").first<string>("status");
