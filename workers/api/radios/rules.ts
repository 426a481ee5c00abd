import { fileEnding } from "../../contract/file-endings.ts";
import type { KeptWords } from "../storage/kept-answers.ts";

/** A radio ends this long after the last signal of its broadcaster. Source: decisions, "States". */
export const SILENCE_MINUTES = 5;
/** A radio ends this long after its start at the latest. Source: decisions, "States". */
export const LONGEST_MINUTES = 180;

/** How long after its last known signal the clock asks for a radio's present one. */
export const SIGNAL_CHECK_MS = 60_000;
/** How long a recording may take until it counts as failed. The sound engine retries for as long. */
export const RECORDING_PATIENCE_MS = 3 * 24 * 60 * 60 * 1000;
/**
 * How often the clock asks for a recording before it counts as failed, about once a minute. The time alone proves nothing
 * after a machine was off for days or a backup was put back.
 */
export const RECORDING_ATTEMPTS = 10;

/** Whether the broadcaster's page was heard after the start: opening the sound notes a later moment. */
export const hasSound = (radio: { started_at: string | null; last_signal_at: string | null }): boolean =>
  (radio.last_signal_at ?? "") > (radio.started_at ?? "");

/** The key of a radio's recording in the bucket. Source: docs/decisions/0040. */
export const recordingKey = (radio_id: string): string => `radios/${radio_id}.m4a`;
export const RECORDING_TYPE = "audio/mp4";

/** The name under which a browser saves a recording. */
export const recordingName = (title: string, content_type: string): string => `${title}${fileEnding(content_type)}`;

/** Where the answers stored for idempotent retries contain the words of radios and of their comments. */
export const KEPT_RADIOS: KeptWords = {
  operations: ["createRadio", "updateRadio", "startRadio", "finishRadio"],
  id: "$.radio.radio_id",
};
export const KEPT_RADIO_COMMENTS: KeptWords = {
  operations: ["createRadioComment"],
  id: "$.comment.comment_id",
};

/** The notification that each listener-to-be of a radio gets when it starts, once. */
export const noticeOfStart = ({ radio_id, link_id }: { radio_id: string; link_id: string }) => ({
  occasionOf: (user_id: string) => `radio_started ${radio_id} ${user_id}`,
  path: `/${link_id}/radios/${radio_id}`,
  subject_id: radio_id,
  messageOf: () => "{actor}さんがラジオの放送を始めました。",
  englishOf: () => "{actor} is on air with a radio.",
});
