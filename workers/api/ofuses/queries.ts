import { type RawBuilder, type Selectable, sql } from "kysely";
import { ANONYMOUS_NAME, GUEST_NAME } from "../../contract/bounds.ts";
import type { UserSummary } from "../../contract/fields.ts";
import { FREE_OFUSES_A_DAY } from "../../contract/limits.ts";
import type { Ofuse, PublicOfuse } from "../../contract/ofuses.ts";
import { isoTime, startOfJapaneseDay } from "../../kernel/clock.ts";
import { isNotByBlockedUser, isNotReported } from "../blocks/queries.ts";
import { type Page, pageOf, rowsOf } from "../http/pagination.ts";
import { type RequestContext, viewerId } from "../http/request-context.ts";
import { refundStateOfLetter } from "../ledger/queries.ts";
import { oneOf, type Tables } from "../storage/database.ts";
import { isUserEnabled } from "../storage/disabled.ts";
import { beginningOf } from "../storage/excerpts.ts";
import { removalOf } from "../storage/removals.ts";
import { hasWords } from "../storage/word-forms.ts";
import { readUser, selectUserId, type UserKey, userJson } from "../users/queries.ts";
import { pickWritten } from "./rules.ts";

/** Selects letters with the people whom they name. */
const ofuseQuery = ({ database }: RequestContext) =>
  database
    .selectFrom("ofuses")
    .selectAll()
    .select([senderJson("sender_user_id").as("sender"), userJson("receiver_user_id").as("receiver")])
    .select(
      sql<string | null>`(SELECT name FROM donation_campaigns
        WHERE donation_campaigns.donation_campaign_id = ofuses.donation_campaign_id)`.as("campaign_name"),
    )
    .select(refundStateOfLetter(sql.ref("ofuses.ofuse_id")).as("refund_state"));
type OfuseRow = Awaited<ReturnType<ReturnType<typeof ofuseQuery>["executeTakeFirstOrThrow"]>>;

/** SQL for the sender of a letter as JSON; null for a guest. */
const senderJson = (column: string): RawBuilder<string | null> => userJson(column);

const readSender = ({ sender }: { sender: string | null }) => (sender === null ? null : readUser(sender));

/** Returns what a letter shows of its sender. `is_shown`: whether the viewer may learn the sender of an anonymous letter. */
function senderOf(
  { is_anonymous, guest_name }: Pick<Selectable<Tables["ofuses"]>, "is_anonymous" | "guest_name">,
  sender: UserSummary | null,
  is_shown: boolean,
): Pick<Ofuse, "sender" | "sender_name"> {
  if (is_anonymous === 1 && !is_shown) return { sender: null, sender_name: ANONYMOUS_NAME };
  return { sender, sender_name: sender?.name ?? guest_name ?? GUEST_NAME };
}

/** Converts a letter to the form in which the API answers. `viewer` is the sender or receiver who will see it. */
export function presentOfuse(
  viewer: string,
  row: Selectable<Tables["ofuses"]>,
  {
    sender,
    receiver,
    campaign_name,
    refund_state,
  }: Pick<Ofuse, "sender" | "receiver"> & Pick<OfuseRow, "campaign_name" | "refund_state">,
): Ofuse {
  return {
    ofuse_id: row.ofuse_id,
    type: row.receiver_user_id === viewer ? "received" : "sent",
    paid: row.amount > 0,
    amount: row.amount,
    currency: "jpy",
    ...pickWritten(row),
    ...senderOf(row, sender, row.sender_user_id === viewer),
    is_anonymous: row.is_anonymous === 1,
    // Not of an anonymous letter: its receiver learns nothing about the sender.
    is_guest: row.sender_user_id === null && row.is_anonymous === 0,
    receiver,
    is_public: row.is_public === 1,
    is_hidden: row.receiver_user_id === viewer && row.hidden_at !== null,
    is_opened: row.opened_at !== null,
    is_liked: row.liked_at !== null,
    is_not_replied: row.replied_at === null,
    reply: replyOf(row),
    donation: donationOf(row, campaign_name),
    refund_state,
    created_at: row.created_at,
  };
}

