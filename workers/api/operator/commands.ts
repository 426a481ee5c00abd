import { type CompiledQuery, sql } from "kysely";
import { errorCatalogue } from "../../contract/errors.ts";
import { ADJUSTABLE_LIMITS, type AdjustableLimit, LIMIT_FACTOR } from "../../contract/limits.ts";
import type { NewsBody } from "../../contract/news.ts";
import type { InputOf, Operation } from "../../contract/operation.ts";
import type { OperatedFeature, OperatedLimit, OperatedPayment, OperatedRemoval } from "../../contract/operator.ts";
import * as contract from "../../contract/operator.ts";
import type { PausableFeature } from "../../contract/paused-features.ts";
import type { DonationCampaign } from "../../contract/references.ts";
import { isoTime } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import { preconditionStatement } from "../../storage/commit.ts";
import { commitAnswer, operatorOf, type RequestContext } from "../http/request-context.ts";
import { findMaintenance } from "../maintenance/queries.ts";
import { addNews, removeNews, replaceNews } from "../news/commands.ts";
import { holdPayment } from "../payments/commands.ts";
import { holdPayout, retryPayout } from "../payouts/commands.ts";
import { closeStatement, openStatement } from "../references/commands.ts";
import { findCampaign } from "../references/queries.ts";
import { advanceRefund, refundChange } from "../refunds/commands.ts";
import { findPaymentOfCharge, listWithdrawals } from "../refunds/queries.ts";
import { giveBackStatements, takeDownStatements } from "../reports/commands.ts";
import { findAppeal, findRemoval, findRemovalInForce, removalInForce } from "../reports/queries.ts";
import type { Change } from "../storage/commit.ts";
import { MAX_ATTEMPTS } from "../storage/outbox.ts";
import { endRenewalOf } from "../subscriptions/queries.ts";
import { type Account, type AccountOperation, askIdentity } from "./accounts.ts";
import {
  addressDigits,
  findDecision,
  findOperatedPayment,
  findProfile,
  findSubjectById,
  findUidOfMember,
  hasAct,
  listFeatures,
  listLimits,
  type ReportSubject,
} from "./queries.ts";

/** Operators' acts. Each act writes an audit row. Repeating an act changes nothing more. */

interface Act {
  operation: Operation;
  /** The id of the report or account. */
  subject?: string;
  /** No secrets, addresses or names: audit rows are permanent. */
  input?: object;
}

/** Commits an act and its audit row in one batch. Keeps no answer for retries, since an act may be repeated. */
export async function commitAct(context: RequestContext, act: Act, change: Change = { statements: [] }): Promise<void> {
  await commitAnswer({ ...context, idempotency: null }, withAct(context, act, change), null);
}

/**
 * Writes the audit row of an act of another worker or the gateway, with a change of ours, then asks for the act: an act that fails has a
 * row, but no act lacks one. A failed act gets a second row that says why.
 */
export async function recordThenAsk<T>(
  context: RequestContext,
  act: Act,
  ask: () => Promise<T>,
  change?: Change,
): Promise<T> {
  await commitAct(context, act, change);
  return ask().catch(async (error: unknown) => {
    await commitAct(context, { ...act, input: { refused: error instanceof Problem ? error.code : "internal_error" } });
    throw error;
  });
}

/** Adds the audit row of an act to its change. */
function withAct(context: RequestContext, { operation, subject, input = {} }: Act, change: Change): Change {
  const { database, now_ms, request_id } = context;
  const row = database
    .insertInto("operator_acts")
    .values({
      act_id: newId(now_ms),
      operator: operatorOf(context).name,
      operation: operation.id,
      subject: subject ?? null,
      input: JSON.stringify(input),
      request_id,
      acted_at: isoTime(now_ms),
    })
    .compile();
  return { ...change, statements: [row, ...change.statements] };
}

interface Decision {
  decision: "removed" | "kept";
  /** Both the reporter and the author read it. */
  note: string | null;
}

