import { data, Link, redirect } from "react-router";
import { id } from "../../../../workers/contract/fields.ts";
import { deletePodcastFeed, listPodcastFeeds } from "../../../../workers/contract/podcasts.ts";
import { pageMeta } from "../../../crawlers/page-meta.ts";
import { Avatar } from "../../../people/avatar.tsx";
import { v4Context } from "../../../request/context.ts";
import { setFlash } from "../../../request/flash.ts";
import { Button } from "../../../ui/button.tsx";
import { ButtonForm } from "../../../ui/button-form.tsx";
import { DateTime } from "../../../ui/date-time.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { Pager } from "../../../ui/pager.tsx";
import { pageNumber, refuseEmptyPage } from "../../../v4/page-number.ts";
import { podcastPagePath } from "../../creator/radio-path.ts";
import type { Route } from "./+types/podcasts.ts";
import { SettingsPage } from "./settings-page.tsx";

const TITLE = "ポッドキャスト";
const PATH = "/my/settings/podcasts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: TITLE, is_unlisted: true });

export async function loader({ url, context }: Route.LoaderArgs) {
  const page = pageNumber(url);
  const { feeds, has_next } = await context.get(v4Context).read(listPodcastFeeds, { query: { page_number: page } });
  // The member has just revoked the last address of this page, so redirect to the first one.
  if (page > 1 && feeds.length === 0) throw redirect(PATH);
  refuseEmptyPage(page, feeds);
  return { feeds, has_next, page };
}

/** Revokes the address of one creator's recordings. */
export async function action({ request, url, context }: Route.ActionArgs) {
  const user_id = id.safeParse((await request.formData()).get("user_id"));
  if (!user_id.success) throw data(null, { status: 400 });
  const sent = await context.get(v4Context).send(deletePodcastFeed, { params: { user_id: user_id.data } });
  if (!sent.ok) return data({ error: sent.refusal.detail }, sent.refusal.status);
  setFlash(context, "podcast_feed_revoked");
  return redirect(PATH + url.search, 303);
}

export default function Podcasts({ loaderData }: Route.ComponentProps) {
  const { feeds, has_next, page } = loaderData;
  return (
    <SettingsPage title={TITLE}>
      <p className="lead">
        クリエイターの録音をポッドキャストアプリで聴くための、自分用のアドレスです。無効にすると、そのアドレスではすぐに聴けなくなります。
      </p>
      {feeds.length === 0 ? (
        <EmptyState title="自分用のアドレスはありません">
          <p>クリエイターのラジオのページの「ポッドキャストアプリで聴く」から作れます。</p>
        </EmptyState>
      ) : (
        <ul className="rows">
          {feeds.map(({ user, created_at }) => (
            <li key={user.user_id} className="card row">
              <Link to={podcastPagePath(user.link_id)} className="person row-text">
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
              <ButtonForm fields={{ user_id: user.user_id }} label={`${user.name}さんの録音のアドレス`}>
                {(is_sending) => (
                  <Button variant="gray-outline" size="sm" aria-disabled={is_sending}>
                    無効にする
                  </Button>
                )}
              </ButtonForm>
            </li>
          ))}
        </ul>
      )}
      <Pager page={page} has_next={has_next} hrefOf={(number) => (number > 1 ? `${PATH}?page=${number}` : PATH)} />
    </SettingsPage>
  );
}
