import { pageMeta } from "../crawlers/page-meta.ts";
import { DocumentView } from "../site/document-view.tsx";
import { readDocument } from "../site/documents.server.ts";
import { siteContext } from "../site/site-context.ts";
import type { Route } from "./+types/external-transmission.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, args.loaderData?.document);

export const loader = ({ url, context }: Route.LoaderArgs) => ({
  document: readDocument("external-transmission", context.get(siteContext), url.origin),
});

export default function ExternalTransmission({ loaderData }: Route.ComponentProps) {
  return <DocumentView document={loaderData.document} />;
}
