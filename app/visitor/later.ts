/** What only a page needs that has something to like or to copy. One file: asking for each by itself takes room in the script. */
import "../browser/copy-templates.ts";

/** @public for the visitors' script. */
export { startLikes } from "./likes.ts";
