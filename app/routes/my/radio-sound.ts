import { getRadio, getRadioBroadcast, openRadioSound, startRadio } from "../../../workers/contract/radios.ts";
import { refusalAnswer } from "../../post/save-answer.ts";
import { v4Context } from "../../request/context.ts";
import type { Route } from "./+types/radio-sound.ts";

const PRIVATE = { "cache-control": "private, no-store" };

/** Answers what the broadcaster's page shows while it is open: the radio's state, and how many people listen. */
export async function loader({ params, context }: Route.LoaderArgs) {
  const sent = await context.get(v4Context).send(getRadioBroadcast, { params });
  if (!sent.ok) return refusalAnswer(context, sent.refusal);
  const { status, listeners_count } = sent.answer.broadcast;
  return Response.json({ status, listeners_count }, { headers: PRIVATE });
}

/**
 * Starts the radio if it is scheduled, and opens its sound for the page that asks. Answers `{ path, epoch }`, or `{ code,
 * detail }` with the status of the refusal.
 */
export async function action({ params, context }: Route.ActionArgs) {
  const v4 = context.get(v4Context);
  const found = await v4.send(getRadio, { params });
  if (!found.ok) return refusalAnswer(context, found.refusal);
  if (found.answer.radio.status === "scheduled") {
    const started = await v4.send(startRadio, { params });
    // The same press, sent again, may have started the radio meanwhile. If not, opening the sound refuses as well.
    const is_refused = !started.ok && started.refusal.code !== "radio_transition_refused";
    if (is_refused) return refusalAnswer(context, started.refusal);
  }
  const opened = await v4.send(openRadioSound, { params });
  if (!opened.ok) return refusalAnswer(context, opened.refusal);
  const { path, epoch } = opened.answer.ingest;
  return Response.json({ path, epoch }, { headers: PRIVATE });
}