/**
 * Decides all waiting reports of the same subject, takes the subject down if the decision is `removed`, and announces
 * each report. Returns how many reports were decided; the same decision again gets the same answer. Throws `not_found`,
 * and `report_already_decided` if the decision or its note was another one.
 */
export async function decideReport(context: RequestContext, report_id: string, { decision, note }: Decision) {
  const found = await findDecision(context, report_id);
  if (found.decision === null) {
    const change: Change = {
      preconditions: [
        {
          code: "report_already_decided",
          holds: sql`EXISTS (SELECT 1 FROM reports
            WHERE report_id = ${report_id} AND processing_status = 'processing')`,
        },
      ],
      statements: [
        ...(decision === "removed"
          ? takeDownStatements(context, found, { removal_id: newId(context.now_ms), note })
          : []),
        ...decideStatements(context, found, { decision, note }),
      ],
    };
    const act = { operation: contract.decideReport, subject: report_id, input: { decision, note } };
    await commitAct(context, act, change).catch((error: unknown) => {
      // Another request decided first, perhaps the same.
      if (!(error instanceof Problem && error.code === "report_already_decided")) throw error;
    });
    context.announce([`report-${report_id}`]);
  }
  const { decision: decided, note: written, reports_count } = await findDecision(context, report_id);
  if (decided !== decision || written !== note) throw new Problem("report_already_decided");
  return { decision, reports_count };
}

/** The statements that decide all waiting reports of a subject, and announce each. */
function decideStatements(
  { database, now_ms }: RequestContext,
  { subject_type, subject_id }: ReportSubject,
  { decision, note }: Decision,
): CompiledQuery[] {
  const now = isoTime(now_ms);
  const isSame = sql`subject_type = ${subject_type} AND subject_id = ${subject_id}`;
  const removal_id = decision === "removed" ? removalInForce({ subject_type, subject_id }) : sql`NULL`;
  return [
    // In SQL, so that a report that arrives in the meantime is announced too.
    sql`INSERT INTO outbox (outbox_id, kind, payload, created_at)
      SELECT 'report-' || report_id, 'report_decided', json_object('report_id', report_id,
        'reporter_user_id', reporter_user_id, 'subject_type', subject_type, 'subject_id', subject_id,
        'subject_user_id', subject_user_id, 'decision', ${decision}, 'note', ${note}, 'removal_id', ${removal_id}), ${now}
      FROM reports WHERE ${isSame} AND processing_status = 'processing'`.compile(database),
    sql`UPDATE reports SET processing_status = 'completed', decision = ${decision}, decision_note = ${note},
        decided_at = ${now}
      WHERE ${isSame} AND processing_status = 'processing'`.compile(database),
  ];
}

/**
 * Takes something down without a report, decides the reports that wait about it, and tells its owner. Throws `not_found`
 * for what does not exist, and `removal_changed` if it is down with another note.
 */
export async function takeDown(
  context: RequestContext,
  subject: ReportSubject,
  note: string | null,
): Promise<{ removal: OperatedRemoval }> {
  const known = await findRemovalInForce(context, subject);
  if (known) return { removal: requireNote(known, note) };
  const { owner_user_id } = await findSubjectById(context, subject.subject_id, subject.subject_type);
  const removal_id = newId(context.now_ms);
  const { subject_type } = subject;
  const decision: Decision = { decision: "removed", note };
  const isRemoved = sql`EXISTS (SELECT 1 FROM removals WHERE removal_id = ${removal_id})`;
  const change: Change = {
    statements: [
      ...takeDownStatements(context, subject, { removal_id, note }),
      // The owner gets a notice of this removal. It was not made when another request took the subject down first.
      preconditionStatement(context.database, { code: "not_found", holds: isRemoved }),
      ...decideStatements(context, subject, decision),
    ],
    announcements: [{ event: { kind: "subject_removed", payload: { removal_id, subject_type, owner_user_id, note } } }],
  };
  const act = { operation: contract.takeDown, subject: subject.subject_id, input: { subject_type, note } };
  await commitAct(context, act, change).catch(async (error: unknown) => {
    // Another request took it down first.
    if (!(await findRemovalInForce(context, subject))) throw error;
  });
  const removal = await findRemovalInForce(context, subject);
  // It was deleted.
  if (!removal) throw new Problem("not_found");
  return { removal: requireNote(removal, note) };
}

