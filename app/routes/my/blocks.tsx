import { Link, redirect } from "react-router";
import { listBlocks } from "../../../workers/contract/blocks.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { Avatar } from "../../people/avatar.tsx";
import { v4Context } from "../../request/context.ts";
import { DateTime } from "../../ui/date-time.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Pager } from "../../ui/pager.tsx";
import { pageNumber, refuseEmptyPage } from "../../v4/page-number.ts";
import { BlockForm } from "../creator/block-menu.tsx";
import type { Route } from "./+types/blocks.ts";
import { SettingsPage } from "./settings/settings-page.tsx";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "ブロックした相手", is_unlisted: true });

export async function loader({ url, context }: Route.LoaderArgs) {
  const page = pageNumber(url);
  const { blocks, has_next } = await context.get(v4Context).read(listBlocks, { query: { page_number: page } });
  // The member has just unblocked the last person of this page, so redirect to the page before.
  if (page > 1 && blocks.length === 0 && url.searchParams.has("left")) throw redirect(pathOf(page - 1));
  refuseEmptyPage(page, blocks);
  return { blocks, has_next, page };
}

const pathOf = (page: number) => (page > 1 ? `/my/settings/blocks?page=${page}` : "/my/settings/blocks");

export default function Blocks({ loaderData }: Route.ComponentProps) {
  const { blocks, has_next, page } = loaderData;
  return (
    <SettingsPage title="ブロックした相手">
      <p className="lead">
        ブロックした相手とは、おたがいにフォロー、コメント、「いいね」、ofuseの送信ができません。相手には知らされません。
      </p>
      {blocks.length === 0 ? (
        <EmptyState title="ブロックした相手はいません">
          <p>相手のページの「…」からブロックできます。</p>
        </EmptyState>
      ) : (
        <ul className="rows">
          {blocks.map(({ blocking_id, user, created_at }) => (
            <li key={blocking_id} className="card row">
              <Link to={`/${user.link_id}`} className="person row-text">
                <Avatar image={user.icon_image} />
                <span className="person-text">
                  <span className="person-name">
                    <bdi>{user.name}</bdi>
                  </span>
                  <span className="row-note">
                    @{user.link_id}・<DateTime iso={created_at} format="date" />
                  </span>
                </span>
              </Link>
              <BlockForm
                link_id={user.link_id}
                name={user.name}
                operation="unblock"
                to={page > 1 ? `${pathOf(page)}&left` : pathOf(1)}
              />
            </li>
          ))}
        </ul>
      )}
      <Pager page={page} has_next={has_next} hrefOf={pathOf} />
    </SettingsPage>
  );
}
