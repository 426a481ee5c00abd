import { type NotNull, sql } from "kysely";
import { ADJUSTABLE_LIMITS, type AdjustableLimit, LIMIT_FACTOR } from "../../contract/limits.ts";
import { HASH_PREFIX_LENGTH, suppressionKey } from "../../contract/mails.ts";
import { toNormalForm } from "../../contract/normal-form.ts";
import type {
  DetailedReport,
  OperatedFeature,
  OperatedLimit,
  OperatedPayment,
  OperatedPayout,
  Report,
  ReportedSubject,
} from "../../contract/operator.ts";
import { PAUSABLE_FEATURES } from "../../contract/paused-features.ts";
import { sha256Hex } from "../../kernel/digest.ts";
import { Problem } from "../../kernel/problem.ts";
import type { Gauge } from "../../kernel/request-meter.ts";
import { clockGauges } from "../../storage/clock-runs.ts";
import type { RequestContext, Services } from "../http/request-context.ts";
import { findPaymentByReference, listWithdrawals } from "../refunds/queries.ts";
import type { Database, Tables } from "../storage/database.ts";
import { MAX_ATTEMPTS } from "../storage/outbox.ts";
import { selectNamed } from "../users/queries.ts";

/** Operators' reads. They select every row: the front door has admitted the operator (http/operator.ts). */

export type ReportSubject = Pick<Tables["reports"], "subject_type" | "subject_id">;

/** SQL for the link_id of the person whose id a column has. */
export const linkIdOf = (column: string) =>
  sql<string>`(SELECT link_id FROM users WHERE users.user_id = ${sql.ref(column)})`;

function selectReports({ database }: RequestContext) {
  return database
    .selectFrom("reports")
    .select(["report_id", "subject_type", "subject_id", "reason", "detail", "decision", "decision_note"])
    .select(["decided_at", "reports.created_at"])
    .select([
      sql<string | null>`(SELECT link_id FROM users WHERE users.user_id = reports.subject_user_id)`.as("owner_link_id"),
      linkIdOf("reports.reporter_user_id").as("reporter_link_id"),
      sql<number>`(SELECT COUNT(*) FROM reports AS same
        WHERE same.subject_type = reports.subject_type AND same.subject_id = reports.subject_id)`.as(
        "same_subject_count",
      ),
    ]);
}

/** The reports after `after`, oldest first: those that wait for a decision, or all. */
export async function listReports(
  context: RequestContext,
  { is_all, after, limit }: { is_all: boolean; after?: string; limit: number },
): Promise<{ reports: Report[]; has_next: boolean }> {
  let reports = selectReports(context)
    .orderBy("report_id")
    .limit(limit + 1);
  if (!is_all) reports = reports.where("processing_status", "=", sql.lit("processing"));
  if (after) reports = reports.where("report_id", ">", after);
  const rows = await reports.execute();
  return {
    has_next: rows.length > limit,
    reports: rows
      .slice(0, limit)
      .map(({ subject_id: _, detail: __, decision_note: ___, decided_at: ____, ...report }) => report),
  };
}

const MAX_OTHERS = 100;

/** A report, its subject as it is now, and the other reports of that subject. Throws `not_found`. */
export async function findReport(
  context: RequestContext,
  report_id: string,
): Promise<{ report: DetailedReport; subject: ReportedSubject | null; others: DetailedReport[] }> {
  const report = await selectReports(context).where("report_id", "=", report_id).executeTakeFirst();
  if (!report) throw new Problem("not_found");
  const [subject, others] = await Promise.all([
    findSubject(context, report),
    selectReports(context)
      .where("subject_type", "=", report.subject_type)
      .where("subject_id", "=", report.subject_id)
      .where("report_id", "<>", report_id)
      .orderBy("report_id")
      .limit(MAX_OTHERS)
      .execute(),
  ]);
  return { report, subject, others };
}

/**
 * A post, comment or letter by its id, and its owner. Throws `not_found`.
 *
 * @param type looks only among these.
 */
