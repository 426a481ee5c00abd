import { describe, expect, test, vi } from "vitest";
import { noMails } from "../../scripts/no-mails.ts";
import { registry } from "../../workers/api/domains.ts";
import { openGateway } from "../../workers/api/gateway/client.ts";
import { sendFreeOfuse } from "../../workers/api/ofuses/commands.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import {
  continuationStatement,
  dispatchLongWork,
  dispatchNew,
  dispatchOutbox,
  dispatchUntried,
  MAX_ATTEMPTS,
  type Reaction,
  type Reactions,
} from "../../workers/api/storage/outbox.ts";
import type { HandedMail } from "../../workers/contract/mails.ts";
import { Problem } from "../../workers/kernel/problem.ts";
import { addUser, contextOf, d1, dispatcherOf, letterTo, servicesOf } from "./support/context.ts";

const dispatchRows = (reactions: readonly Reactions[], ids?: string[]) =>
  ids ? dispatchNew(dispatcherOf({ reactions }), ids) : dispatchOutbox(dispatcherOf({ reactions }));
/** The product's own reactions. */
const notify = registry.reactions;
/** Returns one reaction for each kind of row that these tests write. */
const toAll = (react: Reaction): Reactions => ({ ofuse_sent: react, creator_changed: react });

async function sendLetter(sender: string, receiver: string): Promise<string[]> {
  const announced: string[] = [];
  const context = { ...contextOf(sender), announce: (ids: string[]) => announced.push(...ids) };
  await sendFreeOfuse(context, letterTo(receiver));
  return announced;
}

async function notificationsOf(user_id: string): Promise<number> {
  const row = await d1
    .prepare("SELECT COUNT(*) AS n FROM notifications WHERE user_id = ?")
    .bind(user_id)
    .first<{ n: number }>();
  return row?.n ?? -1;
}

test("a letter is notified once, however often its row is processed", async () => {
  const [sender, receiver] = [await addUser("outbox_a"), await addUser("outbox_b")];
  const ids = await sendLetter(sender, receiver);
  await Promise.all([dispatchRows(notify, ids), dispatchRows(notify, ids), dispatchRows(notify)]);
  expect(await notificationsOf(receiver)).toBe(1);
  // As after a crash between the reaction and marking the row.
  await d1.prepare("UPDATE outbox SET processed_at = NULL").run();
  await dispatchRows(notify);
  expect(await notificationsOf(receiver)).toBe(1);
});

test("a row whose reaction fails waits, counts the failure, and is retried at the next tick", async () => {
  const [sender, receiver] = [await addUser("outbox_c"), await addUser("outbox_d")];
  const [id] = await sendLetter(sender, receiver);
  const broken: Reaction = async () => {
    throw new Error("the reaction broke");
  };
  await dispatchRows([toAll(broken)], [id ?? ""]);
  expect(
    await d1.prepare("SELECT processed_at, attempts, last_error FROM outbox WHERE outbox_id = ?").bind(id).first(),
  ).toEqual({ processed_at: null, attempts: 1, last_error: "the reaction broke" });
  await dispatchRows(notify);
  expect(await notificationsOf(receiver)).toBe(1);
});

test("the cause of a row's failure is stored and logged", async () => {
  const [id] = await sendLetter(await addUser("outbox_cause1"), await addUser("outbox_cause2"));
  const cut_off: Reaction = async () => {
    throw new Problem("gateway_unreachable", { cause: new Error("timed out after 8000 ms") });
  };
  const logged = vi.spyOn(console, "error").mockReturnValue();
  await dispatchRows([toAll(cut_off)], [id ?? ""]);
  const lines = logged.mock.calls.map(([line]) => JSON.parse(line));
  logged.mockRestore();
  const last_error = "gateway_unreachable: timed out after 8000 ms";
  expect(await d1.prepare("SELECT last_error FROM outbox WHERE outbox_id = ?").bind(id).first()).toEqual({
    last_error,
  });
  expect(lines).toEqual([
    expect.objectContaining({
      message: "outbox row failed",
      outbox_id: id,
      last_error,
      stack: expect.stringContaining("gateway_unreachable"),
      causes: [expect.stringContaining("Error: timed out after 8000 ms")],
    }),
  ]);
  await dispatchRows(notify);
});

