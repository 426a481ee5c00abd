import { groupDigits } from "../../../contract/group-digits.ts";
import { toNormalForm } from "../../../contract/normal-form.ts";
import { type Source, SourceFault } from "./source.ts";

/** The columns by their usual names on other sites. */
const PLAN_COLUMN = /プラン|コース|ティア|plan|tier/i;
const PRICE_COLUMN = /金額|月額|料金|価格|price|fee|amount/i;
const MAX_ROWS = 200_000;
const MAX_PLANS = 100;
/** No valid title of a plan has more characters than its bound in bytes. */
const TITLE_LENGTH = 1024;

interface Plan {
  title: string;
  amount: number | null;
  members: number;
}

/**
 * Opens a list of members of another site. It tells the plans and how many people each has. It keeps no line of the list:
 * nobody becomes a member, or gets a mail, without having asked us (docs/decisions/0048).
 */
export function openMembers(text: string): Source {
  const [head = [], ...rows] = parseCsv(text);
  const [plan_column, price_column] = [PLAN_COLUMN, PRICE_COLUMN].map((name) =>
    head.findIndex((cell) => name.test(cell)),
  );
  if (plan_column === undefined || plan_column < 0) throw new SourceFault("no column with a plan");
  const plans = new Map<string, Plan>();
  for (const row of rows) {
    const title = (row[plan_column] ?? "").trim();
    if (title === "") continue;
    const amount =
      yenOf(row[price_column ?? -1] ?? "") ?? yenOf(/(?<![\d,０-９])([\d,０-９]+)\s*円/.exec(title)?.[1] ?? "");
    const key = keyOf({ title, amount });
    const plan = plans.get(key) ?? { title, amount, members: 0 };
    plans.set(key, { ...plan, members: plan.members + 1 });
    if (plans.size > MAX_PLANS) throw new SourceFault("a column that names no plan");
  }
  if (plans.size === 0) throw new SourceFault("no members");
  return {
    contents: async () => ({
      categories: [],
      plans: [...plans].map(([key, { title, members }]) => ({
        key,
        title: `${title}（${groupDigits(members)}人）`,
      })),
      posts: [],
    }),
    readPlan: planOfKey,
    readPost: () => Promise.reject(new SourceFault("a list has no posts")),
  };
}

/** Opens a list whose plans were planned. The list itself was not kept: a plan's key says all of it. */
export const openPlannedMembers = (): Source => ({
  contents: () => Promise.reject(new SourceFault("the list was not kept")),
  readPlan: planOfKey,
  readPost: () => Promise.reject(new SourceFault("a list has no posts")),
});

const keyOf = ({ title, amount }: Pick<Plan, "title" | "amount">) =>
  JSON.stringify([[...title].slice(0, TITLE_LENGTH).join(""), amount]);

function planOfKey(key: string) {
  const [title, amount] = JSON.parse(key) as [string, number | null];
  return { title, description: "", amount };
}

function yenOf(cell: string): number | null {
  const digits = toNormalForm(cell, "NFKC").replace(/[¥,\s円]/g, "");
  return /^\d{1,8}$/.test(digits) ? Number(digits) : null;
}

/**
 * Parses CSV. A cell is a text whatever it begins with. Searches instead of matching a pattern, which would overflow at a
 * cell of megabytes. Source: RFC 4180.
 */
export function parseCsv(given: string): string[][] {
  const text = given.replace(/^\ufeff/, "");
  const rows: string[][] = [];
  let row: string[] = [];
  for (let at = 0; at < text.length; ) {
    const { cell, end } = text[at] === '"' ? readQuoted(text, at) : readPlain(text, at);
    row.push(cell);
    at = end + 1;
    if (text[end] === ",") {
      // A cell without a character ends the text.
      if (at === text.length) row.push("");
      continue;
    }
    if (text[end] === "\r" && text[at] === "\n") at++;
    rows.push(row);
    row = [];
    if (rows.length > MAX_ROWS) throw new SourceFault("too many lines");
  }
  if (row.length > 0) rows.push(row);
  return rows;
}

function readQuoted(text: string, begin: number): { cell: string; end: number } {
  const pieces: string[] = [];
  for (let from = begin + 1; ; ) {
    const quote = text.indexOf('"', from);
    if (quote < 0) throw new SourceFault("a cell that does not end");
    const is_escaped = text[quote + 1] === '"';
    pieces.push(text.slice(from, is_escaped ? quote + 1 : quote));
    from = quote + 2;
    if (is_escaped) continue;
    const next = text[quote + 1];
    if (next !== undefined && !",\r\n".includes(next)) throw new SourceFault("a cell that goes on after its end");
    return { cell: pieces.join(""), end: quote + 1 };
  }
}

function readPlain(text: string, begin: number): { cell: string; end: number } {
  let end = begin;
  while (end < text.length && !",\r\n".includes(text[end] as string)) end++;
  return { cell: text.slice(begin, end), end };
}
