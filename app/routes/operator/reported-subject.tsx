import { Link } from "react-router";
import type { ReportedSubject } from "../../../workers/contract/operator.ts";
import { DateTime } from "../../ui/date-time.tsx";
import { Fact, FactList } from "./list.tsx";
import { STATES } from "./operator-words.ts";

/** A post, comment or letter as it is now, with its whole text. Null if it was deleted. */
export function SubjectNow({ subject }: { subject: ReportedSubject | null }) {
  if (!subject) return <p>すでに削除されています。</p>;
  const { text, state, since, page_link_id, event_id, radio_id } = subject;
  const path = event_id
    ? `/${page_link_id}/events/${event_id}`
    : radio_id
      ? `/${page_link_id}/radios/${radio_id}`
      : `/${page_link_id}`;
  return (
    <>
      <FactList>
        <Fact name="いまの状態">
          {STATES[state]} {since && <DateTime iso={since} />}
        </Fact>
        <Fact name="ページ">
          <Link to={path}>{path}</Link>
        </Fact>
      </FactList>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard. */}
      <blockquote className="operator-quote" tabIndex={0} aria-label="全文">
        {text}
      </blockquote>
    </>
  );
}