/** Returns what a letter gave to a campaign, or null. */
function donationOf(
  { donation, donation_campaign_id }: Pick<Selectable<Tables["ofuses"]>, "donation" | "donation_campaign_id">,
  campaign_name: string | null,
): Ofuse["donation"] {
  if (donation_campaign_id === null) return null;
  return { donation_campaign_id, name: campaign_name ?? donation_campaign_id, amount: donation };
}

/** Converts a letter that was read with its people, like {@link presentOfuse}. */
export const presentOfuseRow = (viewer: string, row: OfuseRow): Ofuse =>
  presentOfuse(viewer, row, {
    sender: readSender(row),
    receiver: readUser(row.receiver),
    campaign_name: row.campaign_name,
    refund_state: row.refund_state,
  });

function replyOf({ reply_message, replied_at }: Pick<OfuseRow, "reply_message" | "replied_at">): Ofuse["reply"] {
  return reply_message !== null && replied_at !== null ? { message: reply_message, created_at: replied_at } : null;
}

/**
 * Returns a letter's row for its sender or receiver, and null for everybody else. The receiver also gets null for a
 * letter that they reported or that an operator removed.
 */
export async function findOfuseRow(
  context: RequestContext,
  viewer: string,
  ofuse_id: string,
): Promise<OfuseRow | null> {
  const row = await ofuseQuery(context)
    .where("ofuse_id", "=", ofuse_id)
    .where((where) =>
      where.or([
        where("sender_user_id", "=", viewer),
        where.and([
          where("receiver_user_id", "=", viewer),
          where("removed_at", "is", null),
          isNotReported(context, "ofuse", "ofuse_id"),
        ]),
      ]),
    )
    .executeTakeFirst();
  return row ?? null;
}

/** The removal of a letter that the viewer sent, if it is in force. */
export async function findOwnRemovalId(
  { database }: RequestContext,
  viewer: string,
  ofuse_id: string,
): Promise<string | null> {
  const row = await database
    .selectFrom("ofuses")
    .select(removalOf("ofuse", "ofuses.ofuse_id").as("removal_id"))
    .where("ofuse_id", "=", ofuse_id)
    .where("sender_user_id", "=", viewer)
    .executeTakeFirst();
  return row?.removal_id ?? null;
}

export interface BoxFilter {
  type: "received" | "sent";
  paid?: boolean;
  is_not_replied?: boolean;
  sort_by: "newest" | "oldest" | "amount" | "unread";
  keyword?: string;
}

/** The columns by which each order sorts. All of one order point in one direction, so that it can be read both ways. */
const ORDERS = {
  newest: { keys: ["created_at", "ofuse_id"], direction: "desc" },
  oldest: { keys: ["created_at", "ofuse_id"], direction: "asc" },
  amount: { keys: ["amount", "created_at", "ofuse_id"], direction: "desc" },
  unread: { keys: ["opened_at IS NULL", "created_at", "ofuse_id"], direction: "desc" },
} as const;
type Order = { keys: readonly string[]; direction: "asc" | "desc" };

/** Letters sent have no unread ones first: whether they are opened is up to their receivers. */
const orderOf = ({ type, sort_by }: Pick<BoxFilter, "type" | "sort_by">): Order =>
  ORDERS[type === "sent" && sort_by === "unread" ? "newest" : sort_by];

const orderSql = ({ keys, direction }: Order) =>
  sql`${sql.join(keys.map((key) => sql`(${sql.raw(key)}) ${sql.raw(direction)}`))}`;

/**
 * SQL: whether a letter comes after another letter of the box in the order. Knows no letter of another box: the place of a
 * stranger's letter among the viewer's own would tell its amount and whether it was opened.
 */
