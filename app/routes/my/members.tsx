import { data, Link, redirect } from "react-router";
import { id } from "../../../workers/contract/fields.ts";
import { listFollowers, removeFollower } from "../../../workers/contract/relationships.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { PersonRow } from "../../people/person.tsx";
import { v4Context } from "../../request/context.ts";
import { setFlash } from "../../request/flash.ts";
import { loginPath } from "../../request/to.ts";
import { closeSession } from "../../session/current-session.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { ButtonForm } from "../../ui/button-form.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { Dialog, DialogButton } from "../../ui/dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { Pager } from "../../ui/pager.tsx";
import { pageNumber, refuseEmptyPage } from "../../v4/page-number.ts";
import type { Route } from "./+types/members.ts";
import { NobodyFound, PeopleSearch } from "./people-search.tsx";
import { nextPath, type PeopleView, peoplePath, readPart, readPeopleView } from "./people-view.ts";

export const meta: Route.MetaFunction = (args) =>
  pageMeta(args, {
    title: args.loaderData?.view.filter === "subscribing" ? "フォロワー（メンバーシップに加入中）" : "フォロワー",
    is_unlisted: true,
  });

export async function loader({ url, context }: Route.LoaderArgs) {
  const page = pageNumber(url);
  const view = readPeopleView(url);
  const query = { ...readPart(url, page), filter: view.filter, keyword: view.keyword || undefined };
  const { followers, has_next } = await context.get(v4Context).read(listFollowers, { query });
  // The member has just removed the last person of this page, so redirect to the page before.
  if (page > 1 && followers.length === 0 && url.searchParams.has("left")) throw redirect(pathOf(view, page - 1));
  refuseEmptyPage(page, followers);
  return { followers, has_next, page, view };
}

export async function action({ request, url, context }: Route.ActionArgs) {
  const follower_id = id.safeParse((await request.formData()).get("follower_id"));
  if (!follower_id.success) throw data(null, { status: 400 });
  const sent = await context.get(v4Context).send(removeFollower, { query: { follower_id: follower_id.data } });
  const page = pageNumber(url);
  const here = pathOf(readPeopleView(url), page);
  if (sent.ok) {
    setFlash(context, "follower_removed");
    return redirect(page > 1 ? `${here}&left` : here, 303);
  }
  if (!sent.refusal.needs_sign_in) return data({ error: sent.refusal.detail }, sent.refusal.status);
  closeSession(context);
  return redirect(loginPath(here), 303);
}

const pathOf = (view: PeopleView, page = 1) => peoplePath("/my/members", view, page);

export default function Members({ loaderData, actionData }: Route.ComponentProps) {
  const { followers, has_next, page, view } = loaderData;
  const currentIf = (own: string) => (own === view.filter ? ("page" as const) : undefined);
  return (
    <>
      <h1 className="page-title">フォロワー</h1>
      <nav className="tabs" aria-label="フォロワーの種類">
        <Link to={pathOf({ ...view, filter: "all" })} aria-current={currentIf("all")}>
          すべて
        </Link>
        <Link to={pathOf({ ...view, filter: "subscribing" })} aria-current={currentIf("subscribing")}>
          メンバーシップに加入中
        </Link>
      </nav>
      <PeopleSearch {...view} />
      <FormErrors errors={actionData && [actionData.error]} answer={actionData} />
      {followers.length === 0 ? (
        view.keyword ? (
          <NobodyFound keyword={view.keyword} all={pathOf({ ...view, keyword: "" })} />
        ) : view.filter === "all" ? (
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
              <span className="row-note">
                <DateTime iso={created_at} format="date" /> から
              </span>
              <ButtonForm action={pathOf(view, page)} fields={{ follower_id: user.user_id }} label={`${user.name}さん`}>
                {(is_sending) => (
                  <>
                    <DialogButton
                      dialog={`remove-${user.user_id}`}
                      command="show-modal"
                      className={buttonClass({ size: "sm", variant: "gray-outline" })}
                      aria-label={`${user.name}さんをフォロワーから外す`}
                    >
                      フォロワーから外す
                    </DialogButton>
                    <Dialog
                      id={`remove-${user.user_id}`}
                      title={`${user.name}さんをフォロワーから外しますか？`}
                      actions={
                        <Button variant="alert" aria-disabled={is_sending}>
                          外す
                        </Button>
                      }
                    >
                      <p>相手には知らされません。外したあとも、もう一度フォローできます。</p>
                    </Dialog>
                  </>
                )}
              </ButtonForm>
            </PersonRow>
          ))}
        </ul>
      )}
      {followers.length > 0 && (
        <div className="box-export">
          <p className="row-note">
            外しても、相手には知らされません。相手はもう一度フォローできます。止めたいときは、相手のページからブロックしてください。
          </p>
          <p>
            <a href={peoplePath("/my/members/list.csv", view)}>この一覧をCSVで保存</a>
          </p>
        </div>
      )}
      <Pager
        page={page}
        has_next={has_next}
        hrefOf={(n) => (n > page ? nextPath("/my/members", view, page, followers) : pathOf(view, n))}
      />
    </>
  );
}
