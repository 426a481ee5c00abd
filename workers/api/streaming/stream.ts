import { OVERLAY_EVENTS } from "../../contract/overlay-names.ts";
import { URL_KEY_HEADER } from "../../contract/radios.ts";
import type { OverlayNews } from "../../contract/streaming.ts";
import { throwUnavailable } from "../../kernel/ask-worker.ts";
import { sha256Hex } from "../../kernel/digest.ts";
import { Problem } from "../../kernel/problem.ts";
import { enterRoom } from "../../live/room.ts";
import { type Bearer, requireOverlay } from "./commands.ts";
import { findOverlayByToken, readNews } from "./queries.ts";
import type { OverlayRoom, RoomMessage } from "./room.ts";

/** The path of the events. Only the web worker calls it; the edge forwards no such path. */
export const OVERLAY_STREAM_PATH = "/overlay-stream";

/** Proxies close a connection that is silent for longer. */
const PING_MS = 20_000;
/**
 * The longest life of a connection. workerd does not always notice that a client left (docs/decisions/0040), so a
 * connection ends and its client opens another.
 */
const LIFE_MS = 5 * 60_000;
/** How long a client waits before it connects again. */
const RETRY_MS = 1000;
/** A client that is so many chunks behind is disconnected. It reads what it missed when it connects again. */
const MAX_WAITING_CHUNKS = 64;

/**
 * Answers an overlay with server-sent events: the news after the number in `Last-Event-ID` or `after`, and then each as
 * it arrives. Throws as {@link requireOverlay} does.
 */
export async function answerOverlayStream(
  request: Request,
  bearer: Bearer,
  rooms: DurableObjectNamespace<OverlayRoom>,
): Promise<Response> {
  const token_hash = await sha256Hex(request.headers.get(URL_KEY_HEADER) ?? "");
  const { user_id, last_number } = await requireOverlay(bearer, token_hash);
  const { webSocket } = await enterRoom(rooms.getByName(user_id), [token_hash]).catch(throwUnavailable);
  if (!webSocket) throw new Problem("unavailable");
  const asked = request.headers.get("last-event-id") ?? new URL(request.url).searchParams.get("after") ?? "";
  const after = /^\d{1,15}$/.test(asked) ? Number(asked) : last_number;
  const { database } = bearer;
  // The token is looked for again, because it may have been replaced before the socket was in the room.
  const readAfter = async (number: number) => {
    const overlay = await findOverlayByToken(database, token_hash);
    return overlay && readNews({ database, now_ms: Date.now() }, overlay, number);
  };
  return new Response(streamNews(webSocket, after, readAfter), {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "private, no-store",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    },
  });
}

/**
 * Turns what the room says into server-sent events. Each is sent once and in order: what the room sends is taken if
 * nothing before it is missing, and is read otherwise.
 */
function streamNews(
  socket: WebSocket,
  after: number,
  readAfter: (number: number) => Promise<OverlayNews | null>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let last_number = after;
  /** Messages are handled one behind the other. */
  let handling: Promise<void> = Promise.resolve();
  let release = () => {};
  return new ReadableStream({
    start(controller) {
      const pings = setInterval(() => write(":\n\n"), PING_MS);
      const life = setTimeout(() => end(), LIFE_MS);
      let is_open = true;
      release = () => {
        is_open = false;
        clearInterval(pings);
        clearTimeout(life);
        socket.close(1000);
      };
      const end = () => {
        if (!is_open) return;
        release();
        controller.close();
      };
      const write = (text: string) => {
        if (!is_open) return;
        if ((controller.desiredSize ?? 0) < -MAX_WAITING_CHUNKS) return end();
        controller.enqueue(encoder.encode(text));
      };
      const sendNews = (news: OverlayNews) => {
        const letters = news.letters.filter(({ number }) => number > last_number);
        last_number = Math.max(last_number, news.last_number);
        const data = JSON.stringify({ ...news, letters });
        write(`id: ${last_number}\nevent: ${OVERLAY_EVENTS.news}\ndata: ${data}\n\n`);
      };
      const sendGone = () => {
        write(`event: ${OVERLAY_EVENTS.gone}\ndata:\n\n`);
        end();
      };
      const catchUp = async () => {
        for (let read_until = -1; read_until < last_number && is_open; ) {
          read_until = last_number;
          const news = await readAfter(last_number);
          if (!news) return sendGone();
          sendNews(news);
        }
      };
      const handle = async (message: RoomMessage) => {
        if (message.type === OVERLAY_EVENTS.gone) return sendGone();
        if (message.type === OVERLAY_EVENTS.settings) {
          return write(`event: ${OVERLAY_EVENTS.settings}\ndata:\n\n`);
        }
        if (message.after > last_number) return catchUp();
        if (message.news.last_number > last_number) sendNews(message.news);
      };
      const inTurn = (task: () => Promise<void>) => {
        // The client connects again after a failure, and reads what it missed.
        handling = handling.then(task).catch(() => end());
      };
      socket.accept();
      socket.addEventListener("message", ({ data }) => {
        // `dismiss` sends the message, and a full room a word of its own.
        if (typeof data === "string" && data.startsWith("{")) inTurn(() => handle(JSON.parse(data)));
      });
      socket.addEventListener("close", () => inTurn(async () => end()));
      socket.addEventListener("error", () => end());
      write(`retry: ${RETRY_MS}\n\n`);
      inTurn(catchUp);
    },
    cancel: () => release(),
  });
}
