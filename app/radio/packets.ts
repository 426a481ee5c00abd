import type { TrackName } from "../../workers/contract/sound-chunks.ts";

/** The last SILK configuration, and the last hybrid one. RFC 6716, section 3.1, table 2. */
const LAST_SILK = 11;
const LAST_HYBRID = 15;

/** AudioSpecificConfig of AAC-LC, 48 kHz, one channel: what players expect (docs/decisions/0040). */
const AAC_DESCRIPTION = [0x11, 0x88];

/** Whether an AudioSpecificConfig fits the container that the server writes. Extensions may follow. */
export function hasOurFormat(description: Uint8Array): boolean {
  return AAC_DESCRIPTION.every((byte, index) => description[index] === byte);
}

/**
 * Whether a packet lasts as long as the server takes for granted. An Opus encoder may ignore the frame duration it was
 * asked for. All packets of AAC-LC have 1024 samples.
 */
export function isPlayablePacket(track: TrackName, packet: Uint8Array): boolean {
  if (track === "aac") return true;
  const head = packet[0] ?? 0;
  const [config, frame_code] = [head >> 3, head & 3];
  if (frame_code !== 0) return false;
  if (config <= LAST_SILK) return config % 4 === 1;
  return config <= LAST_HYBRID ? config % 2 === 1 : config % 4 === 3;
}
