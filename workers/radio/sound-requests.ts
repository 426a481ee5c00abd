import { LIVE_SOUND_PATH } from "../contract/live-engine.ts";
import { MAX_PUT_BYTES, type PutAnswer, TRACK_NAMES, type TrackName } from "../contract/sound-chunks.ts";
import { readBounded } from "../kernel/bounded-body.ts";
import { Problem } from "../kernel/problem.ts";
import { HOLD_MS } from "./awaited-segments.ts";
import { initSegment } from "./containers/segments.ts";
import { tracks } from "./containers/track.ts";
import { grantIngest } from "./grants.ts";
import { Listeners } from "./listeners.ts";
import { SharedReads } from "./shared-reads.ts";
import { type IngestGrant, readIngest, readPlayback } from "./tokens.ts";

const ADDRESS = new RegExp(`^${LIVE_SOUND_PATH}([\\w-]+\\.[\\w-]+\\.[\\w-]+)/([\\w./]+)$`);
const TRACK_FILE = new RegExp(`^(${TRACK_NAMES.join("|")})(?:\\.m3u8|/init\\.mp4|/(0|[1-9]\\d{0,5})\\.m4s)$`);
const READ_METHODS = ["GET", "HEAD"];

const PLAYLIST = { content_type: "application/vnd.apple.mpegurl", max_age_s: 1, patience_ms: 1000 };
/** The object holds a request for the next segment until it is cut. */
const SEGMENT = { content_type: "audio/mp4", max_age_s: 3600, patience_ms: HOLD_MS + 1000 };
const INIT_CACHE_CONTROL = `public, max-age=${24 * 3600}`;

/** When a player may ask again for a stream, if too many are open. */
const STREAM_RETRY_S = 10;

const reads = new SharedReads();
const listeners = new Listeners();

/**
 * Answers a path of ingest or playback. Its token is checked first: without a valid one every path is `not_found`.
 * Errors get `private, no-store` by {@link answerRequest}: a cached error would end a player.
 */
export async function answerSound(request: Request, env: RadioEnv, context: ExecutionContext): Promise<Response> {
  const [, token = "", name = ""] = ADDRESS.exec(new URL(request.url).pathname) ?? [];
  const signing = { key: env.RADIO_KEY, now_ms: Date.now() };
  if (name === "ingest") {
    const grant = await readIngest(token, signing);
    if (!grant) throw new Problem("not_found");
    return takeSound(request, env, grant);
  }
  const grant = token && (await readPlayback(token, signing));
  if (!grant) throw new Problem("not_found");
  if (!READ_METHODS.includes(request.method)) throw new Problem("method_not_allowed", { allow: READ_METHODS });
  const { radio_id, listener } = grant;
  const sound = env.RADIO_SOUND.getByName(radio_id);
  if (name === "live.aac") return openStream(request, sound, listener);
  const [, track, number] = TRACK_FILE.exec(name) ?? [];
  if (!isTrack(track)) throw new Problem("not_found");
  const counted = listeners.add(radio_id, listener, signing.now_ms);
  if (counted.length > 0) context.waitUntil(sound.countListeners(counted));
  const answer = await readFile(`${radio_id}/${name}`, { name, track, number }, sound, context);
  return request.method === "HEAD" ? new Response(null, answer) : answer;
}

const isTrack = (name: string | undefined): name is TrackName => TRACK_NAMES.some((track) => track === name);

type Sound = ReturnType<RadioEnv["RADIO_SOUND"]["getByName"]>;

/** The answers of PUT when chunks are not taken. */
const REFUSALS = {
  refused: "bad_request",
  superseded: "radio_transition_refused",
  finished: "not_found",
} as const;

async function takeSound(request: Request, env: RadioEnv, grant: IngestGrant): Promise<Response> {
  const { radio_id, epoch } = grant;
  const sound = env.RADIO_SOUND.getByName(radio_id);
  if (request.method === "GET" && request.headers.get("upgrade") === "websocket") {
    const upgraded = await sound.fetch(`https://radio.internal/ingest?epoch=${epoch}`, {
      headers: { upgrade: "websocket" },
    });
    if (!upgraded.webSocket) throw new Problem("not_found");
    return upgraded;
  }
  if (request.method !== "PUT") throw new Problem("method_not_allowed", { allow: ["PUT"] });
  const bytes = await readBounded(request, MAX_PUT_BYTES);
  if (!bytes) throw new Problem("payload_too_large");
  const taken = await sound.takeChunks(epoch, bytes);
  if ("refused" in taken) throw new Problem(REFUSALS[taken.refused]);
  return Response.json({ acked: taken.acked, ...(await grantIngest(env, grant)) } satisfies PutAnswer);
}

/** Opens the endless stream. Only the object knows the newest packets, so it answers itself. */
async function openStream(request: Request, sound: Sound, listener: string): Promise<Response> {
  // Only a GET has a range: RFC 9110, section 14.2.
  const range = request.method === "GET" ? request.headers.get("range") : null;
  const answer = await sound.fetch(`https://radio.internal/live.aac?listener=${listener}`, {
    method: request.method,
    headers: { ...(range && { range }) },
  });
  if (answer.status === 503) throw new Problem("unavailable", { retry_after_s: STREAM_RETRY_S });
  if (!answer.ok) throw new Problem("not_found");
  return new Response(answer.body, answer);
}

/** Returns a playlist or a segment, from the cache if it is there. Its cache key has no token: the token is checked. */
async function readFile(
  key: string,
  { name, track, number }: { name: string; track: TrackName; number: string | undefined },
  sound: Sound,
  context: ExecutionContext,
): Promise<Response> {
  if (name.endsWith("/init.mp4")) {
    const headers = { "content-type": SEGMENT.content_type, "cache-control": INIT_CACHE_CONTROL };
    return new Response(initSegment(tracks[track]), { headers });
  }
  const is_segment = number !== undefined;
  const { content_type, max_age_s, patience_ms } = is_segment ? SEGMENT : PLAYLIST;
  const cache_control = `public, max-age=${max_age_s}${is_segment ? ", immutable" : ""}`;
  const load = () => (is_segment ? sound.readSegment(track, Number(number)) : sound.readPlaylist(track));
  const waitUntil = (promise: Promise<unknown>) => context.waitUntil(promise);
  const bytes = await reads.read(key, load, { cache_control, max_age_s, patience_ms, waitUntil });
  if (!bytes) throw new Problem("not_found");
  // No error, which browsers would show in their console at the end of each radio.
  if (bytes.length === 0) return new Response(null, { status: 204, headers: { "cache-control": "no-store" } });
  return new Response(bytes, { headers: { "content-type": content_type, "cache-control": cache_control } });
}
