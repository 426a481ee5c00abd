import { createHmac } from "node:crypto";
import { Response as MiniflareResponse } from "miniflare";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { waitUntil } from "../support/wait.ts";
import { receiptMail, startMails } from "./support.ts";

/** Sending by Resend's HTTP API, and its webhooks. */

interface Asked {
  authorization: string | null;
  key: string | null;
  body: { from: string; to: string[]; subject: string; text: string; html: string };
}
const asked: Asked[] = [];
let status = 200;
let refusal = { name: "an_error", message: "" };
const KEY = Buffer.from("webhook secret of the tests, 32 b").toString("base64");

const mails = await startMails(
  { MAIL_END: "resend", RESEND_API_KEY: "re_test", RESEND_WEBHOOK_SECRET: `whsec_${KEY}` },
  {
    outside: async (request) => {
      if (request.url !== "https://api.resend.com/emails") throw new Error(`nobody is at ${request.url}`);
      const { headers } = request;
      asked.push({
        authorization: headers.get("authorization"),
        key: headers.get("idempotency-key"),
        body: (await request.json()) as Asked["body"],
      });
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
  for (const table of ["mails", "suppressions"]) await mails.run(`DELETE FROM ${table}`);
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

describe("a webhook", () => {
  const report = (
    type: string,
    { to = "Gone@example.jp", bounce = "Permanent", at_ms = Date.now(), key = KEY } = {},
  ) => {
    const body = JSON.stringify({ type, data: { to: [to], bounce: { type: bounce } } });
    const at = String(Math.floor(at_ms / 1000));
    const signature = createHmac("sha256", Buffer.from(key, "base64")).update(`msg_1.${at}.${body}`).digest("base64");
    const headers = { "svix-id": "msg_1", "svix-timestamp": at, "svix-signature": `v1,AAAA v1,${signature}` };
    return mails.fetch("/v4/webhooks/mails", { method: "POST", headers, body });
  };
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
