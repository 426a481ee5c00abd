/**
 * `npm run --silent sql:importable -- <file>`: rewrites the output of `wrangler d1 export` so that D1 can execute it.
 * The export lists each table with its rows, and triggers before views. So a row fails when its foreign key names a
 * later table, and so does a trigger on a view. The export also writes a row as one statement of any length, and D1
 * refuses long ones.
 */
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { Refusal, reportFailure } from "./refusal.ts";

const order = [
  /^PRAGMA/i,
  /^CREATE TABLE/i,
  /^(INSERT|DELETE)/i,
  /^CREATE (UNIQUE )?INDEX/i,
  /^CREATE VIEW/i,
  /^CREATE TRIGGER/i,
];
const ROWS = 2;

/** Well below D1's limit of 100,000. Source: Cloudflare D1, "Limits", "Maximum SQL statement length". */
const MAX_STATEMENT_BYTES = 90_000;
const PIECE_BYTES = 50_000;
/**
 * In a row that is too long, texts up to this size stay in the statement. D1 allows 100 columns, and 100 such texts fit
 * into a statement.
 */
const KEPT_BYTES = 500;

/**
 * The script's output first joins long texts in this table, and then inserts the whole row. A row that grew piece by
 * piece would break its own CHECKs (half a JSON text is not valid).
 */
const longTexts = '"long_texts_of_import"';

/** The beginnings and ends of tokens that may contain a semicolon. */
const endings: Readonly<Record<string, string>> = {
  "'": "'",
  '"': '"',
  "`": "`",
  "[": "]",
  "--": "\n",
  "/*": "*/",
};

const isLong = (statement: string) => Buffer.byteLength(statement) > MAX_STATEMENT_BYTES;

/**
 * Whether a statement is complete at a semicolon. `bare` is the statement without literals and comments. The body of a
 * trigger contains semicolons of its own.
 */
const isWhole = (bare: string) => !/^\s*CREATE TRIGGER/i.test(bare) || /;\s*END\s*$/i.test(bare);

/** Yields the statements of a file, which may be larger than memory. Throws when the last statement is incomplete. */
async function* statementsIn(file: string): AsyncGenerator<string> {
  const marks = /['"`[;]|--|\/\*/g;
  let text = "";
  let looked_at = 0;
  let bare = "";
  for await (const chunk of createReadStream(file, "utf8")) {
    text += chunk;
    for (;;) {
      marks.lastIndex = looked_at;
      const mark = marks.exec(text);
      if (!mark) break;
      const ending = endings[mark[0]];
      const end = ending ? text.indexOf(ending, marks.lastIndex) : mark.index;
      // The token ends in a later chunk. The next round reads it again from its beginning.
      if (end < 0) break;
      bare += text.slice(looked_at, mark.index);
      looked_at = end + (ending ?? ";").length;
      if (ending || !isWhole(bare)) {
        bare += ending ? " " : ";";
        continue;
      }
      yield text.slice(0, mark.index).trim();
      text = text.slice(looked_at);
      looked_at = 0;
      bare = "";
    }
  }
  if (text.trim() !== "") throw new Refusal(`The export was cut off in: ${text.trim().slice(0, 80)}`);
}

/** Cuts the text of a literal into pieces, never inside a character or a doubled quote. */
function* splitText(text: string): Generator<string> {
  let piece = "";
  let bytes = 0;
  for (const [unit] of text.matchAll(/''|./gsu)) {
    const size = Buffer.byteLength(unit);
    if (bytes + size > PIECE_BYTES) {
      yield piece;
      piece = "";
      bytes = 0;
    }
    piece += unit;
    bytes += size;
  }
  yield piece;
}

/**
 * Splits a row that is too long for one statement into several statements.
 *
 * @throws when the long part is not a text.
 */
function* splitLongInsert(insert: string): Generator<string> {
  const texts: string[] = [];
  const shortened = insert.replace(/"[^"]*"|x'[^']*'|'[^']*(?:''[^']*)*'/gi, (token) => {
    if (!token.startsWith("'") || Buffer.byteLength(token) <= KEPT_BYTES) return token;
    return `(SELECT text FROM ${longTexts} WHERE number = ${texts.push(token.slice(1, -1))})`;
  });
  if (isLong(shortened)) throw new Refusal(`D1 takes no statement as long as this one: ${insert.slice(0, 80)}`);
  for (const [index, text] of texts.entries()) {
    const number = index + 1;
    yield `INSERT INTO ${longTexts} VALUES (${number}, '')`;
    for (const piece of splitText(text)) {
      yield `UPDATE ${longTexts} SET text = text || '${piece}' WHERE number = ${number}`;
    }
  }
  yield shortened;
  yield `DELETE FROM ${longTexts}`;
}

function rankOf(statement: string): number {
  const rank = order.findIndex((kind) => kind.test(statement));
  if (rank < 0) throw new Refusal(`This is not of an export: ${statement.slice(0, 80)}`);
  return rank;
}

/**
 * Yields the statements of an export in the order tables, rows, indexes, views, triggers. Triggers come last, so that
 * none counts a row again. Reads the file twice instead of keeping all rows in memory.
 *
 * @throws at a statement that no export has, or that cannot be made short enough.
 */
export async function* importableStatements(file: string): AsyncGenerator<string> {
  const schema: { statement: string; rank: number }[] = [];
  let has_long_rows = false;
  for await (const statement of statementsIn(file)) {
    const rank = rankOf(statement);
    if (rank === ROWS) has_long_rows ||= isLong(statement);
    else schema.push({ statement, rank });
  }
  schema.sort((a, b) => a.rank - b.rank);
  for (const { statement, rank } of schema) if (rank < ROWS) yield statement;
  if (has_long_rows) yield `CREATE TABLE ${longTexts} (number INTEGER PRIMARY KEY, text TEXT NOT NULL)`;
  for await (const statement of statementsIn(file)) {
    if (rankOf(statement) === ROWS) yield* isLong(statement) ? splitLongInsert(statement) : [statement];
  }
  if (has_long_rows) yield `DROP TABLE ${longTexts}`;
  for (const { statement, rank } of schema) if (rank > ROWS) yield statement;
}

if (import.meta.main) {
  const [file = "", ...more] = process.argv.slice(2);
  try {
    if (file === "" || file.startsWith("-") || more.length > 0) {
      throw new Refusal("sql:importable <file>   rewrite the output of `wrangler d1 export` so that D1 can execute it");
    }
    const lines = async function* () {
      for await (const statement of importableStatements(file)) yield `${statement};\n`;
    };
    await pipeline(lines, process.stdout);
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException;
    const is_of_file = syscall === "open" || syscall === "read";
    reportFailure("The output", is_of_file ? new Refusal(`${file} cannot be read: ${message}`) : error);
  }
}
