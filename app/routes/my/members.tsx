import { Link } from "react-router";
import { followListFilter, listFollowers } from "../../../workers/contract/relationships.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { PersonRow } from "../../people/person.tsx";
import { v4Context } from "../../request/context.ts";
import { DateTime } from "../../ui/date-time.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Pager } from "../../ui/pager.tsx";
import { pageNumber, refuseEmptyPage } from "../../v4/page-number.ts";
import type { Route } from "./+types/members.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "フォロワー", is_unlisted: true });

export async function loader({ url, context }: Route.LoaderArgs) {
  const page = pageNumber(url);
  const filter = followListFilter.safeParse(url.searchParams.get("filter")).data ?? "all";
  const query = { page_number: page, filter };
  const { followers, has_next } = await context.get(v4Context).read(listFollowers, { query });
  refuseEmptyPage(page, followers);
  return { followers, has_next, page, filter };
}

function pathOf(filter: "all" | "subscribing", page = 1): string {
  const search = new URLSearchParams();
  if (filter !== "all") search.set("filter", filter);
  if (page > 1) search.set("page", String(page));
  return search.size > 0 ? `/my/members?${search}` : "/my/members";
}

export default function Members({ loaderData }: Route.ComponentProps) {
  const { followers, has_next, page, filter } = loaderData;
  const currentIf = (own: string) => (own === filter ? ("page" as const) : undefined);
  return (
    <>
      <h1 className="page-title">フォロワー</h1>
      <nav className="tabs" aria-label="フォロワーの種類">
        <Link to={pathOf("all")} aria-current={currentIf("all")}>
          すべて
        </Link>
        <Link to={pathOf("subscribing")} aria-current={currentIf("subscribing")}>
          メンバーシップに加入中
        </Link>
      </nav>
      {followers.length === 0 ? (
        filter === "all" ? (
          <EmptyState title="まだフォロワーはいません">
            <p>
              <Link to="/my/share">自分のページを知らせる</Link>
            </p>
          </EmptyState>
        ) : (
          <EmptyState title="メンバーシップに加入中のフォロワーはいません" />
        )
      ) : (
        <ul className="rows">
          {followers.map(({ user, created_at }) => (
            <PersonRow key={user.user_id} user={user}>
              <p className="row">
                <span className="row-note">
                  <DateTime iso={created_at} format="date" /> から
                </span>
              </p>
            </PersonRow>
          ))}
        </ul>
      )}
      <Pager page={page} has_next={has_next} hrefOf={(n) => pathOf(filter, n)} />
    </>
  );
}
