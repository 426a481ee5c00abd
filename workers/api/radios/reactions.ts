import { sql } from "kysely";
import type { FinishedRadio } from "../../contract/live-engine.ts";
import { log, messagesOf } from "../../kernel/log.ts";
import { Problem } from "../../kernel/problem.ts";
import type { Broadcast } from "../domain.ts";
import { findReaders } from "../events/queries.ts";
import type { Database } from "../storage/database.ts";
import type { OutboxEvents, Reaction, ReactionContext } from "../storage/outbox.ts";
import { removeObjects } from "../uploads/commands.ts";
import { completedStatement } from "./broadcast.ts";
import { noticeOfStart, RECORDING_ATTEMPTS, RECORDING_PATIENCE_MS, recordingKey } from "./rules.ts";

/** The waits after each question for a recording, in one run of a reaction. Most are written within a second. */
const RECORDING_WAITS_MS = [200, 400, 800, 1600];

/**
 * Notifies the people who may hear a radio on air. Returns null when the radio has ended meanwhile, and for a radio whose
 * listeners hold a key: nobody knows them.
 */
export async function broadcastStart(
  { radio_id }: OutboxEvents["radio_started"],
  database: Database,
  now_ms: number,
): Promise<Broadcast | null> {
  const radio = await database
    .selectFrom("radios")
    .innerJoin("users", "users.user_id", "radios.user_id")
    .select(["radio_id", "radios.user_id", "users.link_id"])
    .select(["publish_target_type", "publish_target_membership_id"])
    .where("radio_id", "=", radio_id)
    .where("status", "=", sql.lit("on_air"))
    .executeTakeFirst();
  if (!radio || radio.publish_target_type === "url") return null;
  const { user_id, publish_target_type, publish_target_membership_id } = radio;
  const audience = { user_id, publish_target_type, publish_target_membership_id };
  return {
    ...noticeOfStart(radio),
    type: "radio_started",
    actor_user_id: user_id,
    findReaders: (after, limit) => findReaders(database, audience, { after, limit, now_ms }),
  };
}

/**
 * Ends the sound of a radio, and notes its recording. While the recording is not complete, the outbox row is retried. A
 * recording that is not complete after three days and several attempts counts as failed, until its owner's page asks for it
 * again (broadcast.ts).
 */
export const completeRecording: Reaction<"radio_finished"> = async ({ payload: { radio_id } }, reacting) => {
  const finished = await finishSound(radio_id, reacting);
  const { recording } = finished;
  if (recording) return [completedStatement(reacting.database, radio_id, recording, "processing")];
  const statement = reacting.database
    .updateTable("radios")
    .set({ recording_state: finished.is_complete ? "none" : "failed" })
    .where("radio_id", "=", radio_id)
    // The owner may have deleted the recording meanwhile.
    .where("recording_state", "=", "processing");
  return [statement.compile()];
};

/** Deletes the file of a recording, once it is no longer being written. */
export const removeRecording: Reaction<"radio_recording_deleted"> = async ({ payload: { radio_id } }, reacting) => {
  await finishSound(radio_id, reacting);
  return [removeObjects(reacting.database, recordingKey(radio_id), reacting.now_ms)];
};

/**
 * Ends the sound of a radio, and waits some seconds for its recording. While it is not complete, throws `unavailable`, for
 * which no outbox row is given up. After three days and {@link RECORDING_ATTEMPTS} logs and returns that it is not.
 */
async function finishSound(
  radio_id: string,
  { sound, now_ms, happened_ms, attempts }: ReactionContext,
): Promise<FinishedRadio> {
  const is_last_try = now_ms - happened_ms > RECORDING_PATIENCE_MS && attempts >= RECORDING_ATTEMPTS;
  let cause: unknown;
  for (const wait_ms of RECORDING_WAITS_MS) {
    try {
      const finished = await sound.finish({ radio_id });
      if (finished.is_complete) return finished;
    } catch (error) {
      if (!is_last_try) throw new Problem("unavailable", { cause: error });
      cause = error;
    }
    await new Promise((settle) => setTimeout(settle, wait_ms));
  }
  if (!is_last_try) throw new Problem("unavailable");
  // Without a cause the engine answers, and its own lines say why it cannot write.
  log("error", {
    message: "a recording was given up",
    radio_id,
    attempts,
    last_error: messagesOf(cause ?? "incomplete"),
  });
  return { is_complete: false, recording: null };
}
