import { data } from "react-router";
import { getPodcast } from "../../../../workers/contract/podcasts.ts";
import { urlKey } from "../../../../workers/contract/radios.ts";
import { v4Context } from "../../../request/context.ts";
import type { Route } from "./+types/private-podcast.ts";
import { podcastXml } from "./podcast-xml.ts";

/**
 * Writes the recordings that one member may hear as a podcast. The secret in the address is all that a podcast app
 * sends. A creator's former link_id in the address works too.
 */
export async function loader({ url, params: { secret }, context }: Route.LoaderArgs) {
  if (!urlKey.safeParse(secret).success) throw data(null, { status: 404 });
  const { user, recordings } = await context.get(v4Context).asVisitor().withUrlKey(secret).read(getPodcast, {});
  const description = `${user.name}さんのラジオの録音です。このアドレスは、ほかの人に教えないでください。`;
  return new Response(podcastXml({ url, creator: user, description, recordings, is_private: true }), {
    headers: {
      "content-type": "application/rss+xml; charset=utf-8",
      "cache-control": "private, no-store",
      "x-robots-tag": "noindex, nofollow",
    },
  });
}
