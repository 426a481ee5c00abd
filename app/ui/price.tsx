import { groupDigits } from "../../workers/contract/group-digits.ts";

/** A price with tax: `1,100円（税込）`. Source: decisions, "Money", display. */
export function Price({ amount }: { amount: number }) {
  return (
    <span className="price">
      <b>{groupDigits(amount)}円</b>（税込）
    </span>
  );
}
