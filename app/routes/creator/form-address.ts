import { createContext, data, type RouterContextProvider, redirect } from "react-router";
import { LINK_ID } from "../../../workers/contract/users.ts";
import type { Refusal } from "../../v4/client.ts";

type Context = Readonly<RouterContextProvider>;

/** Whether this request's form was refused, so that the page that says so is wanted. */
const refusedContext = createContext(false);

/** An address that only takes forms; whoever opens it wants the person's page. */
export function openFormAddress(context: Context, link_id: string): Response | null {
  if (context.get(refusedContext)) return null;
  if (!LINK_ID.test(link_id)) throw data(null, { status: 404 });
  return redirect(`/${link_id}`);
}

/** What such an address's own page says. */
export function refuseForm(context: Context, { detail, status }: Refusal) {
  context.set(refusedContext, true);
  return data({ error: detail }, { status });
}
