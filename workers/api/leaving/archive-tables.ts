import type { ArchiveManifest } from "../../contract/archive.ts";
import { BYTE_ORDER_MARK, cellOf, csvLine, toJapaneseTime } from "../../contract/csv.ts";
import { REPORT_HEAD, reportLines } from "../../contract/report-csv.ts";
import { SUBSCRIPTION_STATUSES } from "../../contract/subscription-words.ts";
import { japaneseMonthOf } from "../../kernel/clock.ts";
import { memberId } from "../http/request-context.ts";
import { findTransactionsOf } from "../ledger/queries.ts";
import { type ArchivedMember, listArchivedMembers } from "../memberships/queries.ts";
import { type Archiving, pagesOf } from "./archive-source.ts";

/** Writes the tables of an archive as CSV, page by page. */

const MEMBERS_AT_ONCE = 2000;
/** More transactions than a month of one creator has. */
const MONTH_OF_TRANSACTIONS = 200_000;

interface ExportedPerson {
  link_id: string;
  name: string;
}

const personCells = (person: unknown): string[] => {
  const { link_id, name } = (person ?? { link_id: "", name: null }) as ExportedPerson;
  return [cellOf(name), cellOf(link_id)];
};
const timeCell = (moment: unknown): string => (typeof moment === "string" ? toJapaneseTime(moment) : "");

const LETTER_COLUMNS = ["日時", "送受", "相手", "相手のID", "金額", "本文", "返信", "返信の日時", "番号"];

export async function* letterLines(archiving: Archiving): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + csvLine(LETTER_COLUMNS);
  for (const [part, word] of [
    ["letters_received", "届いた"],
    ["letters_sent", "送った"],
  ] as const) {
    for await (const items of pagesOf(archiving, part)) {
      const lines = items.map((item) => {
        const person = item.person ?? { link_id: "", name: item.guest_name };
        const [message, reply] = [item.message, item.reply_message] as (string | null)[];
        return csvLine([
          ...[timeCell(item.created_at), word, ...personCells(person), Number(item.amount)],
          ...[cellOf(message ?? null), cellOf(reply ?? null), timeCell(item.replied_at), String(item.ofuse_id)],
        ]);
      });
      yield lines.join("");
    }
  }
}

export async function* memberLines({ context }: Archiving, plans: ArchiveManifest["plans"]): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + csvLine(["名前", "ユーザーID", "プラン", "加入した日時", "支払い済みの期限", "状態"]);
  for (const { membership_id, title } of plans) {
    let page: ArchivedMember[] = [];
    do {
      const limits = { after: page.at(-1) ?? null, limit: MEMBERS_AT_ONCE };
      page = await listArchivedMembers(context.database, membership_id, limits);
      const lines = page.map(({ name, link_id, member_since, paid_until, status }) =>
        csvLine([
          ...[cellOf(name), cellOf(link_id), cellOf(title), toJapaneseTime(member_since), toJapaneseTime(paid_until)],
          SUBSCRIPTION_STATUSES[status],
        ]),
      );
      yield lines.join("");
    } while (page.length === MEMBERS_AT_ONCE);
  }
}

export async function* followerLines(archiving: Archiving): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + csvLine(["名前", "ユーザーID", "日時"]);
  for await (const items of pagesOf(archiving, "followers")) {
    yield items.map(({ person, created_at }) => csvLine([...personCells(person), timeCell(created_at)])).join("");
  }
}

/** Yields the transactions month by month, oldest first, from the month in which the account began. */
export async function* transactionLines({ context }: Archiving, began_ms: number): AsyncGenerator<string> {
  yield REPORT_HEAD;
  for (let from_ms = japaneseMonthOf(began_ms).start_ms; from_ms <= context.now_ms; ) {
    const to_ms = japaneseMonthOf(from_ms).end_ms;
    const range = { from_ms, to_ms, limit: MONTH_OF_TRANSACTIONS };
    const transactions = await findTransactionsOf(context.database, memberId(context), range);
    if (!transactions) throw new Error("a month has more transactions than an archive can hold");
    if (transactions.length > 0) yield reportLines({ transactions, issuer_number: context.issuer_number });
    from_ms = to_ms;
  }
}
