import { data, redirect } from "react-router";
import { MAX_ANONYMOUS_PAGE_SIZE } from "../../../../workers/contract/fields.ts";
import { listUserRecordings, type RadioRecording } from "../../../../workers/contract/radios.ts";
import { getUser, LINK_ID } from "../../../../workers/contract/users.ts";
import { v4Context } from "../../../request/context.ts";
import type { V4 } from "../../../v4/client.ts";
import type { Route } from "./+types/podcast.ts";
import { feedAnswer } from "./feed.ts";
import { podcastXml } from "./podcast-xml.ts";

/** How many pages of recordings a podcast has: as many recordings as a private podcast. */
const MAX_PAGES = 4;

/** Writes the recordings for everybody as a podcast. Limited ones are in the private podcasts of members. */
export async function loader({ url, params: { link_id }, context }: Route.LoaderArgs) {
  if (!LINK_ID.test(link_id)) throw data(null, { status: 404 });
  const path = `/${link_id}/podcast.xml`;
  // A feed has one address: other queries, capitals or a trailing slash would create more cache entries of it.
  if (url.pathname !== path || url.search) throw redirect(path, 301);
  const v4 = context.get(v4Context).asVisitor();
  const { user } = await v4.read(getUser, { query: { link_id } });
  if (user.link_id !== link_id) throw redirect(`/${user.link_id}/podcast.xml`, 302);
  const body = podcastXml({
    url,
    creator: user,
    description: user.bio || `${user.name}さんのラジオの録音です。`,
    recordings: await listPublicRecordings(v4, user.user_id),
    is_private: false,
  });
  return feedAnswer("application/rss+xml", body);
}

/** Podcast apps drop episodes that a feed no longer has, so older ones must stay in it. */
async function listPublicRecordings(v4: V4, user_id: string): Promise<RadioRecording[]> {
  const found: RadioRecording[] = [];
  for (let page_number = 1; page_number <= MAX_PAGES; page_number++) {
    const query = { page_number, page_size: MAX_ANONYMOUS_PAGE_SIZE };
    const { recordings, has_next } = await v4.read(listUserRecordings, { params: { user_id }, query });
    found.push(...recordings.filter(({ publish_target_type }) => publish_target_type === "public"));
    if (!has_next) break;
  }
  return found;
}
