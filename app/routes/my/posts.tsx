import { data, Form, Link, redirect, useFetcher } from "react-router";
import { plainText } from "../../../workers/contract/document-text.ts";
import { deleteDraft, listDrafts } from "../../../workers/contract/drafts.ts";
import {
  eventStatusFilter,
  eventVisibility,
  listOwnEventCategories,
  listOwnEvents,
  updateEvents,
} from "../../../workers/contract/events.ts";
import { id } from "../../../workers/contract/fields.ts";
import { groupDigits } from "../../../workers/contract/group-digits.ts";
import { listOwnMemberships } from "../../../workers/contract/memberships.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { flashOf, readBatch } from "../../post/batch.ts";
import { lockNotes } from "../../post/event-card.tsx";
import { formPath } from "../../post/form-path.ts";
import { parseMarkup } from "../../post/markup.ts";
import { v4Context } from "../../request/context.ts";
import { setFlash } from "../../request/flash.ts";
import { PostIcon } from "../../shell/icons.tsx";
import { OneTimeHint } from "../../shell/one-time-hint.tsx";
import { Button, ButtonLink, buttonClass } from "../../ui/button.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { Dialog, DialogButton } from "../../ui/dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { HiddenFields } from "../../ui/hidden-fields.tsx";
import { ImageIcon, VideoIcon } from "../../ui/icons.tsx";
import { Pager } from "../../ui/pager.tsx";
import { pageNumber, refuseEmptyPage } from "../../v4/page-number.ts";
import type { Route } from "./+types/posts.ts";
import { STATS_PATH } from "./stats/range.ts";

export const meta: Route.MetaFunction = (args) => {
  const tab = tabs.find(({ status }) => status === args.loaderData?.status);
  return pageMeta(args, { title: tab?.status ? `投稿（${tab.title}）` : "投稿", is_unlisted: true });
};

/** Reads the list's filters from the address. Ignores values it does not know. */
function filterOf(url: URL) {
  const readParameter = (name: string) => url.searchParams.get(name);
  const [target, membership_id] = (readParameter("target") ?? "").split(":");
  return {
    status: eventStatusFilter.safeParse(readParameter("status")).data,
    event_category_id: id.safeParse(readParameter("category")).data,
    publish_target_type: eventVisibility.safeParse(target).data,
    publish_target_membership_id: id.safeParse(membership_id).data,
  };
}

export async function loader({ url, context }: Route.LoaderArgs) {
  const v4 = context.get(v4Context);
  const is_drafts = url.searchParams.get("status") === "draft";
  const page = pageNumber(url);
  const filter = filterOf(url);
  const [{ events, counts, has_next }, { drafts }, categories, plans] = await Promise.all([
    v4.read(listOwnEvents, { query: is_drafts ? { page_size: 1 } : { ...filter, page_number: page } }),
    v4.read(listDrafts, { query: {} }),
    v4.part(listOwnEventCategories, { query: {} }),
    v4.part(listOwnMemberships, {}),
  ]);
  // The member has just deleted or changed the last post of this page, so redirect to the page before.
  if (page > 1 && events.length === 0 && url.searchParams.has("left")) {
    url.searchParams.delete("left");
    url.searchParams.set("page", String(page - 1));
    throw redirect(url.pathname + url.search);
  }
  if (!is_drafts) refuseEmptyPage(page, events);
  const { status, event_category_id, publish_target_type, publish_target_membership_id } = filter;
  return {
    events: is_drafts ? [] : events,
    drafts: drafts.map((draft) => ({ ...draft, opening: firstWords(draft.opening) })),
    counts,
    has_next: !is_drafts && has_next,
    page,
    status: is_drafts ? "draft" : (status ?? null),
    category: event_category_id ?? null,
    target: publish_target_membership_id
      ? `memberships:${publish_target_membership_id}`
      : (publish_target_type ?? null),
    categories: categories?.event_categories ?? [],
    // Closed plans too: posts may be for their members.
    plans:
      plans?.memberships.map(({ membership_id, title, active_state }) => ({
        membership_id,
        title,
        is_open: active_state === "active",
      })) ?? [],
    idempotency_key: crypto.randomUUID(),
  };
}

