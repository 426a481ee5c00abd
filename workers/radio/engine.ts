import { WorkerEntrypoint } from "cloudflare:workers";
import {
  type FinishedRadio,
  type Ingest,
  type Listener,
  type LiveEngine,
  type LiveRadio,
  type LiveStatus,
  MAX_RADIO_MS,
  type OpenedRadio,
  type Sources,
} from "../contract/live-engine.ts";
import { isoTime } from "../kernel/clock.ts";
import { randomSecret, signText } from "../kernel/digest.ts";
import { tracks } from "./containers/track.ts";
import { grantIngest, soundPath } from "./grants.ts";
import { signPlayback } from "./tokens.ts";

/**
 * A playback token is valid until the longest radio that begins now is over: a player without a script asks for the
 * same address until the end. The ten minutes are for a radio that is listened to before it begins.
 */
const PLAYBACK_LIFE_MS = MAX_RADIO_MS + 10 * 60_000;
/** Characters of a listener's mark: 96 bits. */
const MARK_LENGTH = 16;

/** The boundary of live sound, implemented by one Durable Object per radio. Only workers with the binding can call it. */
export class LiveSound extends WorkerEntrypoint<RadioEnv> implements LiveEngine {
  async open({ radio_id, started_at }: OpenedRadio): Promise<Ingest | null> {
    const epoch = await this.#soundOf(radio_id).open(radio_id, started_at);
    return epoch === null ? null : { epoch, ...(await grantIngest(this.env, { radio_id, epoch })) };
  }

  async playback({ radio_id }: LiveRadio, { viewer_id }: Listener): Promise<Sources> {
    const { RADIO_KEY: key } = this.env;
    const now_ms = Date.now();
    const mark = viewer_id === null ? randomSecret() : await signText(`listener ${radio_id} ${viewer_id}`, key);
    const grant = { radio_id, listener: mark.slice(0, MARK_LENGTH) };
    const token = await signPlayback(grant, PLAYBACK_LIFE_MS, { key, now_ms });
    return {
      opus: { playlist: soundPath(token, "opus.m3u8"), mime_type: tracks.opus.mime_type },
      hls: soundPath(token, "aac.m3u8"),
      progressive: soundPath(token, "live.aac"),
      expires_at: isoTime(now_ms + PLAYBACK_LIFE_MS),
    };
  }

  finish({ radio_id }: LiveRadio): Promise<FinishedRadio> {
    return this.#soundOf(radio_id).finish(radio_id);
  }

  status({ radio_id }: LiveRadio): Promise<LiveStatus> {
    return this.#soundOf(radio_id).status();
  }

  #soundOf(radio_id: string) {
    return this.env.RADIO_SOUND.getByName(radio_id);
  }
}
