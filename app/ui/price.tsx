/** A price with tax: `1,100円（税込）`. Source: decisions, "Money", display. */
export function Price({ amount }: { amount: number }) {
  return (
    <span className="price">
      <b>{amount.toLocaleString("ja-JP")}円</b>（税込）
    </span>
  );
}