test.each([
  ["the payment gateway", new Problem("gateway_unreachable"), "k"],
  ["the mails or the identity service", new Problem("unavailable"), "l"],
  ["a database", new Error("D1_ERROR: D1 DB is overloaded. Requests queued for too long."), "m"],
  ["the bucket", new Error("get: We encountered an internal error. Please try again. (10001)"), "n"],
] as const)("an outage of %s uses up no attempts, however long it lasts", async (_, error, name) => {
  const [sender, receiver] = [await addUser(`outbox_${name}1`), await addUser(`outbox_${name}2`)];
  const [id] = await sendLetter(sender, receiver);
  const silent: Reaction = async () => {
    throw error;
  };
  for (let minute = 0; minute < 30; minute++) await dispatchRows([toAll(silent)]);
  const row = await d1.prepare("SELECT attempts FROM outbox WHERE outbox_id = ?").bind(id).first();
  expect(row).toEqual({ attempts: MAX_ATTEMPTS - 1 });
  await dispatchRows(notify);
  expect(await notificationsOf(receiver)).toBe(1);
});

test.each([
  ["D1_ERROR: D1 DB exceeded its CPU time limit and was reset.", "o"],
  ["D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.", "p"],
])("a row whose statement resets the database each time is given up: %s", async (message, name) => {
  const [id] = await sendLetter(await addUser(`outbox_${name}1`), await addUser(`outbox_${name}2`));
  const heavy: Reaction = async () => {
    throw new Error(message);
  };
  for (let minute = 0; minute < MAX_ATTEMPTS; minute++) await dispatchRows([toAll(heavy)]);
  const row = await d1.prepare("SELECT attempts FROM outbox WHERE outbox_id = ?").bind(id).first();
  expect(row).toEqual({ attempts: MAX_ATTEMPTS });
});

test("a row of a later version waits for it, and uses up no attempts", async () => {
  await d1.prepare("DELETE FROM outbox").run();
  const kind = "letter_of_a_later_version";
  await d1
    .prepare("INSERT INTO outbox (outbox_id, kind, payload, created_at) VALUES ('later', ?, '{}', '')")
    .bind(kind)
    .run();
  const read = () => d1.prepare("SELECT processed_at IS NULL AS waits, attempts FROM outbox").first();
  const dispatcher = dispatcherOf();
  await dispatchNew(dispatcher, ["later"]);
  await dispatchOutbox(dispatcher);
  expect(await dispatchUntried(dispatcher)).toBe(false);
  expect(await read()).toEqual({ waits: 1, attempts: 0 });
  await dispatchRows([...notify, { [kind]: async () => [] } as Reactions]);
  expect(await read()).toEqual({ waits: 0, attempts: 0 });
});

describe("a row that was given up", () => {
  const runClock = async () => {
    await d1.prepare("DELETE FROM clock_runs").run();
    await registry.upkeep.retryEndedRows?.(servicesOf());
  };

  test("without an error, because the database failed in each run, is tried again", async () => {
    await d1.prepare("DELETE FROM outbox").run();
    const receiver = await addUser("outbox_q");
    await sendLetter(await addUser("outbox_r"), receiver);
    await d1.prepare("DELETE FROM outbox WHERE kind <> 'ofuse_sent'").run();
    for (let minute = 0; minute < 4; minute++) {
      // The run counts the beginning of the row. Then the database takes no write until the run ends.
      let writes = 0;
      const prepare = (query: string) => {
        if (query.startsWith("update") && writes++ > 0) throw new Error("D1_ERROR: caused object to be reset.");
        return d1.prepare(query);
      };
      const broken = { prepare, batch: d1.batch.bind(d1) } as D1Database;
      const run = dispatchOutbox(dispatcherOf({ d1: broken, database: openDatabase(broken) }));
      await expect(run).rejects.toThrow("caused object to be reset");
    }
    await dispatchRows(notify);
    expect(await notificationsOf(receiver)).toBe(0);
    await runClock();
    await dispatchRows(notify);
    expect(await notificationsOf(receiver)).toBe(1);
  });

  test("for an error waits for an operator", async () => {
    await d1
      .prepare("UPDATE outbox SET processed_at = NULL, attempts = ?, last_error = 'broken'")
      .bind(MAX_ATTEMPTS)
      .run();
    await runClock();
    expect(await d1.prepare("SELECT DISTINCT attempts FROM outbox").first("attempts")).toBe(MAX_ATTEMPTS);
  });
});