/** Refuses a note that nobody would read, because another request took the subject down first. */
function requireNote(removal: OperatedRemoval, note: string | null): OperatedRemoval {
  if (removal.note !== note) throw new Problem("removal_changed");
  return removal;
}

/**
 * Gives back what was taken down, and tells its owner. An appeal that waits is granted. Throws `not_found`, and
 * `removal_changed` if it was given back with another note.
 */
export async function giveBack(
  context: RequestContext,
  removal_id: string,
  note: string | null,
): Promise<{ removal: OperatedRemoval }> {
  const { removal, owner_user_id } = await findRemoval(context, removal_id);
  if (removal.given_back_at === null) {
    const is_appeal = removal.appeal !== null && removal.appeal.decision === null;
    const act = { operation: contract.giveBack, subject: removal_id, input: { note } };
    await commitReturn(context, act, { ...removal, owner_user_id, note, is_appeal }).catch((error: unknown) => {
      // Another request gave it back first, perhaps the same.
      if (!(error instanceof Problem && RETURNED.has(error.code))) throw error;
    });
  }
  // Only the audit rows have the note of a return.
  const is_same =
    (await hasAct(context, { operation: contract.giveBack, subject: removal_id, input: { note } })) ||
    (await hasAct(context, {
      operation: contract.answerAppeal,
      subject: removal_id,
      input: { decision: "granted", note },
    }));
  if (!is_same) throw new Problem("removal_changed");
  return { removal: (await findRemoval(context, removal_id)).removal };
}

const RETURNED: ReadonlySet<string> = new Set(["removal_changed", "appeal_already_answered"]);

/**
 * Answers an appeal; a granted one gives the subject back. The same answer again changes nothing. Throws `not_found`, and
 * `appeal_already_answered` if the answer or its note was another one.
 */
export async function answerAppeal(
  context: RequestContext,
  removal_id: string,
  { decision, note }: { decision: "granted" | "refused"; note: string | null },
): Promise<{ removal: OperatedRemoval }> {
  await findAppeal(context, removal_id);
  const { removal, owner_user_id } = await findRemoval(context, removal_id);
  if (removal.appeal?.decision === null) {
    const act = { operation: contract.answerAppeal, subject: removal_id, input: { decision, note } };
    const { subject_type } = removal;
    const answered =
      decision === "granted"
        ? commitReturn(context, act, { ...removal, owner_user_id, note, is_appeal: true })
        : commitAct(context, act, {
            preconditions: [waitsForAnswer(removal_id)],
            statements: [answerStatement(context, removal_id, decision, note)],
            announcements: [
              { event: { kind: "appeal_refused", payload: { removal_id, subject_type, owner_user_id, note } } },
            ],
          });
    await answered.catch((error: unknown) => {
      // Another operator answered first, perhaps the same.
      if (!(error instanceof Problem && error.code === "appeal_already_answered")) throw error;
    });
  }
  const { removal: now } = await findRemoval(context, removal_id);
  if (now.appeal?.decision !== decision || now.appeal.note !== note) throw new Problem("appeal_already_answered");
  return { removal: now };
}

const waitsForAnswer = (removal_id: string) => ({
  code: "appeal_already_answered" as const,
  holds: sql`EXISTS (SELECT 1 FROM removals
    WHERE removal_id = ${removal_id} AND appealed_at IS NOT NULL AND answered_at IS NULL)`,
});

const isInForce = (removal_id: string) => ({
  code: "removal_changed" as const,
  holds: sql`EXISTS (SELECT 1 FROM removals WHERE removal_id = ${removal_id} AND given_back_at IS NULL)`,
});

