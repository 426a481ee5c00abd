import * as z from "zod";
import { id } from "../../../workers/contract/fields.ts";
import { listPayoutsUnderWay, retryPayout, setPayoutHeld } from "../../../workers/contract/operator.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { readForm } from "../../forms/read-form.ts";
import { v4Context } from "../../request/context.ts";
import type { FlashCode } from "../../request/flash.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ButtonForm } from "../../ui/button-form.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { yenText } from "../../ui/yen.tsx";
import type { Route } from "./+types/payouts.ts";
import { NextPage, Note, OperatorList, OperatorRow } from "./list.tsx";
import { admitOperator, finishAct, refuseAct, sendAct } from "./operator-page.ts";
import { describePayout } from "./operator-words.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "進行中の振込", is_unlisted: true });

const PATH = "/operator/payouts";
const ROWS = 50;

export async function loader({ url, context }: Route.LoaderArgs) {
  await admitOperator(context);
  const after = id.safeParse(url.searchParams.get("after")).data;
  const query = { after, limit: ROWS };
  return { ...(await context.get(v4Context).read(listPayoutsUnderWay, { query })), is_first: after === undefined };
}

const payoutForm = z.object({ act: z.enum(["hold", "release", "retry"]), payout_id: id });

const done: Record<z.output<typeof payoutForm>["act"], FlashCode> = {
  hold: "payout_held",
  release: "payout_released",
  retry: "payout_retried",
};

export async function action({ request, url, context }: Route.ActionArgs) {
  await admitOperator(context);
  const form = await request.formData();
  const read = readForm(form, payoutForm);
  if (!read.value) return refuseAct(form, read);
  const { act, payout_id } = read.value;
  const params = { payout_id };
  const sent =
    act === "retry"
      ? await sendAct(context, url, form, retryPayout, { params })
      : await sendAct(context, url, form, setPayoutHeld, { params, body: { is_held: act === "hold" } });
  if (!sent.ok) return refuseAct(form, read, sent.refusal);
  return finishAct(context, PATH, done[act]);
}

export default function Payouts({ loaderData, actionData }: Route.ComponentProps) {
  const { payouts, has_next, is_first } = loaderData;
  const last = payouts.at(-1)?.payout_id;
  return (
    <>
      <h1 className="page-title">進行中の振込</h1>
      <FormErrors errors={actionData?.error ? [actionData.error] : null} answer={actionData} />
      {payouts.length === 0 ? (
        <EmptyState title="進行中の振込はありません" />
      ) : (
        <OperatorList>
          {payouts.map((payout) => {
            const { payout_id, creator_link_id, amount, bank_fee, status, is_held, created_at, check_at } = payout;
            return (
              <OperatorRow
                key={payout_id}
                title={
                  <>
                    <b>{yenText(amount)}</b> @{creator_link_id}{" "}
                    <Badge tone={is_held ? "quiet" : "new"}>{describePayout(payout)}</Badge>
                  </>
                }
                actions={
                  <ButtonForm
                    action={PATH}
                    fields={{ payout_id }}
                    className="row"
                    label={`@${creator_link_id}への振込`}
                  >
                    {(is_sending) => (
                      <>
                        {status === "pending" && (
                          <Button
                            name="act"
                            value={is_held ? "release" : "hold"}
                            size="sm"
                            variant="gray-outline"
                            aria-disabled={is_sending}
                          >
                            {is_held ? "再開する" : "止める"}
                          </Button>
                        )}
                        {!is_held && (
                          <Button name="act" value="retry" size="sm" variant="gray-outline" aria-disabled={is_sending}>
                            すぐに進める
                          </Button>
                        )}
                      </>
                    )}
                  </ButtonForm>
                }
              >
                <Note>
                  <DateTime iso={created_at} /> に申請、うち手数料 {yenText(bank_fee)}
                </Note>
                {check_at && (
                  <Note>
                    つぎに進めるのは <DateTime iso={check_at} />
                  </Note>
                )}
                <Note>
                  <span className="operator-id">{payout_id}</span>
                </Note>
              </OperatorRow>
            );
          })}
        </OperatorList>
      )}
      <NextPage first={is_first ? null : PATH} next={has_next && last ? `${PATH}?after=${last}` : null} />
    </>
  );
}
