import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { demoSite } from "../../scripts/demo-site.ts";
import { MemoryDatabase } from "../../scripts/memory-d1.ts";
import { acceptMails, forgetWords, mendWaits } from "../../workers/mails/commands.ts";
import { deliverDue } from "../../workers/mails/delivery.ts";
import type { MailSettings } from "../../workers/mails/deployment.ts";
import { acceptNewsletter, cancelNewsletters, forgetContents } from "../../workers/mails/newsletters.ts";
import { openMailDatabase } from "../../workers/mails/storage/database.ts";
import { MEND_STEP, mendAfterJump } from "../../workers/storage/clock-jumps.ts";
import { runSteps } from "../../workers/storage/clock-runs.ts";
import { beginCount, countQueries } from "../../workers/storage/query-count.ts";
import { CONTENT_ID, newsletterTo, signInMail } from "./support.ts";

/** Who delivers, how fast, and what happens when it dies. The clock is the test's. */

const { address, email, phone } = demoSite.notice;
const settings: MailSettings = {
  end: { kind: "resend", api_key: "re_test" },
  from: { address: "no-reply@ofuse.example", name: "ofuse" },
  sender: {
    origin: "https://ofuse.example",
    company_name: demoSite.company_name,
    address,
    contact_email: email,
    contact_phone: phone,
  },
  mails_per_second: 5,
  webhook_secret: "",
};
const RUN_MS = 50_000;

