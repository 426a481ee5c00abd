import type { RawBuilder } from "kysely";
import type { ExportPart } from "../contract/leaving.ts";
import type { Notification } from "../contract/notifications.ts";
import type { Endpoint } from "./http/endpoint.ts";
import type { RequestContext, Services } from "./http/request-context.ts";
import type { Database, Tables } from "./storage/database.ts";
import type { Limit } from "./storage/limits.ts";
import type { OutboxEvent, OutboxKind, Reactions } from "./storage/outbox.ts";
import type { Departure, Erasure, ExportPages, ExportProfile, Leaver } from "./storage/personal-data.ts";
import type { Expiry } from "./storage/retention.ts";

/**
 * What one domain brings to the house. Each folder of workers/api exports one in its `domain.ts`, `domains.ts` lists them,
 * and the front door folds the list: no other file names every domain. docs/architecture.md, "Add a domain".
 */
export interface Domain {
  endpoints?: readonly Endpoint[];
  /** Every table belongs to exactly one domain. A table of the schema without rules fails tests/api/ownership.test.ts. */
  tables?: { readonly [Table in keyof Tables]?: TableRules };
  /** The kinds of outbox rows that its triggers write. Those that its commands write need no mention. */
  kinds_of_triggers?: readonly OutboxKind[];
  /** Its answers to outbox rows, of its own kinds and of others'. */
  reactions?: Reactions;
  /** Whom its outbox rows give something to read in /my/notifications. */
  notices?: NoticesByKind;
  /** Its outbox rows that many people are told of. */
  broadcasts?: BroadcastsByKind;
  /** SQL by the type of a notification: how its subject begins, null where the reader may not see the subject. */
  excerpts?: { readonly [Type in Notification["type"]]?: Excerpt };
  /** Each bound that is not one of DAILY_ACTS (contract/limits.ts). */
  limits?: readonly Limit[];
  /** Run by every tick of the clock before the outbox is dispatched: what has become due. */
  due?: readonly ClockStep[];
  /** Run by every tick after that: collecting, rebuilding. Each step bounds its own time. */
  upkeep?: readonly ClockStep[];
  /** In the batch in which somebody leaves. */
  departure?: (leaver: Leaver, now_ms: number) => Departure;
  /** In order: what depends on a row before the row. Domains erase in the reverse order of the list. */
  erasures?: readonly Erasure[];
  exports?: { readonly [Part in Exclude<ExportPart, "profile">]?: ExportPages };
  /** What it adds to the part `profile` of a copy. */
  profile?: ExportProfile;
}

export type ClockStep = (services: Services) => Promise<void>;
export type Excerpt = (context: RequestContext, user_id: string) => RawBuilder<string | null>;

/** The answers that every table must have. A sentence gives the reason where there is nothing to do. */
export interface TableRules {
  /** The columns that name a person the row is about: by user_id, identity_id or as a liker. */
  people: readonly string[];
  /** When rows go by themselves. */
  expires: Expiry | Reason;
  /** The parts of a person's copy that hold its rows, with the columns that they leave out. */
  exported: { parts: readonly ExportPart[]; except?: readonly string[] } | Reason;
  /** Erased when a person leaves: the domain has an erasure for the table. */
  erased: true | Reason;
  /** The writes that visitors' pages show: each has a trigger that leads to `changed_pages`. */
  on_pages: readonly ("INSERT" | "UPDATE" | "DELETE")[];
}
export type Reason = `no: ${string}`;

export interface Notice {
  /** Who is told. */
  user_id: string;
  type: Notification["type"];
  /** Unique: the same occasion is told once. */
  occasion: string;
  /**
   * A sentence with the gaps `{actor}` (the person's name) and `{event}` (the post's title). They are filled when somebody
   * reads it, so that no row of one person keeps the words of another.
   */
  message: string;
  /** The person it is about; null for notices of the operator. Nothing is told between people who have blocked one another. */
  actor_user_id: string | null;
  /** The post that fills `{event}`. */
  event_id?: string;
  /** The letter or comment it tells of; {@link Domain.excerpts} finds its words. */
  subject_id?: string;
  /** Where it leads. `link_id` is the actor's. */
  path: string | ((actor: { link_id: string }) => string);
}
type NoticesByKind = { readonly [K in OutboxKind]?: (payload: OutboxEvent<K>["payload"]) => Notice[] };

/** News for many people, told some at a time. */
export interface Broadcast extends Omit<Notice, "user_id" | "occasion" | "path"> {
  path: string;
  occasionOf(user_id: string): string;
  /** The next people to tell, in a fixed order. */
  findReaders(after: Reader | null, limit: number): Promise<Reader[]>;
}
/** Somebody to be told, and where the walk met them. */
export interface Reader {
  user_id: string;
  at: string;
}
/** The payload of a kind that is broadcast: `after` is the last reader whom the rows with this `fan_out_id` have told. */
export interface FanOut {
  fan_out_id: string;
  after: Reader | null;
}
type BroadcastsByKind = {
  readonly [K in OutboxKind]?: OutboxEvent<K>["payload"] extends FanOut
    ? (payload: OutboxEvent<K>["payload"], database: Database) => Promise<Broadcast | null>
    : never;
};
