import type { getBalance } from "../../../../workers/contract/ledger.ts";
import type { AnswerOf } from "../../../../workers/contract/operation.ts";
import { yenText } from "../../../ui/yen.tsx";

/** The balances of a creator, each with what it means. */
export function Balance({ balance }: { balance: AnswerOf<typeof getBalance>["balance"] }) {
  const { available, pending, in_transit, held, contested, earned_this_month } = balance;
  const parts = [
    { name: "振込できる残高", yen: available, note: "口座へ振り込める額です。" },
    { name: "確定待ち", yen: pending, note: "決済が確定すると、振込できる残高になります。" },
    { name: "振込中", yen: in_transit, note: "口座へ向かっている額です。" },
    ...(held > 0
      ? [
          {
            name: "確認中",
            yen: held,
            note: "お支払いに不審な点がないか、運営が確認しています。終わるまで振り込めません。",
          },
        ]
      : []),
    ...(contested > 0
      ? [
          {
            name: "結果待ち",
            yen: contested,
            note: "支払いへの異議や返金のために差し引いている額です。異議が退けられると、残高に戻ります。",
          },
        ]
      : []),
    { name: "今月の受取額", yen: earned_this_month, note: "手数料と返金などを引いたあとの額です。" },
  ];
  return (
    <section className="card" aria-labelledby="balance-title">
      <h2 id="balance-title" className="section-title">
        残高
      </h2>
      <dl className="balances">
        {parts.map(({ name, yen, note }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <b className="balance-yen">{yenText(yen)}</b>
              <span className="row-note">{note}</span>
            </dd>
          </div>
        ))}
      </dl>
      {available < 0 && (
        <p className="notice">
          振込のあとに{held > 0 && "確認中になった支払いや"}
          返金や支払いへの異議などがあったため、残高が不足しています。不足分は、これからの売上から差し引かれます。
        </p>
      )}
    </section>
  );
}
