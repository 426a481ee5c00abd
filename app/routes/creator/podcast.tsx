import { data, Form, Link, redirect, useNavigation, useRouteLoaderData } from "react-router";
import { createPodcastFeed, deletePodcastFeed, listPodcastFeeds } from "../../../workers/contract/podcasts.ts";
import { getUser } from "../../../workers/contract/users.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { v4Context } from "../../request/context.ts";
import { setFlash } from "../../request/flash.ts";
import { loginPath } from "../../request/to.ts";
import type { loader as rootLoader } from "../../root.tsx";
import { viewerContext } from "../../session/context.ts";
import { closeSession } from "../../session/current-session.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { CopyField } from "../../ui/copy-field.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { HiddenFields } from "../../ui/hidden-fields.tsx";
import type { Route } from "./+types/podcast.ts";
import { useCreator } from "./creator.ts";
import { podcastPagePath } from "./radio-path.ts";

const TITLE = "ポッドキャストアプリで聴く";

export const meta: Route.MetaFunction = (args) => {
  const { creator } = args.matches[1]?.loaderData ?? {};
  return pageMeta(args, { title: creator ? `${TITLE} - ${creator.name}` : TITLE, is_unlisted: true });
};

export async function loader({ params, context }: Route.LoaderArgs) {
  const v4 = context.get(v4Context);
  if (!context.get(viewerContext)) return { made_at: null };
  const { user } = await v4.read(getUser, { query: { link_id: params.link_id } });
  const { feeds } = await v4.read(listPodcastFeeds, { query: { user_id: user.user_id } });
  return { made_at: feeds[0]?.created_at ?? null };
}

/** The button that was pressed: makes the member's own address, which the answer shows once, or revokes it. */
export async function action({ request, params, context }: Route.ActionArgs) {
  const wish = (await request.formData()).get("do");
  if (wish !== "make" && wish !== "revoke") throw data(null, { status: 400 });
  const { link_id } = params;
  const back = podcastPagePath(link_id);
  if (!context.get(viewerContext)) return redirect(loginPath(back), 303);
  const v4 = context.get(v4Context);
  const { user } = await v4.read(getUser, { query: { link_id } });
  const call = { params: { user_id: user.user_id } };
  const sent = await (wish === "make" ? v4.send(createPodcastFeed, call) : v4.send(deletePodcastFeed, call));
  if (!sent.ok) {
    const { detail, status, needs_sign_in } = sent.refusal;
    if (!needs_sign_in) return data({ error: detail, feed_path: null }, status);
    closeSession(context);
    return redirect(loginPath(back), 303);
  }
  if (sent.answer) return data({ error: null, feed_path: `/${user.link_id}/podcast/${sent.answer.secret}` });
  setFlash(context, "podcast_feed_revoked");
  return redirect(back, 303);
}

export default function PodcastPage({ loaderData, actionData }: Route.ComponentProps) {
  const { creator, viewer_id } = useCreator();
  return (
    <section className="form">
      <p className="back">
        <Link to={`/${creator.link_id}/radio`}>ラジオの一覧へ戻る</Link>
      </p>
      <h1 className="section-title">{TITLE}</h1>
      <p className="lead">
        <bdi>{creator.name}</bdi>
        さんの録音を、いつも使っているポッドキャストアプリで聴けます。アプリの「URLで追加」に、アドレスを入れてください。
      </p>
      <section className="card form" aria-labelledby="public-feed">
        <h2 className="section-title" id="public-feed">
          公開の録音だけを聴く
        </h2>
        <p>
          だれでも使えるアドレスです：
          <a href={`/${creator.link_id}/podcast.xml`}>フィードのURL</a>
        </p>
      </section>
      <section className="card form" aria-labelledby="own-feed">
        <h2 className="section-title" id="own-feed">
          限定の録音も聴く
        </h2>
        <p>
          自分用のアドレスなら、限定の録音も、あなたが聴けるものはすべて届きます。聴けなくなった録音は、アプリにも届かなくなります。
        </p>
        {viewer_id === null ? (
          <p>
            <ButtonLink to={loginPath(podcastPagePath(creator.link_id))} size="sm">
              ログインしてアドレスを作る
            </ButtonLink>
          </p>
        ) : (
          <OwnFeed made_at={loaderData.made_at} answer={actionData} />
        )}
      </section>
    </section>
  );
}

/** The member's own address: to make, to copy just after that, to make again, and to revoke. */
function OwnFeed({
  made_at,
  answer,
}: {
  made_at: string | null;
  answer: { error: string | null; feed_path: string | null } | undefined;
}) {
  const root = useRouteLoaderData<typeof rootLoader>("root");
  const is_sending = useNavigation().state !== "idle";
  const feed_path = answer?.feed_path ?? null;
  return (
    <Form method="post" className="form" aria-label="自分用のアドレス">
      <HiddenFields />
      <FormErrors errors={answer?.error ? [answer.error] : null} answer={answer} />
      {feed_path !== null && (
        <>
          <CopyField id="own-feed-address" label="自分用のアドレス" address={`${root?.origin ?? ""}${feed_path}`} />
          <p>
            いまだけ表示されます。コピーして、アプリに入れてください。知っている人はだれでも聴けるので、ほかの人に教えないでください。
          </p>
        </>
      )}
      {feed_path === null && made_at !== null && (
        <p>
          <DateTime iso={made_at} format="date" />
          に作ったアドレスが使えます。アドレスは、作ったときにだけ表示されます。
        </p>
      )}
      <div className="form-buttons">
        <Button
          name="do"
          value="make"
          variant={made_at === null ? "primary" : "gray-outline"}
          size="sm"
          aria-disabled={is_sending}
        >
          {made_at === null ? "自分用のアドレスを作る" : "アドレスを作り直す"}
        </Button>
        {made_at !== null && (
          <Button name="do" value="revoke" variant="gray-outline" size="sm" aria-disabled={is_sending}>
            アドレスを無効にする
          </Button>
        )}
      </div>
      {made_at !== null && (
        <p className="field-hint">作り直すか無効にすると、前のアドレスではすぐに聴けなくなります。</p>
      )}
    </Form>
  );
}