export async function findSubjectById(
  context: RequestContext,
  subject_id: string,
  type?: ReportSubject["subject_type"],
): Promise<{
  subject_type: ReportSubject["subject_type"];
  subject: ReportedSubject;
  owner_user_id: string | null;
  owner_link_id: string | null;
}> {
  const owners = await sql<{ subject_type: ReportSubject["subject_type"]; user_id: string | null }>`
    SELECT 'event' AS subject_type, user_id FROM events WHERE event_id = ${subject_id}
    UNION ALL SELECT 'event_comment', user_id FROM event_comments WHERE comment_id = ${subject_id}
    UNION ALL SELECT 'ofuse', sender_user_id FROM ofuses WHERE ofuse_id = ${subject_id}
    UNION ALL SELECT 'radio_comment', user_id FROM radio_comments WHERE comment_id = ${subject_id}`.execute(
    context.database,
  );
  const found = owners.rows.find(({ subject_type }) => type === undefined || subject_type === type);
  const subject = found && (await findSubject(context, { ...found, subject_id }));
  if (!subject) throw new Problem("not_found");
  const { subject_type, user_id } = found;
  const owner = await context.database
    .selectFrom("users")
    .select("link_id")
    .where("user_id", "=", user_id ?? "")
    .executeTakeFirst();
  return { subject_type, subject, owner_user_id: user_id, owner_link_id: owner?.link_id ?? null };
}

/** The subject of a report, visible to members or not; null if it was deleted. */
export async function findSubject(
  { database }: RequestContext,
  { subject_type, subject_id }: ReportSubject,
): Promise<ReportedSubject | null> {
  const found = {
    event: () =>
      database
        .selectFrom("events")
        .select([
          sql<string>`title || char(10) || body`.as("text"),
          sql<ReportedSubject["state"]>`iif(removed_at IS NULL, status, 'removed')`.as("state"),
          "removed_at as since",
          linkIdOf("events.user_id").as("page_link_id"),
          "event_id",
          sql<null>`NULL`.as("radio_id"),
        ])
        .where("event_id", "=", subject_id),
    event_comment: () =>
      database
        .selectFrom("event_comments")
        .innerJoin("events", "events.event_id", "event_comments.event_id")
        .select([
          "message as text",
          sql<ReportedSubject["state"]>`CASE WHEN hidden_at IS NOT NULL THEN 'removed'
            WHEN deleted_at IS NOT NULL THEN 'deleted' ELSE 'shown' END`.as("state"),
          sql<string | null>`coalesce(hidden_at, deleted_at)`.as("since"),
          linkIdOf("events.user_id").as("page_link_id"),
          "events.event_id",
          sql<null>`NULL`.as("radio_id"),
        ])
        .where("comment_id", "=", subject_id),
    ofuse: () =>
      database
        .selectFrom("ofuses")
        .select([
          "message as text",
          sql<ReportedSubject["state"]>`iif(removed_at IS NOT NULL, 'removed',
            iif(is_public, 'public', 'between_two'))`.as("state"),
          "removed_at as since",
          linkIdOf("ofuses.receiver_user_id").as("page_link_id"),
          sql<null>`NULL`.as("event_id"),
          sql<null>`NULL`.as("radio_id"),
        ])
        .where("ofuse_id", "=", subject_id),
    radio_comment: () =>
      database
        .selectFrom("radio_comments")
        .innerJoin("radios", "radios.radio_id", "radio_comments.radio_id")
        .select([
          "message as text",
          sql<ReportedSubject["state"]>`iif(hidden_at IS NULL, 'shown', 'removed')`.as("state"),
          "hidden_at as since",
          linkIdOf("radios.user_id").as("page_link_id"),
          sql<null>`NULL`.as("event_id"),
          "radios.radio_id",
        ])
        .where("comment_id", "=", subject_id),
  }[subject_type]();
  return ((await found.executeTakeFirst()) as ReportedSubject | undefined) ?? null;
}

