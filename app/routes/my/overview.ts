import { redirect } from "react-router";
import { STATS_PATH } from "./stats/range.ts";

/** The overview of a member's own pages is their statistics. */
export function loader() {
  return redirect(STATS_PATH);
}
