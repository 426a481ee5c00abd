import { SIGNED_OUT, SIGNED_OUT_MESSAGE } from "../../contract/sign-out-watch.ts";
import { LiveRoom } from "../../live/room.ts";
import { openIdentity } from "../storage/database.ts";
import { findEndedMarks } from "./queries.ts";

/**
 * The sockets of one account's open pages. Each socket is tagged with its sign-in's id and its key for global sign-out.
 */
export class SignOutWatch extends LiveRoom<IdentityEnv> {
  /** Closes the sockets of ended sign-ins. Called after a change of the account. */
  async look(local_id: string): Promise<void> {
    const marks = [...this.listTags()];
    if (marks.length === 0) return;
    const ended = await findEndedMarks(openIdentity(this.env, Date.now()), local_id, marks);
    for (const mark of ended) this.dismiss(mark, SIGNED_OUT_MESSAGE, SIGNED_OUT);
  }
}
