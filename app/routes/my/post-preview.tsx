import { data, Link } from "react-router";
import { getDraft } from "../../../workers/contract/drafts.ts";
import { id } from "../../../workers/contract/fields.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { formPath } from "../../post/form-path.ts";
import { linksOf } from "../../post/links.ts";
import { parseMarkup } from "../../post/markup.ts";
import { PostBody, type ShownPost } from "../../post/post-body.tsx";
import { imagesOf, kindOf, uploadsOf, withAlts } from "../../post/values.ts";
import { v4Context } from "../../request/context.ts";
import { identityContext } from "../../session/context.ts";
import { Badge } from "../../ui/badge.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import type { Route } from "./+types/post-preview.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "プレビュー", is_unlisted: true });

/** Previews a draft with the components that render posts. Only its author may read it. */
export async function loader({ url, params: { draft_id }, context }: Route.LoaderArgs) {
  if (!id.safeParse(draft_id).success) throw data(null, { status: 404 });
  const { draft } = await context.get(v4Context).read(getDraft, { params: { draft_id } });
  const { fields, media } = draft;
  const kind = kindOf(fields);
  const uploads = uploadsOf(fields);
  const document = withAlts(parseMarkup(fields.body ?? "", uploads), fields);
  const known = draft.images.map((image) => ({ ...image, alt: fields[`alt.${image.image_id}`] ?? image.alt }));
  const used = new Set([
    fields.cover_image_id,
    ...document.flatMap((block) => (block.type === "image" ? [block.image_id] : [])),
  ]);
  const images = kind === "image" ? imagesOf(fields, known) : known.filter(({ image_id }) => used.has(image_id));
  const video_url = (kind === "video" && fields.video_url?.trim()) || null;
  const event: ShownPost = {
    kind,
    title: fields.title?.trim() || "（タイトルなし）",
    document,
    images,
    media: media.filter(
      ({ kind: file, media_id }) => file === "audio" || (!video_url && media_id === fields.video_media_id),
    ),
    video_url,
    is_locked: false,
    image: null,
    placeholder: null,
  };
  const films = video_url ? [{ type: "embed" as const, url: video_url }] : [];
  return {
    event,
    links: await linksOf([...document, ...films], url.origin, context.get(identityContext).session_keys),
    is_limited: Boolean(fields.visibility && fields.visibility !== "public"),
    back: formPath(draft),
  };
}

export default function PostPreview({ loaderData }: Route.ComponentProps) {
  const { event, links, is_limited, back } = loaderData;
  return (
    <>
      <div className="banner preview-bar">
        <p>プレビューです。まだだれにも見えていません。</p>
        <ButtonLink to={back} size="sm">
          編集に戻る
        </ButtonLink>
      </div>
      <article className="card prose event">
        <header className="event-head">
          <p>
            <Badge>プレビュー</Badge>
          </p>
          <h1 className="event-title">{event.title}</h1>
        </header>
        <PostBody event={event} links={links} note={is_limited ? "限定公開" : ""} />
        {event.document?.length === 0 && event.images.length === 0 && !event.video_url && event.media.length === 0 && (
          <p className="field-hint">まだ何も書かれていません。</p>
        )}
      </article>
      <p className="kinds-after">
        <Link to={back}>編集に戻る</Link>
      </p>
    </>
  );
}
