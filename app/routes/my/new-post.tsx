import { useState } from "react";
import { Link, redirect } from "react-router";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { contentTypes } from "../../post/content-types.ts";
import { formPath } from "../../post/form-path.ts";
import { answerPost, readPost } from "../../post/post-action.ts";
import { PostForm } from "../../post/post-form.tsx";
import { loadNewPost } from "../../post/post-loader.ts";
import { kindOf } from "../../post/values.ts";
import { PostIcon } from "../../shell/icons.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ImageIcon, VideoIcon } from "../../ui/icons.tsx";
import { sendFromBrowser } from "../../v4/send-from-browser.ts";
import type { Route } from "./+types/new-post.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "投稿を作る", is_unlisted: true });

/** Each content type has its own page; an unknown type shows the choice of types. Source: spec section 2. */
export async function loader({ url, context }: Route.LoaderArgs) {
  const asked = url.searchParams.get("content_type");
  // Old drafts may have the type `text`, which is no longer offered. Their form sends the type itself.
  const kind = contentTypes.find(({ id }) => id === asked)?.id ?? null;
  const page = await loadNewPost(context, url, kind);
  return {
    page,
    // The words come from here: the form's scripts have no room for them.
    title: page && (contentTypes.find(({ id }) => id === kindOf(page.values))?.title ?? "文章"),
    kinds: page ? [] : contentTypes.map((type) => ({ ...type, note: notes[type.id] })),
  };
}

export async function action({ request, url, context }: Route.ActionArgs) {
  const form = await request.formData();
  // The form's page needs the draft's id in its address. A form from another page, such as an error page, is redirected
  // with its text.
  if (!url.searchParams.has("draft_id")) {
    const { draft_id, values } = readPost(form, null);
    throw redirect(formPath({ draft_id, event_id: null, kind: kindOf(values) }), 307);
  }
  return answerPost(context, form, url.pathname, null);
}

export const clientAction = ({ request, serverAction }: Route.ClientActionArgs) =>
  sendFromBrowser(request, serverAction);

const icons = { post: <PostIcon />, image: <ImageIcon />, video: <VideoIcon /> };
const notes = {
  blog: "日記や小説、お知らせなど、言葉が中心の投稿です。",
  image: "イラストや写真、マンガなど、画像が中心の投稿です。",
  video: "動画サイトの作品や、手もとの動画を載せる投稿です。",
} as const;

export default function NewPost({ loaderData, actionData }: Route.ComponentProps) {
  const { page, title, kinds } = loaderData;
  if (!page) {
    return (
      <>
        <h1 className="page-title">投稿を作る</h1>
        <p className="lead">何を投稿しますか？</p>
        <ul className="kinds">
          {kinds.map(({ id, title, icon, note }) => (
            <li key={id} className="card letter">
              {icons[icon]}
              <Link to={`/my/posts/new?content_type=${id}`} className="card-link">
                <b>{title}</b>
              </Link>
              <p className="field-hint">{note}</p>
            </li>
          ))}
        </ul>
        <p className="kinds-after">
          <Link to="/my/posts?status=draft">下書きの続きを書く</Link>
        </p>
      </>
    );
  }
  return (
    <>
      <p className="back">
        <Link to="/my/posts/new">種類を選び直す</Link>
      </p>
      <h1 className="page-title">{title}の投稿</h1>
      <Draft key={page.draft_id} page={page} answer={actionData} />
    </>
  );
}

/** The form, or a note if its draft was gone from the start: a form that is open has words that are nowhere else. */
function Draft({ page, answer }: Parameters<typeof PostForm>[0]) {
  const [was_gone] = useState(page.is_gone);
  if (!was_gone) return <PostForm page={page} answer={answer} />;
  return (
    <EmptyState title="この下書きは、もうありません">
      <p>公開したか、削除した下書きです。</p>
      <p>
        <ButtonLink to={`/my/posts/new?content_type=${kindOf(page.values)}`}>新しく作る</ButtonLink>{" "}
        <ButtonLink to="/my/posts" variant="gray-outline">
          投稿の一覧を見る
        </ButtonLink>
      </p>
    </EmptyState>
  );
}