function answerStatement(
  { database, now_ms }: RequestContext,
  removal_id: string,
  decision: "granted" | "refused",
  note: string | null,
): CompiledQuery {
  return database
    .updateTable("removals")
    .set({ appeal_decision: decision, appeal_note: note, answered_at: isoTime(now_ms) })
    .where("removal_id", "=", removal_id)
    .where("appealed_at", "is not", null)
    .where("answered_at", "is", null)
    .compile();
}

/** Commits the act that gives something back, and grants the appeal that waits, if any. */
async function commitReturn(
  context: RequestContext,
  act: Act,
  removal: ReportSubject & {
    removal_id: string;
    owner_user_id: string | null;
    note: string | null;
    is_appeal: boolean;
  },
): Promise<void> {
  const { removal_id, subject_type, owner_user_id, note, is_appeal } = removal;
  await commitAct(context, act, {
    preconditions: [...(is_appeal ? [waitsForAnswer(removal_id)] : []), isInForce(removal_id)],
    // First the return: a granted appeal needs it.
    statements: [...giveBackStatements(context, removal), answerStatement(context, removal_id, "granted", note)],
    announcements: [
      { event: { kind: "subject_given_back", payload: { removal_id, subject_type, owner_user_id, note, is_appeal } } },
    ],
  });
}

/** Replaces the maintenance window. Throws `validation_failed` for one that is over already. */
export async function setMaintenance(
  context: RequestContext,
  record: { started_at: string; finished_at: string | null },
) {
  if (record.finished_at !== null && Date.parse(record.finished_at) <= context.now_ms) {
    const sentence = "終わりには、これからの日時を指定してください。";
    throw new Problem("validation_failed", { fields: { finished_at: [sentence] } });
  }
  const statement = context.database
    .replaceInto("maintenance")
    .values({ singleton: 1, ...record })
    .compile();
  await commitAct(context, { operation: contract.setMaintenance, input: record }, { statements: [statement] });
  return findMaintenance(context);
}

export async function clearMaintenance(context: RequestContext) {
  const statement = context.database.deleteFrom("maintenance").compile();
  await commitAct(context, { operation: contract.clearMaintenance }, { statements: [statement] });
  return findMaintenance(context);
}

/** Requests a rebuild of the search index, and deletes the index's given-up outbox rows, which the rebuild covers. */
export async function rebuildSearch(context: RequestContext): Promise<null> {
  const given_up = context.database
    .deleteFrom("outbox")
    .where("kind", "in", ["creator_changed", "search_rebuild_wanted"])
    .where("processed_at", "is", null)
    .where("attempts", ">=", MAX_ATTEMPTS)
    .compile();
  await commitAct(
    context,
    { operation: contract.rebuildSearch },
    { statements: [given_up], announcements: [{ event: { kind: "search_rebuild_wanted", payload: {} } }] },
  );
  return null;
}

/**
 * Refunds a whole payment: the books change first, in the batch of the audit row. The money follows at once, or with the clock while
 * the gateway is silent. With `ends_renewal`, the plan that it was for ends with its paid period. Throws `not_found`, `payment_withdrawn`.
 */
export async function refundPayment(
  context: RequestContext,
  payment_id: string,
  { ends_renewal }: { ends_renewal: boolean },
): Promise<OperatedPayment> {
  const { database } = context;
  const payment = await findPaymentOfCharge(database, { payment_id });
  if (!payment) throw new Problem("not_found");
  const { refunds } = await listWithdrawals(database, payment_id);
  let refund_id = refunds.find(({ status, cause }) => status !== "failed" && cause === "operator")?.refund_id;
  const act = { operation: contract.refundPayment, subject: payment_id, input: ends_renewal ? { ends_renewal } : {} };
  const ended = ends_renewal ? [endRenewalOf(database, payment_id)] : [];
  if (refund_id === undefined) {
    const issued = refundChange(context, payment, { cause: "operator" });
    await commitAct(context, act, { ...issued.change, statements: [...issued.change.statements, ...ended] });
    refund_id = issued.refund_id;
  } else if (ends_renewal && !(await hasAct(context, act))) {
    await commitAct(context, act, { statements: ended });
  }
  await advanceRefund(context, refund_id).catch((error: unknown) => {
    if (!(error instanceof Problem && error.code === "gateway_unreachable")) throw error;
  });
  return findOperatedPayment(context, payment_id);
}

