import { pageMeta } from "../crawlers/page-meta.ts";
import { DocumentView } from "../site/document-view.tsx";
import { readDocument } from "../site/documents.server.ts";
import { siteContext } from "../site/site-context.ts";
import type { Route } from "./+types/privacy.ts";
import { wayBack } from "./signup/way-back.ts";

export const meta: Route.MetaFunction = (args) =>
  pageMeta(args, args.loaderData && { ...args.loaderData.document, is_unlisted: args.loaderData.back !== null });

export const loader = ({ url, context }: Route.LoaderArgs) => ({
  back: wayBack(url),
  document: readDocument("privacy", context.get(siteContext), url.origin),
});

export default function Privacy({ loaderData }: Route.ComponentProps) {
  return <DocumentView {...loaderData} />;
}
