import { pageMeta } from "../crawlers/page-meta.ts";
import type { Handle } from "../shell/layout.ts";
import { DocumentView } from "../site/document-view.tsx";
import { readDocument } from "../site/documents.server.ts";
import { siteContext } from "../site/site-context.ts";
import type { Route } from "./+types/terms.ts";
import { wayBack } from "./signup/way-back.ts";

/** The terms are readable under maintenance, so the page shows no warning of planned maintenance. */
export const handle: Handle = { hides_maintenance_banner: "planned" };

export const meta: Route.MetaFunction = (args) =>
  pageMeta(args, args.loaderData && { ...args.loaderData.document, is_unlisted: args.loaderData.back !== null });

export const loader = ({ url, context }: Route.LoaderArgs) => ({
  back: wayBack(url),
  document: readDocument("terms", context.get(siteContext), url.origin),
});

export default function Terms({ loaderData }: Route.ComponentProps) {
  return <DocumentView {...loaderData} />;
}