/** A report's decision, null while it waits, and how many reports were decided with it. Throws `not_found`. */
export async function findDecision(
  { database }: RequestContext,
  report_id: string,
): Promise<ReportSubject & { decision: "removed" | "kept" | null; note: string | null; reports_count: number }> {
  const found = await database
    .selectFrom("reports")
    .select(["subject_type", "subject_id", "decision", "decision_note as note"])
    .select(
      sql<number>`(SELECT COUNT(*) FROM reports AS same WHERE same.subject_type = reports.subject_type
        AND same.subject_id = reports.subject_id AND same.decided_at = reports.decided_at)`.as("reports_count"),
    )
    .where("report_id", "=", report_id)
    .executeTakeFirst();
  if (!found) throw new Problem("not_found");
  return found;
}

/** Counts the outbox rows of the search index that wait, and those given up after too many failures. */
export async function countSearchWork({ database }: RequestContext) {
  const rows = await database
    .selectFrom("outbox")
    .select(["kind", sql<number>`SUM(attempts < ${MAX_ATTEMPTS})`.as("waiting_count")])
    .select(sql<number>`SUM(attempts >= ${MAX_ATTEMPTS})`.as("given_up_count"))
    .where("kind", "in", ["creator_changed", "search_rebuild_wanted"])
    .where("processed_at", "is", null)
    .groupBy("kind")
    .execute();
  const countOf = (kind: string) => {
    const { waiting_count = 0, given_up_count = 0 } = rows.find((row) => row.kind === kind) ?? {};
    return { waiting_count, given_up_count };
  };
  return { creators: countOf("creator_changed"), rebuilds: countOf("search_rebuild_wanted") };
}

/** Why a row without an error was given up: it had no time to leave one. */
const ENDED_WORKER = "the worker ended while it dispatched this row";

/** Counts the outbox rows that wait, by kind, and lists those given up after too many failures, oldest first. */
export async function listOutbox(
  { database }: RequestContext,
  { after, limit }: { after?: string | undefined; limit: number },
) {
  const unprocessed = database.selectFrom("outbox").where("processed_at", "is", null);
  const [kinds, rows] = await Promise.all([
    unprocessed
      .select((row) => ["kind", row.fn.min("created_at").as("oldest_at")])
      .select(sql<number>`SUM(attempts < ${MAX_ATTEMPTS})`.as("waiting_count"))
      .select(sql<number>`SUM(attempts >= ${MAX_ATTEMPTS})`.as("given_up_count"))
      .groupBy("kind")
      .orderBy("kind")
      .execute(),
    unprocessed
      .select(["outbox_id", "kind", "created_at", sql<string>`coalesce(last_error, ${ENDED_WORKER})`.as("last_error")])
      .where("attempts", ">=", MAX_ATTEMPTS)
      .where("outbox_id", ">", after ?? "")
      .orderBy("outbox_id")
      .limit(limit + 1)
      .execute(),
  ]);
  return { kinds, given_up: rows.slice(0, limit), has_next: rows.length > limit };
}

export interface AccountProfile {
  user_id: string;
  link_id: string;
  disabled_at: string | null;
}

function selectProfile({ database }: RequestContext) {
  return database.selectFrom("users").select(["user_id", "link_id", "disabled_at", "identity_id"]);
}

/** The product's profile of an account; null until the person has completed the registration. */
export async function findProfile(context: RequestContext, uid: string): Promise<AccountProfile | null> {
  const row = await selectProfile(context).where("identity_id", "=", uid).executeTakeFirst();
  if (!row) return null;
  const { identity_id: _, ...profile } = row;
  return profile;
}

/** The account id of a member by `@link_id`, address, account id or user_id; null if there is none. */
export async function findUidOfMember(context: RequestContext, who: string): Promise<string | null> {
  const address = toNormalForm(who).toLowerCase();
  const row = await selectProfile(context)
    .where("left_at", "is", null)
    .where((user) =>
      who.startsWith("@")
        ? user("link_id", "=", address.slice(1))
        : user.or([user("identity_id", "=", who), user("email", "=", address), user("user_id", "=", address)]),
    )
    .executeTakeFirst();
  return row?.identity_id ?? null;
}

const MAX_FOUND = 50;

const foundColumns = [
  "user_id",
  "identity_id",
  "link_id",
  "name",
  "is_creator",
  "disabled_at",
  "left_at",
  "created_at",
] as const;

