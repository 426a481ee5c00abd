/** `npm run operator -- acts`: lists the acts of operators. */
import { parseArgs } from "node:util";
import { listOperatorActs } from "../../workers/contract/operator.ts";
import { Refusal } from "../refusal.ts";
import type { Subject } from "./subject.ts";

const usage = `acts [--by <operator>] [--on <who or id>]   the last hundred acts of operators, newest first
  --on   a person as in \`user show\`, or the id of a report, a payment, a payout, a mail ...`;

export const actsSubject: Subject = {
  usage,
  read(args) {
    const { by, on } = readOptions(args);
    return async ({ call }) => {
      const { acts } = await call(listOperatorActs, { query: { operator: by, subject: on } });
      if (acts.length === 0) return "Nothing was done.";
      return acts
        .map(({ acted_at, operator, operation, subject, input, request_id }) =>
          [acted_at, operator, operation, subject ?? "-", JSON.stringify(input), request_id].join("  "),
        )
        .join("\n");
    };
  },
};

function readOptions(args: string[]): { by?: string; on?: string } {
  try {
    return parseArgs({ args, options: { by: { type: "string" }, on: { type: "string" } } }).values;
  } catch (error) {
    throw new Refusal(`${(error as Error).message}\n${usage}`);
  }
}