let database: MemoryDatabase;
/** When each mail left, and its id. */
const left: { mail_id: string; at_ms: number }[] = [];
/** Answers a mail. */
let answer: () => Promise<Response>;
beforeEach(() => {
  vi.useFakeTimers();
  left.length = 0;
  answer = async () => new Response("{}");
  database = new MemoryDatabase("mails");
  vi.stubGlobal("fetch", (_: string, { headers }: { headers: Record<string, string> }) => {
    left.push({ mail_id: headers["idempotency-key"] ?? "", at_ms: Date.now() });
    return answer();
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  database.close();
});

const queue = (number: number, from = 0) => {
  const d1 = database.connect();
  const recipients = Array.from({ length: number }, (_, index) => `fan${from + index}@example.jp`);
  const mails = { d1, db: openMailDatabase(d1), now_ms: Date.now() };
  return acceptNewsletter(mails, newsletterTo(recipients), settings.sender);
};
const deliver = (changes: Partial<MailSettings> = {}, connection = database.connect()) => {
  const count = beginCount(false);
  const d1 = countQueries(connection, count);
  return deliverDue({ d1, db: openMailDatabase(d1), settings: { ...settings, ...changes }, count, limit_ms: RUN_MS });
};
/** Lets time pass until the run ends. */
async function finish(run: Promise<void>): Promise<void> {
  let is_over = false;
  void run.finally(() => {
    is_over = true;
  });
  while (!is_over) await vi.advanceTimersByTimeAsync(10);
}
const idsLeft = () => left.map(({ mail_id }) => mail_id);
/** Returns a connection that answers nothing any more after `kill`, as that of a killed worker. */
function mortalConnection() {
  let is_dead = false;
  const d1 = database.connect(async (work) => (is_dead ? new Promise<never>(() => {}) : work()));
  return {
    d1,
    kill: () => {
      is_dead = true;
    },
  };
}

test("a server that answers slowly gets no mail twice: the run keeps the right to deliver", async () => {
  await queue(3);
  const slow = Promise.withResolvers<Response>();
  answer = () => slow.promise;
  const first = deliver();
  await vi.advanceTimersByTimeAsync(6 * 60_000);
  await deliver();
  expect(left).toHaveLength(1);
  answer = async () => new Response("{}");
  slow.resolve(new Response("{}"));
  await finish(first);
  await finish(deliver());
  expect(new Set(idsLeft()).size).toBe(3);
  expect(left).toHaveLength(3);
});

test("a run that has lost the right to deliver takes no mail, and changes no other run's outcome", async () => {
  await queue(2);
  const slow = Promise.withResolvers<Response>();
  answer = () => slow.promise;
  let is_away = false;
  const away = database.connect(async (work) => (is_away ? Promise.reject(new Error("no database")) : work()));
  const first = deliver({}, away);
  await vi.advanceTimersByTimeAsync(1000);
  is_away = true;
  await vi.advanceTimersByTimeAsync(60_000);
  answer = async () => new Response("{}");
  await finish(deliver());
  is_away = false;
  slow.resolve(new Response('{"message":"try later"}', { status: 429 }));
  await finish(first);
  expect(left).toHaveLength(3);
  await vi.advanceTimersByTimeAsync(60 * 60_000);
  await finish(deliver());
  expect(left, "the mail that the other run has sent").toHaveLength(3);
});

test("half a minute after a kill another run sends the rest, and only the mail that was on its way twice", async () => {
  await queue(30);
  const { d1, kill } = mortalConnection();
  answer = async () => {
    // The tenth mail is taken, and the answer finds nobody.
    if (left.length === 10) kill();
    return new Response("{}");
  };
  void deliver({}, d1);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(left).toHaveLength(10);
  await deliver();
  expect(left, "while the dead run has the right to deliver").toHaveLength(10);
  await vi.advanceTimersByTimeAsync(25_000);
  await finish(deliver());
  expect(new Set(idsLeft()).size).toBe(30);
  expect(left).toHaveLength(31);
  expect(idsLeft().filter((mail_id) => mail_id === left[9]?.mail_id)).toHaveLength(2);
});

test("an error of the database that passes sends no mail twice", async () => {
  await queue(2);
  let lost = 0;
  const d1 = database.connect(async (work) => {
    if (left.length > lost) {
      lost++;
      throw new Error("D1_ERROR: Network connection lost.");
    }
    return work();
  });
  await finish(deliver({}, d1));
  await vi.advanceTimersByTimeAsync(60_000);
  await finish(deliver());
  expect([lost, left.length, new Set(idsLeft()).size]).toEqual([2, 2, 2]);
});

test("a run ends before D1 refuses its queries, and the next one sends the rest, each mail once", async () => {
  await queue(1100);
  /** Source: Cloudflare D1, "Limits", "Queries per Worker invocation". */
  const limited = (sent = 0) =>
    database.connect(async (work) => {
      if (++sent > 1000) throw new Error("D1_ERROR: Too many API requests by single worker invocation.");
      return work();
    });
  const fast = { mails_per_second: 1000 };
  await finish(deliver(fast, limited()));
  expect(left.length).toBeGreaterThan(500);
  expect(database.run("SELECT DISTINCT state FROM mails ORDER BY state", []).results).toEqual([
    { state: "queued" },
    { state: "sent" },
  ]);
  await finish(deliver(fast, limited()));
  expect(left).toHaveLength(1100);
  expect(new Set(idsLeft()).size).toBe(1100);
});

test("a mail that was taken while the clock was a year ahead leaves once the clock is right", async () => {
  vi.spyOn(console, "warn").mockReturnValue();
  const present_ms = Date.now();
  const ahead_ms = present_ms + 365 * 24 * 60 * 60_000;
  vi.setSystemTime(ahead_ms);
  await queue(1);
  const d1 = database.connect();
  const db = openMailDatabase(d1);
  const runClock = () => {
    const mails = { d1, db, now_ms: Date.now() };
    const mend = () => mendAfterJump({ d1, database: db, now_ms: Date.now() }, () => mendWaits(mails));
    return runSteps({ [MEND_STEP]: mend }, { d1, database: db });
  };
  await runClock();
  vi.setSystemTime(present_ms);
  await finish(deliver());
  expect(left).toHaveLength(0);
  await runClock();
  await finish(deliver());
  expect(left).toHaveLength(1);
});

test("a canceled newsletter sends nothing more, nor does a hand-over of it that comes later", async () => {
  await queue(100);
  const run = deliver();
  await vi.advanceTimersByTimeAsync(1000);
  const d1 = database.connect();
  const cancel = () => cancelNewsletters({ d1, db: openMailDatabase(d1), now_ms: Date.now() }, [CONTENT_ID, "unknown"]);
  for (const _ of "ab") await cancel();
  await queue(1, 100);
  await finish(run);
  expect(left, "what the run had claimed").toHaveLength(20);
  const { results } = database.run("SELECT state, answer, count(*) AS count FROM mails GROUP BY 1, 2 ORDER BY 1", []);
  expect(results).toEqual([
    { state: "sent", answer: "200 {}", count: 20 },
    { state: "suppressed", answer: "取り消し（送り主のアカウントの停止または退会）", count: 81 },
  ]);
});

test("after 30 days nothing of a mail tells its address, also when its words were emptied before", async () => {
  const d1 = database.connect();
  const mails = { d1, db: openMailDatabase(d1), now_ms: Date.now() };
  const ids = ["refused", "emptied", "waiting"];
  await acceptMails(
    mails,
    ids.map((id) => signInMail("hana@example.jp", id)),
    settings.sender,
  );
  database.run(
    "UPDATE mails SET state = 'failed', answer = '550 5.1.1 <hana@example.jp>: unknown' WHERE mail_id <> ?",
    ["waiting"],
  );
  database.run("UPDATE mails SET recipient = '', subject = '', text = '', html = '' WHERE mail_id = ?", ["emptied"]);
  const read = () => database.run("SELECT * FROM mails ORDER BY mail_id", []).results;
  const before = read();
  const DAY_MS = 24 * 60 * 60_000;
  await forgetWords({ ...mails, now_ms: mails.now_ms + 29 * DAY_MS });
  expect(read()).toEqual(before);
  await forgetWords({ ...mails, now_ms: mails.now_ms + 31 * DAY_MS });
  const [emptied, refused, waiting] = read();
  const forgotten = { recipient: "", recipient_hash: "0".repeat(64), subject: "", text: "", html: "", answer: null };
  expect(emptied).toMatchObject(forgotten);
  expect(refused).toMatchObject(forgotten);
  expect(waiting).toEqual(before[2]);
});

test("a page of a newsletter that is handed over after its content was emptied brings the content, unless it was canceled", async () => {
  const d1 = database.connect();
  const mails = { d1, db: openMailDatabase(d1), now_ms: Date.now() };
  const read = () => database.run("SELECT subject, text, html FROM newsletter_contents", []).results[0];
  await queue(1);
  const content = read();
  await finish(deliver());
  const forget = () => forgetContents({ ...mails, now_ms: mails.now_ms + 31 * 24 * 60 * 60_000 });
  await forget();
  expect(read()).toEqual({ subject: "", text: "", html: "" });
  await queue(1, 1);
  expect(read()).toEqual(content);
  await finish(deliver());
  await forget();
  await cancelNewsletters(mails, [CONTENT_ID]);
  await queue(1, 2);
  expect(read()).toEqual({ subject: "", text: "", html: "" });
});

describe("the pace", () => {
  const gaps = () => left.slice(1).map(({ at_ms }, index) => at_ms - (left[index]?.at_ms ?? 0));

  test("holds within a run, and a slow mail lets no later ones hurry", async () => {
    await queue(40);
    answer = async () => {
      if (left.length === 20) await new Promise((done) => setTimeout(done, 3000));
      return new Response("{}");
    };
    await finish(deliver());
    expect(left).toHaveLength(40);
    expect(Math.min(...gaps())).toBeGreaterThanOrEqual(200);
  });

  test("holds from run to run, however few mails each has", async () => {
    for (let mail = 0; mail < 5; mail++) {
      await queue(1, mail);
      await finish(deliver());
    }
    expect(left).toHaveLength(5);
    expect(Math.min(...gaps())).toBeGreaterThanOrEqual(200);
  });

  test("of a clock that was ahead delays no mail, nor does the right to deliver of that time", async () => {
    const now_ms = Date.now();
    vi.setSystemTime(now_ms + 24 * 60 * 60 * 1000);
    await queue(1);
    await finish(deliver({ mails_per_second: 0.1 }));
    const { d1, kill } = mortalConnection();
    answer = async () => {
      kill();
      return new Response("{}");
    };
    await queue(1, 1);
    void deliver({ mails_per_second: 0.1 }, d1);
    await vi.advanceTimersByTimeAsync(15_000);
    expect(left).toHaveLength(2);
    answer = async () => new Response("{}");
    vi.setSystemTime(now_ms);
    await queue(1, 2);
    await finish(deliver({ mails_per_second: 0.1 }));
    expect(left).toHaveLength(3);
  });

  test("of runs that send one mail each sends them in the order in which they were handed over", async () => {
    for (let mail = 0; mail < 30; mail++) {
      await queue(1, mail);
      await vi.advanceTimersByTimeAsync(1);
    }
    for (let run = 0; left.length < 30 && run < 40; run++) {
      const running = deliver({ mails_per_second: 1 / 40 });
      await vi.advanceTimersByTimeAsync(45_000);
      await finish(running);
    }
    expect(idsLeft()).toEqual(Array.from({ length: 30 }, (_, n) => `newsletter:1:fan${n}-example-jp`));
  });

  test("may be some mails an hour: a run that cannot send any leaves them to the next", async () => {
    await queue(3);
    const begun_ms = Date.now();
    for (let minute = 0; minute < 60; minute++) {
      const run = deliver({ mails_per_second: 1 / 600 });
      await vi.advanceTimersByTimeAsync(60_000);
      await run;
    }
    expect(left.map(({ at_ms }) => Math.round((at_ms - begun_ms) / 60_000))).toEqual([0, 10, 20]);
  });
});
