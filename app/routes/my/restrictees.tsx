import { data, Link, redirect } from "react-router";
import { id } from "../../../workers/contract/fields.ts";
import { listRadioChatRestrictees, unrestrictRadioChat } from "../../../workers/contract/radio-chat.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { Avatar } from "../../people/avatar.tsx";
import { v4Context } from "../../request/context.ts";
import { setFlash } from "../../request/flash.ts";
import { Button } from "../../ui/button.tsx";
import { ButtonForm } from "../../ui/button-form.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import type { Route } from "./+types/restrictees.ts";
import { RADIO_PATH, RESTRICTEES_PATH } from "./radio-path.ts";

export const meta: Route.MetaFunction = (args) =>
  pageMeta(args, { title: "チャットで制限した相手", is_unlisted: true });

export async function loader({ url, context }: Route.LoaderArgs) {
  const next_page_token = listRadioChatRestrictees.query.shape.next_page_token.safeParse(
    url.searchParams.get("after"),
  ).data;
  return context.get(v4Context).read(listRadioChatRestrictees, { query: { next_page_token } });
}

/** Ends the restriction of one person. */
export async function action({ request, context }: Route.ActionArgs) {
  const user_id = id.safeParse((await request.formData()).get("user_id"));
  if (!user_id.success) throw data(null, { status: 400 });
  const sent = await context.get(v4Context).send(unrestrictRadioChat, { params: { user_id: user_id.data } });
  if (!sent.ok) throw context.get(v4Context).failure(sent.refusal);
  setFlash(context, "chat_unrestricted");
  return redirect(RESTRICTEES_PATH, 303);
}

export default function Restrictees({ loaderData }: Route.ComponentProps) {
  const { restrictees, next_page_token } = loaderData;
  return (
    <>
      <p className="back">
        <Link to={RADIO_PATH}>ラジオの一覧へ戻る</Link>
      </p>
      <h1 className="page-title">チャットで制限した相手</h1>
      <p className="lead">
        制限した相手は、あなたのラジオのチャットに書き込めません。放送とチャットは、これまでどおり聴いたり読んだりできます。
      </p>
      {restrictees.length === 0 ? (
        <EmptyState title="制限した相手はいません">
          <p>放送中のチャットの発言から制限できます。</p>
        </EmptyState>
      ) : (
        <ul className="rows">
          {restrictees.map(({ user, created_at }) => (
            <li key={user.user_id} className="card row">
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
              <ButtonForm fields={{ user_id: user.user_id }} label={`${user.name}さん`}>
                {(is_sending) => (
                  <Button variant="gray-outline" size="sm" aria-disabled={is_sending}>
                    制限を解除
                  </Button>
                )}
              </ButtonForm>
            </li>
          ))}
        </ul>
      )}
      {next_page_token && (
        <p>
          <Link to={`${RESTRICTEES_PATH}?after=${next_page_token}`}>続きを見る</Link>
        </p>
      )}
    </>
  );
}
