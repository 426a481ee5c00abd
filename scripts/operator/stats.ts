/** `npm run operator -- stats recount`: compares creators' figures with a count over the tables. */
import type { AnswerOf } from "../../workers/contract/operation.ts";
import { recountStats } from "../../workers/contract/operator.ts";
import { Refusal } from "../refusal.ts";
import type { Subject } from "./subject.ts";

const usage = "stats recount   compare creators' figures with a count over the tables; changes nothing";

type Difference = AnswerOf<typeof recountStats>["differences"][number];

export const statsSubject: Subject = {
  usage,
  read(args) {
    if (args.length !== 1 || args[0] !== "recount") throw new Refusal(usage);
    return async ({ call }) => {
      const differences: Difference[] = [];
      for (let after: string | null = ""; after !== null; ) {
        const part: AnswerOf<typeof recountStats> = await call(recountStats, { query: { after } });
        differences.push(...part.differences);
        after = part.next;
      }
      if (differences.length === 0) return "Every figure is what the tables say.";
      // The command must fail in a script.
      throw new Refusal(differences.map(describeDifference).join("\n"));
    };
  },
};

const describeDifference = (found: Difference): string =>
  [
    found.user_id,
    found.measure,
    found.period,
    found.subject || "-",
    `missing ${found.missing_count}, ${found.missing_amount} yen`,
  ].join("  ");
