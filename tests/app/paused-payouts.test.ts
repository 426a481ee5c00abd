/** The page on which a creator asks for a payout, while an operator has paused payouts. */
import { createElement, type FunctionComponent } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { createRoutesStub } from "react-router";
import { expect, test } from "vitest";
import RequestPayout from "../../app/routes/my/earnings/payout.tsx";
import { PAUSED_ADVICE, PAUSED_WORDS, type PausableFeature } from "../../workers/contract/paused-features.ts";

const props: object = {
  loaderData: { available: 9558, missing: null, bank: null, typed: null, error: null, amount: null },
};
const Shown = () => createElement(RequestPayout as FunctionComponent<never> as FunctionComponent, props);

function render(paused_features: PausableFeature[]): string {
  const Stub = createRoutesStub([{ id: "root", path: "/", loader: () => ({}), Component: Shown }]);
  const root = { viewer: { account_id: "a" }, takes_money: true, paused_features };
  return renderToStaticMarkup(createElement(Stub, { hydrationData: { loaderData: { root } } }));
}

test("the page says above its form that payouts are paused, and that the balance stays", () => {
  const html = render(["payouts"]);
  expect(html.indexOf(PAUSED_WORDS.payouts)).toBeGreaterThan(-1);
  expect(html.indexOf(PAUSED_WORDS.payouts)).toBeLessThan(html.indexOf("<form"));
  expect(html).toContain(PAUSED_ADVICE.payouts);
  expect(render(["uploads"])).not.toContain(PAUSED_WORDS.payouts);
});
