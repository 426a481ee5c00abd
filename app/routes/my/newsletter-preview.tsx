import { previewNewsletter } from "../../../workers/contract/newsletters.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { DocumentView } from "../../post/document.tsx";
import { linksOf } from "../../post/links.ts";
import { v4Context } from "../../request/context.ts";
import { identityContext } from "../../session/context.ts";
import { Badge } from "../../ui/badge.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import type { Route } from "./+types/newsletter-preview.ts";
import { readOwnNewsletter } from "./newsletter-action.ts";
import { NEWSLETTERS_PATH } from "./newsletter-path.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "プレビュー", is_unlisted: true });

/** Shows a newsletter of the viewer's as its page and as its mail. */
export async function loader({ url, params, context }: Route.LoaderArgs) {
  const { id, title, status, document, images } = await readOwnNewsletter(context, params.newsletter_id);
  const mail = await context.get(v4Context).part(previewNewsletter, { params: { id } });
  return {
    title,
    document: document ?? [],
    images,
    links: await linksOf(document ?? [], url.origin, context.get(identityContext).session_keys),
    subject: mail?.subject ?? null,
    text: mail?.text ?? null,
    html: mail?.html ?? "",
    back: status === "published" ? NEWSLETTERS_PATH : `${NEWSLETTERS_PATH}/${id}/edit`,
  };
}

export default function NewsletterPreview({ loaderData }: Route.ComponentProps) {
  const { title, document, images, links, subject, text, html, back } = loaderData;
  return (
    <>
      <div className="banner preview-bar">
        <p>プレビューです。あなただけに見えています。</p>
        <ButtonLink to={back} size="sm">
          戻る
        </ButtonLink>
      </div>
      <article className="card prose event">
        <header className="event-head">
          <p>
            <Badge>ページ</Badge>
          </p>
          <h1 className="event-title">{title || "（タイトルなし）"}</h1>
        </header>
        <DocumentView document={document} images={images} media={[]} links={links} />
        {document.length === 0 && <p className="field-hint">まだ何も書かれていません。</p>}
      </article>
      {subject === null ? (
        <p className="field-hint">ただいまメールの見本を表示できません。</p>
      ) : (
        <section className="card mail" aria-labelledby="mail-title">
          <p>
            <Badge>メール</Badge>
          </p>
          <h2 id="mail-title">{subject}</h2>
          <iframe className="mail-frame" title="メール（HTML）" srcDoc={html} sandbox="" />
          <details>
            <summary>文章だけのメール</summary>
            <pre>{text}</pre>
          </details>
        </section>
      )}
    </>
  );
}
