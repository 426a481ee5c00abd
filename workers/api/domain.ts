import type { RawBuilder } from "kysely";
import type { ExportPart } from "../contract/leaving.ts";
import type { NoticeMailKind } from "../contract/mails.ts";
import type { Notification, NotificationTopic } from "../contract/notifications.ts";
import type { Endpoint } from "./http/endpoint.ts";
import type { RequestContext, Services } from "./http/request-context.ts";
import type { Database, Tables } from "./storage/database.ts";
import type { Limit } from "./storage/limits.ts";
import type { OutboxEvent, OutboxKind, Reactions } from "./storage/outbox.ts";
import type { Departure, Erasure, ExportPages, ExportProfile, Leaver } from "./storage/personal-data.ts";
import type { Expiry } from "./storage/retention.ts";
import type { Wait } from "./storage/waits.ts";

/**
 * What one domain declares. Each folder of workers/api exports one `Domain` from its `domain.ts`, `domains.ts` lists
 * them, and `index.ts` combines them. No other file names every domain. See docs/recipes.md, "Add a domain".
 */
export interface Domain {
  endpoints?: readonly Endpoint[];
  /** Every table belongs to exactly one domain. tests/api/ownership.test.ts fails for a table without rules. */
  tables?: { readonly [Table in keyof Tables]?: TableRules };
  /** The kinds of outbox rows that the domain's triggers write. Kinds that its commands write need no mention. */
  kinds_of_triggers?: readonly OutboxKind[];
  /** The kinds of outbox rows that are dispatched many at a time: see `Dispatcher.kinds_at_once`. */
  kinds_at_once?: readonly OutboxKind[];
  /** The kinds of outbox rows that wait for all others: see `Dispatcher.kinds_of_long_work`. */
  kinds_of_long_work?: readonly OutboxKind[];
  /** The domain's reactions to outbox rows, its own and those of other domains. */
  reactions?: Reactions;
  /** For each kind of outbox row, the notifications that it creates. */
  notices?: NoticesByKind;
  /** For each kind of outbox row that notifies many people, its broadcast. */
  broadcasts?: BroadcastsByKind;
  /**
   * For each type of notification, SQL for the beginning of the letter or comment it is about; null when the reader may
   * not see it.
   */
  excerpts?: { readonly [Type in Notification["type"]]?: Excerpt };
  /** The domain's rate limits, except those of DAILY_ACTS (contract/limits.ts). */
  limits?: readonly Limit[];
  /** The steps of the cron job before it dispatches the outbox, such as publishing scheduled posts, by name. */
  due?: CronSteps;
  /**
   * The steps of the cron job after dispatching, such as deleting unused files, by name. Each step limits its
   * own time, and ends when it is over: see `halfOfRest`.
   */
  upkeep?: CronSteps;
  /** The moments that stop something until they come. */
  waits?: readonly Wait[];
  /** The statements that the domain adds to the batch that deletes an account. */
  departure?: (leaver: Leaver, now_ms: number) => Departure;
  /**
   * Deletions of a leaver's rows, in order: rows that depend on others come first. The domains themselves erase in the
   * reverse order of `domains.ts`.
   */
  erasures?: readonly Erasure[];
  exports?: { readonly [Part in Exclude<ExportPart, "profile">]?: ExportPages };
  /** The fields that the domain adds to the `profile` part of a data export. */
  profile?: ExportProfile;
}

/** Names are unique among all domains: operators see when each step last ran. */
export type CronSteps = Readonly<Record<string, (services: Services, isOver?: () => boolean) => Promise<void>>>;
export type Excerpt = (context: RequestContext, user_id: string) => RawBuilder<string | null>;

/**
 * The questions that every table must answer. Where nothing needs to be done, the answer is a sentence with the reason.
 */
export interface TableRules {
  /** The columns that identify a person the row is about: by user_id, by identity_id or as a liker. */
  people: readonly string[];
  /** When the cron job deletes rows of the table. */
  expires: Expiry | Reason;
  /** The parts of a person's data export that contain the table's rows, and the columns that they omit. */
  exported: { parts: readonly ExportPart[]; except?: readonly string[] } | Reason;
  /** Whether deleting an account erases the person's rows. `true` requires an erasure for the table. */
  erased: true | Reason;
  /** The writes that change what visitors' pages show. Each needs a trigger that leads to `changed_pages`. */
  on_pages: readonly ("INSERT" | "UPDATE" | "DELETE")[];
}
export type Reason = `no: ${string}`;

export interface Notice {
  /** The person to notify. */
  user_id: string;
  type: Notification["type"];
  /** A unique key: one occasion creates one notification. */
  occasion: string;
  /** The topic by which its reader can turn it off; by default the type. A type that is no topic always goes out. */
  topic?: NotificationTopic;
  /**
   * A sentence with the gaps `{actor}` (the person's name), `{actors}` (the people of a bundle, with さん) and `{event}`
   * (the post's title). Reading the notification fills them, so that no row of one person stores the words of another.
   */
  message: string;
  /** The same sentence in English, for mails. A notification that is mailed has one, with the gaps `{actor}` and `{event}`. */
  english?: string;
  /**
   * The person whose act the notification reports; null for notices of the operator. People who have blocked one
   * another get no notifications about each other.
   */
  actor_user_id: string | null;
  /** The kind of mail that repeats the notification. Without one there is no mail. */
  mail?: NoticeMailKind;
  /** The post whose title fills `{event}`. */
  event_id?: string;
  /** The letter, comment or radio that the notification is about. {@link Domain.excerpts} selects its beginning. */
  subject_id?: string;
  /** The page that the notification links to. A function gets the `link_id` of the person in `actor_user_id`. */
  path: string | ((actor: { link_id: string }) => string);
  /** Unread notifications of one reader with the same key are one row. `path` replaces the row's when somebody joins. */
  bundle?: { key: string; path: string };
}
type NoticesByKind = { readonly [K in OutboxKind]?: (payload: OutboxEvent<K>["payload"]) => Notice[] };

/** A notification for many people, written in several batches. */
export interface Broadcast
  extends Omit<Notice, "user_id" | "occasion" | "path" | "message" | "english" | "bundle" | "topic"> {
  path: string;
  /** As {@link Notice.topic}. Null when the notification always goes out, whatever the type. */
  topic?: NotificationTopic | null;
  /** As {@link Notice.message}, for each reader. */
  messageOf(reader: Reader): string;
  /** As {@link Notice.english}, for each reader. */
  englishOf?(reader: Reader): string;
  occasionOf(user_id: string): string;
  /** Returns the next people to notify, in a fixed order. */
  findReaders(after: Reader | null, limit: number): Promise<Reader[]>;
}
/** A person to notify, with the sort key `at` from which the next batch continues. */
export interface Reader {
  user_id: string;
  at: string;
}
/**
 * The payload of a broadcast. Rows with the same `fan_out_id` belong to one broadcast; `after` is the last person they
 * have notified.
 */
export interface FanOut {
  fan_out_id: string;
  after: Reader | null;
}
type BroadcastsByKind = {
  readonly [K in OutboxKind]?: OutboxEvent<K>["payload"] extends FanOut
    ? (payload: OutboxEvent<K>["payload"], database: Database, now_ms: number) => Promise<Broadcast | null>
    : never;
};