const FIRST_WORDS = 40;

/** Returns the first words of a text without its markup. They replace the title of an untitled draft. */
function firstWords(opening: string): string {
  const [line = ""] = plainText(parseMarkup(opening.replace(/^\[(?:画像|音声)[:：]\w+\]/gm, "")))
    .trim()
    .split("\n");
  const letters = Array.from(line);
  return letters.length > FIRST_WORDS ? `${letters.slice(0, FIRST_WORDS).join("")}…` : line;
}

export async function action({ request, url, context }: Route.ActionArgs) {
  const form = await request.formData();
  const v4 = context.get(v4Context);
  const here = `/my/posts${url.search}`;
  const batch = readBatch(form);
  const refuse = (detail: string, status: number) =>
    data({ error: detail, event_ids: form.getAll("event_ids") }, status);
  // After a deletion, or a change of what the list is filtered by, its current page may be empty. `left` lets the loader go
  // to the page before.
  const after = url.searchParams.has("page") ? `${here}&left` : here;
  if ("error" in batch) return refuse(batch.error, 422);
  if ("draft_id" in batch) {
    const sent = await v4.send(deleteDraft, { params: { draft_id: batch.draft_id } });
    if (!sent.ok && sent.refusal.code !== "not_found") return refuse(sent.refusal.detail, sent.refusal.status);
    setFlash(context, "draft_discarded");
    return redirect(here, 303);
  }
  const idempotency_key = String(form.get("idempotency_key") || crypto.randomUUID());
  const sent = await v4.send(updateEvents, { body: batch.body, idempotency_key });
  const { change, event_ids } = batch.body;
  const is_gone = !sent.ok && sent.refusal.code === "not_found";
  // The button was pressed twice.
  const is_deleted = is_gone && change === "delete" && event_ids.length === 1;
  if (!sent.ok && !is_deleted) {
    const { detail, status } = sent.refusal;
    return refuse(is_gone ? (event_ids.length > 1 ? SOME_GONE : GONE) : detail, status);
  }
  setFlash(context, flashOf(batch.body));
  return redirect(after, 303);
}

const GONE = "この投稿は、すでに削除されています。";
const SOME_GONE =
  "選んだ投稿のなかに、すでに削除されているものがあります。ほかの投稿も変更していません。一覧を確かめて、もう一度お試しください。";

const tabs = [
  // Drafts are no posts yet, and have their own list.
  { status: null, title: "下書き以外", count: "all", empty: "まだ投稿がありません" },
  { status: "is_published", title: "公開中", count: "is_published", empty: "公開中の投稿はありません" },
  { status: "is_publish_pending", title: "公開予約", count: "is_publish_pending", empty: "公開予約の投稿はありません" },
  { status: "is_private", title: "非公開", count: "is_private", empty: "非公開の投稿はありません" },
  { status: "draft", title: "下書き", count: null, empty: "下書きはありません" },
] as const;

const states = { published: "公開中", publish_pending: "公開予約", private: "非公開" } as const;
const icons = { blog: <PostIcon />, text: <PostIcon />, image: <ImageIcon />, video: <VideoIcon /> };
const kinds = { blog: "ブログ・文章", image: "画像", video: "動画", text: "文章" } as const;

interface Filter {
  status: string | null;
  category: string | null;
  target: string | null;
}

function pathOf({ status, category, target }: Filter, page = 1): string {
  const search = new URLSearchParams();
  if (status) search.set("status", status);
  if (category) search.set("category", category);
  if (target) search.set("target", target);
  if (page > 1) search.set("page", String(page));
  return search.size > 0 ? `/my/posts?${search}` : "/my/posts";
}

type Loaded = Route.ComponentProps["loaderData"];

