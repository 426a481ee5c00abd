import { createElement, type FunctionComponent } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { createRoutesStub, RouterContextProvider } from "react-router";
import { describe, expect, test } from "vitest";
import { jarContext, v4Context } from "../../app/request/context.ts";
import * as payout from "../../app/routes/my/earnings/payout.tsx";
import { PayoutSection } from "../../app/routes/my/earnings/payout-section.tsx";
import BankSettings, * as bank from "../../app/routes/my/settings/bank.tsx";
import ProfileSettings, * as profile from "../../app/routes/my/settings/profile.tsx";
import * as transactions from "../../app/routes/my/transactions.tsx";
import Monetize, * as monetize from "../../app/routes/signup/monetize.tsx";
import { viewerContext } from "../../app/session/context.ts";
import RegisteredModal from "../../app/shell/registered-modal.tsx";
import type { V4 } from "../../app/v4/client.ts";
import type { CreatorAccount } from "../../workers/contract/payouts.ts";

/** What pages say of the registration for monetization, before and after its last step. */

function render(Component: FunctionComponent<never>, props: object): string {
  const Page = () => createElement(Component as FunctionComponent, props);
  const Stub = createRoutesStub([{ id: "root", path: "/", loader: () => ({}), Component: Page }]);
  return renderToStaticMarkup(createElement(Stub, { hydrationData: { loaderData: { root: {} } } }));
}

const finished: CreatorAccount = {
  ...{ account_type: "individual", steps: ["tos_accepted", "payouts_enabled"], identity_verification: "verified" },
  ...{ is_bank_refused: false, is_bank_failing: false, is_automatic: false, invoice_number: null },
};
const checked: CreatorAccount = { ...finished, steps: ["tos_accepted"], identity_verification: "pending" };
const unverified: CreatorAccount = { ...finished, identity_verification: "unverified" };
const refused: CreatorAccount = { ...finished, is_bank_refused: true };

const user = {
  ...{
    user_id: "u",
    email: "a@mail.example",
    default_name: "はな",
    link_id: "hana",
    genre_ids: [],
    external_links: [],
  },
  is_creator: true,
};
const bank_account = {
  ...{
    bank_code: "0001",
    bank_name: "みずほ銀行",
    branch_code: "005",
    branch_name: "丸の内中央",
    account_type: "futsu",
  },
  ...{ account_number_last3: "567", account_holder_kana: "ハナ", updated_at: "2026-11-20T03:15:00.000Z" },
};

/** Opens a page as a creator whose registration is that far. */
async function open(
  page: { loader: (args: never) => Promise<unknown>; default: FunctionComponent<never> },
  creator_account: CreatorAccount,
) {
  const answers: Record<string, object> = {
    getProfile: { user },
    getCreatorAccount: { creator_account },
    getBank: { bank_account },
    listExternalSites: { external_sites: [] },
    listGenres: { genres: [] },
  };
  const read = async ({ id }: { id: string }) => answers[id];
  const send = async (operation: { id: string }) => ({ ok: true, answer: await read(operation) });
  const context = new RouterContextProvider();
  context.set(v4Context, { read, part: read, send } as unknown as V4);
  context.set(jarContext, { read: () => null, set: () => {}, clear: () => {} } as never);
  context.set(viewerContext, { session: {}, registration: "complete", profile: { user_id: "u" } } as never);
  return render(page.default, { loaderData: await page.loader({ context } as never) });
}

const linkTo = (html: string, path: string) => new RegExp(`<a [^>]*href="${path}"[^>]*>([^<]*)`).exec(html)?.[1];

test.each([
  ["the registration", monetize],
  ["the sales", transactions],
  ["a payout", payout],
  ["the bank account", bank],
])("%s does not take an outage for a missing bank account", async (_, page) => {
  const refusal = { code: "unavailable", status: 503 };
  const context = new RouterContextProvider();
  const v4 = {
    read: async () => ({}),
    send: async () => ({ ok: false, refusal }),
    failure: (thrown: object) => thrown,
  };
  context.set(v4Context, v4 as unknown as V4);
  context.set(jarContext, { read: () => null, set: () => {}, clear: () => {} } as never);
  context.set(viewerContext, { session: {}, registration: "complete", profile: { user_id: "u" } } as never);
  const url = new URL("https://ofuse.test/");
  await expect(page.loader({ context, url } as never)).rejects.toEqual(refusal);
});

test.each<[string, Partial<CreatorAccount>, boolean]>([
  ["says that they pause while the bank account fails", { is_automatic: true, is_bank_failing: true }, true],
  ["says nothing of the bank account while it takes money", { is_automatic: true }, false],
  ["says nothing of the bank account while it is off", { is_bank_failing: true }, false],
])("the switch of the automatic payouts %s", (_, columns, is_told) => {
  const account = { ...finished, ...columns };
  const props = { account, bank_updated_at: bank_account.updated_at, available: 5000, payouts: [], has_more: false };
  const html = render(PayoutSection, props);
  expect(html).toContain("毎月の自動振込");
  expect(html.includes("お休みしています")).toBe(is_told);
  expect(linkTo(html, "/my/settings/bank")).toBe(is_told ? "口座を登録し直す" : undefined);
});

test("the greeting of a new creator names the steps that are open, and leads to them", () => {
  const html = render(RegisteredModal, { kind: "creator", link_id: "hana", onClose: () => {} });
  expect(html).toContain("本人確認と、振込先の口座の登録が必要です。");
  const paths = [...html.matchAll(/href="([^"]+)"/g)].map(([, path]) => path);
  expect(paths).toEqual(["/my/settings/bank", "/signup/monetize", "/hana"]);
});

describe("a creator's registration", () => {
  test.each<[string, CreatorAccount, string]>([
    ["is finished", finished, "登録済み（内容を見る）"],
    ["waits for a step", checked, "振込を受け取る手続きの途中です（続きへ）"],
    ["needs another document", unverified, "本人確認のやり直しが必要です"],
    ["needs another bank account", refused, "振込先の口座の登録し直しが必要です"],
  ])("that %s says so in the settings, which lead to its steps", async (_, account, words) => {
    const html = await open({ ...profile, default: ProfileSettings }, account);
    expect(linkTo(html, "/signup/monetize")).toBe(words);
  });

  test.each<[string, boolean, CreatorAccount]>([
    ["is finished", false, finished],
    ["waits for a step", true, checked],
    ["needs another document", true, unverified],
    ["needs another bank account", true, refused],
  ])("that %s is continued from the bank account: %s", async (_, is_open, account) => {
    const html = await open({ ...bank, default: BankSettings }, account);
    expect(linkTo(html, "/signup/monetize")).toBe(is_open ? "手続きの続きへ" : undefined);
    const steps = await open({ ...monetize, default: Monetize }, account);
    expect(steps.includes("すべての手続きが済んでいます。")).toBe(!is_open);
  });
});
