import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { format } from "node:util";
import { describe, expect, test } from "vitest";
import { waitUntil } from "../support/wait.ts";
import { mailsForTests, type RunningMails, receiptMail, signInMail } from "./support.ts";

const { serve, startFor, killWorker } = mailsForTests();

interface Row {
  state: string;
  answer: string | null;
  attempts: number;
  text: string;
}
const rowOf = async (mails: RunningMails, recipient: string) =>
  (await mails.run<Row>("SELECT state, answer, attempts, text FROM mails WHERE recipient = ?", recipient))[0];
/** Waits until every mail has been attempted or set aside, and returns the mail to this recipient. */
async function settled(mails: RunningMails, recipient: string): Promise<Row | undefined> {
  await waitUntil(async () => {
    const rows = await mails.run<Row>(
      "SELECT state FROM mails WHERE state = 'sending' OR (state = 'queued' AND attempts = 0)",
    );
    expect(rows).toEqual([]);
    expect(await mails.run("SELECT run_id FROM delivery WHERE run_id IS NOT NULL")).toEqual([]);
  });
  return rowOf(mails, recipient);
}
const retry = (mails: RunningMails) => mails.run("UPDATE mails SET next_attempt_at = '' WHERE state = 'queued'");

test.each(["starttls", "tls"])("submits a mail over %s with a password, and forgets its words", async (SMTP_TLS) => {
  const server = await serve({ secure: SMTP_TLS === "tls" });
  const mails = await startFor(server, { SMTP_TLS });
  expect(await mails.handOver(signInMail("hana@example.jp", "identity:first"))).toBe(204);
  expect(await settled(mails, "hana@example.jp")).toMatchObject({ state: "sent", text: "" });
  const [received] = server.received;
  expect(received).toMatchObject({ is_secure: true, user: "mailer", to: ["hana@example.jp"] });
  expect(received?.mail).toMatchObject({
    subject: "【ofuse】ログイン用リンクのお知らせ",
    from: { name: "ofuse（オフューズ）", address: "no-reply@ofuse.example" },
    to: [{ address: "hana@example.jp" }],
    messageId: "<identity.first@ofuse.example>",
  });
  expect(received?.raw).toContain("Content-Type: multipart/alternative;");
  const link = "http://localhost:8788/signup/action?oobCode=identity:first";
  expect(received?.mail.text).toContain(`\n${link}\n`);
  expect(received?.mail.html).toContain(`href="${link}"`);
  expect(received?.mail.text).toContain("送信者：株式会社オフセ（デモ）");
});

test("puts the local part of a Japanese carrier's old address into quotes", async () => {
  const server = await serve();
  const mails = await startFor(server);
  // This server refuses the address without quotes, as strict ones do.
  await mails.handOver(signInMail("taro.@docomo.ne.jp", "identity:carrier"));
  expect(await settled(mails, "taro.@docomo.ne.jp")).toMatchObject({ state: "sent" });
  expect(server.received[0]?.to).toEqual(['"taro."@docomo.ne.jp']);
});

describe("an address that is not ASCII", () => {
  test("is sent to the ASCII name of its domain", async () => {
    const lines: string[] = [];
    const server = await serve({ hideSMTPUTF8: true, logger: keepLines(lines) });
    const mails = await startFor(server, { MAIL_FROM: "no-reply@手紙.jp" });
    await mails.handOver(signInMail("fan@日本語.jp", "identity:domain"));
    expect(await settled(mails, "fan@日本語.jp")).toMatchObject({ state: "sent" });
    // The library decodes the domains of the envelope.
    const said = lines.join("\n");
    expect(said).toContain("RCPT TO:<fan@xn--wgv71a119e.jp>");
    expect(said).toMatch(/MAIL FROM:<no-reply@xn--[a-z0-9]+\.jp>/);
  });

  test("does not bounce at a server that cannot read it", async () => {
    const server = await serve({ hideSMTPUTF8: true, onRcptTo: refuseWith(553, "No such mailbox name") });
    const mails = await startFor(server);
    await mails.handOver(receiptMail("はな@example.jp"));
    expect(await settled(mails, "はな@example.jp")).toMatchObject({ state: "failed", attempts: 1 });
    expect(await mails.run("SELECT reason FROM suppressions")).toEqual([]);
  });
});

test("sends an occasion once, however often and by how many it is handed over", async () => {
  const server = await serve();
  const mails = await startFor(server);
  const occasions = Array.from({ length: 12 }, (_, index) => signInMail(`fan${index}@example.jp`, `same:${index}`));
  await Promise.all(Array.from({ length: 5 }, () => mails.handOver(...occasions)));
  await settled(mails, "fan0@example.jp");
  await mails.handOver(...occasions);
  await mails.runScheduled();
  expect(server.received.flatMap(({ to }) => to).sort()).toEqual(occasions.map(({ recipient }) => recipient).sort());
});

