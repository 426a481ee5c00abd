import { expect, test } from "vitest";
import {
  BOUNCES_PATH,
  DELIVERIES_PATH,
  MAILS_PATH,
  NEWSLETTER_CANCELLATIONS_PATH,
  NEWSLETTER_PREVIEWS_PATH,
  NEWSLETTERS_PATH,
  type OperatedMails,
  RETRIES_PATH,
  SUPPRESSIONS_PATH,
} from "../../workers/contract/mails.ts";
import { mailsForTests } from "./support.ts";

/** What other workers must not take for an outage: docs/decisions/0035. */

const { serve, startFor } = mailsForTests();

test("refuses a body or a query that it cannot read as the caller's fault", async () => {
  const mails = await startFor(await serve());
  const routes = [
    ["POST", MAILS_PATH],
    ["POST", NEWSLETTERS_PATH],
    ["POST", NEWSLETTER_CANCELLATIONS_PATH],
    ["POST", NEWSLETTER_PREVIEWS_PATH],
    ["DELETE", DELIVERIES_PATH],
    ["POST", RETRIES_PATH],
    ["PUT", SUPPRESSIONS_PATH],
    ["DELETE", BOUNCES_PATH],
  ] as const;
  for (const [method, path] of routes) {
    for (const body of ["{", "{}"]) {
      const answer = await mails.fetch(path, { method, body });
      expect([method, path, body, answer.status]).toEqual([method, path, body, 400]);
    }
  }
  expect((await mails.fetch(`${MAILS_PATH}?state=lost`)).status).toBe(400);
});

test("lists failed mails page by page, newest first, with their number and the time of the oldest", async () => {
  const mails = await startFor(await serve());
  const ids = ["receipt:a", "receipt:b", "receipt:c", "receipt:d", "receipt:e"];
  for (const [index, mail_id] of [...ids, "receipt:sent"].entries()) {
    await mails.run(
      `INSERT INTO mails (mail_id, kind, recipient, recipient_hash, subject, text, html, state, attempts,
         next_attempt_at, answer, created_at)
       VALUES (?1, 'payment_receipt', ?2, ?3, '', '', '', ?4, 1, ?5, NULL, ?5)`,
      mail_id,
      "hana@example.jp",
      "0".repeat(64),
      mail_id === "receipt:sent" ? "sent" : "failed",
      // Two of them have the same moment.
      new Date(Date.UTC(2026, 10, 20, 3, index === 2 ? 1 : index)).toISOString(),
    );
  }
  const seen: string[][] = [];
  for (let token: string | null = ""; token !== null; ) {
    const query = new URLSearchParams({ state: "failed", limit: "2", ...(token && { next_page_token: token }) });
    const page = (await (await mails.fetch(`${MAILS_PATH}?${query}`)).json()) as OperatedMails;
    seen.push(page.mails.map(({ mail_id }) => mail_id));
    expect([page.count, page.oldest_at]).toEqual([5, "2026-11-20T03:00:00.000Z"]);
    token = page.next_page_token;
  }
  expect(seen).toEqual([["receipt:e", "receipt:d"], ["receipt:c", "receipt:b"], ["receipt:a"]]);
});