function isAfterLetter(
  { keys, direction }: Order,
  { viewer, type }: Pick<BoxFilter, "type"> & { viewer: string },
  ofuse_id: string,
): RawBuilder<boolean> {
  const owner = sql.ref(type === "received" ? "other.receiver_user_id" : "other.sender_user_id");
  const own = sql.join(keys.map((key) => sql`(${sql.raw(key)})`));
  const other = sql.join(
    keys.map(
      (key) =>
        sql`(SELECT ${sql.raw(key)} FROM ofuses AS other WHERE other.ofuse_id = ${ofuse_id} AND ${owner} = ${viewer})`,
    ),
  );
  return sql<boolean>`(${own}) ${sql.raw(direction === "desc" ? "<" : ">")} (${other})`;
}

/**
 * SQL: whether a letter is in the box and passes the filter. Leaves out received letters that the receiver reported or
 * that an operator removed.
 */
function isInBox(context: RequestContext, viewer: string, filter: Omit<BoxFilter, "sort_by">): RawBuilder<boolean> {
  const { type, paid, is_not_replied, keyword } = filter;
  const conditions =
    type === "received"
      ? [sql`receiver_user_id = ${viewer}`, sql`removed_at IS NULL`, isNotReported(context, "ofuse", "ofuse_id")]
      : [sql`sender_user_id = ${viewer}`];
  if (paid !== undefined) conditions.push(paid ? sql`amount > 0` : sql`amount = 0`);
  if (is_not_replied !== undefined)
    conditions.push(is_not_replied ? sql`replied_at IS NULL` : sql`replied_at IS NOT NULL`);
  if (keyword?.trim()) conditions.push(isFound(viewer, keyword));
  return sql<boolean>`${sql.join(conditions, sql` AND `)}`;
}

/**
 * SQL: whether a letter of the box has every word in it, in its reply or in the other person's name. Reads the words of
 * the whole box, and nothing of anybody else's (docs/decisions/0038). The `+` keeps SQLite reading the letters in their
 * order, so that nothing is sorted.
 */
const isFound = (viewer: string, keyword: string): RawBuilder<unknown> =>
  sql`+ofuse_id IN (SELECT ofuse_id FROM letter_words
    WHERE owner_user_id = ${viewer} AND ${hasWords(keyword, (form) => sql`(instr(words, ${form}) OR instr(name, ${form}))`)})`;

/** Lists the letter box: letters received or letters sent. With `after`, the page begins after that letter. */
export async function listOfuses(
  context: RequestContext,
  viewer: string,
  { after, ...input }: Page & BoxFilter & { after?: string },
) {
  const { limit, offset, page_size } = rowsOf(input, false);
  const order = orderOf(input);
  let query = ofuseQuery(context)
    .where(isInBox(context, viewer, input))
    .limit(limit)
    .offset(offset);
  if (after !== undefined) query = query.where(isAfterLetter(order, { viewer, type: input.type }, after));
  const fetched = await query.orderBy(orderSql(order)).execute();
  const { rows, closing } = pageOf(fetched, input.page_number, page_size);
  return { ofuses: rows.map((row) => presentOfuseRow(viewer, row)), ...closing };
}

/**
 * Returns the letters before and after a letter of the box, in the filter's order; and the newest other unread letter.
 * In the order with unread letters first, before and after mean newer and older: opening a letter changes its place.
 */