describe("a server that", () => {
  test("offers no encryption gets neither the mail nor the password", async () => {
    const lines: string[] = [];
    const server = await serve({
      disabledCommands: ["STARTTLS"],
      logger: keepLines(lines),
    });
    const mails = await startFor(server);
    await mails.handOver(signInMail("plain@example.jp"));
    expect(await settled(mails, "plain@example.jp")).toMatchObject({ state: "queued", attempts: 1 });
    expect(server.received).toEqual([]);
    expect(lines.join("\n")).not.toContain("AUTH PLAIN");
  });

  test("shows a certificate of nobody gets nothing", async () => {
    // Without a key of ours, the library shows a certificate that nobody vouches for.
    const server = await serve({ key: undefined, cert: undefined });
    const mails = await startFor(server);
    await mails.handOver(signInMail("stranger@example.jp"));
    expect(await settled(mails, "stranger@example.jp")).toMatchObject({ state: "queued", attempts: 1 });
    expect(server.received).toEqual([]);
  });

  test("refuses the password gets the mails after the operator has mended it", async () => {
    const server = await serve();
    const wrong = await startFor(server, { SMTP_PASSWORD: "wrong" });
    await wrong.handOver(signInMail("locked@example.jp"));
    const row = await settled(wrong, "locked@example.jp");
    expect(row).toMatchObject({ state: "queued", answer: expect.stringContaining("535") });
  });

  test("defers a mail gets it again, and the next mails meanwhile", async () => {
    let is_busy = true;
    const server = await serve({
      onRcptTo: ({ address }, _session, done) =>
        done(is_busy && address.startsWith("grey") ? reply(450, "4.2.0 Greylisted") : null),
    });
    const mails = await startFor(server);
    await mails.handOver(signInMail("grey@example.jp"), signInMail("white@example.jp"));
    expect(await settled(mails, "grey@example.jp")).toMatchObject({ state: "queued", attempts: 1 });
    expect(await rowOf(mails, "white@example.jp")).toMatchObject({ state: "sent" });
    is_busy = false;
    await mails.runScheduled();
    expect(await rowOf(mails, "grey@example.jp"), "before its time").toMatchObject({ state: "queued" });
    await retry(mails);
    await mails.runScheduled();
    expect(await rowOf(mails, "grey@example.jp")).toMatchObject({ state: "sent", attempts: 2 });
  });

  test("knows no such mailbox suppresses it, except for mails that a person asks for", async () => {
    let is_gone = true;
    const server = await serve({
      onRcptTo: (_address, _session, done) => done(is_gone ? reply(550, "5.1.1 No such user") : null),
    });
    const mails = await startFor(server);
    await mails.handOver(receiptMail("gone@example.jp", "一通目"));
    expect(await settled(mails, "gone@example.jp")).toMatchObject({ state: "failed", attempts: 1 });
    expect(await mails.run("SELECT reason, unreported_address FROM suppressions")).toEqual([
      { reason: "bounce", unreported_address: "gone@example.jp" },
    ]);
    is_gone = false;
    await mails.handOver(receiptMail("Gone@example.jp", "二通目"), signInMail("gone@example.jp"));
    await waitUntil(() => expect(server.received).toHaveLength(1));
    expect(await settled(mails, "Gone@example.jp")).toMatchObject({ state: "suppressed", text: "" });
    expect(server.received[0]?.mail.subject).toContain("ログイン用リンク");
  });

  test.each([
    ["the sender", { onMailFrom: refuseWith(553, "5.7.1 Not yours") }],
    ["a sender above the day's limit", { onMailFrom: refuseWith(550, "5.4.5 Daily user sending limit exceeded") }],
    ["a sender for now", { onMailFrom: refuseWith(421, "4.7.0 Try again later") }],
    ["a recipient without a password", { onRcptTo: refuseWith(530, "5.7.0 Authentication required") }],
    ["a recipient above the day's limit", { onRcptTo: refuseWith(550, "5.1.90 Daily limit") }],
    ["a recipient because of the sender", { onRcptTo: refuseWith(550, "5.1.8 Bad sender") }],
  ])("refuses %s leaves all mails waiting, and suppresses nobody", async (_, options) => {
    const server = await serve(options);
    const mails = await startFor(server);
    await mails.handOver(signInMail("first@example.jp", "test:a"), signInMail("second@example.jp", "test:b"));
    await waitUntil(async () => {
      expect(await rowOf(mails, "first@example.jp")).toMatchObject({ state: "queued", attempts: 1 });
      expect(await rowOf(mails, "second@example.jp")).toMatchObject({ state: "queued", attempts: 0 });
    });
    expect(await mails.run("SELECT * FROM suppressions")).toEqual([]);
  });

  test("takes long over a mail that it has got whole gets it once", async () => {
    const slow = Promise.withResolvers<() => void>();
    let copies = 0;
    const server = await serve({
      onData(stream, _session, done) {
        copies++;
        stream.resume().on("end", () => slow.resolve(done));
      },
    });
    const answer_ms = 5_000;
    const mails = await startFor(server, {}, { answer_ms });
    await mails.handOver(signInMail("patient@example.jp"));
    const take = await slow.promise;
    // A server that is silent at another step is given up after this moment, at the time limit of each other step.
    const other = await startFor(await serve({ onMailFrom: () => {} }), {}, { answer_ms });
    await other.handOver(signInMail("silent@example.jp"));
    await waitUntil(async () => expect(await rowOf(other, "silent@example.jp")).toMatchObject({ attempts: 1 }));
    take();
    expect(await settled(mails, "patient@example.jp")).toMatchObject({ state: "sent", attempts: 1 });
    expect(copies).toBe(1);
  });

  test("refuses a recipient by policy ends the mail, and keeps the address", async () => {
    const server = await serve({ onRcptTo: refuseWith(550, "5.7.1 Blocked") });
    const mails = await startFor(server);
    await mails.handOver(receiptMail("kept@example.jp"));
    expect(await settled(mails, "kept@example.jp")).toMatchObject({ state: "failed", attempts: 1 });
    expect(await mails.run("SELECT * FROM suppressions")).toEqual([]);
  });

  test("resets the connection after the mail may get a second copy, with the same Message-ID", async () => {
    const seen: string[] = [];
    const server = await serve({}, ({ mail }, drop) => {
      seen.push(mail.messageId ?? "");
      if (seen.length === 1) drop();
      return null;
    });
    const mails = await startFor(server);
    await mails.handOver(signInMail("twice@example.jp"));
    expect(await settled(mails, "twice@example.jp")).toMatchObject({ state: "queued", attempts: 1 });
    await retry(mails);
    await mails.runScheduled();
    expect(await rowOf(mails, "twice@example.jp")).toMatchObject({ state: "sent" });
    expect(seen).toHaveLength(2);
    expect(seen[0]).toBe(seen[1]);
  });

  test.each([
    ["greets nobody", { onConnect: () => {} }],
    ["says nothing to a sender", { onMailFrom: () => {} }],
  ])("%s is given up, and the other mails wait", async (_, options) => {
    const server = await serve(options);
    const mails = await startFor(server, {}, { answer_ms: 500 });
    await mails.handOver(signInMail("first@example.jp"), signInMail("second@example.jp"));
    await waitUntil(async () => {
      expect(await rowOf(mails, "first@example.jp")).toMatchObject({ state: "queued", attempts: 1 });
      expect(await rowOf(mails, "second@example.jp")).toMatchObject({ state: "queued", attempts: 0 });
    });
  });

  test("is not there leaves the mails waiting", async () => {
    const gone = await serve();
    await gone.stop();
    const mails = await startFor(gone);
    await mails.handOver(signInMail("later@example.jp"));
    expect(await settled(mails, "later@example.jp")).toMatchObject({ state: "queued", attempts: 1 });
  });
});

