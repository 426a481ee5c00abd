import { sql } from "kysely";
import { errorCatalogue } from "../../contract/errors.ts";
import type { RecordingFile } from "../../contract/radios.ts";
import { Problem } from "../../kernel/problem.ts";
import { commitLimited, memberId, type RequestContext } from "../http/request-context.ts";
import type { Change } from "../storage/commit.ts";
import { mediaKey } from "../uploads/rules.ts";
import { RADIO_LIMIT, requireOwn } from "./commands.ts";
import { findSoundLength } from "./sound-length.ts";

/**
 * Makes an audio file that the caller uploaded the recording of a finished radio of theirs. The file of a former recording
 * is deleted: that of the broadcast by a reaction, an uploaded one when the unused uploads are deleted. Throws
 * `not_found`, `radio_transition_refused`, `media_not_usable`, `recording_unreadable`, `too_many_requests`.
 */
export async function putRadioRecording(
  context: RequestContext,
  radio_id: string,
  media_id: string,
): Promise<{ recording: Omit<RecordingFile, "path"> }> {
  const { database } = context;
  const user_id = memberId(context);
  const [radio, media] = await Promise.all([
    database
      .selectFrom("radios")
      .select(["status", "recording_state"])
      .where("radio_id", "=", radio_id)
      .where("user_id", "=", user_id)
      .executeTakeFirst(),
    database
      .selectFrom("media_files")
      .select(["content_type", "bytes"])
      .where("media_id", "=", media_id)
      .where("owner_user_id", "=", user_id)
      .where("kind", "=", "audio")
      .where("processing_status", "=", "completed")
      .executeTakeFirst(),
  ]);
  if (!radio) throw new Problem("not_found");
  if (radio.status !== "finished" || radio.recording_state === "processing") {
    throw new Problem("radio_transition_refused");
  }
  if (!media) throw refuseFile("media_not_usable");
  const { content_type, bytes } = media;
  const read = (offset: number, length: number) => readPart(context.media, mediaKey(media_id), offset, length, bytes);
  const duration_ms = await findSoundLength(content_type, { bytes, read });
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
    ],
  };
  const recording = { content_type, bytes, duration_ms };
  return commitLimited(context, RADIO_LIMIT, user_id, change, { recording });
}

const refuseFile = (code: "media_not_usable" | "recording_unreadable") =>
  new Problem(code, { fields: { media_id: [errorCatalogue[code].detail] } });

/** Reads a part of an object. Returns fewer bytes at its end, and none beyond. */
async function readPart(
  bucket: R2Bucket,
  key: string,
  offset: number,
  length: number,
  bytes: number,
): Promise<Uint8Array> {
  if (offset >= bytes) return new Uint8Array();
  const object = await bucket.get(key, { range: { offset, length: Math.min(length, bytes - offset) } });
  if (!object) throw new Problem("unavailable", { cause: `${key} is not in the bucket` });
  return new Uint8Array(await object.arrayBuffer());
}
