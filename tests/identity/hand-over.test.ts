import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { MemoryDatabase } from "../../scripts/memory-d1.ts";
import { type HandedMail, handedMails } from "../../workers/contract/mails.ts";
import { handOverMails, writeMail } from "../../workers/identity/mails/commands.ts";
import { openIdentity } from "../../workers/identity/storage/database.ts";
import { bindings, unbound } from "./support.ts";

/** How identity hands its mails over, and what a mail does to the others that the mails worker refuses. */

let database: MemoryDatabase;
beforeEach(() => {
  database = new MemoryDatabase("identity");
});
afterEach(() => {
  vi.restoreAllMocks();
  database.close();
});

const NOW_MS = Date.parse("2026-11-22T15:30:00.000Z");
/** @param answer the status of the mails worker to these mails. */
function open(answer: (mails: HandedMail[]) => number) {
  const fetch = async (_: string, { body }: { body: string }) =>
    new Response(null, { status: answer(JSON.parse(body).mails) });
  const env = { ...bindings, ...unbound, DB: database.connect(), MAILS: { fetch } };
  return openIdentity(env as unknown as IdentityEnv, NOW_MS);
}
const waiting = () => database.run("SELECT recipient FROM mails WHERE handed_at IS NULL", []).results;

async function write(links: Record<string, string>): Promise<void> {
  const identity = open(() => 204);
  for (const [recipient, link] of Object.entries(links)) {
    await writeMail(identity, { kind: "sign_in_link", recipient, local_id: null, gaps: { link } }).execute();
  }
}

test("gives up a mail that the mails worker refuses, and hands the others over", async () => {
  const logged = vi.spyOn(console, "error").mockReturnValue();
  await write({ "bad@example.jp": "a".repeat(4001), "first@example.jp": "a", "second@example.jp": "b" });
  const taken: string[] = [];
  const identity = open((mails) => {
    if (!handedMails.safeParse({ mails }).success) return 400;
    taken.push(...mails.map(({ recipient }) => recipient));
    return 204;
  });
  await handOverMails(identity);
  expect(taken.toSorted()).toEqual(["first@example.jp", "second@example.jp"]);
  expect(waiting()).toEqual([]);
  expect(logged).toHaveBeenCalledOnce();
  expect(logged.mock.calls[0]?.[0]).toContain("the mails worker refused a mail");
  expect(logged.mock.calls[0]?.[0]).not.toContain("bad@example.jp");
});

test("leaves a mail of a later version to that version", async () => {
  await write({ "later@example.jp": "a", "now@example.jp": "b" });
  database.run("UPDATE mails SET kind = 'of_a_later_version' WHERE recipient = 'later@example.jp'", []);
  await handOverMails(open((mails) => (handedMails.safeParse({ mails }).success ? 204 : 400)));
  expect(waiting()).toEqual([{ recipient: "later@example.jp" }]);
});

test("keeps the mails while the mails worker fails", async () => {
  await write({ "first@example.jp": "a", "second@example.jp": "b" });
  await expect(handOverMails(open(() => 503))).rejects.toThrow("503");
  expect(waiting()).toHaveLength(2);
});
