import type { LiveEngine, LiveStatus } from "../workers/contract/live-engine.ts";

const NOTHING: LiveStatus = {
  state: "waiting",
  opened_at: null,
  finished_at: null,
  last_signal_at: null,
  elapsed_ms: 0,
  listeners: 0,
  recording: null,
};

/** Stands in for the worker of live sound: no radio has sound. For tests, and for commands that write a world of the past. */
export const noSound: LiveEngine = {
  open: async () => null,
  playback: async () => {
    throw new Error("there is no sound");
  },
  finish: async () => ({ is_complete: true, recording: null }),
  status: async () => NOTHING,
};