/** Holds a payment, or stops holding it. Throws `not_found`, `payment_withdrawn`. */
export async function setPaymentHeld(
  context: RequestContext,
  payment_id: string,
  { is_held, reason }: InputOf<typeof contract.setPaymentHeld>["body"],
): Promise<OperatedPayment> {
  const act = { operation: contract.setPaymentHeld, subject: payment_id, input: { is_held, reason } };
  await commitAct(context, act, holdPayment(context, payment_id, is_held));
  return findOperatedPayment(context, payment_id);
}

/** Opens a campaign, or changes one. */
export async function openCampaign(context: RequestContext, campaign: DonationCampaign): Promise<DonationCampaign> {
  const { donation_campaign_id: subject, ...input } = campaign;
  const statements = [openStatement(context, campaign)];
  await commitAct(context, { operation: contract.openCampaign, subject, input }, { statements });
  return findCampaign(context, subject);
}

/** Closes a campaign now. Throws `not_found`. */
export async function closeCampaign(context: RequestContext, subject: string): Promise<DonationCampaign> {
  await findCampaign(context, subject);
  const statements = [closeStatement(context, subject)];
  await commitAct(context, { operation: contract.closeCampaign, subject }, { statements });
  return findCampaign(context, subject);
}

/** Stops a payout that has not been sent, or lets it continue. Throws `not_found`. */
export async function setPayoutHeld(context: RequestContext, payout_id: string, is_held: boolean): Promise<null> {
  const act = { operation: contract.setPayoutHeld, subject: payout_id, input: { is_held } };
  await commitAct(context, act, holdPayout(context, payout_id, is_held));
  return null;
}

/** Lets the clock continue a payout in its next run. Throws `not_found`. */
export async function hastenPayout(context: RequestContext, payout_id: string): Promise<null> {
  await commitAct(context, { operation: contract.retryPayout, subject: payout_id }, retryPayout(context, payout_id));
  return null;
}

/** Switches a feature off, or on again. What has begun before continues. */
export async function setFeaturePaused(
  context: RequestContext,
  feature: PausableFeature,
  { is_paused, reason }: InputOf<typeof contract.setFeaturePaused>["body"],
): Promise<OperatedFeature[]> {
  const { database, now_ms } = context;
  const row = { reason, operator: operatorOf(context).name };
  const statement = is_paused
    ? database
        .insertInto("paused_features")
        .values({ feature, ...row, paused_at: isoTime(now_ms) })
        // Pausing again keeps the first date.
        .onConflict((conflict) => conflict.column("feature").doUpdateSet(row))
    : database.deleteFrom("paused_features").where("feature", "=", feature);
  const act = { operation: contract.setFeaturePaused, subject: feature, input: { is_paused, reason } };
  await commitAct(context, act, { statements: [statement.compile()] });
  return listFeatures(context);
}

/** Changes a limit from the next act on; null for its standard value. Throws `limit_out_of_bounds`. */
export async function changeLimit(
  context: RequestContext,
  name: AdjustableLimit,
  { value, reason }: InputOf<typeof contract.changeLimit>["body"],
): Promise<OperatedLimit[]> {
  const { database, now_ms } = context;
  if (value !== null && value > ADJUSTABLE_LIMITS[name] * LIMIT_FACTOR) {
    throw new Problem("limit_out_of_bounds", { fields: { value: [errorCatalogue.limit_out_of_bounds.detail] } });
  }
  const row = { reason, operator: operatorOf(context).name, changed_at: isoTime(now_ms) };
  const statement =
    value === null
      ? database.deleteFrom("changed_limits").where("name", "=", name)
      : database
          .insertInto("changed_limits")
          .values({ name, value, ...row })
          .onConflict((conflict) => conflict.column("name").doUpdateSet({ value, ...row }));
  const act = { operation: contract.changeLimit, subject: name, input: { value, reason } };
  await commitAct(context, act, { statements: [statement.compile()] });
  return listLimits(context);
}

