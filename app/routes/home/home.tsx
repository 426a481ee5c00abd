import { pageMeta } from "../../crawlers/page-meta.ts";
import { incompleteContext, v4Context } from "../../request/context.ts";
import { viewerContext } from "../../session/context.ts";
import type { Route } from "./+types/home.ts";
import { loadMemberHome, loadVisitorHome } from "./load-home.ts";
import { MemberHome } from "./member.tsx";
import { VisitorHome } from "./visitor.tsx";

export const meta: Route.MetaFunction = (args) => {
  const home = args.loaderData;
  const is_subscribing = home?.kind === "member" && home.filter === "subscribing";
  return pageMeta(args, { title: is_subscribing ? "加入中のプランの新着" : "ファンレターで創作を応援" });
};

/** Renders without the parts that the API fails to answer. Such a page is not cached for other visitors. */
export async function loader({ url, context }: Route.LoaderArgs) {
  const v4 = context.get(v4Context);
  const viewer = context.get(viewerContext);
  const home = viewer
    ? await loadMemberHome(v4, url, viewer.profile?.followings_count ?? null)
    : await loadVisitorHome(v4, url.searchParams);
  const is_incomplete = Object.values(home).includes(null);
  if (is_incomplete) context.set(incompleteContext, true);
  return { ...home, is_incomplete };
}

export default function Home({ loaderData }: Route.ComponentProps) {
  if (loaderData.kind === "member") return <MemberHome home={loaderData} />;
  // Browsers load no script for visitors' pages. A member whose session has ended gets a new document (root.tsx).
  return import.meta.env.SSR ? <VisitorHome home={loaderData} /> : null;
}