export default function Posts({ loaderData, actionData }: Route.ComponentProps) {
  const { events, drafts, counts, has_next, page, status, category, target } = loaderData;
  const filter = { status, category, target };
  const is_narrowed = category !== null || target !== null;
  const tab = tabs.find((each) => each.status === status);
  return (
    <>
      <div className="page-head">
        <h1 className="page-title">投稿</h1>
        <div className="row">
          <ButtonLink to="/my/comments" size="sm" variant="gray-outline">
            届いたコメント
          </ButtonLink>
          <ButtonLink to={STATS_PATH} size="sm" variant="gray-outline">
            統計
          </ButtonLink>
          <ButtonLink to="/my/posts/new" size="sm">
            投稿を作る
          </ButtonLink>
        </div>
      </div>
      <nav className="tabs" aria-label="投稿の状態">
        {tabs.map((each) => (
          <Link
            key={each.title}
            to={pathOf({ ...filter, status: each.status })}
            aria-current={each.status === status ? "page" : undefined}
          >
            {each.title} <span className="tab-count">{each.count ? counts[each.count] : drafts.length}</span>
          </Link>
        ))}
      </nav>
      {status === "draft" ? (
        <Drafts drafts={drafts} answer={actionData} />
      ) : (
        <>
          <Narrow {...loaderData} />
          {events.length === 0 ? (
            <EmptyState title={is_narrowed ? "この条件にあう投稿はありません" : (tab?.empty ?? "")}>
              {is_narrowed ? (
                <p>
                  <Link to={pathOf({ ...filter, category: null, target: null })}>絞り込みをやめる</Link>
                </p>
              ) : (
                status === null &&
                (drafts.length > 0 ? (
                  <p>
                    書きかけが{groupDigits(drafts.length)}件あります。
                    <Link to={pathOf({ ...filter, status: "draft" })}>下書きを見る</Link>
                  </p>
                ) : (
                  <p>はじめての投稿を作ってみましょう。下書きのまま、あとで公開することもできます。</p>
                ))
              )}
            </EmptyState>
          ) : (
            <List {...loaderData} path={pathOf(filter, page)} answer={actionData} />
          )}
          <Pager page={page} has_next={has_next} hrefOf={(n) => pathOf(filter, n)} />
        </>
      )}
      <OneTimeHint id="posts" is_floating>
        書きかけの投稿は、下書きに残ります。公開の日時を予約したり、フォロワーやプランのメンバーだけに公開したりもできます。
      </OneTimeHint>
    </>
  );
}

