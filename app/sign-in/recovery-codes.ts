import type { RouterContextProvider } from "react-router";
import { countRecoveryCodes, createRecoveryCodes } from "../../workers/contract/identity.ts";
import { FACTORS_PATH, RECOVERY_CODES_PATH } from "../request/to.ts";
import { identityCalls } from "../session/identity-calls.ts";
import type { Session } from "../session/session.ts";
import type { Refusal } from "../v4/client.ts";
import { newRecoveryCodes } from "./begun.ts";

type Context = Readonly<RouterContextProvider>;

/** Makes new codes, to be shown at {@link RECOVERY_CODES_PATH}. The refusal where there are none. */
export async function makeRecoveryCodes(context: Context, session: Session): Promise<Refusal | null> {
  const sent = await identityCalls(context, session).send(createRecoveryCodes, {});
  if (!sent.ok) return sent.refusal;
  await newRecoveryCodes.keep(context, { user_id: session.id, codes: sent.answer.codes });
  return null;
}

/** Where to go on after a factor was added: to codes for the day it is lost, for who has none yet. */
export async function afterEnrolment(context: Context, session: Session): Promise<string> {
  const counted = await identityCalls(context, session).send(countRecoveryCodes, {});
  if (!counted.ok || counted.answer.count > 0) return FACTORS_PATH;
  return (await makeRecoveryCodes(context, session)) ? FACTORS_PATH : RECOVERY_CODES_PATH;
}
