import { Link } from "react-router";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { answerPost } from "../../post/post-action.ts";
import { PostForm } from "../../post/post-form.tsx";
import { loadEdit } from "../../post/post-loader.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { sendFromBrowser } from "../../v4/send-from-browser.ts";
import type { Route } from "./+types/edit-post.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "投稿を編集", is_unlisted: true });

export async function loader({ url, params, context }: Route.LoaderArgs) {
  return { page: await loadEdit(context, url, params.event_id) };
}

export async function action({ request, url, params, context }: Route.ActionArgs) {
  return answerPost(context, await request.formData(), url.pathname, params.event_id);
}

export const clientAction = ({ request, serverAction }: Route.ClientActionArgs) =>
  sendFromBrowser(request, serverAction);

export default function EditPost({ loaderData, actionData }: Route.ComponentProps) {
  const { page } = loaderData;
  const { event, saved_at } = page;
  if (!event) return null;
  return (
    <>
      <p className="back">
        <Link to="/my/posts">投稿の一覧へ戻る</Link>
      </p>
      <h1 className="page-title">投稿を編集</h1>
      {event.removal_id && (
        <Banner tone="alert">
          この投稿は運営が公開を停止しました。内容は編集できますが、異議の申し出が認められるまで、ふたたび公開することはできません。
          <Link to={`/my/removals/${event.removal_id}`}>理由を見る・異議を申し出る</Link>
        </Banner>
      )}
      {saved_at && (
        <div className="banner post-draft-note">
          <p>
            <DateTime iso={saved_at} /> に保存した下書きの続きです。「更新する」まで、読者に見える内容は変わりません。
          </p>
          <Button form="post-form" name="do" value="discard" variant="gray-outline" size="sm">
            下書きを削除して元に戻す
          </Button>
        </div>
      )}
      <PostForm key={`${page.draft_id} ${saved_at !== null}`} page={page} answer={actionData} />
    </>
  );
}
