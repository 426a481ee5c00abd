/**
 * `npm run --silent sql:importable -- <file>`: prints what `wrangler d1 export` wrote so that D1 can execute it. The export
 * states each table with its rows and the triggers before the views: a row whose foreign key names a later table fails, and
 * so does a trigger on a view. And it writes a row as one statement, however long, which D1 refuses.
 */
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";

const order = [
  /^PRAGMA/i,
  /^CREATE TABLE/i,
  /^(INSERT|DELETE)/i,
  /^CREATE (UNIQUE )?INDEX/i,
  /^CREATE VIEW/i,
  /^CREATE TRIGGER/i,
];
const ROWS = 2;

/** Well under the 100,000 that a statement may have. Source: Cloudflare D1, "Limits", "Maximum SQL statement length". */
const MAX_STATEMENT_BYTES = 90_000;
const PIECE_BYTES = 50_000;
/** Of a row that is too long, texts up to here stay where they are: D1's 100 columns of them fit. */
const KEPT_BYTES = 500;

/**
 * Where long texts are put together before their row, whole, takes them: a row that grew would break its own CHECKs
 * meanwhile (half a JSON is none).
 */
const longTexts = '"long_texts_of_import"';

/** What may hide a semicolon: how it begins, and how it ends. */
const endings: Readonly<Record<string, string>> = {
  "'": "'",
  '"': '"',
  "`": "`",
  "[": "]",
  "--": "\n",
  "/*": "*/",
};

const isLong = (statement: string) => Buffer.byteLength(statement) > MAX_STATEMENT_BYTES;

/** A statement so far, without literals and comments, is whole at a semicolon; a trigger's body has more of them. */
const isWhole = (bare: string) => !/^\s*CREATE TRIGGER/i.test(bare) || /;\s*END\s*$/i.test(bare);

/**
 * The statements of a file, which may be larger than memory.
 *
 * @throws when the last one has no end.
 */
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
      // The rest of a literal is in a later chunk: it is looked at again from its beginning.
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
  if (text.trim() !== "") throw new Error(`The export was cut off in: ${text.trim().slice(0, 80)}`);
}

/** Cuts what stands between a literal's quotes, never inside a character or a doubled quote. */
function* piecesOf(text: string): Generator<string> {
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
 * A row that is too long for one statement, as several.
 *
 * @throws when what is long in it is no text.
 */
function* takenApart(insert: string): Generator<string> {
  const texts: string[] = [];
  const shortened = insert.replace(/"[^"]*"|x'[^']*'|'[^']*(?:''[^']*)*'/gi, (token) => {
    if (!token.startsWith("'") || Buffer.byteLength(token) <= KEPT_BYTES) return token;
    return `(SELECT text FROM ${longTexts} WHERE number = ${texts.push(token.slice(1, -1))})`;
  });
  if (isLong(shortened)) throw new Error(`D1 takes no statement as long as this one: ${insert.slice(0, 80)}`);
  for (const [index, text] of texts.entries()) {
    const number = index + 1;
    yield `INSERT INTO ${longTexts} VALUES (${number}, '')`;
    for (const piece of piecesOf(text)) {
      yield `UPDATE ${longTexts} SET text = text || '${piece}' WHERE number = ${number}`;
    }
  }
  yield shortened;
  yield `DELETE FROM ${longTexts}`;
}

function rankOf(statement: string): number {
  const rank = order.findIndex((kind) => kind.test(statement));
  if (rank < 0) throw new Error(`This is not of an export: ${statement.slice(0, 80)}`);
  return rank;
}

/**
 * The statements of an export: tables, rows, indexes, views, and last the triggers, so that none counts a row again. The
 * file is read twice, so that no more than a row is held.
 *
 * @throws at a statement that has no place in an export, or that cannot be made short enough.
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
    if (rankOf(statement) === ROWS) yield* isLong(statement) ? takenApart(statement) : [statement];
  }
  if (has_long_rows) yield `DROP TABLE ${longTexts}`;
  for (const { statement, rank } of schema) if (rank > ROWS) yield statement;
}

if (import.meta.main) {
  const [file] = process.argv.slice(2);
  if (!file) throw new Error("sql:importable <file>");
  const lines = async function* () {
    for await (const statement of importableStatements(file)) yield `${statement};\n`;
  };
  await pipeline(lines, process.stdout);
}
