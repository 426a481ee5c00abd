import type { RouterContextProvider } from "react-router";
import { BYTE_ORDER_MARK, cellOf, csvLine, toJapaneseTime } from "../../../workers/contract/csv.ts";
import type { UserSummary } from "../../../workers/contract/fields.ts";
import { sendFile } from "./send-file.ts";

interface Follow {
  user: UserSummary;
  created_at: string;
}
interface FollowPage<Row extends Follow> {
  rows: Row[];
  has_next: boolean;
}

/**
 * Streams a list of follows as CSV.
 *
 * @param columns the names of the columns after the name and the ID; `cellsOf` returns their cells.
 * @param readAfter reads the page after a person, named as the API's `after`.
 */
export function sendPeople<Row extends Follow>(
  context: Readonly<RouterContextProvider>,
  name: string,
  columns: string[],
  first: FollowPage<Row>,
  cellsOf: (row: Row) => string[],
  readAfter: (after: string) => Promise<FollowPage<Row>>,
): Response {
  async function* lines() {
    yield BYTE_ORDER_MARK + csvLine(["名前", "ユーザーID", "日時", ...columns]);
    for (let page = first; ; ) {
      yield page.rows
        .map((row) =>
          csvLine([cellOf(row.user.name), row.user.link_id, toJapaneseTime(row.created_at), ...cellsOf(row)]),
        )
        .join("");
      const last = page.rows.at(-1);
      if (!page.has_next || !last) return;
      page = await readAfter(`${last.created_at} ${last.user.user_id}`);
    }
  }
  return sendFile(context, lines(), { name, type: "text/csv" });
}
