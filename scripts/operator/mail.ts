/** `npm run operator -- mail ...`: mails that were sent, wait or failed, and addresses that get none. */
import { isSendable, MAIL_STATES } from "../../workers/contract/mails.ts";
import { listMails, retryMail, setMailSuppressed } from "../../workers/contract/operator.ts";
import { Refusal } from "../refusal.ts";
import type { Subject } from "./subject.ts";

const usage = `mail list [<state> | <address>]   the newest hundred: ${MAIL_STATES.join(", ")}
mail retry <mail_id>              send a failed mail again; a sent one has no words any more
mail suppress <address>           send nothing more to an address
mail release <address>            send to it again, whatever the reason was`;

export const mailSubject: Subject = {
  usage,
  read([action = "", subject, ...more]) {
    if (more.length > 0) throw new Refusal(usage);
    if (action === "list") {
      const state = MAIL_STATES.find((known) => known === subject);
      if (subject !== undefined && !state && !subject.includes("@")) throw new Refusal(usage);
      return async ({ call }) => {
        const { mails } = await call(listMails, { query: state ? { state } : { address: subject } });
        if (mails.length === 0) return "There is no such mail.";
        return mails
          .map(({ mail_id, created_at, kind, recipient, state: in_state, attempts, next_attempt_at, answer }) =>
            [
              mail_id,
              created_at,
              kind,
              recipient || "-",
              in_state === "queued" ? `queued until ${next_attempt_at}` : in_state,
              `attempts ${attempts}`,
              answer ?? "-",
            ].join("  "),
          )
          .join("\n");
      };
    }
    if (subject === undefined) throw new Refusal(usage);
    if (action === "retry") {
      return async ({ call }) => {
        await call(retryMail, { params: { mail_id: subject } });
        return "The mail leaves within a minute.";
      };
    }
    if (action !== "suppress" && action !== "release") throw new Refusal(usage);
    if (action === "suppress" && !isSendable(subject)) throw new Refusal(`"${subject}" is no address.`);
    return async ({ call }) => {
      await call(setMailSuppressed, { body: { address: subject, is_suppressed: action === "suppress" } });
      return action === "suppress" ? "The address gets no mail." : "The address gets mail again.";
    };
  },
};