const toFoundPerson = <Row extends { identity_id: string; is_creator: number }>({
  identity_id: uid,
  is_creator,
  ...person
}: Row) => ({ ...person, uid, is_creator: is_creator === 1 });

/** The people whose name, link_id, address or id a search may mean, the newest first. */
export async function searchPeople({ database }: RequestContext, keyword: string) {
  const who = toNormalForm(keyword);
  const named = selectNamed(who.replace(/^@/, ""), MAX_FOUND + 1);
  const rows = await database
    .selectFrom("users")
    .select(foundColumns)
    .where(
      "user_id",
      "in",
      sql<string>`(SELECT user_id FROM users WHERE user_id = ${who.toLowerCase()} OR identity_id = ${who}
        UNION SELECT user_id FROM users WHERE email = ${who.toLowerCase()}
        ${named ? sql`UNION SELECT user_id FROM (${named})` : sql``})`,
    )
    .orderBy("user_id", "desc")
    .limit(MAX_FOUND + 1)
    .execute();
  return { people: rows.slice(0, MAX_FOUND).map(toFoundPerson), has_more: rows.length > MAX_FOUND };
}

/** A person with the numbers of what they did. Throws `not_found`. */
export async function findPerson({ database }: RequestContext, user_id: string) {
  const countOf = (table: "events" | "ofuses" | "event_comments", column: string) =>
    sql<number>`(SELECT COUNT(*) FROM ${sql.table(table)} WHERE ${sql.ref(column)} = users.user_id)`;
  const row = await database
    .selectFrom("users")
    .select([...foundColumns, "bio", "followers_count", "followings_count"])
    .select([
      countOf("events", "events.user_id").as("posts_count"),
      countOf("ofuses", "ofuses.receiver_user_id").as("received_count"),
      countOf("ofuses", "ofuses.sender_user_id").as("sent_count"),
      countOf("event_comments", "event_comments.user_id").as("comments_count"),
    ])
    .where("user_id", "=", user_id)
    .executeTakeFirst();
  if (!row) throw new Problem("not_found");
  return toFoundPerson(row);
}

/**
 * Returns the digits that the list of suppressions shows of an address. They name it to somebody who knows it: audit rows are
 * permanent, and hold no address.
 */
export async function addressDigits(address: string): Promise<string> {
  return (await sha256Hex(suppressionKey(address))).slice(0, HASH_PREFIX_LENGTH);
}

interface ActQuery {
  before?: string | undefined;
  operator?: string | undefined;
  subject?: string | undefined;
  limit: number;
}

/** The audit rows, newest first, before the act `before`. A subject is also found by the other names of a person. */
export async function listActs(context: RequestContext, { before, operator, subject, limit }: ActQuery) {
  let acts = context.database
    .selectFrom("operator_acts")
    .selectAll()
    .orderBy("act_id", "desc")
    .limit(limit + 1);
  if (before) acts = acts.where("act_id", "<", before);
  if (operator) acts = acts.where("operator", "=", operator);
  if (subject) {
    const names = [subject, await findUidOfMember(context, subject), await addressDigits(subject)];
    acts = acts.where("subject", "in", names);
  }
  const rows = await acts.execute();
  return {
    has_next: rows.length > limit,
    acts: rows.slice(0, limit).map((act) => ({ ...act, input: JSON.parse(act.input) as Record<string, unknown> })),
  };
}

/** Returns a payment by any of its names, with what was taken back of it. Throws `not_found`. */
export async function findOperatedPayment({ database }: RequestContext, reference: string): Promise<OperatedPayment> {
  const row = await findPaymentByReference(database, reference);
  if (!row) throw new Problem("not_found");
  const { payment_id, payer_user_id, creator_user_id, campaign_id: _, charge_id: __, ...payment } = row;
  const [{ refunds, disputes }, people] = await Promise.all([
    listWithdrawals(database, payment_id),
    database
      .selectFrom("users")
      .select(["user_id", "link_id"])
      .where("user_id", "in", [creator_user_id, payer_user_id ?? ""])
      .execute(),
  ]);
  const linkOf = (id: string | null) => people.find(({ user_id }) => user_id === id)?.link_id;
  return {
    payment_id,
    ...payment,
    payer_link_id: linkOf(payer_user_id) ?? null,
    creator_link_id: linkOf(creator_user_id) ?? "",
    refunds: refunds.map(({ refund_id, cause, status, created_at }) => ({ refund_id, cause, status, created_at })),
    disputes: disputes.map(({ dispute_id, reason, status, opened_at }) => ({ dispute_id, reason, status, opened_at })),
  };
}