/** Filters the list by category and by audience. This GET form changes only the address. */
function Narrow({ status, category, target, categories, plans }: Loaded) {
  return (
    <Form method="get" action="/my/posts" className="narrow" key={`${category} ${target}`}>
      {status && <input type="hidden" name="status" value={status} />}
      <label>
        カテゴリー
        <select name="category" className="control" defaultValue={category ?? ""}>
          <option value="">すべて</option>
          {categories.map(({ event_category_id, title }) => (
            <option key={event_category_id} value={event_category_id}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <label>
        公開範囲
        <select name="target" className="control" defaultValue={target ?? ""}>
          <option value="">すべて</option>
          <option value="public">全員に公開</option>
          <option value="fans">フォロワー限定</option>
          <option value="memberships">メンバー限定</option>
          {plans.map(({ membership_id, title }) => (
            <option key={membership_id} value={`memberships:${membership_id}`}>
              メンバー限定（{title}）
            </option>
          ))}
        </select>
      </label>
      <Button variant="gray-outline" size="sm">
        絞り込む
      </Button>
      <Link to="/my/posts/categories">カテゴリーを管理</Link>
    </Form>
  );
}

/** All rows share one form. A button in a row names that row; the buttons below the list apply to the selected rows. */
function List(props: Loaded & { path: string; answer: Route.ComponentProps["actionData"] }) {
  const { events, categories, plans, idempotency_key, path } = props;
  const fetcher = useFetcher<typeof action>();
  const answer = fetcher.data ?? props.answer;
  return (
    <fetcher.Form method="post" action={path} key={idempotency_key}>
      <HiddenFields idempotency_key={idempotency_key} />
      {/* The form's first button, which the Enter key presses on a checkbox. Otherwise Enter would press the first
          row's button. */}
      <button type="submit" className="visually-hidden" tabIndex={-1} aria-hidden="true">
        変更する
      </button>
      <FormErrors errors={answer && [answer.error]} answer={answer} />
      <ul className="rows post-rows">
        {events.map((event) => (
          <Row
            key={event.event_id}
            event={event}
            category={categories.find(({ event_category_id }) => event_category_id === event.event_category_id)?.title}
            plan={plans.find(({ membership_id }) => membership_id === event.publish_target_membership_id)?.title}
            is_chosen={answer?.event_ids.includes(event.event_id) ?? false}
          />
        ))}
      </ul>
      <fieldset className="card batch">
        <legend>選んだ投稿をまとめて変更</legend>
        <label className="visually-hidden" htmlFor="batch-change">
          変更の内容
        </label>
        <select id="batch-change" name="change" className="control" defaultValue="">
          <option value="">変更の内容を選ぶ</option>
          <optgroup label="公開の状態">
            <option value="status:published">公開する</option>
            <option value="status:private">非公開にする</option>
          </optgroup>
          <optgroup label="公開範囲">
            <option value="target:public">全員に公開</option>
            <option value="target:fans">フォロワー限定</option>
            {plans
              .filter(({ is_open }) => is_open)
              .map(({ membership_id, title }) => (
                <option key={membership_id} value={`target:memberships:${membership_id}`}>
                  メンバー限定（{title}）
                </option>
              ))}
          </optgroup>
          <optgroup label="カテゴリー">
            <option value="category:">カテゴリーなし</option>
            {categories.map(({ event_category_id, title }) => (
              <option key={event_category_id} value={`category:${event_category_id}`}>
                {title}
              </option>
            ))}
          </optgroup>
        </select>
        <Button size="sm">変更する</Button>
        <DialogButton
          dialog="batch-delete"
          command="show-modal"
          className={buttonClass({ variant: "alert-outline", size: "sm" })}
        >
          まとめて削除…
        </DialogButton>
        <Dialog
          id="batch-delete"
          title="選んだ投稿を削除しますか？"
          actions={
            <Button name="one" value="delete" variant="alert">
              選んだ投稿を削除する
            </Button>
          }
        >
          <p>コメントや「いいね」も消えます。元に戻すことはできません。</p>
        </Dialog>
      </fieldset>
    </fetcher.Form>
  );
}

function Row(props: {
  event: Loaded["events"][number];
  category: string | undefined;
  plan: string | undefined;
  is_chosen: boolean;
}) {
  const { event, category, plan, is_chosen } = props;
  const { event_id, title, image, kind, status, publish_target_type, published_at, publish_at } = event;
  const scope = plan ? `メンバー限定（${plan}）` : lockNotes[publish_target_type] || "全員に公開";
  return (
    <li className="card post-row">
      <input
        type="checkbox"
        name="event_ids"
        value={event_id}
        aria-label={`「${title}」を選ぶ`}
        defaultChecked={is_chosen}
      />
      {image ? (
        <img
          className="post-row-image"
          src={image.medium_url}
          srcSet={image.srcset ?? undefined}
          sizes="72px"
          alt=""
          width={image.width}
          height={image.height}
          loading="lazy"
          decoding="async"
        />
      ) : (
        <span className="post-row-image">{icons[kind]}</span>
      )}
      <div className="post-row-text">
        <p>
          <span className={status === "published" ? "badge badge-new" : "badge badge-quiet"}>{states[status]}</span>{" "}
          {status === "published" && published_at && <DateTime iso={published_at} />}
          {status === "publish_pending" && publish_at && (
            <>
              <DateTime iso={publish_at} /> に公開
            </>
          )}
        </p>
        <Link to={`/${event.user.link_id}/events/${event_id}`} className="post-row-title">
          {title}
        </Link>
        <p className="row-note">{[kinds[kind], scope, category].filter(Boolean).join(" / ")}</p>
        {event.removal_id && (
          <p className="row-note">
            運営が公開を停止しました。<Link to={`/my/removals/${event.removal_id}`}>理由を見る・異議を申し出る</Link>
          </p>
        )}
        {status === "published" && (
          <p className="row-note">
            いいね {groupDigits(event.likes_count)} / コメント {groupDigits(event.comments_count)} / 閲覧{" "}
            {groupDigits(event.visits_count)}
          </p>
        )}
      </div>
      <div className="post-row-buttons">
        <ButtonLink
          to={`/my/posts/${event_id}/edit`}
          variant="gray-outline"
          size="sm"
          aria-label={`「${title}」を編集`}
        >
          編集
        </ButtonLink>
        {(status === "published" || !event.removal_id) && (
          <Button
            name="one"
            value={`${status === "published" ? "private" : "published"}:${event_id}`}
            variant="gray-outline"
            size="sm"
            aria-label={`「${title}」を${status === "published" ? "非公開にする" : "公開する"}`}
          >
            {status === "published" ? "非公開にする" : "公開する"}
          </Button>
        )}
        <DialogButton
          dialog={`delete-${event_id}`}
          command="show-modal"
          className={buttonClass({ variant: "gray-outline", size: "sm" })}
          aria-label={`「${title}」を削除`}
        >
          削除
        </DialogButton>
      </div>
      <Dialog
        id={`delete-${event_id}`}
        title="この投稿を削除しますか？"
        actions={
          <Button name="one" value={`delete:${event_id}`} variant="alert">
            削除する
          </Button>
        }
      >
        <p>「{title}」と、そのコメントや「いいね」が消えます。元に戻すことはできません。</p>
      </Dialog>
    </li>
  );
}

function Drafts(props: { drafts: Loaded["drafts"]; answer: Route.ComponentProps["actionData"] }) {
  const { drafts } = props;
  const fetcher = useFetcher<typeof action>();
  const answer = fetcher.data ?? props.answer;
  if (drafts.length === 0) {
    return (
      <EmptyState title="下書きはありません">
        <p>投稿を書きはじめて「下書き保存」を押すと、ここから続きを書けます。</p>
      </EmptyState>
    );
  }
  return (
    <fetcher.Form method="post" action="/my/posts?status=draft">
      <HiddenFields />
      <FormErrors errors={answer && [answer.error]} answer={answer} />
      <ul className="rows post-rows">
        {drafts.map((draft) => {
          const title = draft.title.trim() || draft.opening || "（タイトルなし）";
          return (
            <li key={draft.draft_id} className="card post-row post-row-draft">
              <div className="post-row-text">
                <Link to={formPath(draft)} className="post-row-title">
                  {title}
                </Link>
                <p className="row-note">
                  {kinds[draft.kind]}
                  {draft.event_id && " / 公開済みの投稿の書き直し"} / <DateTime iso={draft.updated_at} /> に保存
                </p>
              </div>
              <div className="post-row-buttons">
                <ButtonLink
                  to={formPath(draft)}
                  variant="gray-outline"
                  size="sm"
                  aria-label={`「${title}」の続きを書く`}
                >
                  続きを書く
                </ButtonLink>
                <DialogButton
                  dialog={`discard-${draft.draft_id}`}
                  command="show-modal"
                  className={buttonClass({ variant: "gray-outline", size: "sm" })}
                  aria-label={`下書き「${title}」を削除`}
                >
                  削除
                </DialogButton>
              </div>
              <Dialog
                id={`discard-${draft.draft_id}`}
                title="この下書きを削除しますか？"
                actions={
                  <Button name="one" value={`discard:${draft.draft_id}`} variant="alert">
                    削除する
                  </Button>
                }
              >
                <p>
                  「{title}」の下書きが消えます。元に戻すことはできません。
                  {draft.event_id && "公開済みの投稿はそのまま残ります。"}
                </p>
              </Dialog>
            </li>
          );
        })}
      </ul>
    </fetcher.Form>
  );
}
