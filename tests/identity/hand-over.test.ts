import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { MemoryDatabase } from "../../scripts/memory-d1.ts";
import { type HandedMail, handedMails } from "../../workers/contract/mails.ts";
import { handOverMails, REFUSED_FOR_MS, writeMail } from "../../workers/identity/mails/commands.ts";
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
function open(answer: (mails: HandedMail[]) => number, now_ms = NOW_MS) {
  const fetch = async (_: string, { body }: { body: string }) =>
    new Response(null, { status: answer(JSON.parse(body).mails) });
  const env = { ...bindings, ...unbound, DB: database.connect(), MAILS: { fetch } };
  return openIdentity(env as unknown as IdentityEnv, now_ms);
}
const waiting = () => database.run("SELECT recipient FROM mails WHERE handed_at IS NULL", []).results;

async function write(links: Record<string, string>): Promise<void> {
  const identity = open(() => 204);
  for (const [recipient, link] of Object.entries(links)) {
    await writeMail(identity, { kind: "sign_in_link", recipient, local_id: null, gaps: { link } }).execute();
  }
}

/** Answers like the mails worker, and adds the recipients of the mails that it takes to `taken`. */
const mailsWorker = (taken: string[]) => (mails: HandedMail[]) => {
  if (!handedMails.safeParse({ mails }).success) return 400;
  taken.push(...mails.map(({ recipient }) => recipient));
  return 204;
};
const REFUSED = "a".repeat(4001);

test("keeps a mail that the mails worker refuses for an hour, and hands the others over", async () => {
  const [warned, logged] = [vi.spyOn(console, "warn").mockReturnValue(), vi.spyOn(console, "error").mockReturnValue()];
  await write({ "bad@example.jp": REFUSED, "first@example.jp": "a", "second@example.jp": "b" });
  const taken: string[] = [];
  await handOverMails(open(mailsWorker(taken)));
  await handOverMails(open(mailsWorker(taken), NOW_MS + REFUSED_FOR_MS - 1));
  expect(taken.toSorted()).toEqual(["first@example.jp", "second@example.jp"]);
  expect(waiting()).toEqual([{ recipient: "bad@example.jp" }]);
  expect(warned).toHaveBeenCalledTimes(2);
  expect(logged).not.toHaveBeenCalled();
  await handOverMails(open(mailsWorker(taken), NOW_MS + REFUSED_FOR_MS));
  expect(waiting()).toEqual([]);
  const lines = logged.mock.calls.map(([line]) => JSON.parse(line));
  const message = "a mail that the mails worker refuses was given up";
  expect(lines).toEqual([expect.objectContaining({ message, mail_id: expect.any(String), kind: "sign_in_link" })]);
  expect([...warned.mock.calls, ...logged.mock.calls].join()).not.toContain("bad@example.jp");
});

test("sends a mail that an older mails worker refused once the newer one is there", async () => {
  vi.spyOn(console, "warn").mockReturnValue();
  await write({ "first@example.jp": "a" });
  await handOverMails(open(() => 400));
  const taken: string[] = [];
  await handOverMails(open(mailsWorker(taken)));
  expect([taken, waiting()]).toEqual([["first@example.jp"], []]);
});

test("hands a mail over behind more refused ones than one hand-over takes", async () => {
  vi.spyOn(console, "warn").mockReturnValue();
  await write(Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`bad${index}@example.jp`, REFUSED])));
  const identity = open(() => 204, NOW_MS + 1000);
  const gaps = { link: "a" };
  await writeMail(identity, { kind: "sign_in_link", recipient: "good@example.jp", local_id: null, gaps }).execute();
  const taken: string[] = [];
  await handOverMails(open(mailsWorker(taken), NOW_MS + 2000));
  expect(taken).toEqual(["good@example.jp"]);
  expect(waiting()).toHaveLength(60);
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
