import { type RouterContextProvider, redirect } from "react-router";
import { forgetIntent } from "../../forms/intent.ts";
import { type FlashCode, setFlash } from "../../request/flash.ts";
import { PLANS_PATH } from "./plan-state.ts";

/** Ends a form that was accepted: says on the list of plans what happened. */
export function returnToPlans(context: Readonly<RouterContextProvider>, said: FlashCode) {
  forgetIntent(context, "form");
  setFlash(context, said);
  return redirect(PLANS_PATH, 303);
}
