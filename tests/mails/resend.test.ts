import { createHmac } from "node:crypto";
import { Response as MiniflareResponse } from "miniflare";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { waitUntil } from "../support/wait.ts";
import { CONTENT_ID, newsletterTo, receiptMail, signInMail, startMails } from "./support.ts";

/** Sending by Resend's HTTP API, and its webhooks. */

interface Asked {
  authorization: string | null;
  key: string | null;
  body: {
    from: string;
    to: string[];
    subject: string;
    text: string;
    html: string;
    tags: { name: string; value: string }[];
  };
}
const asked: Asked[] = [];
let status = 200;
let refusal = { name: "an_error", message: "" };
/** Runs before Resend answers a request to send. */
let beforeAnswer: () => Promise<unknown> = async () => {};
const logs: string[] = [];
const KEY = Buffer.from("webhook secret of the tests, 32 b").toString("base64");

const mails = await startMails(
  { MAIL_END: "resend", RESEND_API_KEY: "re_test", RESEND_WEBHOOK_SECRET: `whsec_${KEY}` },
  {
    logs,
    outside: async (request) => {
      if (request.url !== "https://api.resend.com/emails") throw new Error(`nobody is at ${request.url}`);
      const { headers } = request;
      asked.push({
        authorization: headers.get("authorization"),
        key: headers.get("idempotency-key"),
        body: (await request.json()) as Asked["body"],
      });
      await beforeAnswer();
      return MiniflareResponse.json(status === 200 ? { id: "49a3999c" } : refusal, {
        status,
      }) as unknown as Response;
    },
  },
);
afterAll(() => mails.kill());
beforeEach(async () => {
  asked.length = 0;
  status = 200;
  refusal = { name: "an_error", message: "" };
  beforeAnswer = async () => {};
  for (const table of ["mails", "newsletter_contents", "suppressions"]) await mails.run(`DELETE FROM ${table}`);
});

const states = () => mails.run("SELECT state, attempts FROM mails ORDER BY created_at, mail_id");

test("sends a mail with its id as the idempotency key", async () => {
  await mails.handOver(receiptMail("hana@example.jp", "ひびきさんへのofuse", "receipt:1"));
  await waitUntil(async () => expect(await states()).toEqual([{ state: "sent", attempts: 1 }]));
  expect(asked).toMatchObject([
    {
      authorization: "Bearer re_test",
      key: "receipt:1",
      body: {
        from: '"ofuse（オフューズ）" <no-reply@ofuse.example>',
        to: ["hana@example.jp"],
        subject: "【ofuse】お支払いが完了しました（1,100円）",
      },
    },
  ]);
  expect(asked[0]?.body.text).toContain("金額：1,100円（税込）");
});

test("puts the local part of a Japanese carrier's old address into quotes", async () => {
  await mails.handOver(receiptMail("a..b.@docomo.ne.jp"));
  await waitUntil(async () => expect(await states()).toEqual([{ state: "sent", attempts: 1 }]));
  expect(asked[0]?.body.to).toEqual(['"a..b."@docomo.ne.jp']);
});

test.each([
  [422, { state: "failed", attempts: 1 }],
  [403, { state: "queued", attempts: 1 }],
  [429, { state: "queued", attempts: 1 }],
  [500, { state: "queued", attempts: 1 }],
])("treats the answer %i as what it means", async (answer, row) => {
  status = answer;
  await mails.handOver(receiptMail("hana@example.jp"));
  await waitUntil(async () => expect(await states()).toEqual([row]));
});

test.each([
  [400, { name: "validation_error", message: "API key is invalid" }],
  [422, { name: "invalid_from_address", message: "Invalid `from` field." }],
])("lets all mails wait when %i is about the account", async (answer, said) => {
  status = answer;
  refusal = said;
  await mails.handOver(
    receiptMail("hana@example.jp", "一通目", "receipt:1"),
    receiptMail("hibiki@example.jp", "二通目", "receipt:2"),
  );
  await waitUntil(async () =>
    expect(await states()).toEqual([
      { state: "queued", attempts: 1 },
      { state: "queued", attempts: 0 },
    ]),
  );
});

/** Sends a webhook, signed with the key. */
const sendEvent = (event: object, { at_ms = Date.now(), key = KEY } = {}) => {
  const body = JSON.stringify(event);
  const at = String(Math.floor(at_ms / 1000));
  const signature = createHmac("sha256", Buffer.from(key, "base64")).update(`msg_1.${at}.${body}`).digest("base64");
  const headers = { "svix-id": "msg_1", "svix-timestamp": at, "svix-signature": `v1,AAAA v1,${signature}` };
  return mails.fetch("/v4/webhooks/mails", { method: "POST", headers, body });
};

