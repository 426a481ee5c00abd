import { soundPath } from "./radio-path.ts";

export const NOT_STARTED = "放送を始められませんでした。電波の状態をご確認のうえ、もう一度お試しください。";
const NOT_KNOWN =
  "放送が始まったか確認できませんでした。電波の状態をご確認のうえ、「放送を続ける」か「放送を始める」を押してください。";

/** An answer that takes longer counts as lost. */
const TIMEOUT_MS = 15_000;

/** The sound was not opened. The message is for the person. */
export class SoundRefused extends Error {}

interface SoundAnswer {
  path?: string;
  epoch?: number;
  detail?: string;
}

/**
 * Starts the radio if it is scheduled, and opens its sound for this page. Asks again when the answer is lost: asking twice
 * starts the radio once.
 *
 * @throws {SoundRefused}
 */
export async function openSound(radio_id: string): Promise<{ path: string; epoch: number }> {
  const { path, epoch, detail } = (await askForSound(radio_id)) ?? (await askForSound(radio_id)) ?? {};
  if (path === undefined || epoch === undefined) throw new SoundRefused(detail ?? NOT_KNOWN);
  return { path, epoch };
}

/** Returns null when the answer is lost, or is a page of a gateway or of a captive network. */
const askForSound = (radio_id: string): Promise<SoundAnswer | null> =>
  fetch(soundPath(radio_id), {
    method: "POST",
    body: new URLSearchParams(),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
    .then((response) => response.json<SoundAnswer>())
    .catch(() => null);
