/** `npm run operator -- search show|rebuild`: the index of creators. */
import { getSearchState, rebuildSearch } from "../../workers/contract/operator.ts";
import { Refusal } from "../refusal.ts";
import type { Subject } from "./subject.ts";

const usage = `search show
search rebuild   index every creator again; the API starts within a minute and works in steps`;

export const searchSubject: Subject = {
  usage,
  read(args) {
    const [action, ...more] = args;
    if (more.length > 0 || (action !== "show" && action !== "rebuild")) throw new Refusal(usage);
    if (action === "show") {
      return async ({ call }) => {
        const { creators, rebuilds } = await call(getSearchState, {});
        return `creators  ${creators.waiting_count} waiting, ${creators.given_up_count} given up
rebuilds  ${rebuilds.waiting_count} waiting, ${rebuilds.given_up_count} given up`;
      };
    }
    return async ({ call }) => {
      await call(rebuildSearch, {});
      return "The API starts within a minute and indexes every creator. Until it has finished, searches use the old entries.";
    };
  },
};
