import { useRouteLoaderData } from "react-router";

/**
 * Whether this site has a payment gateway. A site on one machine may have none: its pages then say so where somebody would
 * pay or register to be paid (docs/decisions/0052). On an error page without the root's data nothing is offered to pay.
 */
export function useTakesMoney(): boolean {
  return useRouteLoaderData<{ takes_money: boolean }>("root")?.takes_money ?? true;
}

/** Says that money is off, in place of a form or a link that leads to a payment. */
export function NoMoney({ children }: { children?: React.ReactNode }) {
  return (
    <div className="notice">
      <p>
        <b>このサイトでは、いまお金のやりとりを受け付けていません。</b>
      </p>
      {children}
    </div>
  );
}