test("a row that always fails does not delay the others", async () => {
  const [sender, receiver] = [await addUser("outbox_e"), await addUser("outbox_f")];
  for (let sent = 0; sent < 3; sent++) await sendLetter(sender, receiver);
  let poisoned: string | undefined;
  const reaction: Reaction = async ({ payload }) => {
    poisoned ??= JSON.stringify(payload);
    if (JSON.stringify(payload) === poisoned) throw new Error("poison");
    return [];
  };
  await dispatchRows([toAll(reaction), ...notify]);
  expect(await notificationsOf(receiver)).toBe(2);
});

test("a processed row is marked and not processed again", async () => {
  const ids = await sendLetter(await addUser("outbox_g"), await addUser("outbox_h"));
  await dispatchRows(notify, ids);
  const again = vi.fn(async () => []);
  await dispatchRows([toAll(again)], ids);
  expect(again).not.toHaveBeenCalled();
});

test("only the scheduled run retries a creator that the index could not take, however many commits follow", async () => {
  const taken: unknown[] = [];
  const broken: Reaction = async () => {
    throw new Error("the index is away");
  };
  const reaction: Reaction = async (event) => {
    taken.push(event.payload);
    return [];
  };
  await dispatchRows(notify);
  const user_id = await addUser("outbox_i", { is_creator: 1 });
  // Alternate commits without and with an announcement.
  for (let commits = 0; commits < 25; commits++) await dispatchRows([toAll(broken)], commits % 2 ? ["another"] : []);
  expect(
    await d1.prepare("SELECT attempts FROM outbox WHERE kind = 'creator_changed' AND processed_at IS NULL").all(),
  ).toMatchObject({ results: [{ attempts: 1 }] });
  await dispatchRows([toAll(reaction)], []);
  expect(taken).toEqual([]);
  await dispatchRows([toAll(reaction)]);
  expect(taken).toEqual([{ user_id }]);
});

test("the next commit indexes a changed creator, even if that commit announces nothing", async () => {
  const taken: unknown[] = [];
  const reaction: Reaction = async (event) => {
    taken.push(event.payload);
    return [];
  };
  const user_id = await addUser("outbox_j", { is_creator: 1 });
  await dispatchRows([toAll(reaction)], []);
  expect(taken).toEqual([{ user_id }]);
});

describe("long work", () => {
  /** Adds steps of long work, whose ids come before those of all other rows. Each waits since that second. */
  async function addSteps(seconds: Record<string, number>): Promise<void> {
    await d1.prepare("DELETE FROM outbox").run();
    for (const [name, second] of Object.entries(seconds)) {
      await d1
        .prepare("INSERT INTO outbox (outbox_id, kind, payload, created_at) VALUES (?, 'import_continues', ?, ?)")
        .bind(`!${name}`, JSON.stringify({ import_id: name, round: 1 }), `2026-11-20T00:00:0${second}.000Z`)
        .run();
    }
  }

  /** Notes what is dispatched. Each step enqueues the next one of its import. */
  function noting(fails: (import_id: string) => boolean = () => false) {
    const done: string[] = [];
    const reactions: Reactions = {
      ofuse_sent: async () => {
        done.push("letter");
        return [];
      },
      import_continues: async ({ payload: { import_id, round } }, { database }) => {
        done.push(`${import_id} ${round}`);
        if (fails(import_id)) throw new Error("the step broke");
        const event = { kind: "import_continues" as const, payload: { import_id, round: round + 1 } };
        return [continuationStatement(database, `!${import_id}-${round + 1}`, event, Date.parse("2026-11-21"))];
      },
    };
    return { done, dispatcher: dispatcherOf({ reactions: [reactions] }) };
  }

  test("waits for all other rows, and a webhook leaves it to the clock", async () => {
    await addSteps({ a: 1 });
    await sendLetter(await addUser("long_a"), await addUser("long_b"));
    const { done, dispatcher } = noting();
    await dispatchUntried(dispatcher);
    await dispatchOutbox(dispatcher);
    expect(done).toEqual(["letter"]);
    await dispatchLongWork({ ...dispatcher, isOver: () => done.length >= 2 });
    expect(done).toEqual(["letter", "a 1"]);
  });

  test("gets its turn by how long it waits, and a step that fails waits for the next run", async () => {
    await addSteps({ a: 3, b: 1, c: 2 });
    const { done, dispatcher } = noting((import_id) => import_id === "c");
    await dispatchLongWork({ ...dispatcher, isOver: () => done.length >= 5 });
    expect(done).toEqual(["b 1", "c 1", "a 1", "a 2", "b 2"]);
    await dispatchLongWork({ ...dispatcher, isOver: () => done.length >= 8 });
    expect(done.slice(5)).toEqual(["a 3", "b 3", "c 1"]);
  });
});

