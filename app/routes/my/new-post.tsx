import { Link } from "react-router";
import { contentTypes } from "../../content-types.ts";
import { pageMeta } from "../../shell/page-meta.ts";
import { ImageIcon, PostIcon, VideoIcon } from "../../ui/icons.tsx";
import type { Route } from "./+types/new-post.ts";
import { Unready } from "./unready.tsx";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "投稿をつくる", is_unlisted: true });

/** Source: spec section 2: one entry per content type. Any other word is nobody's choice yet. */
export function loader({ url }: Route.LoaderArgs) {
  const asked = url.searchParams.get("content_type");
  return { content_type: contentTypes.find(({ id }) => id === asked) ?? null };
}

const icons = { post: <PostIcon />, image: <ImageIcon />, video: <VideoIcon /> };
const notes = {
  blog: "日記や小説、お知らせなど、言葉が中心の投稿です。",
  image: "イラストや写真、マンガなど、画像が中心の投稿です。",
  video: "動画サイトの作品や、手もとの動画を載せる投稿です。",
} as const;

export default function NewPost({ loaderData }: Route.ComponentProps) {
  const { content_type } = loaderData;
  if (!content_type) {
    return (
      <>
        <h1 className="page-title">投稿をつくる</h1>
        <p className="lead">何を投稿しますか？</p>
        <ul className="kinds">
          {contentTypes.map(({ id, title, icon }) => (
            <li key={id} className="card letter">
              {icons[icon]}
              <Link to={`/my/posts/new?content_type=${id}`} className="card-link">
                <b>{title}</b>
              </Link>
              <p className="field-hint">{notes[id]}</p>
            </li>
          ))}
        </ul>
      </>
    );
  }
  return (
    <>
      <p className="back">
        <Link to="/my/posts/new">種類を選びなおす</Link>
      </p>
      <h1 className="page-title">{content_type.title}の投稿</h1>
      <Unready
        feature="posting"
        title="投稿の作成"
        will={[
          notes[content_type.id],
          "全員・フォロワー・メンバーシップから、公開する範囲を選ぶ",
          "下書きにする、日時を決めて公開する",
        ]}
      />
      <p>
        <Link to="/my/posts">これまでの投稿を見る</Link>
      </p>
    </>
  );
}
