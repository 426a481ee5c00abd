import { BYTE_ORDER_MARK, cellOf, csvLine, toJapaneseTime } from "../../../workers/contract/csv.ts";
import { MAX_PAGE_SIZE } from "../../../workers/contract/fields.ts";
import { LETTER_APPEARANCES } from "../../../workers/contract/letter-choices.ts";
import { listOfuses, type Ofuse } from "../../../workers/contract/ofuses.ts";
import { senderOf } from "../../people/avatar.tsx";
import { v4Context } from "../../request/context.ts";
import type { V4 } from "../../v4/client.ts";
import { thingOf } from "../creator/fan-letter.ts";
import { stampNames } from "../creator/letter-lists.server.ts";
import type { Route } from "./+types/box-csv.ts";
import { boxFilterOf, readBoxView } from "./box-view.ts";
import { refundWords } from "./refund-badge.tsx";
import { sendFile } from "./send-file.ts";

const COLUMNS = [
  ...["日時", "送受", "種類", "相手", "相手のID", "金額", "本文", "返信", "返信の日時"],
  ...["便せん", "スタンプ", "公開", "既読", "番号", "返金"],
];

const paperNames: Record<string, string> = Object.fromEntries(
  LETTER_APPEARANCES.map(({ letter_appearance_id, name }) => [letter_appearance_id, name]),
);

/** Streams the letters of a view of the box as CSV, oldest first: letters that arrive meanwhile come at the end. */
export async function loader({ url, context }: Route.LoaderArgs) {
  const v4 = context.get(v4Context);
  const view = readBoxView(url);
  const query = { ...boxFilterOf(view), type: view.type, sort_by: "oldest" as const, page_size: MAX_PAGE_SIZE };
  // Read the first page before the response starts, so that a refusal can still answer with its status.
  const first = await v4.read(listOfuses, { query });
  return sendFile(context, linesOf(v4, query, first), { name: `ofuse-${view.type}.csv`, type: "text/csv" });
}

async function* linesOf(v4: V4, query: { page_size: number }, first: Awaited<ReturnType<typeof pageAfter>>) {
  yield BYTE_ORDER_MARK + csvLine(COLUMNS);
  for (let page = first; ; ) {
    yield page.ofuses.map(lineOf).join("");
    const last = page.ofuses.at(-1);
    if (!page.has_next || !last) return;
    page = await pageAfter(v4, query, last.ofuse_id);
  }
}

const pageAfter = (v4: V4, query: { page_size: number }, after: string) =>
  v4.callOnce(listOfuses, { query: { ...query, after } });

function lineOf(ofuse: Ofuse): string {
  const is_received = ofuse.type === "received";
  const other = is_received ? senderOf(ofuse) : ofuse.receiver;
  return csvLine([
    ...[toJapaneseTime(ofuse.created_at), is_received ? "届いた" : "送った", thingOf(ofuse)],
    ...[cellOf(other.name), other.link_id, ofuse.amount, cellOf(ofuse.message)],
    ...[cellOf(ofuse.reply?.message ?? null), ofuse.reply ? toJapaneseTime(ofuse.reply.created_at) : ""],
    paperNames[ofuse.letter_appearance_id ?? ""] ?? "",
    stampNames[ofuse.stamp_id ?? ""] ?? "",
    ...[ofuse.is_public ? "公開" : "", ofuse.is_opened ? "既読" : "未読", ofuse.ofuse_id],
    ofuse.refund_state ? refundWords[ofuse.refund_state] : "",
  ]);
}