describe("more rows than one page", () => {
  const ROWS = 130;

  /** Adds letters' rows in the outbox that have failed so often. Returns their receiver. */
  async function addBacklog(attempts: number): Promise<string> {
    await d1.prepare("UPDATE outbox SET processed_at = '' WHERE processed_at IS NULL").run();
    const [sender, receiver] = [await addUser(`${attempts}_from`), await addUser(`${attempts}_to`)];
    await d1.prepare("UPDATE users SET email = 'to@example.jp' WHERE user_id = ?").bind(receiver).run();
    const letter = { amount: 0, is_fan_letter: false, sender_user_id: sender, receiver_user_id: receiver };
    await d1
      .prepare(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
         INSERT INTO outbox (outbox_id, kind, payload, created_at, attempts)
         SELECT printf('backlog-%d-%03d', ?3, i), 'ofuse_sent', json_set(?2, '$.ofuse_id', 'letter-' || ?3 || '-' || i),
           strftime('%Y-%m-%dT%H:%M:%fZ', '2026-11-20', i || ' seconds'), ?3 FROM n`,
      )
      .bind(ROWS, JSON.stringify(letter), attempts)
      .run();
    return receiver;
  }

  test("are retried in one run, each once, though some fail again", async () => {
    const receiver = await addBacklog(1);
    const tried: unknown[] = [];
    const reaction: Reaction = async ({ payload }) => {
      tried.push(payload);
      if (tried.length > 1) return [];
      throw new Error("this one row fails");
    };
    await dispatchOutbox(dispatcherOf({ reactions: [toAll(reaction), ...notify], kinds_at_once: [] }));
    expect(tried).toHaveLength(ROWS);
    expect(await notificationsOf(receiver)).toBe(ROWS - 1);
  });

  test("are given up when they end the worker, after a few times", async () => {
    await addBacklog(3);
    await d1.prepare("DELETE FROM outbox WHERE outbox_id <> 'backlog-3-050'").run();
    let begun = 0;
    let begins = Promise.withResolvers<void>();
    // The dispatch of this row never ends.
    const reaction: Reaction = () => {
      begun++;
      begins.resolve();
      return new Promise<never>(() => {});
    };
    for (let run = 0; run < 8; run++) {
      begins = Promise.withResolvers<void>();
      // A dispatch that finds no row to begin ends.
      const dispatch = dispatchOutbox(dispatcherOf({ reactions: [toAll(reaction)], kinds_at_once: [] }));
      await Promise.race([begins.promise, dispatch]);
    }
    expect(begun).toBe(4);
  });

  test("end with the time of the run, each after the row under way", async () => {
    await addBacklog(2);
    let tried = 0;
    const reaction: Reaction = async () => {
      tried++;
      return [];
    };
    const dispatcher = dispatcherOf({ reactions: [toAll(reaction)], kinds_at_once: [] });
    await dispatchOutbox({ ...dispatcher, isOver: () => tried >= 3 });
    expect(tried).toBe(3);
    await d1.prepare("UPDATE outbox SET attempts = 0 WHERE processed_at IS NULL").run();
    await dispatchUntried({ ...dispatcher, isOver: () => tried >= 5 });
    expect(tried).toBe(5);
  });

  test("of notifications and mails take few trips, hand each mail over once, and are not blocked by a bad one", async () => {
    const receiver = await addBacklog(0);
    // A row whose statement the database refuses.
    await d1
      .prepare(
        "UPDATE outbox SET payload = json_set(payload, '$.ofuse_id', json('[]')) WHERE outbox_id = 'backlog-0-050'",
      )
      .run();
    const trips = { batches: 0 };
    const counting = new Proxy(d1, {
      get(target, name) {
        if (name === "batch") trips.batches++;
        const value = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const handed: string[][] = [];
    const handOver = async (mails: readonly HandedMail[]) => void handed.push(mails.map(({ mail_id }) => mail_id));
    const gateway = openGateway({ SITE_ORIGIN: "https://ofuse.example" });
    const dispatcher = dispatcherOf({ d1: counting, gateway, mails: { ...noMails, handOver } });
    while (await dispatchUntried(dispatcher));
    expect(await notificationsOf(receiver)).toBe(ROWS - 1);
    expect([new Set(handed.flat()).size, handed.flat().length, handed.length]).toEqual([ROWS - 1, ROWS - 1, 2]);
    // The page of the bad row is written one by one, the others at once.
    expect(trips.batches).toBeLessThan(120);
  });
});
