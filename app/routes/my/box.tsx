import { Link, redirect } from "react-router";
import { groupDigits } from "../../../workers/contract/group-digits.ts";
import { listOfuses } from "../../../workers/contract/ofuses.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { LikedNote } from "../../likes/like.tsx";
import { AvatarLink, calledOf, senderOf } from "../../people/avatar.tsx";
import { v4Context } from "../../request/context.ts";
import { OneTimeHint } from "../../shell/one-time-hint.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Pager } from "../../ui/pager.tsx";
import { pageNumber, refuseEmptyPage } from "../../v4/page-number.ts";
import { isFanLetter } from "../creator/fan-letter.ts";
import { stampNames } from "../creator/letter-lists.server.ts";
import { Stamp } from "../creator/letter-look.tsx";
import type { Route } from "./+types/box.ts";
import { boxPath, boxSearch, letterPath } from "./box-path.ts";
import { type BoxView, boxFilterOf, readBoxView } from "./box-view.ts";
import { Choice, KeywordField, ListOrder, ORDERS } from "./list-order.tsx";
import { RefundBadge } from "./refund-badge.tsx";

export const meta: Route.MetaFunction = (args) => {
  const { location, loaderData } = args;
  // Without a query, the box opens with what its owner has.
  const tab = location.search && loaderData && tabs.find((each) => isShown(each, loaderData.view));
  return pageMeta(args, {
    title: tab && tab !== tabs[0] ? `レターボックス（${tab.label}）` : "レターボックス",
    is_unlisted: true,
  });
};

export async function loader({ url, context }: Route.LoaderArgs) {
  const page = pageNumber(url);
  const view = readBoxView(url);
  const v4 = context.get(v4Context);
  const { ofuses, has_next } = await v4.read(listOfuses, { query: queryOf(view, page) });
  // The member has replied to the last letter of the page that this link leads back to.
  if (page > 1 && view.is_not_replied && ofuses.length === 0) throw redirect(boxPath(view));
  refuseEmptyPage(page, ofuses);
  // Most fans receive no letters, so an empty default view shows the letters they sent.
  if (url.searchParams.size === 0 && ofuses.length === 0) {
    const sent = { ...view, type: "sent" as const };
    const list = await v4.read(listOfuses, { query: queryOf(sent, page) });
    if (list.ofuses.length > 0)
      return { ofuses: list.ofuses, stamps: stampNames, has_next: list.has_next, page, view: sent };
  }
  return { ofuses, stamps: stampNames, has_next, page, view };
}

const queryOf = (view: BoxView, page_number: number) => ({ page_number, type: view.type, ...boxFilterOf(view) });

const tabs = [
  { label: "届いたofuse", type: "received", is_not_replied: false },
  { label: "未返信", type: "received", is_not_replied: true },
  { label: "送ったofuse", type: "sent", is_not_replied: false },
] as const;

const isShown = (tab: Pick<BoxView, "type" | "is_not_replied">, view: BoxView) =>
  tab.type === view.type && tab.is_not_replied === view.is_not_replied;

const RECEIVED_ORDERS = [...ORDERS, { value: "unread", label: "未読を先に" }] as const;

const prices = [
  { value: "", label: "すべて" },
  { value: "free", label: "無料" },
  { value: "paid", label: "有料" },
] as const;

