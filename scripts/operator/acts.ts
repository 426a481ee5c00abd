/** `npm run operator -- acts`: lists the acts of operators. */
import { listOperatorActs } from "../../workers/contract/operator.ts";
import { Refusal } from "../refusal.ts";
import type { Subject } from "./subject.ts";

const usage = "acts   the last hundred acts of operators, newest first";

export const actsSubject: Subject = {
  usage,
  read(args) {
    if (args.length > 0) throw new Refusal(usage);
    return async ({ call }) => {
      const { acts } = await call(listOperatorActs, { query: {} });
      if (acts.length === 0) return "Nothing was done.";
      return acts
        .map(({ acted_at, operator, operation, subject, input, request_id }) =>
          [acted_at, operator, operation, subject ?? "-", JSON.stringify(input), request_id].join("  "),
        )
        .join("\n");
    };
  },
};