export async function findNeighbors(context: RequestContext, viewer: string, ofuse_id: string, filter: BoxFilter) {
  const order = orderOf({ ...filter, sort_by: filter.sort_by === "unread" ? "newest" : filter.sort_by });
  const backwards: Order = { ...order, direction: order.direction === "desc" ? "asc" : "desc" };
  const letters = context.database.selectFrom("ofuses").select("ofuse_id").limit(1);
  const nextIn = async (way: Order) => {
    const query = letters
      .where(isInBox(context, viewer, filter))
      .where(isAfterLetter(way, { viewer, type: filter.type }, ofuse_id));
    return (await query.orderBy(orderSql(way)).executeTakeFirst())?.ofuse_id ?? null;
  };
  const findUnread = async () => {
    if (filter.type === "sent") return null;
    const query = letters
      .where(isInBox(context, viewer, { type: "received" }))
      .where(sql<boolean>`(opened_at IS NULL) = 1`)
      .where("ofuse_id", "<>", ofuse_id);
    return (await query.orderBy(orderSql(ORDERS.newest)).executeTakeFirst())?.ofuse_id ?? null;
  };
  const [previous_ofuse_id, next_ofuse_id, next_unread_ofuse_id] = await Promise.all([
    nextIn(backwards),
    nextIn(order),
    findUnread(),
  ]);
  return { previous_ofuse_id, next_ofuse_id, next_unread_ofuse_id };
}

/**
 * Counts the free letters that the sender may still send to the receiver before the Japanese day ends. Use it for
 * display only: {@link sendFreeOfuse} checks the limit in its batch.
 */
export async function countFreeOfusesLeft(
  context: RequestContext,
  sender_user_id: string,
  receiver: UserKey,
): Promise<number> {
  const { sent } = await context.database
    .selectFrom("ofuses")
    .select((select) => select.fn.countAll<number>().as("sent"))
    .where("sender_user_id", "=", sender_user_id)
    .where("receiver_user_id", "=", selectUserId(context, receiver))
    .where("created_at", ">=", isoTime(startOfJapaneseDay(context.now_ms)))
    .where("amount", "=", sql.lit(0))
    .executeTakeFirstOrThrow();
  return Math.max(0, FREE_OFUSES_A_DAY - sent);
}

/**
 * Lists the public letters to a person, newest first, after the letter `after`. The receiver also sees the letters that
 * they have hidden and can show again, but no hidden letters from people whom they have blocked.
 */
export async function listPublicOfuses(
  context: RequestContext,
  user_id: string,
  { after, first }: { after?: string; first: number },
): Promise<{ ofuses: PublicOfuse[]; has_next: boolean }> {
  const is_own = viewerId(context) === user_id;
  const { limit, page_size } = rowsOf({ page_number: 1, page_size: first }, context.caller === null);
  let query = publicOfuseQuery(context)
    .where("receiver_user_id", "=", user_id)
    .where(is_own ? isOnOwnPage(context) : isOnPage(context))
    .orderBy("ofuse_id", "desc")
    .limit(limit);
  if (after) query = query.where("ofuse_id", "<", after);
  const rows = await query.execute();
  return { ofuses: rows.slice(0, page_size).map(presentPublicOfuse), has_next: rows.length > page_size };
}

/** Loads letters that their receivers' pages show to the caller, by id. Leaves out other letters. */
export async function loadPublicOfuses(
  context: RequestContext,
  ofuse_ids: readonly string[],
): Promise<Map<string, PublicOfuse>> {
  if (ofuse_ids.length === 0) return new Map();
  const rows = await publicOfuseQuery(context)
    .where(isOnPage(context))
    .where("ofuse_id", "in", oneOf(ofuse_ids))
    .execute();
  return new Map(rows.map((row) => [row.ofuse_id, presentPublicOfuse(row)]));
}

/** Returns the sender of a public letter that its receiver's page shows to the caller, or null if it shows none. */
export async function findLetterOnPage(
  context: RequestContext,
  ofuse_id: string,
): Promise<{ sender_user_id: string | null } | null> {
  const row = await publicOfuseQuery(context)
    .where(isOnPage(context))
    .where("ofuse_id", "=", ofuse_id)
    .executeTakeFirst();
  return row ?? null;
}

/**
 * SQL: whether the caller has not blocked the sender of a letter. An anonymous letter stays after its sender was blocked: its
 * absence would tell who sent it.
 */
