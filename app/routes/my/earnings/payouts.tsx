import { data, Link, redirect } from "react-router";
import { id } from "../../../../workers/contract/fields.ts";
import { cancelPayout, getBank, listPayouts } from "../../../../workers/contract/payouts.ts";
import { pageMeta } from "../../../crawlers/page-meta.ts";
import { v4Context } from "../../../request/context.ts";
import { setFlash } from "../../../request/flash.ts";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { FormErrors } from "../../../ui/form-errors.tsx";
import { Pager } from "../../../ui/pager.tsx";
import { pageNumber, refuseEmptyPage } from "../../../v4/page-number.ts";
import type { Route } from "./+types/payouts.ts";
import { EARNINGS_PATH, PAYOUTS_PATH } from "./paths.ts";
import { PayoutRows } from "./payout-rows.tsx";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "振込の一覧", is_unlisted: true });

export async function loader({ url, context }: Route.LoaderArgs) {
  const page = pageNumber(url);
  const v4 = context.get(v4Context);
  const [{ payouts, has_next }, bank] = await Promise.all([
    v4.read(listPayouts, { query: { page_number: page } }),
    v4.part(getBank, {}),
  ]);
  refuseEmptyPage(page, payouts);
  return { payouts, has_next, page, bank_updated_at: bank?.bank_account?.updated_at ?? null };
}

/** Cancels a pending payout. */
export async function action({ request, context }: Route.ActionArgs) {
  const payout_id = String((await request.formData()).get("payout_id") ?? "");
  if (!id.safeParse(payout_id).success) throw data(null, { status: 404 });
  const v4 = context.get(v4Context);
  const sent = await v4.send(cancelPayout, { params: { payout_id } });
  if (sent.ok) {
    setFlash(context, "payout_canceled");
    return redirect(PAYOUTS_PATH, 303);
  }
  if (sent.refusal.code === "not_found") throw v4.failure(sent.refusal);
  return data({ error: sent.refusal.detail }, sent.refusal.status);
}

export default function Payouts({ loaderData, actionData }: Route.ComponentProps) {
  const { payouts, has_next, page, bank_updated_at } = loaderData;
  return (
    <>
      <p className="back">
        <Link to={EARNINGS_PATH}>売上へ戻る</Link>
      </p>
      <h1 className="page-title">振込の一覧</h1>
      <FormErrors errors={actionData?.error ? [actionData.error] : null} answer={actionData} />
      {payouts.length === 0 ? (
        <EmptyState title="まだ振込はありません" />
      ) : (
        <PayoutRows payouts={payouts} bank_updated_at={bank_updated_at} />
      )}
      <Pager
        page={page}
        has_next={has_next}
        hrefOf={(number) => `${PAYOUTS_PATH}${number > 1 ? `?page=${number}` : ""}`}
      />
    </>
  );
}