/** Writes a piece of news. Keeps its answer, so that a repeated request writes no second one. */
export async function createNews(context: RequestContext, given: NewsBody): Promise<{ news_id: string }> {
  const news_id = newId(context.now_ms);
  const act = { operation: contract.createNews, subject: news_id, input: newsInput(given) };
  return commitAnswer(context, withAct(context, act, addNews(context, news_id, given)), { news_id });
}

/** Replaces a piece of news, publishes or withdraws it. Throws `not_found`, `news_conflict`. */
export async function updateNews(
  context: RequestContext,
  news_id: string,
  { seen_updated_at, ...given }: NewsBody & { seen_updated_at: string },
): Promise<{ news_id: string }> {
  const act = { operation: contract.updateNews, subject: news_id, input: newsInput(given) };
  const change = replaceNews(context, news_id, given, seen_updated_at);
  return commitAnswer(context, withAct(context, act, change), { news_id });
}

/** What the audit row keeps: the text is public or a draft, and a row is permanent. */
const newsInput = ({ title, day, is_published }: NewsBody) => ({ title, day, is_published });

/** Deletes a piece of news. Throws `not_found`. */
export async function deleteNews(context: RequestContext, news_id: string): Promise<null> {
  await commitAct(context, { operation: contract.deleteNews, subject: news_id }, removeNews(context, news_id));
  return null;
}

/** Lets the clock try a given-up event again. Throws `not_found`. */
export async function retryOutboxRow(context: RequestContext, outbox_id: string): Promise<null> {
  const given_up = sql<boolean>`outbox_id = ${outbox_id} AND processed_at IS NULL AND attempts >= ${MAX_ATTEMPTS}`;
  const change = {
    preconditions: [
      { code: "not_found" as const, holds: sql<boolean>`EXISTS (SELECT 1 FROM outbox WHERE ${given_up})` },
    ],
    statements: [context.database.updateTable("outbox").set({ attempts: 0 }).where(given_up).compile()],
  };
  await commitAct(context, { operation: contract.retryOutboxRow, subject: outbox_id }, change);
  return null;
}

/** Lets a failed mail be sent again. Throws `not_found`. */
export async function retryMail(context: RequestContext, mail_id: string): Promise<null> {
  await recordThenAsk(context, { operation: contract.retryMail, subject: mail_id }, async () => {
    if (!(await operatorOf(context).mails.retry(mail_id))) throw new Problem("not_found");
  });
  return null;
}

/** Suppresses an address, or releases it. */
export async function setMailSuppressed(
  context: RequestContext,
  { address, is_suppressed, reason }: InputOf<typeof contract.setMailSuppressed>["body"],
): Promise<null> {
  const subject = await addressDigits(address);
  const act = { operation: contract.setMailSuppressed, subject, input: { is_suppressed, reason } };
  await recordThenAsk(context, act, () => operatorOf(context).mails.setSuppressed(address, is_suppressed));
  return null;
}

/** The account by address, account id, user_id or `@link_id`. Throws `not_found`. */
export async function findAccount(context: RequestContext, who: string): Promise<Account> {
  const kept = who.startsWith("@") ? null : await findKeptAccount(context, who);
  if (kept?.account) {
    const { uid } = kept.account;
    return { uid, ...kept, profile: await findProfile(context, uid) };
  }
  const uid = await findUidOfMember(context, who);
  if (!uid) throw new Problem("not_found");
  return accountOf(context, uid);
}

type KeptAccount = Pick<Account, "is_kept_by_us" | "account">;

