import { Link } from "react-router";
import { listOfuses, ofuseType } from "../../../workers/contract/ofuses.ts";
import { v4Context } from "../../middleware/context.ts";
import { pageMeta } from "../../shell/page-meta.ts";
import { AvatarLink, calledOf } from "../../ui/avatar.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { LikedNote } from "../../ui/like.tsx";
import { Pager } from "../../ui/pager.tsx";
import { pageNumber, refuseEmptyPage } from "../../v4/page-number.ts";
import type { Route } from "./+types/box.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "レターボックス", is_unlisted: true });

export async function loader({ url, context }: Route.LoaderArgs) {
  const search = url.searchParams;
  const page = pageNumber(url);
  const type = ofuseType.catch("received").parse(search.get("type") ?? "received");
  const is_not_replied = search.get("filter") === "not_replied" ? true : undefined;
  const query = { page_number: page, type, is_not_replied };
  const { ofuses, has_next } = await context.get(v4Context).read(listOfuses, { query });
  refuseEmptyPage(page, ofuses);
  return { ofuses, has_next, page, type, is_not_replied: is_not_replied ?? false };
}

const pathOf = (type: string, is_not_replied: boolean, page = 1) => {
  const search = new URLSearchParams();
  if (type !== "received") search.set("type", type);
  if (is_not_replied) search.set("filter", "not_replied");
  if (page > 1) search.set("page", String(page));
  return search.size > 0 ? `/my/box?${search}` : "/my/box";
};

export default function Box({ loaderData }: Route.ComponentProps) {
  const { ofuses, has_next, page, type, is_not_replied } = loaderData;
  const tab = (active: boolean) => ({ "aria-current": active ? ("page" as const) : undefined });
  return (
    <>
      <h1 className="page-title">レターボックス</h1>
      <nav className="tabs" aria-label="ofuseの種類">
        <Link to={pathOf("received", false)} {...tab(type === "received" && !is_not_replied)}>
          届いたofuse
        </Link>
        <Link to={pathOf("received", true)} {...tab(type === "received" && is_not_replied)}>
          未返信
        </Link>
        <Link to={pathOf("sent", false)} {...tab(type === "sent")}>
          送ったofuse
        </Link>
      </nav>
      {ofuses.length === 0 ? (
        <EmptyState
          title={
            type === "sent"
              ? "まだofuseを送っていません"
              : is_not_replied
                ? "未返信のofuseはありません"
                : "まだofuseは届いていません"
          }
        >
          {type === "sent" && (
            <p>
              <Link to="/">クリエイターをさがす</Link>
            </p>
          )}
        </EmptyState>
      ) : (
        <ul className="letter-list">
          {ofuses.map((ofuse) => {
            const other = type === "received" ? ofuse.sender : ofuse.receiver;
            return (
              <li key={ofuse.ofuse_id} className="card letter">
                <p className="byline">
                  <AvatarLink link_id={other.link_id} image={other.icon_image} />
                  <Link to={`/my/box/${ofuse.ofuse_id}`} className="card-link byline-name">
                    {type === "received" ? other.name : `${calledOf(other)}へ`}
                  </Link>
                  {type === "received" && !ofuse.is_opened && <span className="badge badge-new">未読</span>}
                  <DateTime iso={ofuse.created_at} format="date" />
                </p>
                <p className="letter-message letter-message-short">{ofuse.message}</p>
                <p className="letter-state">
                  {ofuse.is_liked && <LikedNote>いいね</LikedNote>}
                  {ofuse.reply && <span>{type === "received" ? "返信済み" : "返信が届いています"}</span>}
                </p>
              </li>
            );
          })}
        </ul>
      )}
      <Pager page={page} has_next={has_next} hrefOf={(n) => pathOf(type, is_not_replied, n)} />
    </>
  );
}
