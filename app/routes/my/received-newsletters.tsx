import { Link } from "react-router";
import { listNewsletters } from "../../../workers/contract/newsletters.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { v4Context } from "../../request/context.ts";
import { DateTime } from "../../ui/date-time.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Pager } from "../../ui/pager.tsx";
import { pageNumber, refuseEmptyPage } from "../../v4/page-number.ts";
import type { Route } from "./+types/received-newsletters.ts";
import { NEWSLETTERS_PATH } from "./newsletter-path.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "届いたニュースレター", is_unlisted: true });

export async function loader({ url, context }: Route.LoaderArgs) {
  const page = pageNumber(url);
  const list = await context.get(v4Context).read(listNewsletters, { query: { page_number: page } });
  refuseEmptyPage(page, list.news_letters);
  return { ...list, page };
}

export default function ReceivedNewsletters({ loaderData }: Route.ComponentProps) {
  const { news_letters, page, has_next } = loaderData;
  return (
    <>
      <p className="back">
        <Link to={NEWSLETTERS_PATH}>自分のニュースレター</Link>
      </p>
      <h1 className="page-title">届いたニュースレター</h1>
      {news_letters.length === 0 ? (
        <EmptyState title="まだニュースレターは届いていません">
          <p>フォローしている人や、加入しているプランのニュースレターが、ここに並びます。</p>
        </EmptyState>
      ) : (
        <ul className="rows">
          {news_letters.map(({ id, title, user, published_at }) => (
            <li key={id} className="card letter">
              <Link to={`${NEWSLETTERS_PATH}/${id}`} className="card-link">
                <b>{title}</b>
              </Link>
              <p className="row-note">
                <bdi>{user.name}</bdi>さん{"　"}
                <DateTime iso={published_at} />
              </p>
            </li>
          ))}
        </ul>
      )}
      <Pager
        page={page}
        has_next={has_next}
        hrefOf={(n) => (n > 1 ? `${NEWSLETTERS_PATH}/received?page=${n}` : `${NEWSLETTERS_PATH}/received`)}
      />
    </>
  );
}