/** Returns the identity worker's part of an account; null if it has no such account or Firebase keeps the accounts. */
async function findKeptAccount(context: RequestContext, who: string): Promise<KeptAccount> {
  try {
    return { is_kept_by_us: true, account: await askIdentity(context, contract.findAccount, { query: { who } }) };
  } catch (error) {
    const code = error instanceof Problem ? error.code : "";
    if (code !== "not_found" && code !== "accounts_kept_elsewhere") throw error;
    return { is_kept_by_us: code === "not_found", account: null };
  }
}

async function accountOf(context: RequestContext, uid: string): Promise<Account> {
  const [kept, profile] = await Promise.all([findKeptAccount(context, uid), findProfile(context, uid)]);
  if (!kept.account && !profile) throw new Problem("not_found");
  return { uid, ...kept, profile };
}

/**
 * Creates an account. The audit row names the address by its digits, since the account has no id yet. Throws `email_taken`, `accounts_kept_elsewhere` and `validation_failed`.
 */
export async function createAccount(
  context: RequestContext,
  body: { email: string; name: string; is_email_verified: boolean; password: string | null },
): Promise<Account> {
  const { email, is_email_verified, password } = body;
  const act = { operation: contract.createAccount, subject: await addressDigits(email) };
  const input = { is_email_verified, has_password: password !== null };
  const account = await recordThenAsk(context, { ...act, input }, () =>
    askIdentity(context, contract.createAccount, { body }),
  );
  return { uid: account.uid, is_kept_by_us: true, account, profile: null };
}

/** Throws `cannot_act_on_yourself` for the account of the signed-in operator. A token signed with the key has no account. */
function refuseOneself({ caller }: RequestContext, uid: string): void {
  if (caller?.claims.sub === uid) throw new Problem("cannot_act_on_yourself");
}

/**
 * Disables or enables an account in both databases. The product comes first, in the batch of the audit row: from then
 * on the person writes nothing and visitors see nothing of theirs, even if identity is down. The operator then gets
 * `unavailable` and runs the command again. Throws `cannot_act_on_yourself` to an operator who would lock themselves out.
 */
export async function setAccountDisabled(
  context: RequestContext,
  uid: string,
  { is_disabled, reason = null }: InputOf<typeof contract.setAccountDisabled>["body"],
): Promise<Account> {
  if (is_disabled) refuseOneself(context, uid);
  const { database, now_ms } = context;
  const { account, profile } = await accountOf(context, uid);
  const product = database
    .updateTable("users")
    // Disabling again keeps the first date.
    .set({ disabled_at: is_disabled ? sql<string>`coalesce(disabled_at, ${isoTime(now_ms)})` : null })
    .where("identity_id", "=", uid)
    .compile();
  const act = { operation: contract.setAccountDisabled, subject: uid, input: { is_disabled, reason } };
  await commitAct(context, act, { statements: [product] });
  if (account) await askIdentity(context, contract.setAccountDisabled, { params: { uid }, body: { is_disabled } });
  // The person may have completed the registration before the identity worker ended the sign-ins.
  if (!profile) await commitAnswer({ ...context, idempotency: null }, { statements: [product] }, null);
  return accountOf(context, uid);
}

type AccountAct =
  | typeof contract.signOutAccount
  | typeof contract.removeAccountFactors
  | typeof contract.setAccountClaims;

/**
 * Calls the identity worker to act on an account. Throws the identity worker's refusals, and `cannot_act_on_yourself` to an operator
 * who would remove their own factors.
 */
export async function actOnAccount<A extends AccountAct>(
  context: RequestContext,
  operation: A,
  uid: string,
  body: InputOf<A>["body"],
): Promise<Account> {
  if (operation.id === contract.removeAccountFactors.id) refuseOneself(context, uid);
  const act = { operation, subject: uid, input: body as object };
  const account = await recordThenAsk(context, act, () =>
    askIdentity<AccountOperation>(context, operation, { params: { uid }, body }),
  );
  return { uid, is_kept_by_us: true, account, profile: await findProfile(context, uid) };
}
