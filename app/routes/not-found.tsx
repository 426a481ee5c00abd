import { data } from "react-router";
import { pageMeta } from "../crawlers/page-meta.ts";
import { FailureView } from "../shell/failure-view.tsx";
import type { Handle } from "../shell/layout.ts";
import type { Route } from "./+types/not-found.ts";

export const meta: Route.MetaFunction = (args) =>
  pageMeta(args, { title: "ページが見つかりません", is_unlisted: true });

/** Nothing can be done here that maintenance would interrupt. */
export const handle: Handle = { hides_maintenance_banner: "planned" };

/** Unknown paths, and /404 itself: a page of its own with the status that goes with it. */
export const loader = () => data(null, { status: 404 });
/** A form sent to a path that is no page is answered like one that is asked for it. */
export const action = loader;

export default function NotFound() {
  return <FailureView status={404} failure={null} kept={null} />;
}
