import { data, redirect } from "react-router";
import { MAX_ANONYMOUS_PAGE_SIZE } from "../../../../workers/contract/fields.ts";
import { listUserRecordings } from "../../../../workers/contract/radios.ts";
import { getUser, LINK_ID } from "../../../../workers/contract/users.ts";
import { v4Context } from "../../../request/context.ts";
import type { Route } from "./+types/podcast.ts";
import { feedAnswer } from "./feed.ts";
import { podcastXml } from "./podcast-xml.ts";

/** Writes the recordings for everybody as a podcast. Limited ones are in the private podcasts of members. */
export async function loader({ url, params: { link_id }, context }: Route.LoaderArgs) {
  if (!LINK_ID.test(link_id)) throw data(null, { status: 404 });
  const path = `/${link_id}/podcast.xml`;
  // A feed has one address: other queries, capitals or a trailing slash would create more cache entries of it.
  if (url.pathname !== path || url.search) throw redirect(path, 301);
  const v4 = context.get(v4Context).asVisitor();
  const { user } = await v4.read(getUser, { query: { link_id } });
  if (user.link_id !== link_id) throw redirect(`/${user.link_id}/podcast.xml`, 302);
  const query = { page_size: MAX_ANONYMOUS_PAGE_SIZE };
  const { recordings } = await v4.read(listUserRecordings, { params: { user_id: user.user_id }, query });
  const body = podcastXml({
    url,
    creator: user,
    description: user.bio || `${user.name}さんのラジオの録音です。`,
    recordings: recordings.filter(({ publish_target_type }) => publish_target_type === "public"),
    is_private: false,
  });
  return feedAnswer("application/rss+xml", body);
}
