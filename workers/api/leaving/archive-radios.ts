import type { ArchivedRadio } from "../../contract/archive.ts";
import { memberId, type RequestContext } from "../http/request-context.ts";
import { type ArchivedCaption, findFirstCaptions, listArchivedCaptions } from "../radio-captions/queries.ts";
import { findOwnPins } from "../radio-chat/queries.ts";
import { RECORDING_TYPE, recordingKey, recordingName } from "../radios/rules.ts";
import { findStoredFiles, type StoredFile } from "../uploads/queries.ts";
import { type Archiving, pagesOf, toArchivedFile } from "./archive-source.ts";

/** Writes the radios of an archive. */

/** How many captions of each radio of a page one statement reads, and how many of a radio that has more. */
const FIRST_CAPTIONS = 100;
const CAPTIONS_AT_ONCE = 2000;

/** A radio as the data export has it. */
export type ExportedRadio = Omit<ArchivedRadio, "is_chat_on" | "recording_id" | "files" | "chapters" | "captions"> & {
  is_chat_on: number;
  recording_state: string;
  /** Null for the recording of the broadcast. */
  recording_media_id: string | null;
};

type RadioHead = Omit<ArchivedRadio, "chapters" | "captions">;

/**
 * Yields the caller's radios, or those of a part, each with its stored files and the pieces of its JSON. A broadcaster may
 * have written hours of captions, so those beyond the first pass through page by page.
 */
export async function* radiosOf(
  archiving: Archiving,
): AsyncGenerator<{ radio: RadioHead; stored: StoredFile[]; body: AsyncIterable<string> }> {
  const { context, part } = archiving;
  if (part?.ids.radio.size === 0) return;
  for await (const items of pagesOf(archiving, "radios")) {
    const radios = (items as unknown as ExportedRadio[]).filter(
      ({ radio_id }) => part?.ids.radio.has(radio_id) ?? true,
    );
    const filesOf = (table: "images" | "media_files", ids: (string | null)[]) =>
      findStoredFiles(
        context.database,
        memberId(context),
        table,
        ids.filter((id) => id !== null),
      );
    const radio_ids = radios.map(({ radio_id }) => radio_id);
    const [pins, captions, pictures, sounds] = await Promise.all([
      findOwnPins(context.database, radio_ids, memberId(context)),
      findFirstCaptions(context.database, radio_ids, FIRST_CAPTIONS),
      filesOf(
        "images",
        radios.map(({ image_id }) => image_id),
      ),
      filesOf(
        "media_files",
        radios.map(({ recording_media_id }) => recording_media_id),
      ),
    ]);
    for (const exported of radios) {
      const picture = pictures.get(exported.image_id ?? "");
      const recording = sounds.get(exported.recording_media_id ?? "") ?? broadcastRecording(exported);
      const stored = [picture, recording].filter((file) => file !== undefined);
      const radio = toRadioHead(exported, recording, stored);
      const { radio_id } = radio;
      const written = { ...radio, chapters: pins.get(radio_id) ?? [] };
      yield { radio, stored, body: radioJson(context, written, captions.get(radio_id) ?? []) };
    }
  }
}

/** Returns the recording of a broadcast. Returns undefined for a radio without one, and for an uploaded recording. */
export function broadcastRecording(radio: ExportedRadio): StoredFile | undefined {
  const { radio_id, title, recording_state, recording_media_id, created_at } = radio;
  if (recording_state !== "completed" || recording_media_id !== null) return undefined;
  return {
    ...{ id: radio_id, kind: "audio", key: recordingKey(radio_id), content_type: RECORDING_TYPE },
    ...{ file_name: recordingName(title, RECORDING_TYPE), alt: "", width: null, height: null, created_at },
  };
}

function toRadioHead(exported: ExportedRadio, recording: StoredFile | undefined, stored: StoredFile[]): RadioHead {
  const { radio_id, title, description, image_id, transcript, duration_ms, created_at, ...other } = exported;
  const { publish_target_type, recording_publish_target_type, publish_target_membership_id } = other;
  const { status, starts_at, started_at, finished_at, is_chat_on } = other;
  return {
    ...{ radio_id, title, description, image_id },
    ...{ publish_target_type, recording_publish_target_type, publish_target_membership_id },
    ...{ status, starts_at, started_at, finished_at },
    is_chat_on: is_chat_on === 1,
    transcript,
    recording_id: recording?.id ?? null,
    ...{ duration_ms, created_at },
    files: stored.map(toArchivedFile),
  };
}

async function* radioJson(
  { database }: RequestContext,
  radio: Omit<ArchivedRadio, "captions">,
  first: ArchivedCaption[],
): AsyncGenerator<string> {
  yield `${JSON.stringify(radio, null, 1).slice(0, -"\n}".length)},\n "captions": [`;
  let [page, limit] = [first, FIRST_CAPTIONS];
  for (let lead = "\n"; page.length > 0; lead = ",\n") {
    yield lead + page.map(({ words, created_at }) => JSON.stringify({ words, created_at })).join(",\n");
    if (page.length < limit) break;
    limit = CAPTIONS_AT_ONCE;
    page = await listArchivedCaptions(database, radio.radio_id, { after: page.at(-1)?.caption_id ?? "", limit });
  }
  yield "\n ]\n}\n";
}
