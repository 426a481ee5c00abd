import { type RawBuilder, sql } from "kysely";

/** How much of a text is read to find its first line, in characters. */
const EXCERPT_READ = 200;

/** SQL: as much of a text as {@link firstLineOf} needs. */
export const beginningOf = (column: string): RawBuilder<string | null> =>
  sql`substr(${sql.ref(column)}, 1, ${sql.lit(EXCERPT_READ)})`;

/** The first line of a text that has words in it. */
export function firstLineOf(text: string): string {
  return text.trim().split("\n", 1)[0] ?? "";
}
