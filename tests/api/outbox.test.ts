import { expect, test, vi } from "vitest";
import { registry } from "../../workers/api/domains.ts";
import { sendFreeOfuse } from "../../workers/api/ofuses/commands.ts";
import { dispatchOutbox, type Reaction, type Reactions } from "../../workers/api/storage/outbox.ts";
import { Problem } from "../../workers/kernel/problem.ts";
import { addUser, contextOf, d1, dispatcherOf, letterTo } from "./support/context.ts";

const dispatchRows = (reactions: readonly Reactions[], ids?: string[]) =>
  dispatchOutbox(dispatcherOf({ reactions }), ids);
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

test("an outage of the payment gateway uses up no attempts, however long it lasts", async () => {
  const [sender, receiver] = [await addUser("outbox_k"), await addUser("outbox_l")];
  const [id] = await sendLetter(sender, receiver);
  const silent: Reaction = async () => {
    throw new Problem("gateway_unreachable");
  };
  for (let minute = 0; minute < 30; minute++) await dispatchRows([toAll(silent)]);
  const row = await d1.prepare("SELECT attempts FROM outbox WHERE outbox_id = ?").bind(id).first();
  expect(row).toEqual({ attempts: 1 });
  await dispatchRows(notify);
  expect(await notificationsOf(receiver)).toBe(1);
});

test("a row that always fails does not delay the others", async () => {
  const [sender, receiver] = [await addUser("outbox_e"), await addUser("outbox_f")];
  for (let sent = 0; sent < 3; sent++) await sendLetter(sender, receiver);
  let poisoned: unknown;
  const reaction: Reaction = async (event) => {
    poisoned ??= event.payload;
    if (event.payload === poisoned) throw new Error("poison");
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
