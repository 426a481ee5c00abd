import { data, redirect } from "react-router";
import * as z from "zod";
import { id } from "../../../workers/contract/fields.ts";
import { listRelationships, unfollow, updateRelationship } from "../../../workers/contract/relationships.ts";
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
import type { Route } from "./+types/followings.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "フォロー中", is_unlisted: true });

export async function loader({ url, context }: Route.LoaderArgs) {
  const page = pageNumber(url);
  const query = { page_number: page, filter: "active" as const };
  const { relationships, has_next } = await context.get(v4Context).read(listRelationships, { query });
  // The member has just unfollowed the last person of this page, so redirect to the page before.
  if (page > 1 && relationships.length === 0 && url.searchParams.has("left")) throw redirect(pathOf(page - 1));
  refuseEmptyPage(page, relationships);
  return { relationships, has_next, page };
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
  const here = pathOf(pageNumber(url));
  if (sent.ok) {
    setFlash(context, operation === "unfollow" ? "unfollowed" : operation);
    const is_left = operation === "unfollow" && here.includes("?");
    return redirect(is_left ? `${here}&left` : here, 303);
  }
  if (!sent.refusal.needs_sign_in) return data({ error: sent.refusal.detail }, sent.refusal.status);
  closeSession(context);
  return redirect(loginPath(here), 303);
}

const pathOf = (page: number) => (page > 1 ? `/my/followings?page=${page}` : "/my/followings");

export default function Followings({ loaderData, actionData }: Route.ComponentProps) {
  const { relationships, has_next, page } = loaderData;
  return (
    <>
      <h1 className="page-title">フォロー中</h1>
      <FormErrors errors={actionData && [actionData.error]} answer={actionData} />
      {relationships.length === 0 ? (
        <EmptyState title="まだ誰もフォローしていません">
          <p>フォローすると、新しい投稿がトップページに届きます。</p>
          <p>
            <ButtonLink to="/search" variant="primary-outline">
              クリエイターを探す
            </ButtonLink>
          </p>
        </EmptyState>
      ) : (
        <ul className="rows">
          {relationships.map(({ following_id, user, receives_notifications }) => (
            <PersonRow key={following_id} user={user}>
              <ButtonForm action={pathOf(page)} fields={{ following_id }} className="row" label={`${user.name}さん`}>
                {(is_sending) => (
                  <>
                    <Button
                      name="operation"
                      value={receives_notifications ? "news_off" : "news_on"}
                      size="sm"
                      variant="gray-outline"
                      disabled={is_sending}
                    >
                      {receives_notifications ? "お知らせを止める" : "お知らせを受け取る"}
                    </Button>
                    <Button name="operation" value="unfollow" size="sm" variant="gray-outline" disabled={is_sending}>
                      フォロー解除
                    </Button>
                  </>
                )}
              </ButtonForm>
            </PersonRow>
          ))}
        </ul>
      )}
      <Pager page={page} has_next={has_next} hrefOf={pathOf} />
    </>
  );
}