describe("a webhook", () => {
  const report = (
    type: string,
    {
      to = "Gone@example.jp",
      bounce = "Permanent",
      ...signing
    }: { to?: string; bounce?: string; at_ms?: number; key?: string } = {},
  ) => sendEvent({ type, data: { to: [to], bounce: { type: bounce } } }, signing);
  test("that names a quoted mailbox suppresses the address that it was made of", async () => {
    expect((await report("email.bounced", { to: '"a..b."@docomo.ne.jp' })).status).toBe(204);
    const rows = await mails.run("SELECT unreported_address FROM suppressions");
    expect(rows).toEqual([{ unreported_address: "a..b.@docomo.ne.jp" }]);
  });

  const reasons = async () =>
    (await mails.run<{ reason: string }>("SELECT reason FROM suppressions")).map(({ reason }) => reason);

  test.each([
    ["email.bounced", "Permanent", ["bounce"]],
    ["email.bounced", "Transient", []],
    ["email.complained", "Permanent", ["complaint"]],
    ["email.delivered", "Permanent", []],
  ])("%s (%s) suppresses the address for %j", async (type, bounce, expected) => {
    expect((await report(type, { bounce })).status).toBe(204);
    expect((await report(type, { bounce })).status).toBe(204);
    expect(await reasons()).toEqual(expected);
    await mails.handOver(receiptMail("gone@example.jp"));
    const state = expected.length > 0 ? "suppressed" : "sent";
    await waitUntil(async () => expect(await states()).toMatchObject([{ state }]));
  });

  test.each([
    ["of a stranger", { key: Buffer.from("another secret").toString("base64") }],
    ["of last hour", { at_ms: Date.now() - 3_600_000 }],
  ])("%s is refused", async (_, change) => {
    expect((await report("email.complained", change)).status).toBe(400);
    expect(await reasons()).toEqual([]);
  });

  test("reports a bounce to the API until the API has marked the account", async () => {
    await report("email.bounced");
    const bounces = async () => (await mails.fetch("/bounces")).json();
    expect(await bounces()).toEqual({ addresses: ["Gone@example.jp"] });
    await mails.fetch("/bounces", { method: "DELETE", body: JSON.stringify({ addresses: ["Gone@example.jp"] }) });
    expect(await bounces()).toEqual({ addresses: [] });
    expect(await reasons()).toEqual(["bounce"]);
  });
});

