import { DurableObject } from "cloudflare:workers";

/** Close codes of RFC 6455, section 7.4.1: the sender broke a rule; the server is overloaded. */
const [POLICY_VIOLATION, TRY_AGAIN_LATER] = [1008, 1013];

/** More sockets than one room may be asked for; the oldest gives way. */
const MAX_SOCKETS = 100;

/**
 * A Durable Object that holds sockets and sleeps between messages: the platform keeps the sockets open and answers "ping" with
 * "pong" without waking it, so it stores nothing in memory. A subclass decides when to speak, and to whom: every socket has
 * tags, by which it is found again.
 */
export abstract class LiveRoom<Env> extends DurableObject<Env> {
  constructor(context: DurableObjectState, env: Env) {
    super(context, env);
    context.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
  }

  /** Takes in the socket that {@link enterRoom} asks for. */
  override async fetch(request: Request): Promise<Response> {
    const open = this.ctx.getWebSockets().filter(isOpen);
    const [oldest] = open.toSorted((left, right) => arrivalOf(left) - arrivalOf(right));
    if (oldest && open.length >= MAX_SOCKETS) part(oldest, "too many sockets", TRY_AGAIN_LATER);
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server, new URL(request.url).searchParams.getAll("tag"));
    server.serializeAttachment({ arrived_at: Date.now() } satisfies Arrival);
    return new Response(null, { status: 101, webSocket: client });
  }

  /** Every tag that a socket in the room has. */
  protected listTags(): Set<string> {
    return new Set(this.ctx.getWebSockets().flatMap((socket) => this.ctx.getTags(socket)));
  }

  /** Sends the message to every socket with this tag, and then closes it for the same reason. */
  protected dismiss(tag: string, message: string, code: number): void {
    for (const socket of this.ctx.getWebSockets(tag).filter(isOpen)) part(socket, message, code);
  }

  /** Closes a socket that speaks. A subclass that listens overrides it. */
  override webSocketMessage(socket: WebSocket, _message: string | ArrayBuffer): void {
    socket.close(POLICY_VIOLATION, "nothing is expected here");
  }
}

/** Survives the room's sleep with its socket. The platform lists sockets in no order that it promises. */
interface Arrival {
  arrived_at: number;
}

const arrivalOf = (socket: WebSocket) => (socket.deserializeAttachment() as Arrival).arrived_at;
const isOpen = (socket: WebSocket) => socket.readyState === WebSocket.OPEN;

/** Says why before closing: a message arrives at once, while a close may take 10 s to reach a page that never spoke. */
function part(socket: WebSocket, reason: string, code: number): void {
  socket.send(reason);
  socket.close(code, reason);
}

/**
 * Asks a room for a socket with these tags, of which the platform takes ten. Returns the upgrade, to be answered as it is.
 * Whoever calls it has checked that the tags are the bearer's own.
 */
export function enterRoom(room: Pick<Fetcher, "fetch">, tags: readonly string[]): Promise<Response> {
  const query = new URLSearchParams(tags.map((tag) => ["tag", tag]));
  return room.fetch(`https://room.internal/?${query}`, { headers: { upgrade: "websocket" } });
}
