import { Link } from "react-router";
import { groupDigits } from "../../../workers/contract/group-digits.ts";
import {
  listOwnNewsletters,
  type NewsletterListing,
  type OwnNewsletterSummary,
} from "../../../workers/contract/newsletters.ts";
import { getProfile } from "../../../workers/contract/users.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { v4Context } from "../../request/context.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Pager } from "../../ui/pager.tsx";
import { pageNumber, refuseEmptyPage } from "../../v4/page-number.ts";
import type { Route } from "./+types/newsletters.ts";
import { MonetizePrompt } from "./monetize-prompt.tsx";
import { NEWSLETTERS_PATH } from "./newsletter-path.ts";

export const meta: Route.MetaFunction = (args) => {
  const tab = tabs.find(({ listing }) => listing === args.loaderData?.listing);
  return pageMeta(args, {
    title: tab && tab !== tabs[0] ? `ニュースレター（${tab.title}）` : "ニュースレター",
    is_unlisted: true,
  });
};

const states = { draft: "下書き", scheduled: "配信予約", published: "配信済み" } as const;

/** Source: spec section 3, newsletter listing. */
const tabs = [
  { listing: "all", title: "すべて", empty: "まだニュースレターがありません" },
  { listing: "published", title: states.published, empty: "配信済みのニュースレターはありません" },
  { listing: "scheduled", title: states.scheduled, empty: "配信予約のニュースレターはありません" },
  { listing: "draft", title: states.draft, empty: "下書きはありません" },
] as const satisfies { listing: NewsletterListing; title: string; empty: string }[];

export async function loader({ url, context }: Route.LoaderArgs) {
  const v4 = context.get(v4Context);
  const page = pageNumber(url);
  const { user } = await v4.read(getProfile, {});
  const { listing } = tabOf(url.searchParams.get("filter"));
  if (!user.is_creator) return { list: null, listing, page };
  const list = await v4.read(listOwnNewsletters, { query: { page_number: page, listing } });
  refuseEmptyPage(page, list.news_letters);
  return { list, listing, page };
}

const tabOf = (filter: string | null) => tabs.find(({ listing }) => listing === filter) ?? tabs[0];

function pathOf(listing: NewsletterListing, page = 1): string {
  const search = new URLSearchParams();
  if (listing !== "all") search.set("filter", listing);
  if (page > 1) search.set("page", String(page));
  return search.size > 0 ? `/my/news_letters?${search}` : "/my/news_letters";
}

export default function Newsletters({ loaderData }: Route.ComponentProps) {
  const { list, listing, page } = loaderData;
  if (!list) {
    return (
      <>
        <h1 className="page-title">ニュースレター</h1>
        <ReceivedLink />
        <MonetizePrompt title="ニュースレターを作るには、収益化登録が必要です">
          <p>登録すると、フォロワーへメールの便りを送れるようになります。</p>
        </MonetizePrompt>
      </>
    );
  }
  return (
    <>
      <div className="page-head">
        <h1 className="page-title">ニュースレター</h1>
        <ButtonLink to="/my/news_letters/new" size="sm">
          ニュースレターを作る
        </ButtonLink>
      </div>
      <ReceivedLink />
      {/* How many newsletters the member may still send this month. Source: spec section 6. */}
      <p>今月残り {list.remaining_count}回</p>
      <nav className="tabs" aria-label="ニュースレターの状態">
        {tabs.map((tab) => (
          <Link key={tab.listing} to={pathOf(tab.listing)} aria-current={tab.listing === listing ? "page" : undefined}>
            {tab.title}
          </Link>
        ))}
      </nav>
      {list.news_letters.length === 0 ? (
        <EmptyState title={tabOf(listing).empty} />
      ) : (
        <ul className="rows">
          {list.news_letters.map((newsletter) => (
            <Row key={newsletter.id} newsletter={newsletter} />
          ))}
        </ul>
      )}
      <Pager page={page} has_next={list.has_next} hrefOf={(n) => pathOf(listing, n)} />
    </>
  );
}

function ReceivedLink() {
  return (
    <p>
      <Link to={`${NEWSLETTERS_PATH}/received`}>届いたニュースレターを読む</Link>
    </p>
  );
}

/** A newsletter of the list, with what became of its mails. Nobody counts who opened them. */
function Row({ newsletter }: { newsletter: OwnNewsletterSummary }) {
  const { id, title, status, publish_at, published_at, updated_at, fan_scope } = newsletter;
  const { receivers_count, sent_count, bounced_count, unsubscribed_count } = newsletter;
  const path = `${NEWSLETTERS_PATH}/${id}`;
  return (
    <li className="card letter">
      <Link to={status === "published" ? path : `${path}/edit`} className="card-link">
        <b>{title || "（タイトルなし）"}</b>
      </Link>
      <p className="row">
        <span className={status === "published" ? "badge badge-new" : "badge"}>{states[status]}</span>
        <DateTime iso={published_at ?? (status === "scheduled" ? publish_at : null) ?? updated_at} />
        <span className="row-note">{fan_scope === "fans" ? "フォロワー全員" : "プランのメンバー"}</span>
      </p>
      {status === "published" && (
        <p className="row-note">
          送信 {groupDigits(sent_count)} / {groupDigits(receivers_count)}通、不達 {groupDigits(bounced_count)}
          通、配信停止 {groupDigits(unsubscribed_count)}回
        </p>
      )}
    </li>
  );
}
