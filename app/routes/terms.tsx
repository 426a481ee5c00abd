import { siteContext } from "../middleware/context.ts";
import { pageMeta } from "../shell/page-meta.ts";
import { DocumentView } from "../site/document-view.tsx";
import { readDocument } from "../site/documents.server.ts";
import type { Route } from "./+types/terms.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, args.loaderData?.document);

export const loader = ({ url, context }: Route.LoaderArgs) => ({
  document: readDocument("terms", context.get(siteContext), url.origin),
});

export default function Terms({ loaderData }: Route.ComponentProps) {
  return <DocumentView document={loaderData.document} />;
}
