import { useRouteLoaderData } from "react-router";
import { pageMeta } from "../crawlers/page-meta.ts";
import type { loader as rootLoader } from "../root.tsx";
import { Html } from "../site/document-view.tsx";
import { readDocument } from "../site/documents.server.ts";
import { siteContext } from "../site/site-context.ts";
import { ButtonLink } from "../ui/button.tsx";
import type { Route } from "./+types/usecases.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, args.loaderData?.document);

export const loader = ({ url, context }: Route.LoaderArgs) => ({
  document: readDocument("usecases", context.get(siteContext), url.origin),
});

export default function Usecases({ loaderData }: Route.ComponentProps) {
  const { title, lead, sections } = loaderData.document;
  const is_member = useRouteLoaderData<typeof rootLoader>("root")?.viewer != null;
  return (
    <div className="page reading">
      <header>
        <h1 className="page-title">{title}</h1>
        <p className="lead">{lead}</p>
      </header>
      <div className="usecases">
        {sections.map(({ id, title, html }) => (
          <section key={id} id={id} className="card">
            <h2>{title}</h2>
            <Html html={html} />
          </section>
        ))}
      </div>
      <section>
        <h2 className="section-title">あなたの場面でも、ひとことから</h2>
        <p className="hero-actions">
          {!is_member && (
            <ButtonLink to="/signup" size="lg">
              無料ではじめる
            </ButtonLink>
          )}
          <ButtonLink to="/kit" size="lg" variant="gray-outline">
            クリエイターキットを見る
          </ButtonLink>
        </p>
      </section>
    </div>
  );
}
