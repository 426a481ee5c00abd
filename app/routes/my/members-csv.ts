import { MAX_PAGE_SIZE } from "../../../workers/contract/fields.ts";
import { listFollowers } from "../../../workers/contract/relationships.ts";
import { v4Context } from "../../request/context.ts";
import type { Route } from "./+types/members-csv.ts";
import { sendPeople } from "./people-csv.ts";
import { readPeopleView } from "./people-view.ts";

/** Streams the member's followers, or those of a search, as CSV. */
export async function loader({ url, context }: Route.LoaderArgs) {
  const v4 = context.get(v4Context);
  const { filter, keyword } = readPeopleView(url);
  const query = { filter, keyword: keyword || undefined, page_size: MAX_PAGE_SIZE };
  // Read the first page before the response starts, so that a refusal can still answer with its status.
  const first = await v4.read(listFollowers, { query });
  return sendPeople(
    context,
    "ofuse-followers.csv",
    [],
    { rows: first.followers, has_next: first.has_next },
    () => [],
    async (after) => {
      const { followers, has_next } = await v4.callOnce(listFollowers, { query: { ...query, after } });
      return { rows: followers, has_next };
    },
  );
}
