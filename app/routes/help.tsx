import { pageMeta } from "../crawlers/page-meta.ts";
import { Contents, Html } from "../site/document-view.tsx";
import { readDocument } from "../site/documents.server.ts";
import { siteContext } from "../site/site-context.ts";
import type { Route } from "./+types/help.ts";

export const meta: Route.MetaFunction = (args) => {
  const document = args.loaderData?.document;
  return pageMeta(args, document && { ...document, json_ld: () => faqPage(document.sections) });
};

export function loader({ url, context }: Route.LoaderArgs) {
  const site = context.get(siteContext);
  const { email, phone_hours } = site.notice;
  return {
    document: readDocument("help", site, url.origin),
    contact: { email, phone_hours, feedback_url: site.feedback_url, faq_url: site.faq_url },
  };
}

export default function Help({ loaderData }: Route.ComponentProps) {
  const { document, contact } = loaderData;
  return (
    <div className="page page-reading reading">
      <header className="reading-head">
        <h1 className="page-title">{document.title}</h1>
        <p className="lead">{document.lead}</p>
      </header>
      <Contents sections={[...document.sections, { id: "contact", title: "お問い合わせ" }]} />
      {document.sections.map(({ id, title, items }) => (
        <section key={id} id={id}>
          <h2>{title}</h2>
          <div className="card faq">
            {items.map((item) => (
              <details key={item.id} id={item.id}>
                <summary>{item.title}</summary>
                <Html html={item.html} />
              </details>
            ))}
          </div>
        </section>
      ))}
      <Contact {...contact} />
    </div>
  );
}

function Contact({ email, phone_hours, feedback_url, faq_url }: Route.ComponentProps["loaderData"]["contact"]) {
  return (
    <section id="contact">
      <h2>お問い合わせ</h2>
      <div className="card reading-text">
        <p>
          解決しないときは、登録のメールアドレスから <a href={`mailto:${email}`}>{email}</a>{" "}
          へご連絡ください。エラーの画面に「お問い合わせ番号」が出ているときは、番号を書き添えてください。
        </p>
        <p>お返事は営業時間内に差し上げます。受付時間：{phone_hours}</p>
        {(isElsewhere(faq_url) || isElsewhere(feedback_url)) && (
          <ul>
            {isElsewhere(faq_url) && (
              <li>
                <a href={faq_url}>くわしいFAQ</a>
              </li>
            )}
            {isElsewhere(feedback_url) && (
              <li>
                <a href={feedback_url}>ご意見・ご要望フォーム</a>
              </li>
            )}
          </ul>
        )}
      </div>
    </section>
  );
}

/** Leaves out links to the help page itself. */
const isElsewhere = (url: string) => !url.startsWith("/help");

/** The structured data of the questions. Source: schema.org FAQPage. */
const faqPage = (sections: Route.ComponentProps["loaderData"]["document"]["sections"]) => ({
  "@type": "FAQPage",
  mainEntity: sections.flatMap(({ items }) =>
    items.map(({ title, html }) => ({
      "@type": "Question",
      name: title,
      acceptedAnswer: { "@type": "Answer", text: html.replace(/<[^>]*>/g, "").trim() },
    })),
  ),
});
