import { data, Link, redirect } from "react-router";
import * as z from "zod";
import { id } from "../../../workers/contract/fields.ts";
import { listRelationships, unfollow, updateRelationship } from "../../../workers/contract/relationships.ts";
import { getUser } from "../../../workers/contract/users.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { PersonRow } from "../../people/person.tsx";
import { v4Context } from "../../request/context.ts";
import { setFlash } from "../../request/flash.ts";
import { loginPath } from "../../request/to.ts";
import { closeSession } from "../../session/current-session.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { ButtonForm } from "../../ui/button-form.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { Pager } from "../../ui/pager.tsx";
import { pageNumber, refuseEmptyPage } from "../../v4/page-number.ts";
import { FollowForm } from "../creator/follow-form.tsx";
import type { Route } from "./+types/followings.ts";
import { NobodyFound, PeopleSearch } from "./people-search.tsx";
import { nextPath, type PeopleView, peoplePath, readPart, readPeopleView } from "./people-view.ts";

export const meta: Route.MetaFunction = (args) =>
  pageMeta(args, {
    title: args.loaderData?.view.filter === "subscribing" ? "フォロー中（メンバーシップに加入中）" : "フォロー中",
    is_unlisted: true,
  });

export async function loader({ url, context }: Route.LoaderArgs) {
  const page = pageNumber(url);
  const view = readPeopleView(url);
  const query = {
    ...readPart(url, page),
    filter: "active" as const,
    is_subscribing: view.filter === "subscribing",
    keyword: view.keyword || undefined,
  };
  const v4 = context.get(v4Context);
  const user_id = id.safeParse(url.searchParams.get("left")).data;
  const [{ relationships, has_next }, left] = await Promise.all([
    v4.read(listRelationships, { query }),
    user_id ? v4.part(getUser, { query: { user_id } }) : null,
  ]);
  // The member has just unfollowed the last person of this page, so redirect to the page before.
  if (page > 1 && relationships.length === 0 && url.searchParams.has("left")) {
    throw redirect(user_id ? leftPath(pathOf(view, page - 1), user_id) : pathOf(view, page - 1));
  }
  refuseEmptyPage(page, relationships);
  return { relationships, has_next, page, view, left: left && !left.user.is_followed ? left.user : null };
}

const fields = z.object({ following_id: id, operation: z.enum(["unfollow", "news_on", "news_off"]) });

export async function action({ request, url, context }: Route.ActionArgs) {
  const form = fields.safeParse(Object.fromEntries(await request.formData()));
  if (!form.success) throw data(null, { status: 400 });
  const { following_id, operation } = form.data;
  const v4 = context.get(v4Context);
  const sent =
    operation === "unfollow"
      ? await v4.send(unfollow, { query: { following_id } })
      : await v4.send(updateRelationship, {
          body: { following_id, receives_notifications: operation === "news_on" },
        });
  const here = pathOf(readPeopleView(url), pageNumber(url));
  if (sent.ok) {
    setFlash(context, operation === "unfollow" ? "unfollowed" : operation);
    return redirect(operation === "unfollow" ? leftPath(here, following_id) : here, 303);
  }
  if (!sent.refusal.needs_sign_in) return data({ error: sent.refusal.detail }, sent.refusal.status);
  closeSession(context);
  return redirect(loginPath(here), 303);
}

const pathOf = (view: PeopleView, page = 1) => peoplePath("/my/followings", view, page);

/** The page after somebody was unfollowed, who can be followed again there. */
const leftPath = (path: string, user_id: string) => `${path}${path.includes("?") ? "&" : "?"}left=${user_id}`;

export default function Followings({ loaderData, actionData }: Route.ComponentProps) {
  const { relationships, has_next, page, view, left } = loaderData;
  const currentIf = (own: string) => (own === view.filter ? ("page" as const) : undefined);
  return (
    <>
      <h1 className="page-title">フォロー中</h1>
      <nav className="tabs" aria-label="フォロー中の種類">
        <Link to={pathOf({ ...view, filter: "all" })} aria-current={currentIf("all")}>
          すべて
        </Link>
        <Link to={pathOf({ ...view, filter: "subscribing" })} aria-current={currentIf("subscribing")}>
          メンバーシップに加入中
        </Link>
      </nav>
      <PeopleSearch {...view} />
      <FormErrors errors={actionData && [actionData.error]} answer={actionData} />
      {left && (
        <ul className="rows" aria-label="フォローを解除した人">
          <PersonRow user={left}>
            <span className="row-note">フォローを解除しました</span>
            <FollowForm creator={left} idempotency_key={null} variant="primary-outline" size="sm" />
          </PersonRow>
        </ul>
      )}
      {relationships.length > 0 ? null : view.keyword ? (
        <NobodyFound keyword={view.keyword} all={pathOf({ ...view, keyword: "" })} />
      ) : view.filter === "subscribing" ? (
        <EmptyState title="加入中のメンバーシップはありません">
          <p>フォローしているクリエイターのプランに加入すると、ここに並びます。</p>
        </EmptyState>
      ) : (
        <EmptyState title="まだだれもフォローしていません">
          <p>フォローすると、新しい投稿がトップページに届きます。</p>
          <p>
            <ButtonLink to="/search" variant="primary-outline">
              クリエイターを探す
            </ButtonLink>
          </p>
        </EmptyState>
      )}
      {relationships.length > 0 && (
        <ul className="rows">
          {relationships.map(({ following_id, user, receives_notifications }) => (
            <PersonRow key={following_id} user={user}>
              <ButtonForm
                action={pathOf(view, page)}
                fields={{ following_id }}
                className="row"
                label={`${user.name}さん`}
              >
                {(is_sending) => (
                  <>
                    <Button
                      name="operation"
                      value={receives_notifications ? "news_off" : "news_on"}
                      size="sm"
                      variant="gray-outline"
                      aria-disabled={is_sending}
                    >
                      {receives_notifications ? "お知らせを止める" : "お知らせを受け取る"}
                    </Button>
                    <Button
                      name="operation"
                      value="unfollow"
                      size="sm"
                      variant="gray-outline"
                      aria-disabled={is_sending}
                    >
                      フォロー解除
                    </Button>
                  </>
                )}
              </ButtonForm>
            </PersonRow>
          ))}
        </ul>
      )}
      {relationships.length > 0 && (
        <p className="box-export">
          <a href={peoplePath("/my/followings/list.csv", view)}>この一覧をCSVで保存</a>
        </p>
      )}
      <Pager
        page={page}
        has_next={has_next}
        hrefOf={(n) => (n > page ? nextPath("/my/followings", view, page, relationships) : pathOf(view, n))}
      />
    </>
  );
}
