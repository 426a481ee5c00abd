import fc from "fast-check";
import PostalMime from "postal-mime";
import { describe, expect, test } from "vitest";
import { demoSite } from "../../scripts/demo-site.ts";
import { type HandedMail, isSendable, type MailGaps, type MailKind } from "../../workers/contract/mails.ts";
import { fromMailbox, toAsciiDomain, toMailbox } from "../../workers/mails/rules.ts";
import { composeMail } from "../../workers/mails/transports/smtp.ts";
import { wordsOf } from "../../workers/mails/words/kinds.ts";
import { renderMail } from "../../workers/mails/words/render.ts";
import { receiptMail } from "./support.ts";

/** Hostile words and addresses, read back by an independent parser. */

const from = { address: "no-reply@ofuse.example", name: "ofuse" };
const sender = {
  origin: "http://localhost:8788",
  company_name: demoSite.company_name,
  address: demoSite.notice.address,
  contact_email: demoSite.notice.email,
  contact_phone: demoSite.notice.phone,
};
const render = (title: string) => renderMail(wordsOf(receiptMail("a@example.jp", title), "ja"), sender);
const parse = async (mail: { subject: string; text: string; html: string }, recipient = "a@example.jp") =>
  PostalMime.parse(
    await composeMail({ mail_id: "receipt:1", recipient, content_id: null, stop_link: null, ...mail }, from),
  );

test.each([
  "改行\r\nBcc: victim@example.jp\r\n\r\n本文",
  "\r\n.\r\nMAIL FROM:<x@example.jp>",
  "絵文字👩‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿と、右から左\u202Eمرحبا\u202C",
  "<script>alert(1)</script>&\"'",
  "=?utf-8?B?5YG9?=",
  "あ".repeat(400),
])("a name like %j stays in its place", async (title) => {
  const mail = render(title);
  const parsed = await parse({ ...mail, subject: title });
  const names = parsed.headers.map(({ key }) => key);
  expect(names).toEqual([...new Set(names)]);
  expect(names).not.toContain("bcc");
  expect(parsed.to).toEqual([{ address: "a@example.jp", name: "" }]);
  expect(parsed.text?.replaceAll("\r\n", "\n").trimEnd()).toBe(mail.text.replaceAll("\r\n", "\n").trimEnd());
  expect(parsed.html?.trimEnd().replaceAll("\r\n", "\n")).toBe(mail.html.trimEnd().replaceAll("\r\n", "\n"));
  expect(mail.html).not.toContain("<script");
});

test("50,000 characters of any words arrive whole, in lines that every server takes", async () => {
  const words =
    fc.sample(fc.string({ unit: "grapheme", minLength: 50_000, maxLength: 50_000 }), { numRuns: 1, seed: 16 })[0] ?? "";
  const text = words.replace(/\r\n?/g, "\n");
  const raw = await composeMail(
    {
      mail_id: "x:1",
      recipient: "a@example.jp",
      subject: "長い件名".repeat(60),
      text,
      html: `<p>${"字".repeat(50_000)}</p>`,
      content_id: null,
      stop_link: null,
    },
    from,
  );
  // RFC 5321, section 4.5.3.1.6: at most 998 bytes and the line break.
  expect(
    Math.max(
      ...raw
        .toString("latin1")
        .split("\r\n")
        .map((line) => line.length),
    ),
  ).toBeLessThanOrEqual(998);
  const parsed = await PostalMime.parse(raw);
  expect(parsed.subject).toBe("長い件名".repeat(60));
  expect(parsed.text?.replace(/\r\n/g, "\n").trimEnd()).toBe(text.trimEnd());
});

