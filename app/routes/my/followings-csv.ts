import { MAX_PAGE_SIZE } from "../../../workers/contract/fields.ts";
import { listRelationships } from "../../../workers/contract/relationships.ts";
import { v4Context } from "../../request/context.ts";
import type { Route } from "./+types/followings-csv.ts";
import { sendPeople } from "./people-csv.ts";
import { readPeopleView } from "./people-view.ts";

/** Streams the people whom the member follows, or those of a search, as CSV. */
export async function loader({ url, context }: Route.LoaderArgs) {
  const v4 = context.get(v4Context);
  const { filter, keyword } = readPeopleView(url);
  const query = {
    filter: "active" as const,
    is_subscribing: filter === "subscribing",
    keyword: keyword || undefined,
    page_size: MAX_PAGE_SIZE,
  };
  // Read the first page before the response starts, so that a refusal can still answer with its status.
  const first = await v4.read(listRelationships, { query });
  return sendPeople(
    context,
    "ofuse-followings.csv",
    ["お知らせ"],
    { rows: first.relationships, has_next: first.has_next },
    ({ receives_notifications }) => [receives_notifications ? "受け取る" : "止めている"],
    async (after) => {
      const { relationships, has_next } = await v4.callOnce(listRelationships, { query: { ...query, after } });
      return { rows: relationships, has_next };
    },
  );
}
