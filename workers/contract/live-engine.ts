/**
 * The boundary of live sound. The product API calls it to open, play and finish a radio. `workers/radio` implements it
 * as RPC of a service binding; another service could (docs/decisions/0040-radio-sound.md).
 */
export interface LiveEngine {
  /**
   * Opens the radio for a broadcaster, at the first call for good. Each call begins an epoch: when its page sends, the
   * page of an older epoch is closed. Returns null for a radio that is finished.
   *
   * The caller must have checked that the radio is the broadcaster's.
   */
  open(radio: OpenedRadio): Promise<Ingest | null>;
  /** Returns the addresses for one listener. The caller must have checked that the listener may hear the radio. */
  playback(radio: LiveRadio, viewer: Listener): Promise<Sources>;
  /**
   * Ends the radio, and writes what was acknowledged into one file. Idempotent: repeat it until the recording is
   * complete. A radio without sound has no recording.
   */
  finish(radio: LiveRadio): Promise<FinishedRadio>;
  status(radio: LiveRadio): Promise<LiveStatus>;
}

export interface LiveRadio {
  radio_id: string;
}

export interface OpenedRadio extends LiveRadio {
  /** When the radio started. Its recording begins then, with silence until the first sound. Without it, with the sound. */
  started_at?: string | undefined;
}

export interface Listener {
  /** Counts a listener once, however many players they open. Null for a visitor who has no id. */
  viewer_id: string | null;
}

/** Where and as what a broadcaster's page sends chunks (sound-chunks.ts): a WebSocket, or PUT with chunks as the body. */
export interface Ingest {
  /** An address of this site that contains a token. */
  path: string;
  epoch: number;
  expires_at: string;
}

/** Addresses of this site, each with a token for this radio. */
export interface Sources {
  /** CMAF segments of Opus and their playlist, for a player with a script (Media Source Extensions). */
  opus: { playlist: string; mime_type: string };
  /** A playlist of AAC for `<audio>` (HLS, RFC 8216). */
  hls: string;
  /** An endless AAC stream for `<audio>` in a browser without HLS. */
  progressive: string;
  expires_at: string;
}

export type FinishedRadio =
  | { is_complete: false; recording: null }
  /** `recording` is null when nothing was sent. */
  | { is_complete: true; recording: Recording | null };

/** A file in the bucket of the product's media. */
export interface Recording {
  key: string;
  content_type: string;
  bytes: number;
  duration_ms: number;
  /** The packets that the broadcaster sent. Silence in gaps is not counted. */
  packets: number;
}

export interface LiveStatus {
  /** `waiting`: never opened. `finishing`: the recording is being written. */
  state: "waiting" | "live" | "finishing" | "finished";
  opened_at: string | null;
  finished_at: string | null;
  /** When the broadcaster's page last opened, connected or sent a chunk. */
  last_signal_at: string | null;
  /** The time between opening and finishing, or until now. */
  elapsed_ms: number;
  /** Players that asked for sound within the last 30 seconds, and open streams. */
  listeners: number;
  recording: Recording | null;
}

/** A radio is finished at the latest after this time. Source: decisions, "Radio". */
export const MAX_RADIO_MS = 180 * 60_000;
/** A radio is finished this long after the last signal of its broadcaster. Source: decisions, "Radio". */
export const SIGNAL_TIMEOUT_MS = 5 * 60_000;

/** The paths of ingest and playback begin with this. */
export const LIVE_SOUND_PATH = "/media/live/";
