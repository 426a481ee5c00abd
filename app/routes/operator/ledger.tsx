import { groupDigits } from "../../../workers/contract/group-digits.ts";
import { checkLedger, getLedgerBalances } from "../../../workers/contract/operator.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { v4Context } from "../../request/context.ts";
import { yenText } from "../../ui/yen.tsx";
import type { Route } from "./+types/ledger.ts";
import { Fact, FactList, NextPage, Note, OperatorList, OperatorRow } from "./list.tsx";
import { admitOperator, refuseForm } from "./operator-page.ts";
import { LEDGER_ACCOUNTS } from "./operator-words.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "帳簿", is_unlisted: true });

const PATH = "/operator/ledger";

/** Checks one part of the ledger for each page: the whole of a big one takes longer than a page may. */
export async function loader({ url, context }: Route.LoaderArgs) {
  await admitOperator(context);
  const v4 = context.get(v4Context);
  const after = /^\d{1,15}$/.test(url.searchParams.get("after") ?? "") ? Number(url.searchParams.get("after")) : 0;
  const [balances, check] = await Promise.all([
    v4.read(getLedgerBalances, {}),
    v4.read(checkLedger, { query: { after } }),
  ]);
  return { ...balances, ...check, after };
}

export const action = refuseForm;

export default function Ledger({ loaderData }: Route.ComponentProps) {
  const { accounts, gateway, breaches, next, after } = loaderData;
  return (
    <>
      <h1 className="page-title">帳簿</h1>
      <section className="card form">
        <h2 className="section-title">残高</h2>
        <FactList>
          {accounts.map(({ kind, balance }) => (
            <Fact key={kind} name={LEDGER_ACCOUNTS[kind] ?? kind}>
              {yenText(balance)}
            </Fact>
          ))}
          <Fact name="決済サービスの残高">
            {gateway
              ? `すぐに使える分 ${yenText(gateway.available)}、確定待ちの分 ${yenText(gateway.pending)}`
              : "いまは確認できません"}
          </Fact>
        </FactList>
      </section>
      <section className="section">
        <h2 className="section-title">検査</h2>
        <p>
          {after === 0 ? "はじめから" : `${groupDigits(after)}行目のあとから`}
          {next === null ? "終わりまで" : `${groupDigits(next)}行目まで`}を調べました。
          {breaches.length === 0 && "誤りはありません。"}
        </p>
        {breaches.length > 0 && (
          <OperatorList>
            {breaches.map(({ name, sentence, offenders }) => (
              <OperatorRow key={name} title={<b>{name}</b>}>
                <Note>{sentence}</Note>
                <Note>
                  <span className="operator-id">{offenders.join(" ")}</span>
                </Note>
              </OperatorRow>
            ))}
          </OperatorList>
        )}
        <NextPage first={after === 0 ? null : PATH} next={next === null ? null : `${PATH}?after=${next}`} />
      </section>
    </>
  );
}
