import { redirect } from "react-router";
import { createMembership } from "../../../workers/contract/memberships.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { keptForm } from "../../forms/intent.ts";
import { readForm, typedFields } from "../../forms/read-form.ts";
import { refuseWords, returnWords, wordsOf } from "../../forms/words.ts";
import { v4Context } from "../../request/context.ts";
import { viewerContext } from "../../session/context.ts";
import { sendFromBrowser } from "../../v4/send-from-browser.ts";
import { planForm } from "../operation-forms.server.ts";
import type { Route } from "./+types/new-plan.ts";
import { returnToPlans } from "./plan-action.ts";
import { NO_PLAN, PlanForm } from "./plan-form.tsx";
import { PLANS_PATH } from "./plan-state.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "プランを作る", is_unlisted: true });

const PATH = `${PLANS_PATH}/new`;

export async function loader({ context }: Route.LoaderArgs) {
  const profile = context.get(viewerContext)?.profile;
  // The list says what is missing. While the API is silent, nobody knows, and the page keeps the words.
  if (profile && !profile.is_creator) throw redirect(PLANS_PATH);
  const kept = await keptForm(context, PATH);
  return {
    viewer_id: profile?.user_id ?? null,
    written: { ...NO_PLAN, ...(kept && typedFields(kept, planForm)) },
    idempotency_key: crypto.randomUUID(),
  };
}

export async function action({ request, context }: Route.ActionArgs) {
  const words = wordsOf(await request.formData(), PATH);
  const read = readForm(words.form, planForm);
  if (!read.value) return returnWords(words, read.toResult(), 422);
  const opens = words.form.get("do") === "open";
  const body = { ...read.value, active_state: opens ? ("active" as const) : ("inactive" as const) };
  const { idempotency_key } = words;
  const sent = await context.get(v4Context).send(createMembership, { body, idempotency_key });
  if (!sent.ok) return refuseWords(context, words, read, sent.refusal);
  return returnToPlans(context, opens ? "plan_opened" : "plan_saved");
}

export const clientAction = ({ request, serverAction }: Route.ClientActionArgs) =>
  sendFromBrowser(request, serverAction);

export default function NewPlan({ loaderData, actionData }: Route.ComponentProps) {
  return <PlanForm title="プランを作る" plan={null} {...loaderData} answer={actionData} />;
}
