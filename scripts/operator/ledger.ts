/** `npm run operator -- ledger check`: looks for faults in the books. */
import type { AnswerOf } from "../../workers/contract/operation.ts";
import { checkLedger } from "../../workers/contract/operator.ts";
import { Refusal } from "../refusal.ts";
import type { Subject } from "./subject.ts";

const usage = "ledger check   look for faults in the books; changes nothing";

type Breach = AnswerOf<typeof checkLedger>["breaches"][number];

export const ledgerSubject: Subject = {
  usage,
  read(args) {
    if (args.length !== 1 || args[0] !== "check") throw new Refusal(usage);
    return async ({ call }) => {
      const breaches: Breach[] = [];
      for (let after: number | null = 0; after !== null; ) {
        const part: AnswerOf<typeof checkLedger> = await call(checkLedger, { query: { after } });
        breaches.push(...part.breaches);
        after = part.next;
      }
      if (breaches.length === 0) return "Every invariant of the ledger holds.";
      // The command must fail in a script.
      throw new Refusal(breaches.map(describeBreach).join("\n"));
    };
  },
};

function describeBreach({ name, sentence, offenders }: Breach): string {
  return `${name}: ${sentence}\n${offenders.map((id) => `  ${id}`).join("\n")}`;
}
