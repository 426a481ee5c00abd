import { env } from "cloudflare:workers";
import { noChat } from "../../../scripts/no-chat.ts";
import { noMails } from "../../../scripts/no-mails.ts";
import { noOverlays } from "../../../scripts/no-overlays.ts";
import { noPush } from "../../../scripts/no-push.ts";
import { noSound } from "../../../scripts/no-sound.ts";
import { registry } from "../../../workers/api/domains.ts";
import { type Gateway, openGateway } from "../../../workers/api/gateway/client.ts";
import type { RequestContext, Services } from "../../../workers/api/http/request-context.ts";
import type { Push } from "../../../workers/api/push/client.ts";
import { openChatRooms } from "../../../workers/api/radio-chat/rooms.ts";
import { openDatabase } from "../../../workers/api/storage/database.ts";
import type { Dispatcher } from "../../../workers/api/storage/outbox.ts";
import { openSearchDatabase } from "../../../workers/api/storage/search-database.ts";
import { openOverlayRooms } from "../../../workers/api/streaming/rooms.ts";
import { sendFreeOfuse } from "../../../workers/contract/ofuses.ts";
import { newId } from "../../../workers/kernel/ids.ts";

export const d1 = env.DB;
export const NOW_MS = Date.UTC(2026, 10, 20, 3, 0, 0);

/** A deployment without a payment gateway. */
export const noGateway = openGateway({ SITE_ORIGIN: "" });
/** Returns a request's context for a member or a visitor, on the test's own D1. */
export function contextOf(
  user_id: string | null,
  options: { d1?: D1Database; search?: D1Database; now_ms?: number; gateway?: Gateway; push?: Push } = {},
): RequestContext {
  const database = options.d1 ?? d1;
  return {
    request_id: newId(NOW_MS),
    now_ms: options.now_ms ?? NOW_MS,
    database: openDatabase(database),
    d1: database,
    search: openSearchDatabase(options.search ?? env.SEARCH),
    media: env.MEDIA,
    media_key: env.MEDIA_KEY,
    bank_keys: env.BANK_KEYS,
    issuer_number: null,
    gateway: options.gateway ?? noGateway,
    mails: noMails,
    push: options.push ?? noPush,
    sound: noSound,
    chat: noChat,
    overlays: noOverlays,
    address_hash: null,
    caller: user_id
      ? { user_id, claims: { sub: `identity of ${user_id}`, auth_time: 0, email: "somebody@mail.example" } }
      : null,
    idempotency: null,
    announce: () => {},
  };
}

/** Returns the product's services for the test; `parts` replaces some of them. */
export function servicesOf(parts: Partial<Services> = {}): Services {
  return {
    database: openDatabase(d1),
    d1,
    search: openSearchDatabase(env.SEARCH),
    media: env.MEDIA,
    pictures: env.PICTURES,
    media_key: env.MEDIA_KEY,
    bank_keys: env.BANK_KEYS,
    issuer_number: null,
    gateway: noGateway,
    mails: noMails,
    push: noPush,
    sound: noSound,
    chat: openChatRooms(env.RADIO_CHAT_ROOM),
    overlays: openOverlayRooms(env.OVERLAY_ROOM),
    clock: { now: () => NOW_MS },
    ...parts,
  };
}

/** Returns the product's outbox dispatcher for the test; `parts` replaces some of it. */
export function dispatcherOf(parts: Partial<Dispatcher> = {}): Dispatcher {
  return {
    d1,
    database: openDatabase(d1),
    search: openSearchDatabase(env.SEARCH),
    gateway: noGateway,
    mails: noMails,
    push: noPush,
    sound: noSound,
    chat: noChat,
    overlays: noOverlays,
    media_key: env.MEDIA_KEY,
    media: env.MEDIA,
    pictures: env.PICTURES,
    bank_keys: env.BANK_KEYS,
    issuer_number: null,
    now_ms: NOW_MS,
    isOver: () => false,
    tellPages: async () => {},
    reactions: registry.reactions,
    kinds_of_triggers: registry.kinds_of_triggers,
    kinds_at_once: registry.kinds_at_once,
    kinds_of_long_work: registry.kinds_of_long_work,
    ...parts,
  };
}

/** Adds a user. Returns the user id. */
export async function addUser(link_id: string, columns: { is_creator?: number; name?: string } = {}): Promise<string> {
  const user_id = newId(NOW_MS);
  const insert = openDatabase(d1)
    .insertInto("users")
    .values({
      user_id,
      identity_id: `identity of ${user_id}`,
      link_id,
      name: link_id,
      default_name: link_id,
      created_at: new Date(NOW_MS).toISOString(),
      ...columns,
    })
    .compile();
  await d1
    .prepare(insert.sql)
    .bind(...insert.parameters)
    .run();
  return user_id;
}

/** Returns a letter as its form sends it, with the contract's defaults. */
export const letterTo = (receiver_user_id: string) =>
  sendFreeOfuse.body.parse({ receiver_user_id, message: "こんにちは" });

/** Tables whose rows the migrations write, and those that refuse deletion. */
const KEPT_TABLES = [
  "totals",
  "maintenance",
  "operator_acts",
  "ledger_account_kinds",
  "ledger_transfer_kinds",
  "ledger_rules",
  "ledger_accounts",
  "ledger_transfers",
  "ledger_postings",
];

/** Deletes the rows of the product's database, which test files share, for tests that read all rows of a table. */
export const emptyDatabase = (): Promise<void> => emptyTablesExcept([]);

/** Like {@link emptyDatabase}, for tests of money: the books, which cannot be emptied, name users, who stay. */
export const emptyDatabaseOfMoney = (): Promise<void> => emptyTablesExcept(["users"]);

async function emptyTablesExcept(kept: readonly string[]): Promise<void> {
  const { results } = await d1
    .prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*' AND name NOT GLOB 'd1_*' AND name NOT GLOB 'sqlite_*'",
    )
    .all<{ name: string }>();
  const deletions = results
    .filter(({ name }) => ![...KEPT_TABLES, ...kept].includes(name))
    .map(({ name }) => d1.prepare(`DELETE FROM ${name}`));
  await d1.batch([d1.prepare("PRAGMA defer_foreign_keys = on"), ...deletions]);
}
