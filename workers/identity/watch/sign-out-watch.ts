import { DurableObject } from "cloudflare:workers";
import { SIGNED_OUT, SIGNED_OUT_MESSAGE } from "../../contract/sign-out-watch.ts";
import { openIdentity } from "../storage/database.ts";
import { findEndedMarks } from "./queries.ts";

/** More pages of one account than anybody has open; the oldest gives way. */
const MAX_SOCKETS = 100;

/**
 * The open pages of one account, each a socket tagged with its sign-in and its key for global sign-out. Nothing is stored and nothing ticks:
 * between messages the object sleeps, and the platform answers pings by itself.
 */
export class SignOutWatch extends DurableObject<IdentityEnv> {
  constructor(context: DurableObjectState, env: IdentityEnv) {
    super(context, env);
    context.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
  }

  /** Takes a page in; the caller has verified that the marks are its own. */
  override async fetch(request: Request): Promise<Response> {
    const marks = new URL(request.url).searchParams.getAll("mark");
    const waiting = this.ctx.getWebSockets();
    if (waiting.length >= MAX_SOCKETS) waiting[0]?.close(1013, "too many pages");
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server, marks);
    return new Response(null, { status: 101, webSocket: client });
  }

  /** Something of the account has changed: looks in the database who is signed out, and tells them. */
  async look(local_id: string): Promise<void> {
    const sockets = this.ctx.getWebSockets();
    const marks = new Set(sockets.flatMap((socket) => this.ctx.getTags(socket)));
    if (marks.size === 0) return;
    const ended = await findEndedMarks(openIdentity(this.env, Date.now()), local_id, [...marks]);
    for (const mark of ended) {
      for (const socket of this.ctx.getWebSockets(mark)) {
        if (socket.readyState !== WebSocket.OPEN) continue;
        // Said first: a message is there at once, while a close may wait for the other side's (10 s, where nothing was ever said).
        socket.send(SIGNED_OUT_MESSAGE);
        socket.close(SIGNED_OUT, SIGNED_OUT_MESSAGE);
      }
    }
  }

  /** Pages have nothing to say. */
  override webSocketMessage(socket: WebSocket): void {
    socket.close(1008, "nothing is expected here");
  }
}
