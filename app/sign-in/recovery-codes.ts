import type { RouterContextProvider } from "react-router";
import { countRecoveryCodes, createRecoveryCodes } from "../../workers/contract/identity.ts";
import { FACTORS_PATH, RECOVERY_CODES_PATH } from "../request/to.ts";
import { identityCalls } from "../session/identity-calls.ts";
import type { Session } from "../session/session.ts";
import type { Refusal } from "../v4/client.ts";
import { newRecoveryCodes } from "./started-flows.ts";

type Context = Readonly<RouterContextProvider>;

/**
 * Makes new recovery codes and stores them for the page {@link RECOVERY_CODES_PATH}. Returns the refusal if the
 * provider has none.
 */
export async function makeRecoveryCodes(context: Context, session: Session): Promise<Refusal | null> {
  const sent = await identityCalls(context, session).send(createRecoveryCodes, {});
  if (!sent.ok) return sent.refusal;
  await newRecoveryCodes.keep(context, { user_id: session.id, codes: sent.answer.codes });
  return null;
}

/**
 * Returns the page to show after a second factor was added: new recovery codes if the member has none left, otherwise
 * the list of factors.
 */
export async function afterEnrolment(context: Context, session: Session): Promise<string> {
  const counted = await identityCalls(context, session).send(countRecoveryCodes, {});
  if (!counted.ok || counted.answer.count > 0) return FACTORS_PATH;
  return (await makeRecoveryCodes(context, session)) ? FACTORS_PATH : RECOVERY_CODES_PATH;
}
