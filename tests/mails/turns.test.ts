import { afterEach, beforeEach, expect, test } from "vitest";
import { explainStatements, recordStatements, type Statement } from "../../scripts/bench/plans.ts";
import { demoSite } from "../../scripts/demo-site.ts";
import { MemoryDatabase } from "../../scripts/memory-d1.ts";
import type { HandedMail } from "../../workers/contract/mails.ts";
import type { NotificationTopic } from "../../workers/contract/notifications.ts";
import { acceptMails, claimMails, recordSuppressed, takeDelivery } from "../../workers/mails/commands.ts";
import { acceptNewsletter } from "../../workers/mails/newsletters.ts";
import { openMailDatabase } from "../../workers/mails/storage/database.ts";
import { newsletterTo, signInMail } from "./support.ts";

/** The order in which mails are claimed, and those that nobody wants any more. */

const { address, email, phone } = demoSite.notice;
const sender = {
  origin: "https://ofuse.example",
  company_name: demoSite.company_name,
  address,
  contact_email: email,
  contact_phone: phone,
};
const NOW_MS = Date.parse("2026-11-22T15:30:00.000Z");
const RUN_ID = "run";

let database: MemoryDatabase;
beforeEach(() => {
  database = new MemoryDatabase("mails");
});
afterEach(() => database.close());

const mailsAt = (now_ms: number, d1 = database.connect()) => ({ d1, db: openMailDatabase(d1), now_ms });
const noticeOf = (topic: NotificationTopic): HandedMail => ({
  mail_id: `notification:${topic}`,
  kind: "notification",
  recipient: "hana@example.jp",
  gaps: {
    topic,
    message: "なつめさんのお知らせ",
    link: "https://ofuse.example/",
    stop_link: "https://ofuse.example/unsubscribe/x",
  },
});

test("a newsletter waits for notifications, and these wait for a link to sign in", async () => {
  const handed = [
    () => acceptNewsletter(mailsAt(NOW_MS), newsletterTo(["fan@example.jp"]), sender),
    () => acceptMails(mailsAt(NOW_MS + 1), [noticeOf("get_ofuse")], sender),
    () => acceptMails(mailsAt(NOW_MS + 2), [signInMail("hana@example.jp", "identity:1")], sender),
  ];
  for (const handOver of handed) await handOver();
  const statements: Statement[] = [];
  const mails = mailsAt(NOW_MS + 3, recordStatements(database.connect(), statements));
  await takeDelivery(mails, RUN_ID, NOW_MS + 60_000);
  statements.length = 0;
  const claimed = await claimMails(mails, RUN_ID, 20);
  expect(claimed.map(({ kind }) => kind)).toEqual(["sign_in_link", "notification", "newsletter"]);
  const plans = await explainStatements(database.connect(), statements);
  expect(plans).toContain("SCAN mails USING INDEX mails_in_turn");
  expect(plans.filter((plan) => plan.includes("TEMP B-TREE"))).toEqual([]);
});

test("an hour after a radio has started its mail is not sent any more, and other notifications are", async () => {
  await acceptMails(mailsAt(NOW_MS), [noticeOf("radio_started"), noticeOf("get_ofuse")], sender);
  const claimAt = async (now_ms: number) => {
    const mails = mailsAt(now_ms);
    await takeDelivery(mails, RUN_ID, now_ms + 1);
    return claimMails(mails, RUN_ID, 20);
  };
  const cancellationsOf = (claimed: Awaited<ReturnType<typeof claimMails>>) =>
    claimed.map(({ mail_id, cancellation }) => [mail_id, cancellation]);
  expect(cancellationsOf(await claimAt(NOW_MS + 59 * 60_000))).toEqual([
    ["notification:get_ofuse", null],
    ["notification:radio_started", null],
  ]);
  const late = await claimAt(NOW_MS + 60 * 60_000);
  const answer = "取り消し（届けるには遅すぎるため）";
  expect(cancellationsOf(late)).toEqual([
    ["notification:get_ofuse", null],
    ["notification:radio_started", answer],
  ]);
  for (const mail of late.slice(1)) await recordSuppressed(mailsAt(NOW_MS), mail);
  expect(database.run("SELECT answer, text FROM mails WHERE state = 'suppressed'", []).results).toEqual([
    { answer, text: "" },
  ]);
});
