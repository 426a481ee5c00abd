import type { ReactNode } from "react";
import { DateTime } from "../ui/date-time.tsx";
import type { Document } from "./documents.server.ts";

/** A long text of ours: what it is, where its parts are, and the parts. `children` come before the parts. */
export function DocumentView({ document, children }: { document: Document; children?: ReactNode }) {
  const { title, lead, revised_on, sections } = document;
  return (
    <article className="page page-reading reading">
      <header className="reading-head">
        <h1 className="page-title">{title}</h1>
        <p className="lead">{lead}</p>
        {revised_on && (
          <p className="date-time">
            最終改定日 <DateTime iso={revised_on} format="date" />
          </p>
        )}
      </header>
      <Contents sections={sections} />
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
    </article>
  );
}

/** Where the parts are. */
export function Contents({ sections }: Pick<Document, "sections">) {
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

/** Markup made of our own Markdown. */
export function Html({ html }: { html: string }) {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: markdown.server.ts made it of our own files, without their markup.
  return <div className="reading-text" dangerouslySetInnerHTML={{ __html: html }} />;
}