/** The most disputes, or held payments, in one list. */
const MAX_LISTED = 100;

/** Lists the newest disputes, newest first. */
export async function listDisputes({ database }: RequestContext) {
  const disputes = await database
    .selectFrom("disputes")
    .innerJoin("payments", "payments.payment_id", "disputes.payment_id")
    .select(["dispute_id", "reason", "status", "opened_at", "payments.payment_id", "amount"])
    .select(linkIdOf("payments.creator_user_id").as("creator_link_id"))
    .orderBy("opened_at", "desc")
    .limit(MAX_LISTED)
    .execute();
  return { disputes };
}

/** Lists the payments that are held, newest first. */
export async function listHeldPayments({ database }: RequestContext) {
  const payments = await database
    .selectFrom("payments")
    .select(["payment_id", "amount", "held_at"])
    .$narrowType<{ held_at: NotNull }>()
    .select(linkIdOf("payments.creator_user_id").as("creator_link_id"))
    .where("held_at", "is not", null)
    .where("withdrawn_at", "is", null)
    .orderBy("held_at", "desc")
    .limit(MAX_LISTED)
    .execute();
  return { payments };
}

/** Selects payouts as {@link toOperatedPayout} takes them. */
export function selectPayouts(database: Database) {
  return database
    .selectFrom("payouts")
    .select(["payout_id", "amount", "bank_fee", "status", "failure_reason", "held_at", "created_at", "check_at"])
    .select(linkIdOf("payouts.user_id").as("creator_link_id"));
}

export const toOperatedPayout = <Row extends { held_at: string | null }>({ held_at, ...row }: Row) => ({
  ...row,
  is_held: held_at !== null,
});

/** Lists the payouts that have not ended, and those that came to nothing and whose transfer is not back yet, oldest first. */
export async function listPayoutsUnderWay(
  { database }: RequestContext,
  { after, limit }: { after?: string | undefined; limit: number },
): Promise<{ payouts: OperatedPayout[]; has_next: boolean }> {
  const rows = await selectPayouts(database)
    .where(({ or, and, eb }) =>
      or([
        eb("ended_at", "is", null),
        and([eb("status", "in", ["failed", "canceled"]), eb("check_at", "is not", null)]),
      ]),
    )
    .where("payout_id", ">", after ?? "")
    .orderBy("payout_id")
    .limit(limit + 1)
    .execute();
  return { payouts: rows.slice(0, limit).map(toOperatedPayout), has_next: rows.length > limit };
}

/** Sums the ledger's accounts by kind, and asks the gateway for its balance. */
export async function readBalances({ database, gateway }: RequestContext) {
  const accounts = database
    .selectFrom("ledger_accounts")
    .select((row) => ["kind", row.fn.sum<number>("balance").as("balance")])
    .groupBy("kind")
    .orderBy("kind")
    .execute();
  const asked = gateway
    .call((stripe) => stripe.balance.retrieve())
    .then(({ available, pending }) => ({ available: yenOf(available), pending: yenOf(pending) }))
    .catch((error: unknown) => {
      if (error instanceof Problem) return null;
      throw error;
    });
  return { accounts: await accounts, gateway: await asked };
}

const yenOf = (parts: { amount: number; currency: string }[]) =>
  parts.find(({ currency }) => currency === "jpy")?.amount ?? 0;

/** A count stops here: an operator needs no larger number, and the query stays cheap when many rows wait. */
const MOST_COUNTED = 10_000;
/** How many of the newest transfers the difference of the ledger is computed from. The hourly check reads all of them. */
const TRANSFERS = 200;

const secondsSince = (time: string, now_ms: number) => Math.max(0, (now_ms - Date.parse(time)) / 1000);

