import { siteContext } from "../middleware/context.ts";
import { pageMeta } from "../shell/page-meta.ts";
import { DocumentView } from "../site/document-view.tsx";
import { readDocument } from "../site/documents.server.ts";
import type { Route } from "./+types/privacy.ts";

export const meta: Route.MetaFunction = (args) =>
  pageMeta(args, args.loaderData && { ...args.loaderData.document, is_unlisted: args.loaderData.is_beside });

export const loader = ({ url, context }: Route.LoaderArgs) => ({
  /** Whether it stands below /signup, for who is registering: the page itself is elsewhere. */
  is_beside: url.pathname.startsWith("/signup/"),
  document: readDocument("privacy", context.get(siteContext), url.origin),
});

export default function Privacy({ loaderData }: Route.ComponentProps) {
  return <DocumentView document={loaderData.document} />;
}
