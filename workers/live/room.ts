import { DurableObject } from "cloudflare:workers";

/** Close codes of RFC 6455, section 7.4.1: the sender broke a rule; the server is overloaded. */
export const POLICY_VIOLATION = 1008;
export const TRY_AGAIN_LATER = 1013;

/**
 * A Durable Object that holds WebSockets and hibernates between messages. The platform keeps the sockets open and
 * answers "ping" with "pong" without waking it, so it keeps nothing in memory. A subclass decides what to send, and to
 * which sockets: every socket has tags to find it by.
 */
export abstract class LiveRoom<Env> extends DurableObject<Env> {
  /** The most sockets that the room accepts; the oldest is closed for a new one. */
  protected readonly max_sockets: number = 100;

  constructor(context: DurableObjectState, env: Env) {
    super(context, env);
    context.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
  }

  /** Accepts the socket that {@link enterRoom} requests. */
  override async fetch(request: Request): Promise<Response> {
    const open = this.ctx.getWebSockets().filter(isOpen);
    const [oldest] = open.toSorted((left, right) => arrivalOf(left) - arrivalOf(right));
    if (oldest && open.length >= this.max_sockets) closeWithReason(oldest, "too many sockets", TRY_AGAIN_LATER);
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server, new URL(request.url).searchParams.getAll("tag"));
    server.serializeAttachment({ arrived_at: Date.now() } satisfies Arrival);
    return new Response(null, { status: 101, webSocket: client });
  }

  protected hasSockets(): boolean {
    return this.ctx.getWebSockets().some(isOpen);
  }

  /** Returns the tags of every socket in the room. */
  protected listTags(): Set<string> {
    return new Set(this.ctx.getWebSockets().flatMap((socket) => this.ctx.getTags(socket)));
  }

  /** Sends the message to every socket, or to those with this tag, except to those that `isLeftOut` names. */
  protected send(message: string, tag?: string, isLeftOut: (socket: WebSocket) => boolean = () => false): void {
    for (const socket of this.ctx.getWebSockets(tag).filter(isOpen)) if (!isLeftOut(socket)) socket.send(message);
  }

  /** Sends the message to every socket with this tag, then closes it with the message as reason. */
  protected dismiss(tag: string, message: string, code: number): void {
    for (const socket of this.ctx.getWebSockets(tag).filter(isOpen)) closeWithReason(socket, message, code);
  }

  /** Closes a socket that sends a message. A subclass that accepts messages overrides it. */
  override webSocketMessage(socket: WebSocket, _message: string | ArrayBuffer): void | Promise<void> {
    socket.close(POLICY_VIOLATION, "nothing is expected here");
  }
}

/**
 * Stored with the socket, because the room's memory is lost while it hibernates. It dates the socket: the platform does
 * not promise an order.
 */
interface Arrival {
  arrived_at: number;
}

const arrivalOf = (socket: WebSocket) => (socket.deserializeAttachment() as Arrival).arrived_at;
export const isOpen = (socket: WebSocket) => socket.readyState === WebSocket.OPEN;

/**
 * Sends the reason before closing: a message arrives at once, while a close may take 10 s to reach a page that never
 * sent anything.
 */
function closeWithReason(socket: WebSocket, reason: string, code: number): void {
  socket.send(reason);
  socket.close(code, reason);
}

/**
 * Requests a socket with these tags (the platform allows ten). The caller must return the upgrade response unchanged.
 * The caller must have checked that the tags belong to the bearer.
 */
export function enterRoom(room: Pick<Fetcher, "fetch">, tags: readonly string[]): Promise<Response> {
  const query = new URLSearchParams(tags.map((tag) => ["tag", tag]));
  return room.fetch(`https://room.internal/?${query}`, { headers: { upgrade: "websocket" } });
}
