import { type RawBuilder, sql } from "kysely";

/** How many characters of a text are read to find its first line. */
const EXCERPT_READ = 200;

/** SQL for the beginning of a text, long enough for {@link firstLineOf}. */
export const beginningOf = (column: string): RawBuilder<string | null> =>
  sql`substr(${sql.ref(column)}, 1, ${sql.lit(EXCERPT_READ)})`;

/** Returns the first line of a text. Blank lines before it are ignored. */
export function firstLineOf(text: string): string {
  return text.trim().split("\n", 1)[0] ?? "";
}