/** An empty list: says why, and what to do about it. */
function EmptyBox({ view }: { view: BoxView }) {
  const { type, is_not_replied, price, keyword } = view;
  const all = { ...view, is_not_replied: false, price: null, keyword: "" };
  if (keyword) {
    const other = type === "received" ? "sent" : "received";
    return (
      <EmptyState title={`「${keyword}」のあるofuseは見つかりません`}>
        <p>本文、返信、相手の名前から探しました。言葉を短くすると、見つかることがあります。</p>
        <p className="row box-ways">
          <ButtonLink to={boxPath({ ...all, type: other, keyword })} variant="primary-outline">
            {type === "received" ? "送ったofuseから探す" : "届いたofuseから探す"}
          </ButtonLink>
          <Link to={boxPath(all)}>すべて表示する</Link>
        </p>
      </EmptyState>
    );
  }
  if (price || is_not_replied) {
    const title = price ? `${price === "paid" ? "有料" : "無料"}のofuseはありません` : "未返信のofuseはありません";
    return (
      <EmptyState title={title}>
        {!price && <p>どのofuseにも返信しました。</p>}
        <p>
          <Link to={boxPath(all)}>すべて表示する</Link>
        </p>
      </EmptyState>
    );
  }
  if (type === "sent") {
    return (
      <EmptyState title="まだofuseを送っていません">
        <img className="stamp" src="/letter-looks/heart.svg" alt="" />
        <p>好きな作品をつくる人に、ひとこと届けてみませんか。無料でも送れます。</p>
        <p>
          <ButtonLink to="/search" variant="primary-outline">
            クリエイターを探す
          </ButtonLink>
        </p>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="まだofuseは届いていません">
      <img className="stamp" src="/letter-looks/tea.svg" alt="" />
      <p>あなたのページを知らせると、読んだ人や見た人から、ここにofuseが届きます。</p>
      <p>
        <ButtonLink to="/my/share" variant="primary-outline">
          自分のページを知らせる
        </ButtonLink>
      </p>
    </EmptyState>
  );
}

export default function Box({ loaderData }: Route.ComponentProps) {
  const { ofuses, stamps, has_next, page, view } = loaderData;
  const { type, is_not_replied, price, sort_by, keyword } = view;
  return (
    <>
      <h1 className="page-title">レターボックス</h1>
      <nav className="tabs" aria-label="ofuseの種類">
        {tabs.map(({ label, ...tab }) => {
          const current = isShown(tab, view) ? "page" : undefined;
          return (
            <Link key={label} to={boxPath({ ...view, ...tab })} aria-current={current}>
              {label}
            </Link>
          );
        })}
      </nav>
      <ListOrder
        sort_by={sort_by}
        orders={type === "received" ? RECEIVED_ORDERS : undefined}
        kept={{ type, filter: is_not_replied ? "not_replied" : null }}
        button="表示する"
      >
        <KeywordField keyword={keyword} label="言葉や名前" />
        <Choice name="price" label="料金" chosen={price ?? ""} choices={prices} />
      </ListOrder>
      {keyword && ofuses.length > 0 && (
        <p className="row list-found">
          「{keyword}」のあるofuse
          <Link to={boxPath({ ...view, keyword: "" })}>検索をやめる</Link>
        </p>
      )}
      {ofuses.length === 0 ? (
        <EmptyBox view={view} />
      ) : (
        <ul className="letter-list">
          {ofuses.map((ofuse) => {
            const other = type === "received" ? senderOf(ofuse) : ofuse.receiver;
            return (
              <li key={ofuse.ofuse_id} className="card letter">
                <p className="byline">
                  <AvatarLink link_id={other.link_id} image={other.icon_image} />
                  <Link to={letterPath(ofuse.ofuse_id, view, page)} className="card-link byline-name">
                    <bdi>{type === "received" ? other.name : `${calledOf(other)}へ`}</bdi>
                  </Link>
                  {ofuse.paid && <span className="badge">{groupDigits(ofuse.amount)}円</span>}
                  <RefundBadge state={ofuse.refund_state} />
                  {isFanLetter(ofuse) && <span className="badge">ファンレター</span>}
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
      {ofuses.length > 0 && (
        <p className="row box-export">
          <span className="row-note">この一覧を</span>
          <a href={`/my/box/letters.csv${boxSearch(view)}`}>CSVで保存</a>
          <Link to={`/my/box/print${boxSearch(view)}`}>印刷用に表示</Link>
        </p>
      )}
      <Pager page={page} has_next={has_next} hrefOf={(n) => boxPath(view, n)} />
      {type === "received" && (
        <OneTimeHint id="box" is_floating>
          届いたofuseには、返信や「いいね」で気持ちを返せます。まだ返信していないものは、「未返信」に集まります。
        </OneTimeHint>
      )}
    </>
  );
}
