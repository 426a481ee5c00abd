import { memo, type ReactNode } from "react";
import { Link } from "react-router";
import { DateTime } from "../ui/date-time.tsx";
import type { Document } from "./documents.server.ts";

/** A section with its own components instead of text. The table of contents lists it like the others. */
interface MorePart {
  id: string;
  title: string;
  content: ReactNode;
}

interface DocumentViewProps {
  document: Document;
  more?: readonly MorePart[];
  /** The page to return to, for pages without navigation (see wayBack). */
  back?: string | null;
  children?: ReactNode;
}

/** One of our documents: its introduction, its table of contents, `children`, and its sections. */
export function DocumentView({ document, more = [], back = null, children }: DocumentViewProps) {
  const { title, lead, revised_on, sections } = document;
  return (
    <article className="page page-reading reading">
      <header className="reading-head">
        {back && (
          <p className="back">
            <Link to={back}>前のページへ戻る</Link>
          </p>
        )}
        <h1 className="page-title">{title}</h1>
        <p className="lead">{lead}</p>
        {revised_on && (
          <p className="date-time">
            最終改定日 <DateTime iso={revised_on} format="date" />
          </p>
        )}
      </header>
      <Contents sections={[...sections, ...more]} />
      {children}
      {sections.map((section) => (
        <section key={section.id} id={section.id}>
          <h2>{section.title}</h2>
          <Html html={section.html} />
          {section.items.map((item) => (
            <section key={item.id} id={item.id}>
              <h3>{item.title}</h3>
              <Html html={item.html} />
            </section>
          ))}
        </section>
      ))}
      {more.map((part) => (
        <section key={part.id} id={part.id}>
          <h2>{part.title}</h2>
          {part.content}
        </section>
      ))}
    </article>
  );
}

/** The table of contents. */
export function Contents({ sections }: { sections: readonly { id: string; title: string | null }[] }) {
  return (
    <details className="contents">
      <summary>目次</summary>
      <nav aria-label="目次">
        <ol>
          {sections.map(({ id, title }) => (
            <li key={id}>
              <a href={`#${id}`}>{title}</a>
            </li>
          ))}
        </ol>
      </nav>
    </details>
  );
}

/**
 * HTML that was rendered from our own Markdown. `memo`, because the browser's React writes equal HTML again with each render, and
 * what a person has selected or a script has changed in it would be gone.
 */
export const Html = memo(function Html({ html }: { html: string }) {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: markdown.server.ts made it from our files and escapes HTML.
  return <div className="reading-text" dangerouslySetInnerHTML={{ __html: html }} />;
});
