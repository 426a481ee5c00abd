import { data } from "react-router";
import { pageMeta } from "../crawlers/page-meta.ts";
import { refuseInadmissible } from "../middleware/inadmissible.ts";
import type { Handle } from "../shell/layout.ts";
import { FailureView } from "../shell/lazy-around.tsx";
import type { Route } from "./+types/not-found.ts";

export const meta: Route.MetaFunction = (args) =>
  pageMeta(args, { title: "ページが見つかりません", is_unlisted: true });

/** The not-found page shows no warning of planned maintenance, because maintenance cannot interrupt anything on it. */
export const handle: Handle = { hides_maintenance_banner: "planned" };

/** The page for unknown paths, and for /404 itself. Both answer with status 404, unless the worker rejected a form. */
export function loader({ request, context }: Route.LoaderArgs) {
  refuseInadmissible(request, context);
  return data(null, { status: 404 });
}
/** A form sent to an unknown path gets the same answer as a GET. */
export const action = () => data(null, { status: 404 });

export default function NotFound() {
  return <FailureView status={404} failure={null} kept={null} />;
}
