import { sql } from "kysely";
import { errorCatalogue } from "../../contract/errors.ts";
import type { RecordingFile } from "../../contract/radios.ts";
import { Problem } from "../../kernel/problem.ts";
import { commitLimited, memberId, type RequestContext } from "../http/request-context.ts";
import type { Change } from "../storage/commit.ts";
import { RADIO_LIMIT, requireOwn } from "./commands.ts";
import { findUploadedSound } from "./queries.ts";

/**
 * Makes an audio file that the caller uploaded the recording of a finished radio of theirs. It also closes the file's own
 * address, because a public file has no audience, and the radio may have one. The file of a former recording is
 * deleted: that of the broadcast by a reaction, an uploaded one when the unused uploads are deleted. Throws
 * `not_found`, `radio_transition_refused`, `media_not_usable`, `recording_unreadable`, `too_many_requests`.
 */
export async function putRadioRecording(
  context: RequestContext,
  radio_id: string,
  media_id: string,
): Promise<{ recording: Omit<RecordingFile, "path"> }> {
  const { database } = context;
  const user_id = memberId(context);
  const [radio, sound] = await Promise.all([
    database
      .selectFrom("radios")
      .select(["status", "recording_state"])
      .where("radio_id", "=", radio_id)
      .where("user_id", "=", user_id)
      .executeTakeFirst(),
    findUploadedSound(context, media_id),
  ]);
  if (!radio) throw new Problem("not_found");
  if (radio.status !== "finished" || radio.recording_state === "processing") {
    throw new Problem("radio_transition_refused");
  }
  if (!sound) throw refuseFile("media_not_usable");
  const { content_type, bytes, duration_ms } = sound;
  if (duration_ms === null) throw refuseFile("recording_unreadable");
  const change: Change = {
    preconditions: [
      ...requireOwn(user_id, radio_id, sql`status = 'finished' AND recording_state <> 'processing'`),
      { code: "media_not_usable", holds: sql`EXISTS (SELECT 1 FROM media_files WHERE media_id = ${media_id})` },
    ],
    // The broadcast may have a file, also when its recording has failed or was deleted.
    announcements: [{ event: { kind: "radio_recording_deleted", payload: { radio_id } } }],
    statements: [
      database
        .updateTable("radios")
        .set({ recording_state: "completed", recording_media_id: media_id, duration_ms, bytes, packets: null })
        .where("radio_id", "=", radio_id)
        .compile(),
      database.updateTable("media_files").set({ access: "event" }).where("media_id", "=", media_id).compile(),
    ],
  };
  const recording = { content_type, bytes, duration_ms };
  return commitLimited(context, RADIO_LIMIT, user_id, change, { recording });
}

const refuseFile = (code: "media_not_usable" | "recording_unreadable") =>
  new Problem(code, { fields: { media_id: [errorCatalogue[code].detail] } });