test("a kill in the middle sends no mail twice that the database knows to be sent", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ofuse-mails-"));
  const recipients = Array.from({ length: 60 }, (_, index) => `fan${index}@example.jp`);
  const copies = new Map<string, number>();
  const half = Promise.withResolvers<void>();
  const server = await serve({}, ({ mail }) => {
    const id = mail.messageId ?? "";
    copies.set(id, (copies.get(id) ?? 0) + 1);
    if (copies.size === 25) half.resolve();
    return null;
  });
  const first = await startFor(server, {}, { folder });
  await first.handOver(...recipients.map((recipient) => signInMail(recipient)));
  await half.promise;
  await killWorker(first);
  const again = await startFor(server, {}, { folder });
  const recorded = await again.run<{ mail_id: string }>("SELECT mail_id FROM mails WHERE state = 'sent'");
  // The dead run's right to deliver ends by itself after half a minute.
  await again.run("UPDATE delivery SET leased_until = ''");
  await again.runScheduled();
  expect(copies.size).toBe(recipients.length);
  expect(recorded.filter(({ mail_id }) => copies.get(`<${mail_id.replace(":", ".")}@ofuse.example>`) !== 1)).toEqual(
    [],
  );
  // Only the mail whose answer the dead run did not record may have two copies.
  expect([...copies.values()].filter((count) => count > 1).length).toBeLessThanOrEqual(1);
  await killWorker(again);
  rmSync(folder, { recursive: true, force: true });
});

const silent = Object.fromEntries(
  ["trace", "debug", "info", "warn", "error", "fatal"].map((level) => [level, () => {}]),
);
/** Returns a server's log that keeps the lines of its sessions. */
const keepLines = (lines: string[]) =>
  ({ ...silent, debug: (_: object, ...said: unknown[]) => void lines.push(format(...said)) }) as never;

function reply(responseCode: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode });
}

function refuseWith(code: number, text: string) {
  return (_address: unknown, _session: unknown, done: (error: Error) => void) => done(reply(code, text));
}
