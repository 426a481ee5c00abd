import { NoMoney, useTakesMoney } from "../../site/money.tsx";
import { ButtonLink } from "../../ui/button.tsx";

/** Shown instead of a page for creators to a member who has not registered for monetization. Source: spec section 6. */
export function MonetizePrompt({ title, children }: { title: string; children: React.ReactNode }) {
  const takes_money = useTakesMoney();
  return (
    <section className="card monetize-prompt">
      <h2 className="section-title">{title}</h2>
      {takes_money ? (
        <>
          {children}
          <p>
            <ButtonLink to="/signup/monetize" variant="secondary">
              収益化登録へ
            </ButtonLink>
          </p>
        </>
      ) : (
        <NoMoney>
          <p>収益化登録は、いまは利用できません。</p>
        </NoMoney>
      )}
    </section>
  );
}
