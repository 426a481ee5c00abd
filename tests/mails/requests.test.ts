import { expect, test } from "vitest";
import {
  BOUNCES_PATH,
  DELIVERIES_PATH,
  MAILS_PATH,
  NEWSLETTER_CANCELLATIONS_PATH,
  NEWSLETTER_PREVIEWS_PATH,
  NEWSLETTERS_PATH,
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