const isNotFromBlockedUser = (context: RequestContext) =>
  sql<boolean>`(sender_user_id IS NULL OR is_anonymous = 1 OR ${isNotByBlockedUser(context, "sender_user_id")})`;

/** SQL: whether somebody else's page shows a public letter to the caller, who has not reported it. */
export const isOnPage = (context: RequestContext) =>
  sql<boolean>`(hidden_at IS NULL AND ${isNotFromBlockedUser(context)}
    AND ${isNotReported(context, "ofuse", "ofuses.ofuse_id")})`;

const isOnOwnPage = (context: RequestContext) =>
  sql<boolean>`((hidden_at IS NULL OR ${isNotFromBlockedUser(context)})
    AND ${isNotReported(context, "ofuse", "ofuses.ofuse_id")})`;

/**
 * SQL: whether no disabled account hides the letter of a row of `ofuses`. An anonymous letter stays after its sender was
 * disabled: its absence would tell who sent it. Operators remove such a letter by itself.
 */
export const isLetterEnabled = sql<boolean>`(ofuses.is_anonymous = 1 OR ${isUserEnabled("ofuses.sender_user_id")})`;

/** Selects public letters that no disabled account hides, with their senders, in one statement. */
function publicOfuseQuery(context: RequestContext) {
  return context.database
    .selectFrom("ofuses")
    .selectAll("ofuses")
    .select(senderJson("ofuses.sender_user_id").as("sender"))
    .where("is_public", "=", sql.lit(1))
    .where(isLetterEnabled)
    .where(isUserEnabled("ofuses.receiver_user_id"));
}
type PublicOfuseRow = Awaited<ReturnType<ReturnType<typeof publicOfuseQuery>["executeTakeFirstOrThrow"]>>;

/** Converts a public letter to the form in which everybody sees it on the receiver's page. */
function presentPublicOfuse(row: PublicOfuseRow): PublicOfuse {
  return {
    ofuse_id: row.ofuse_id,
    paid: row.amount > 0,
    ...pickWritten(row),
    ...senderOf(row, readSender(row), false),
    is_liked: row.liked_at !== null,
    is_hidden: row.hidden_at !== null,
    reply: replyOf(row),
    created_at: row.created_at,
  };
}

/**
 * SQL for the beginning of the letter that its receiver's notification is about; null when the receiver may no longer
 * see it.
 */
export function letterExcerpt(context: RequestContext, user_id: string): RawBuilder<string | null> {
  return sql`(SELECT ${beginningOf("message")} FROM ofuses
    WHERE ofuse_id = notifications.subject_id AND receiver_user_id = ${user_id} AND removed_at IS NULL
      AND ${isNotReported(context, "ofuse", "ofuses.ofuse_id")})`;
}

/**
 * SQL for the words by which a notification names a letter that its receiver may no longer open; null for other letters.
 *
 * @param ofuse_id an id, or SQL for one.
 */
export function closedLetterLabel(ofuse_id: string | RawBuilder<unknown>, receiver: string): RawBuilder<string | null> {
  return sql`(SELECT CASE
      WHEN closed.ofuse_id IN (SELECT subject_id FROM reports
        WHERE reporter_user_id = ${receiver} AND subject_type = 'ofuse') THEN 'あなたが通報したofuse'
      WHEN closed.removed_at IS NOT NULL THEN '削除されたofuse' END
    FROM ofuses AS closed WHERE closed.ofuse_id = ${ofuse_id} AND closed.receiver_user_id = ${receiver})`;
}

/** SQL for the beginning of the reply that the notification of a letter's sender is about. */
export function replyExcerpt(_context: RequestContext, user_id: string): RawBuilder<string | null> {
  return sql`(SELECT ${beginningOf("reply_message")} FROM ofuses
    WHERE ofuse_id = notifications.subject_id AND sender_user_id = ${user_id})`;
}
