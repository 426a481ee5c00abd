import { data, Link } from "react-router";
import { id } from "../../../workers/contract/fields.ts";
import { getNewsletter, type Newsletter } from "../../../workers/contract/newsletters.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { DocumentView } from "../../post/document.tsx";
import { linksOf } from "../../post/links.ts";
import { v4Context } from "../../request/context.ts";
import { identityContext, viewerContext } from "../../session/context.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { LockIcon } from "../../ui/icons.tsx";
import type { Route } from "./+types/newsletter.ts";
import { NEWSLETTERS_PATH } from "./newsletter-path.ts";

export const meta: Route.MetaFunction = (args) =>
  pageMeta(args, { title: args.loaderData?.news_letter.title || "ニュースレター", is_unlisted: true });

export async function loader({ url, params, context }: Route.LoaderArgs) {
  if (!id.safeParse(params.newsletter_id).success) throw data(null, { status: 404 });
  const { news_letter } = await context.get(v4Context).read(getNewsletter, { params: { id: params.newsletter_id } });
  return {
    // `document` contains all of `body`, so do not send the text twice.
    news_letter: { ...news_letter, body: null },
    links: await linksOf(news_letter.document ?? [], url.origin, context.get(identityContext).session_keys),
    is_own: news_letter.user.user_id === context.get(viewerContext)?.profile?.user_id,
  };
}

/** A newsletter as its reader sees it. Others see its title, and how to read on. */
export default function NewsletterPage({ loaderData }: Route.ComponentProps) {
  const { news_letter, links, is_own } = loaderData;
  const { user, title, published_at, document, images, is_locked, fan_scope } = news_letter;
  return (
    <>
      <p className="back">
        {is_own ? (
          <Link to={NEWSLETTERS_PATH}>ニュースレターへ戻る</Link>
        ) : (
          <Link to={`${NEWSLETTERS_PATH}/received`}>届いたニュースレターへ戻る</Link>
        )}
      </p>
      <article className="card prose event">
        <header className="event-head">
          <h1 className="event-title">{title || "（タイトルなし）"}</h1>
          <p className="event-card-meta">
            <Link to={`/${user.link_id}`}>{user.name}</Link>
            {published_at && <DateTime iso={published_at} />}
            <span className="badge">{fan_scope === "fans" ? "フォロワー限定" : "メンバー限定"}</span>
          </p>
        </header>
        {is_locked ? (
          <Lock news_letter={news_letter} />
        ) : (
          <DocumentView document={document ?? []} images={images} media={[]} links={links} />
        )}
      </article>
      {!is_own && !is_locked && (
        <p className="kinds-after">
          <ButtonLink to={`/${user.link_id}/ofuse`} variant="secondary" size="sm">
            感想をofuseで送る
          </ButtonLink>
        </p>
      )}
    </>
  );
}

/** The end of a locked newsletter, which says how to read on. */
function Lock({ news_letter }: { news_letter: Pick<Newsletter, "id" | "fan_scope" | "user" | "membership_id"> }) {
  const { fan_scope, user, membership_id } = news_letter;
  return (
    <section className="locked" aria-labelledby="locked-title">
      <LockIcon />
      <h2 id="locked-title" className="locked-title">
        このニュースレターは{fan_scope === "fans" ? "フォロワー限定" : "メンバー限定"}です
      </h2>
      {fan_scope === "fans" ? (
        <>
          <p>
            <bdi>{user.name}</bdi>さんをフォローすると、すぐに読めます。
          </p>
          <ButtonLink to={`/${user.link_id}`} variant="primary-outline">
            クリエイターのページを見る
          </ButtonLink>
        </>
      ) : (
        <>
          <p>プランに加入すると読めます。</p>
          <ButtonLink
            to={`/${user.link_id}/plans/${membership_id}?to=${NEWSLETTERS_PATH}/${news_letter.id}`}
            variant="primary-outline"
          >
            プランを見る
          </ButtonLink>
        </>
      )}
    </section>
  );
}