describe("a webhook that names a mail which did not arrive", () => {
  const events = {
    "email.bounced": {
      bounce: { type: "Transient", subType: "MailboxFull", message: "The mailbox of gone@example.jp is full" },
    },
    "email.failed": { failed: { reason: "reached_daily_quota" } },
    "email.suppressed": {
      suppressed: { type: "OnAccountSuppressionList", message: "gone@example.jp is on the suppression list" },
    },
  };
  type Type = keyof typeof events;
  const permanent = { bounce: { type: "Permanent", subType: "General", message: "no such user" } };
  const ADDRESS = "gone@example.jp";

  /** Reports about the mail that Resend took as the `n`th, in the shape of Resend's events. */
  const reportMail = (
    type: Type,
    cause: object = events[type],
    { n = 0, ...signing }: { n?: number; key?: string } = {},
  ) => {
    const { to, tags } = asked[n]?.body ?? { to: [], tags: [] };
    const named = Object.fromEntries(tags.map(({ name, value }) => [name, value]));
    return sendEvent({ type, data: { email_id: "49a3999c", to, tags: named, ...cause } }, signing);
  };
  const rows = () => mails.run("SELECT mail_id, state, attempts, answer, text FROM mails ORDER BY mail_id");
  const waitForState = (state: string) =>
    waitUntil(async () => expect(await states()).toEqual([{ state, attempts: 1 }]));
  const suppressions = () => mails.run("SELECT reason, unreported_address FROM suppressions");
  const failedMails = async () => {
    const { gauges } = (await (await mails.fetch("/figures")).json()) as { gauges: { name: string; value: number }[] };
    return gauges.find(({ name }) => name === "ofuse_mails_failed")?.value;
  };
  const deliveries = async () => (await (await mails.fetch("/deliveries")).json()) as object;
  const handOverNewsletter = () =>
    mails.fetch("/newsletters", { method: "POST", body: JSON.stringify(newsletterTo([ADDRESS])) });
  const counted = (sent_count: number, bounced_count: number) => ({
    deliveries: [{ content_id: CONTENT_ID, handed_count: 1, sent_count, bounced_count }],
  });
  const release = () =>
    mails.fetch("/suppressions", { method: "PUT", body: JSON.stringify({ address: ADDRESS, is_suppressed: false }) });

  /**
   * Waits for the lines about a cause that only one test reports, and returns them. The worker's lines arrive after its
   * answers, also those of earlier tests, and not all are JSON.
   */
  const waitForLines = (code: string) =>
    waitUntil(() => {
      const lines = logs.filter((line) => line.includes("a sent mail did not arrive") && line.includes(code));
      expect(lines).not.toEqual([]);
      return lines.map((line) => JSON.parse(line));
    });

  test.each<[Type, object, string, string]>([
    [
      "email.bounced",
      { bounce: { type: "Transient", subType: "FullTwice", message: `The mailbox of ${ADDRESS} is full` } },
      "FullTwice",
      `email.bounced Transient FullTwice The mailbox of ${ADDRESS} is full`,
    ],
    ["email.failed", { failed: { reason: "quota_twice" } }, "quota_twice", "email.failed quota_twice"],
    [
      "email.suppressed",
      { suppressed: { type: "ListedTwice", message: `${ADDRESS} is on the suppression list` } },
      "ListedTwice",
      `email.suppressed ListedTwice ${ADDRESS} is on the suppression list`,
    ],
  ])("%s makes it a failed mail, once, and suppresses nothing", async (type, cause, code, answer) => {
    await mails.handOver(
      receiptMail(ADDRESS, "件名", "receipt:1.a-b_c"),
      receiptMail("hana@example.jp", "件名", "z:2"),
    );
    await waitUntil(async () => expect(await states()).toMatchObject([{ state: "sent" }, { state: "sent" }]));
    for (const _ of [1, 2]) expect((await reportMail(type, cause)).status).toBe(204);
    expect(await rows()).toEqual([
      { mail_id: "receipt:1.a-b_c", state: "failed", attempts: 1, answer, text: "" },
      expect.objectContaining({ mail_id: "z:2", state: "sent" }),
    ]);
    expect(await failedMails()).toBe(1);
    expect(await suppressions()).toEqual([]);
    // Lines of one level arrive in order. A second line about the mail above would arrive before this one.
    const reason = type.replace("email.", "last_");
    await reportMail(type, { bounce: { reason }, failed: { reason }, suppressed: { reason } }, { n: 1 });
    await waitForLines(reason);
    expect(await waitForLines(code)).toMatchObject([{ worker: "mails", kind: "payment_receipt", event: type }]);
    expect(logs.join()).not.toContain("@");
    await mails.runScheduled();
    expect(asked).toHaveLength(2);
  });

  test("logs the code of the cause", async () => {
    await mails.handOver(receiptMail(ADDRESS));
    await waitForState("sent");
    await reportMail("email.failed", { failed: { reason: "code_of_the_cause" } });
    expect(await waitForLines("code_of_the_cause")).toMatchObject([{ level: "warn", cause: "code_of_the_cause" }]);
  });

  test("as a permanent bounce also suppresses the address", async () => {
    await mails.handOver(receiptMail(ADDRESS));
    await waitForState("sent");
    await reportMail("email.bounced", permanent);
    expect(await rows()).toMatchObject([{ state: "failed", answer: "email.bounced Permanent General no such user" }]);
    expect(await suppressions()).toEqual([{ reason: "bounce", unreported_address: ADDRESS }]);
  });

  test("does not suppress the address again when it is repeated after the release", async () => {
    await mails.handOver(receiptMail(ADDRESS));
    await waitForState("sent");
    await reportMail("email.bounced", permanent);
    await release();
    expect((await reportMail("email.bounced", permanent)).status).toBe(204);
    expect(await suppressions()).toEqual([]);
  });

  test("does not ask the API to mark an account again when it is repeated", async () => {
    await mails.handOver(receiptMail(ADDRESS));
    await waitForState("sent");
    await reportMail("email.bounced", permanent);
    await mails.fetch("/bounces", { method: "DELETE", body: JSON.stringify({ addresses: [ADDRESS] }) });
    await reportMail("email.bounced", permanent);
    expect(await suppressions()).toEqual([{ reason: "bounce", unreported_address: null }]);
  });

  test("suppresses the address when a permanent bounce follows another report", async () => {
    await mails.handOver(receiptMail(ADDRESS));
    await waitForState("sent");
    await reportMail("email.bounced");
    await reportMail("email.bounced", permanent);
    expect(await rows()).toMatchObject([
      { state: "failed", answer: "email.bounced Transient MailboxFull The mailbox of gone@example.jp is full" },
    ]);
    expect(await suppressions()).toEqual([{ reason: "bounce", unreported_address: ADDRESS }]);
  });

  test("changes nothing when a stranger forges it", async () => {
    await mails.handOver(receiptMail(ADDRESS));
    await waitForState("sent");
    const key = Buffer.from("another secret").toString("base64");
    for (const cause of [undefined, permanent]) {
      expect((await reportMail("email.bounced", cause, { key })).status).toBe(400);
    }
    expect(await states()).toEqual([{ state: "sent", attempts: 1 }]);
    expect(await suppressions()).toEqual([]);
    expect(await failedMails()).toBe(0);
  });

  test.each(["no tag", "a tag of another program"])("changes no mail when it has %s", async (has) => {
    await mails.handOver(receiptMail(ADDRESS));
    await waitForState("sent");
    const tags = has === "no tag" ? undefined : { category: "x", mail: "ええ/x/y" };
    const event = { type: "email.failed", data: { to: [ADDRESS], tags, failed: { reason: "x" } } };
    expect((await sendEvent(event)).status).toBe(204);
    expect(await states()).toEqual([{ state: "sent", attempts: 1 }]);
  });

  test("fails a mail whose sending is not recorded yet, and keeps the suppression", async () => {
    beforeAnswer = async () => asked.length === 1 && reportMail("email.bounced", permanent);
    await mails.handOver(signInMail(ADDRESS, "identity:1"), receiptMail("hana@example.jp", "件名", "receipt:2"));
    // The second mail leaves after the outcome of the first is recorded.
    await waitUntil(() => expect(asked).toHaveLength(2));
    expect(await rows()).toMatchObject([
      { mail_id: "identity:1", state: "failed", attempts: 1, answer: expect.stringContaining("Permanent"), text: "" },
      { mail_id: "receipt:2" },
    ]);
    expect(await suppressions()).toContainEqual({ reason: "bounce", unreported_address: ADDRESS });
    await mails.runScheduled();
    expect(asked).toHaveLength(2);
  });

  test("fails a mail whose answer was lost, and it is not sent again", async () => {
    status = 500;
    await mails.handOver(receiptMail(ADDRESS));
    await waitForState("queued");
    await reportMail("email.failed");
    await mails.run("UPDATE mails SET next_attempt_at = ''");
    await mails.runScheduled();
    expect(await rows()).toMatchObject([{ state: "failed", attempts: 1, answer: "email.failed reached_daily_quota" }]);
    expect(asked).toHaveLength(1);
  });

  test("changes nothing about a mail whose address is forgotten", async () => {
    await mails.handOver(receiptMail(ADDRESS));
    await waitForState("sent");
    await mails.run("UPDATE mails SET created_at = '2020-01-01T00:00:00.000Z'");
    await mails.runScheduled();
    await reportMail("email.suppressed");
    expect(await rows()).toMatchObject([{ state: "sent", answer: null }]);
  });

  test.each<[Type, object | undefined, number]>([
    ["email.failed", undefined, 0],
    ["email.suppressed", undefined, 0],
    ["email.bounced", undefined, 0],
    ["email.bounced", permanent, 1],
  ])("takes a newsletter's mail back from the sent ones: %s %o", async (type, cause, bounced_count) => {
    await handOverNewsletter();
    await waitForState("sent");
    expect(await deliveries()).toEqual(counted(1, 0));
    await mails.fetch("/deliveries", { method: "DELETE", body: JSON.stringify(await deliveries()) });
    await reportMail(type, cause);
    expect(await deliveries()).toEqual(counted(0, bounced_count));
    await mails.fetch("/deliveries", { method: "DELETE", body: JSON.stringify(await deliveries()) });
    await reportMail(type, cause);
    expect(await deliveries()).toEqual({ deliveries: [] });
  });

  test("counts a newsletter's mail once when its sending is not recorded yet", async () => {
    beforeAnswer = () => reportMail("email.bounced", permanent);
    await handOverNewsletter();
    await waitForState("failed");
    await mails.runScheduled();
    expect(await deliveries()).toEqual(counted(0, 1));
  });

  test("lets an operator send a newsletter's mail again under another key, which old reports do not concern", async () => {
    await handOverNewsletter();
    await waitForState("sent");
    await reportMail("email.bounced", permanent);
    await release();
    const [{ mail_id } = { mail_id: "" }] = await mails.run<{ mail_id: string }>("SELECT mail_id FROM mails");
    const retried = await mails.fetch("/retries", { method: "POST", body: JSON.stringify({ mail_id }) });
    expect(await retried.json()).toEqual({ is_queued: true });
    await reportMail("email.bounced", permanent);
    expect(await rows()).toMatchObject([{ state: "queued" }]);
    expect(await suppressions()).toEqual([]);
    await mails.runScheduled();
    await waitForState("sent");
    expect(asked.map(({ key }) => key)).toEqual([mail_id, `${mail_id}/1`]);
    expect(await deliveries()).toEqual(counted(1, 1));
    await reportMail("email.failed", undefined, { n: 1 });
    expect(await rows()).toMatchObject([{ state: "failed", answer: "email.failed reached_daily_quota" }]);
    expect(await deliveries()).toEqual(counted(0, 1));
  });
});
