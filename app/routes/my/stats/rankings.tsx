import { Link } from "react-router";
import { groupDigits } from "../../../../workers/contract/group-digits.ts";
import type { CreatorStats } from "../../../../workers/contract/stats.ts";

const timesText = (times: number) => `${groupDigits(times)}回`;

/** The posts that were read most in the range. */
export function BestEvents({ events, link_id }: { events: CreatorStats["best_events"]; link_id: string }) {
  return (
    <section className="card section" aria-labelledby="best-title">
      <h2 id="best-title" className="section-title">
        よく読まれた投稿
      </h2>
      {events.length === 0 ? (
        <p className="row-note">この期間に、はじめて読まれた投稿はありません。</p>
      ) : (
        <ol className="stats-ranking">
          {events.map(({ event_id, title, reads_count, likes_count, comments_count }) => (
            <li key={event_id}>
              <Link to={`/${link_id}/events/${event_id}`}>{title || "（無題）"}</Link>
              <b>{timesText(reads_count)}</b>
              <span className="row-note">{`いままでに、いいね${groupDigits(likes_count)}・コメント${groupDigits(comments_count)}`}</span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

export const referrerText = ({ kind, host }: CreatorStats["referrers"][number]): string =>
  kind === "host" ? (host ?? "") : kind === "direct" ? "直接" : "その他";

/** Where readers came from. A host is text: a link would lead to what a stranger chose. */
export function Referrers({ referrers }: { referrers: CreatorStats["referrers"] }) {
  return (
    <section className="card section" aria-labelledby="referrers-title">
      <h2 id="referrers-title" className="section-title">
        どこから来たか
      </h2>
      {referrers.length === 0 ? (
        <p className="row-note">この期間に読んだ人は、まだいません。</p>
      ) : (
        <ol className="stats-ranking">
          {referrers.map((each) => (
            <li key={referrerText(each)}>
              <span className="stats-host">{referrerText(each)}</span>
              <b>{timesText(each.reads_count)}</b>
            </li>
          ))}
        </ol>
      )}
      <p className="row-note">
        わかるのはサイトの名前だけで、だれが来たかは記録しません。「直接」は、ofuseの中から来た人と、どこから来たかわからない人です。3回より少ないサイトは「その他」にまとめます。
      </p>
    </section>
  );
}
