import { siteContext } from "../middleware/context.ts";
import type { Handle } from "../shell/layout.ts";
import { pageMeta } from "../shell/page-meta.ts";
import { DocumentView } from "../site/document-view.tsx";
import { readDocument } from "../site/documents.server.ts";
import type { Route } from "./+types/terms.ts";

/** To be read, under maintenance too. */
export const handle: Handle = { hides_maintenance_banner: "planned" };

export const meta: Route.MetaFunction = (args) => pageMeta(args, args.loaderData?.document);

export const loader = ({ url, context }: Route.LoaderArgs) => ({
  document: readDocument("terms", context.get(siteContext), url.origin),
});

export default function Terms({ loaderData }: Route.ComponentProps) {
  return <DocumentView document={loaderData.document} />;
}
