import { data, type RouterContextProvider, redirect } from "react-router";
import { listOwnMemberships, type OwnMembership } from "../../../workers/contract/memberships.ts";
import { forgetIntent } from "../../forms/intent.ts";
import { type FlashCode, setFlash } from "../../request/flash.ts";
import type { V4 } from "../../v4/client.ts";
import { PLANS_PATH } from "./plan-state.ts";

/** Returns one of the caller's plans. Throws 404 for any other. */
export async function readOwnPlan(v4: V4, membership_id: string): Promise<OwnMembership> {
  const { memberships } = await v4.read(listOwnMemberships, {});
  const plan = memberships.find((each) => each.membership_id === membership_id);
  if (!plan) throw data(null, { status: 404 });
  return plan;
}

/** Ends a form that was accepted: says on the list of plans what happened. */
export function returnToPlans(context: Readonly<RouterContextProvider>, said: FlashCode) {
  forgetIntent(context, "form");
  setFlash(context, said);
  return redirect(PLANS_PATH, 303);
}
