import { deleteMembership, updateMembership } from "../../../workers/contract/memberships.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { keptForm } from "../../forms/intent.ts";
import { readForm, typedFields } from "../../forms/read-form.ts";
import { refuseWords, returnWords, wordsOf } from "../../forms/words.ts";
import { v4Context } from "../../request/context.ts";
import type { FlashCode } from "../../request/flash.ts";
import { viewerContext } from "../../session/context.ts";
import { sendFromBrowser } from "../../v4/send-from-browser.ts";
import { openedPlanForm, planForm } from "../operation-forms.server.ts";
import type { Route } from "./+types/edit-plan.ts";
import { readOwnPlan, returnToPlans } from "./plan-action.ts";
import { PlanForm } from "./plan-form.tsx";
import { PLANS_PATH, stateOf } from "./plan-state.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "プランを編集", is_unlisted: true });

/** The changes that the form's buttons make besides its words. */
const CHANGES = new Map<string, { active_state?: "active" | "inactive"; said: FlashCode }>([
  ["open", { active_state: "active", said: "plan_opened" }],
  ["close", { active_state: "inactive", said: "plan_closed" }],
]);

const pathOf = (membership_id: string) => `${PLANS_PATH}/${membership_id}/edit`;

export async function loader({ params, context }: Route.LoaderArgs) {
  const plan = await readOwnPlan(context.get(v4Context), params.membership_id);
  const { title, description, amount, members_limit } = plan;
  const kept = await keptForm(context, pathOf(plan.membership_id));
  return {
    plan,
    viewer_id: context.get(viewerContext)?.profile?.user_id ?? null,
    written: {
      title,
      description,
      amount: String(amount),
      members_limit: String(members_limit ?? ""),
      ...(kept && typedFields(kept, planForm)),
    },
    idempotency_key: crypto.randomUUID(),
    price_note: PRICE_NOTE,
  };
}

/** The loader passes it on, which keeps it out of the page's script. Members of a closed plan cannot change: docs/decisions/0032. */
const PRICE_NOTE =
  "一度募集したプランの月額は変えられません。月額を変えたいときは、新しいプランの募集を先に始め、メンバーがそちらに変更してから、このプランの募集を止めてください。募集を止めたあとは、ほかのプランへの変更ができません。";

export async function action({ request, params, context }: Route.ActionArgs) {
  const words = wordsOf(await request.formData(), pathOf(params.membership_id));
  const { form, idempotency_key } = words;
  const v4 = context.get(v4Context);
  // A form that was sent with a price is that of a draft; the API refuses the price if the plan was opened meanwhile.
  const read = readForm(form, form.has("amount") ? planForm : openedPlanForm);
  const operation = form.get("do");
  if (operation === "delete") {
    const sent = await v4.send(deleteMembership, { params, idempotency_key });
    return sent.ok ? returnToPlans(context, "plan_deleted") : refuseWords(context, words, read, sent.refusal);
  }
  if (!read.value) return returnWords(words, read.toResult(), 422);
  const { active_state, said } = CHANGES.get(String(operation)) ?? { said: "plan_saved" };
  const body = { ...read.value, ...(active_state && { active_state }) };
  const sent = await v4.send(updateMembership, { params, body, idempotency_key });
  if (!sent.ok) return refuseWords(context, words, read, sent.refusal);
  return returnToPlans(context, said);
}

export const clientAction = ({ request, serverAction }: Route.ClientActionArgs) =>
  sendFromBrowser(request, serverAction);

export default function EditPlan({ loaderData, actionData }: Route.ComponentProps) {
  const title = stateOf(loaderData.plan) === "draft" ? "プランの下書き" : "プランを編集";
  return <PlanForm title={title} {...loaderData} answer={actionData} />;
}
