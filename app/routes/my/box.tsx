import { Link } from "react-router";
import * as z from "zod";
import { sortBy } from "../../../workers/contract/fields.ts";
import { listOfuses, ofuseType } from "../../../workers/contract/ofuses.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { LikedNote } from "../../likes/like.tsx";
import { AvatarLink, calledOf, senderOf } from "../../people/avatar.tsx";
import { v4Context } from "../../request/context.ts";
import { DateTime } from "../../ui/date-time.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Pager } from "../../ui/pager.tsx";
import { pageNumber, refuseEmptyPage } from "../../v4/page-number.ts";
import { isFanLetter } from "../creator/fan-letter.ts";
import { stampNames } from "../creator/letter-lists.server.ts";
import { Stamp } from "../creator/letter-look.tsx";
import type { Route } from "./+types/box.ts";
import { Choice, ListOrder } from "./list-order.tsx";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "レターボックス", is_unlisted: true });

/** The filters and the order of the box, as in the address. */
interface View {
  type: z.output<typeof ofuseType>;
  is_not_replied: boolean;
  /** The price filter: only paid or only free letters. Null shows both. */
  price: "free" | "paid" | null;
  sort_by: z.output<typeof sortBy>;
}

export async function loader({ url, context }: Route.LoaderArgs) {
  const search = url.searchParams;
  const page = pageNumber(url);
  const view: View = {
    type: ofuseType.catch("received").parse(search.get("type")),
    is_not_replied: search.get("filter") === "not_replied",
    price: z.enum(["free", "paid"]).nullable().catch(null).parse(search.get("price")),
    sort_by: sortBy.catch("newest").parse(search.get("sort")),
  };
  const v4 = context.get(v4Context);
  const { ofuses, has_next } = await v4.read(listOfuses, { query: queryOf(view, page) });
  refuseEmptyPage(page, ofuses);
  // Most fans receive no letters, so an empty default view shows the letters they sent.
  if (search.size === 0 && ofuses.length === 0) {
    const sent = { ...view, type: "sent" as const };
    const list = await v4.read(listOfuses, { query: queryOf(sent, page) });
    if (list.ofuses.length > 0)
      return { ofuses: list.ofuses, stamps: stampNames, has_next: list.has_next, page, view: sent };
  }
  return { ofuses, stamps: stampNames, has_next, page, view };
}

const queryOf = ({ type, is_not_replied, price, sort_by }: View, page_number: number) => ({
  page_number,
  type,
  sort_by,
  is_not_replied: is_not_replied ? true : undefined,
  paid: price === null ? undefined : price === "paid",
});

/** The address of the box. Always names `type`, because without it the box may show received or sent letters. */
function pathOf({ type, is_not_replied, price, sort_by }: View, page = 1): string {
  const search = new URLSearchParams({ type });
  if (is_not_replied) search.set("filter", "not_replied");
  if (price) search.set("price", price);
  if (sort_by !== "newest") search.set("sort", sort_by);
  if (page > 1) search.set("page", String(page));
  return `/my/box?${search}`;
}

const tabs = [
  { label: "届いたofuse", type: "received", is_not_replied: false },
  { label: "未返信", type: "received", is_not_replied: true },
  { label: "送ったofuse", type: "sent", is_not_replied: false },
] as const;

const prices = [
  { value: "", label: "すべて" },
  { value: "free", label: "無料" },
  { value: "paid", label: "有料" },
] as const;

function emptyTitle({ type, is_not_replied, price }: View): string {
  if (price) return price === "paid" ? "有料のofuseはありません" : "無料のofuseはありません";
  if (type === "sent") return "まだofuseを送っていません";
  return is_not_replied ? "未返信のofuseはありません" : "まだofuseは届いていません";
}

export default function Box({ loaderData }: Route.ComponentProps) {
  const { ofuses, stamps, has_next, page, view } = loaderData;
  const { type, is_not_replied, price, sort_by } = view;
  return (
    <>
      <h1 className="page-title">レターボックス</h1>
      <nav className="tabs" aria-label="ofuseの種類">
        {tabs.map(({ label, ...tab }) => {
          const is_shown = tab.type === type && tab.is_not_replied === is_not_replied;
          return (
            <Link key={label} to={pathOf({ ...view, ...tab })} aria-current={is_shown ? "page" : undefined}>
              {label}
            </Link>
          );
        })}
      </nav>
      <ListOrder sort_by={sort_by} kept={{ type, filter: is_not_replied ? "not_replied" : null }} button="表示する">
        <Choice name="price" label="料金" chosen={price ?? ""} choices={prices} />
      </ListOrder>
      {ofuses.length === 0 ? (
        <EmptyState title={emptyTitle(view)}>
          {type === "sent" && (
            <p>
              <Link to="/">クリエイターをさがす</Link>
            </p>
          )}
        </EmptyState>
      ) : (
        <ul className="letter-list">
          {ofuses.map((ofuse) => {
            const other = type === "received" ? senderOf(ofuse) : ofuse.receiver;
            return (
              <li key={ofuse.ofuse_id} className="card letter">
                <p className="byline">
                  <AvatarLink link_id={other.link_id} image={other.icon_image} />
                  <Link to={`/my/box/${ofuse.ofuse_id}`} className="card-link byline-name">
                    <bdi>{type === "received" ? other.name : `${calledOf(other)}へ`}</bdi>
                  </Link>
                  {ofuse.paid && <span className="badge">{ofuse.amount.toLocaleString("ja-JP")}円</span>}
                  {isFanLetter(ofuse) && <span className="badge">手紙</span>}
                  {type === "received" && !ofuse.is_opened && <span className="badge badge-new">未読</span>}
                  <DateTime iso={ofuse.created_at} format="date" />
                </p>
                <p className="letter-message letter-message-short">{ofuse.message}</p>
                <Stamp id={ofuse.stamp_id} names={stamps} />
                <p className="letter-state">
                  {ofuse.is_liked && <LikedNote>いいね</LikedNote>}
                  {ofuse.reply && <span>{type === "received" ? "返信済み" : "返信が届いています"}</span>}
                </p>
              </li>
            );
          })}
        </ul>
      )}
      <Pager page={page} has_next={has_next} hrefOf={(n) => pathOf(view, n)} />
    </>
  );
}
