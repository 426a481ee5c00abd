import type { OverlayRooms } from "../workers/contract/overlay-engine.ts";

/** Stands in for the rooms of overlays. For tests, and for commands that write a world of the past. */
export const noOverlays: OverlayRooms = {
  announce: async () => {},
  announceSettings: async () => {},
  endOthers: async () => {},
};