/** Returns what the database says about the site: the outbox, the ledger and the clock. Reads only the ends of indexes. */
export async function readGauges({ database, clock }: Pick<Services, "database" | "clock">): Promise<Gauge[]> {
  const now_ms = clock.now();
  const [outbox, ledger, runs] = await Promise.all([
    sql<{ waiting: number; given_up: number; oldest_at: string | null }>`
      SELECT
        (SELECT COUNT(*) FROM (SELECT 1 FROM outbox WHERE processed_at IS NULL AND attempts < ${sql.lit(MAX_ATTEMPTS)}
          LIMIT ${sql.lit(MOST_COUNTED)})) AS waiting,
        (SELECT COUNT(*) FROM (SELECT 1 FROM outbox WHERE processed_at IS NULL AND attempts >= ${sql.lit(MAX_ATTEMPTS)}
          LIMIT ${sql.lit(MOST_COUNTED)})) AS given_up,
        -- The index is ordered by attempts, so the oldest row is the first of one of them.
        (SELECT MIN((SELECT created_at FROM outbox WHERE processed_at IS NULL AND attempts = json_each.value
          ORDER BY outbox_id LIMIT 1))
          FROM json_each(${JSON.stringify(Array.from({ length: MAX_ATTEMPTS }, (_, tries) => tries))})) AS oldest_at`.execute(
      database,
    ),
    sql<{ difference: number | null }>`
      SELECT SUM(abs((SELECT coalesce(SUM(amount), 0) FROM ledger_postings
          WHERE ledger_postings.transfer_id = ledger_transfers.transfer_id))) AS difference
        FROM ledger_transfers
        WHERE number > (SELECT coalesce(MAX(number), 0) FROM ledger_transfers) - ${sql.lit(TRANSFERS)}`.execute(
      database,
    ),
    database.selectFrom("clock_runs").selectAll().where("step", ">", "").execute(),
  ]);
  const { waiting, given_up, oldest_at } = outbox.rows[0] ?? { waiting: 0, given_up: 0, oldest_at: null };
  const gauge = (name: string, value: number): Gauge => ({ name, labels: {}, value });
  return [
    gauge("ofuse_outbox_waiting_rows", waiting),
    gauge("ofuse_outbox_oldest_seconds", oldest_at === null ? 0 : secondsSince(oldest_at, now_ms)),
    gauge("ofuse_outbox_given_up_rows", given_up),
    gauge("ofuse_ledger_difference_yen", ledger.rows[0]?.difference ?? 0),
    ...clockGauges("api", runs),
  ];
}

/** Lists what operators can switch off, and why and since when it is off. */
export async function listFeatures({ database }: RequestContext): Promise<OperatedFeature[]> {
  const paused = await database.selectFrom("paused_features").selectAll().execute();
  return PAUSABLE_FEATURES.map((feature) => {
    const row = paused.find((each) => each.feature === feature);
    const pause = row ? { reason: row.reason, operator: row.operator, paused_at: row.paused_at } : null;
    return { feature, pause };
  });
}

/** Lists the limits that operators can change, with the values in force. */
export async function listLimits({ database }: RequestContext): Promise<OperatedLimit[]> {
  const changes = new Map(
    (await database.selectFrom("changed_limits").selectAll().execute()).map((row) => [row.name, row]),
  );
  return (Object.keys(ADJUSTABLE_LIMITS) as AdjustableLimit[]).map((name) => {
    const standard = ADJUSTABLE_LIMITS[name];
    const row = changes.get(name);
    const change = row ? { reason: row.reason, operator: row.operator, changed_at: row.changed_at } : null;
    return { name, value: row?.value ?? standard, standard, max: standard * LIMIT_FACTOR, change };
  });
}

/** Whether an operator has done this already, with the same input. */
export async function hasAct(
  { database }: RequestContext,
  { operation, subject, input }: { operation: { id: string }; subject: string; input: object },
): Promise<boolean> {
  const row = await database
    .selectFrom("operator_acts")
    .select("act_id")
    .where("subject", "=", subject)
    .where("operation", "=", operation.id)
    .where("input", "=", JSON.stringify(input))
    .executeTakeFirst();
  return row !== undefined;
}