describe("an address", () => {
  test.each([
    ...['"quoted local"@example.jp', "plus+tag@example.jp", "o'brien@example.co.jp", "user/dept@ezweb.ne.jp"],
    ...["hana.sato@example.jp", "はな@example.jp"],
  ])("%s arrives as it is", async (address) => {
    expect(isSendable(address)).toBe(true);
    expect((await parse(render("x"), address)).to?.[0]?.address).toBe(address);
    expect([toMailbox(address), fromMailbox(address)]).toEqual([address, address]);
  });

  test.each([
    ["a..b.@docomo.ne.jp", '"a..b."@docomo.ne.jp'],
    ["taro.@docomo.ne.jp", '"taro."@docomo.ne.jp'],
    [".taro@docomo.ne.jp", '".taro"@docomo.ne.jp'],
  ])("%s stands as %s in a mail, and is known again when that is reported", async (address, mailbox) => {
    expect(isSendable(address)).toBe(true);
    expect((await parse(render("x"), address)).to?.[0]?.address).toBe(mailbox);
    expect([toMailbox(address), fromMailbox(mailbox)]).toEqual([mailbox, address]);
  });

  test("with an international host is sent to its ASCII name", async () => {
    expect(isSendable("hana@日本語.jp")).toBe(true);
    expect((await parse(render("x"), "hana@日本語.jp")).to?.[0]?.address).toMatch(/^hana@(xn--wgv71a119e|日本語)\.jp$/);
  });

  test.each<[string, string]>([
    ["hana@日本語.jp", "hana@xn--wgv71a119e.jp"],
    ["はな@日本語.jp", "はな@xn--wgv71a119e.jp"],
    ['"a..b."@日本語。jp', '"a..b."@xn--wgv71a119e.jp'],
    // An ASCII domain stays as it is, although a URL would read it as a number or cut it.
    ...["hana@Example.jp", "hana@1.2", "hana@日本語.jp/x", "hana@日本語.jp:25"].map((same): [string, string] => [
      same,
      same,
    ]),
  ])("%s has the domain of %s in an envelope", (address, mailbox) => {
    expect(toAsciiDomain(address)).toBe(mailbox);
  });

  test.each([
    "",
    "no-at.example.jp",
    "a@b@example.jp",
    "a@example.jp\r\nBcc: b@example.jp",
    "a@example.jp>,<b@example.jp",
    "a@example.jp, b@example.jp",
    "a@.jp",
    '"a\r\nb"@example.jp',
    "a b@example.jp",
  ])("%j is never sent to", (address) => {
    expect(isSendable(address)).toBe(false);
  });
});

const link = "https://ofuse.example/a";
const notice = { message: "The sentence.", link };
const paid = { title: "A title", amount: 1234, paid_at: "2026-11-25T03:04:00.000Z", receipt_link: link };
/** Gaps of every kind. A number and a moment stand in the mail as people write them. */
const samples: { [K in MailKind]: MailGaps[K] } = {
  verify_email: { link },
  reset_password: { link },
  sign_in_link: { link },
  change_email: { link },
  email_changed: { link },
  email_taken: {},
  factor_added: { factor: "App My phone" },
  factor_removed: { factor: "SMS ***12", factors_left: 1 },
  recovery_code_used: { codes_left: 7 },
  recovery_codes_created: {},
  sign_in_method_added: { method: "Telephone +*******5678" },
  sign_in_method_removed: { method: "Google" },
  email_restored: {},
  password_changed: {},
  account_deleted: {},
  payment_receipt: paid,
  claim_letter: paid,
  plan_receipt: { ...paid, paid_until: "2026-12-25T02:30:00.000Z" },
  payment_returned: { title: "A title", amount: 1234, is_undelivered: true, receipt_link: link },
  subscription_renewed: notice,
  subscription_past_due: notice,
  subscription_canceled: notice,
  payout_failed: notice,
  payment_refunded: notice,
  payment_disputed: notice,
  dispute_ended: notice,
  membership_disabled: notice,
  membership_reopened: notice,
  identity_checked: notice,
  bank_account_changed: { bank: "Mizuho", branch: "Shibuya", number_end: "321", link },
  plan_left: { title: "A title", ends_at: "2026-12-25T02:30:00.000Z", link },
  notification: { topic: "get_ofuse", ...notice, stop_link: "https://ofuse.example/stop" },
};
const IN_THE_MAIL: Record<string, string> = {
  amount: "1,234",
  paid_at: "12:04",
  paid_until: "11:30",
  ends_at: "11:30",
  codes_left: "7",
};
/** These gaps choose among sentences. */
const CHOOSING = ["topic", "factors_left", "is_undelivered"];

test.each(Object.keys(samples) as MailKind[])(
  "%s has all its gaps in both languages, and no Japanese in English",
  (kind) => {
    const mail = { mail_id: "x:1", recipient: "a@example.jp", kind, gaps: samples[kind] } as HandedMail;
    const plain = { ...sender, company_name: "Company", address: "Tokyo" };
    for (const language of ["ja", "en"] as const) {
      const words = wordsOf(mail, language);
      const { subject, text, html } = renderMail(words, plain, language);
      for (const [gap, value] of Object.entries(samples[kind])) {
        if (CHOOSING.includes(gap)) continue;
        expect(text, `${gap} in ${language}`).toContain(IN_THE_MAIL[gap] ?? String(value));
      }
      const is_japanese = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}【】「」。、（）：]/u;
      expect(is_japanese.test(subject + text + html.replace(/style="[^"]*"/g, "")), language).toBe(language === "ja");
      expect(html).toContain(`<html lang="${language}">`);
    }
  },
);
