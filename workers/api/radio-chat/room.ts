import type { ChatLetterPost, ChatPost, Posted } from "../../contract/chat-engine.ts";
import { CHAT_ENDED } from "../../contract/chat-names.ts";
import type { ChatEvent, ChatSaying } from "../../contract/chat-socket.ts";
import { errorCatalogue } from "../../contract/errors.ts";
import { createChatMessage } from "../../contract/radio-chat.ts";
import { SIGNED_OUT_MESSAGE, WITHOUT_SESSION } from "../../contract/sign-out-watch.ts";
import { log } from "../../kernel/log.ts";
import { isOpen, LiveRoom, POLICY_VIOLATION, TRY_AGAIN_LATER } from "../../live/room.ts";
import type { SignInMarks } from "../../verifier/index.ts";
import { openDatabase } from "../storage/database.ts";
import { type DatedPost, type Written, writeMessages } from "./commands.ts";
import { findHearers, type Hearer } from "./queries.ts";
import { CHAT_LIMIT } from "./rules.ts";
import { hasEnded, nameOf } from "./sign-ins.ts";
import { type ChatTicket, readChatToken } from "./tokens.ts";

/** The most sockets of one room, and of one member or one visitor's address. Many phones share the address of their network. */
const MAX_SOCKETS = 5000;
const MAX_OF_A_MEMBER = 32;
const MAX_OF_AN_ADDRESS = 512;
/** The most messages of one batch, and the most that wait for it: of all, and of one member. */
const BATCH = 20;
const MAX_WAITING = 500;
const MAX_WAITING_OF_A_MEMBER = CHAT_LIMIT.times;
/** A socket that sends more messages in the window of the limit is closed. */
const MAX_SAID = 10 * CHAT_LIMIT.times;
/** How often a room checks who may still hear its radio, and the most sign-ins of one check. */
const CHECK_MS = 60_000;
const MAX_SIGN_INS = 50;
/** Longest name of a message by its sender. */
const MAX_KEY = 64;

interface Waiting {
  post: ChatPost | ChatLetterPost;
  /** Whether the sign-in of the message's socket has ended. */
  is_ended: Promise<boolean> | false;
  resolve(outcome: Posted): void;
}

/** Stored with a socket, because the room's memory is lost while it hibernates. */
type Member = ChatTicket & {
  /** When the socket's sign-in was last checked. */
  checked_at: number;
  /** How many messages the socket has sent since `counted_from`. */
  said: number;
  counted_from: number;
};

const memberOf = (socket: WebSocket) => socket.deserializeAttachment() as Member;
const tagOf = (user_id: string) => `member ${user_id}`;

/**
 * The chat of one radio. It is the only writer of the radio's messages: it gives them their order, writes those that wait
 * in one batch, and then sends them to every socket. Source: docs/decisions/0044.
 */
export class RadioChatRoom extends LiveRoom<ApiEnv> {
  #waiting: Waiting[] = [];
  #is_writing = false;
  /** The moment of the latest message; undefined until it was read. */
  #latest_ms: number | undefined;

  /** Opens a socket for the bearer of a token. The front door of the chat has checked it. */
  override async fetch(request: Request): Promise<Response> {
    const token = new URL(request.url).searchParams.get("token") ?? "";
    const ticket = await readChatToken(token, Date.now(), this.env.MEDIA_KEY);
    if (!ticket) return new Response(null, { status: 401 });
    const { 0: client, 1: server } = new WebSocketPair();
    const { holder, user_id } = ticket;
    this.ctx.acceptWebSocket(server, [holder, ...(user_id === null ? [] : [tagOf(user_id)])]);
    const now_ms = Date.now();
    server.serializeAttachment({ ...ticket, checked_at: now_ms, said: 0, counted_from: now_ms } satisfies Member);
    const limit = user_id === null ? MAX_OF_AN_ADDRESS : MAX_OF_A_MEMBER;
    const is_full = this.countPeople() > MAX_SOCKETS || this.ctx.getWebSockets(holder).filter(isOpen).length > limit;
    if (is_full) server.close(TRY_AGAIN_LATER, "too many sockets");
    else if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now() + CHECK_MS);
    return new Response(null, { status: 101, webSocket: client });
  }

  /** Returns the number of open sockets. */
  countPeople(): number {
    return this.ctx.getWebSockets().filter(isOpen).length;
  }

  /** Says something to every socket, or to those of one member, but not to those of the members in `hidden_from`. */
  tell(event: ChatEvent, user_id?: string, hidden_from: readonly string[] = []): void {
    const hidden = new Set<string | null>(hidden_from);
    const isHidden = (socket: WebSocket) => hidden.size > 0 && hidden.has(memberOf(socket).user_id);
    this.send(JSON.stringify(event), user_id === undefined ? undefined : tagOf(user_id), isHidden);
  }

  /** Closes every socket, because the radio has ended. */
  closeAll(): void {
    for (const socket of this.ctx.getWebSockets().filter(isOpen)) socket.close(CHAT_ENDED, "the radio has ended");
  }

  /** Writes the line of a letter like a message. Returns false when it could not be written now. */
  async showLetter(letter: ChatLetterPost): Promise<boolean> {
    const written = await this.post(letter);
    return !("code" in written && written.code === "unavailable");
  }

  /**
   * Writes a message after those that arrived before it, and sends it to every socket. Refuses a member's message at once
   * while too many of the same member wait, so that no member fills the queue of all.
   *
   * @param sign_in of the socket on which the message came; null when the API has checked the sender's.
   */
  post(post: ChatPost | ChatLetterPost, sign_in: SignInMarks | null = null): Promise<Posted> {
    return new Promise((resolve) => {
      if ("user_id" in post && this.#countWaitingOf(post.user_id) >= MAX_WAITING_OF_A_MEMBER) {
        return resolve({ code: "too_many_requests", retry_after_s: CHAT_LIMIT.window_ms / 1000 });
      }
      if (this.#waiting.length >= MAX_WAITING) return resolve({ code: "unavailable" });
      // Ask now, and wait for the answer when it is the message's turn: so messages keep their order.
      const is_ended = sign_in !== null && hasEnded(this.env.IDENTITY, sign_in);
      this.#waiting.push({ post, is_ended, resolve });
      if (!this.#is_writing) this.ctx.waitUntil(this.#writeWaiting());
    });
  }

  #countWaitingOf(user_id: string): number {
    return this.#waiting.filter(({ post }) => "user_id" in post && post.user_id === user_id).length;
  }

  /** Takes a message from a member's socket. */
  override async webSocketMessage(socket: WebSocket, text: string | ArrayBuffer): Promise<void> {
    // A message that arrived before the socket was closed.
    if (!isOpen(socket)) return;
    if (countSaid(socket) > MAX_SAID) return socket.close(POLICY_VIOLATION, "too many messages");
    const saying = readSaying(text);
    if (!saying) return super.webSocketMessage(socket, text);
    const { key } = saying;
    const answer = (event: ChatEvent) => isOpen(socket) && socket.send(JSON.stringify(event));
    const { radio_id, user_id, sign_in, url_key_hash } = memberOf(socket);
    if (user_id === null || sign_in === null) {
      return void answer({
        type: "refused",
        key,
        code: "unauthenticated",
        detail: errorCatalogue.unauthenticated.detail,
      });
    }
    const given = createChatMessage.body.safeParse({ message: saying.say });
    if (!given.success) {
      const detail = given.error.issues[0]?.message ?? errorCatalogue.validation_failed.detail;
      return void answer({ type: "refused", key, code: "validation_failed", detail });
    }
    const { message } = given.data;
    const posted = await this.post({ radio_id, user_id, url_key_hash, message, idempotency: null }, sign_in);
    if ("message_id" in posted) answer({ type: "written", key, message_id: posted.message_id });
    else if ("code" in posted) {
      const { code, retry_after_s } = posted;
      const detail = errorCatalogue[code].detail;
      answer({ type: "refused", key, code, detail, ...(retry_after_s !== undefined && { retry_after_s }) });
      if (code !== "token_invalid") return;
      socket.close(WITHOUT_SESSION, SIGNED_OUT_MESSAGE);
      await this.#closeSignedOut(this.ctx.getWebSockets(tagOf(user_id)).filter(isOpen));
    }
  }

  /**
   * Closes the sockets of everybody who may not hear the radio any more, and of sign-ins that have ended. Checks again
   * while there are any. A check that fails closes nothing, and does not end the next ones.
   */
  override async alarm(): Promise<void> {
    const sockets = this.ctx.getWebSockets().filter(isOpen);
    const [first] = sockets;
    if (!first) return;
    await this.ctx.storage.setAlarm(Date.now() + CHECK_MS);
    try {
      await this.#closeWithoutAccess(memberOf(first).radio_id, sockets);
      await this.#closeSignedOut(sockets.filter(isOpen));
    } catch (error) {
      log("error", { message: "sockets of a chat were not checked", error: String(error) });
    }
  }

  async #closeWithoutAccess(radio_id: string, sockets: readonly WebSocket[]): Promise<void> {
    const readers = Map.groupBy(sockets, (socket) => {
      const { user_id, url_key_hash } = memberOf(socket);
      return JSON.stringify({ user_id, url_key_hash } satisfies Hearer);
    });
    const asked = [...readers.keys()].map((reader): Hearer => JSON.parse(reader));
    const hearers = await findHearers(openDatabase(this.env.DB), { radio_id, hearers: asked, now_ms: Date.now() });
    for (const [n, each] of [...readers.values()].entries()) {
      const lost = hearers.has(n) ? [] : each.filter(isOpen);
      for (const socket of lost) socket.close(CHAT_ENDED, "the radio is not on air for this person");
    }
  }

  /** Closes the sockets of ended sign-ins. Checks those that were checked longest ago. */
  async #closeSignedOut(sockets: readonly WebSocket[]): Promise<void> {
    const sign_ins = new Map<string, { sign_in: SignInMarks; checked_at: number }>();
    for (const { sign_in, checked_at } of sockets.map(memberOf)) {
      if (sign_in) sign_ins.set(nameOf(sign_in), { sign_in, checked_at });
    }
    const oldest = [...sign_ins].toSorted(([, left], [, right]) => left.checked_at - right.checked_at);
    const checked = new Map<string, boolean>();
    await Promise.all(
      oldest.slice(0, MAX_SIGN_INS).map(async ([name, { sign_in }]) => {
        checked.set(name, await hasEnded(this.env.IDENTITY, sign_in));
      }),
    );
    const checked_at = Date.now();
    for (const socket of sockets.filter(isOpen)) {
      const member = memberOf(socket);
      const is_ended = member.sign_in ? checked.get(nameOf(member.sign_in)) : undefined;
      if (is_ended) socket.close(WITHOUT_SESSION, SIGNED_OUT_MESSAGE);
      else if (is_ended === false) socket.serializeAttachment({ ...member, checked_at } satisfies Member);
    }
  }

  async #writeWaiting(): Promise<void> {
    this.#is_writing = true;
    while (this.#waiting.length > 0) {
      const batch: Waiting[] = [];
      for (const waiting of this.#waiting.splice(0, BATCH)) {
        if (await waiting.is_ended) waiting.resolve({ code: "token_invalid" });
        else batch.push(waiting);
      }
      if (batch.length === 0) continue;
      try {
        const written = await this.#write(batch.map(({ post }) => post));
        this.#sendMessages(written);
        for (const [n, { resolve }] of batch.entries()) resolve(written.outcomes[n] ?? { code: "unavailable" });
      } catch (error) {
        log("error", { message: "messages of a chat were not written", error: String(error) });
        for (const { resolve } of batch) resolve({ code: "unavailable" });
      }
    }
    this.#is_writing = false;
  }

  async #write(posts: Waiting["post"][]): Promise<Written> {
    const database = openDatabase(this.env.DB);
    const { radio_id = "" } = posts[0] ?? {};
    this.#latest_ms ??= await findLatest(database, radio_id);
    const dated = posts.map((post): DatedPost => {
      // No two messages have the same moment, and none is before an earlier one, also when the clock goes back.
      this.#latest_ms = Math.max(Date.now(), (this.#latest_ms ?? 0) + 1);
      return { post, at_ms: this.#latest_ms };
    });
    return writeMessages(this.env.DB, database, dated);
  }

  /** Sends messages to every socket. People who have blocked a writer do not get the writer's messages. */
  #sendMessages({ messages, blockers }: Written): void {
    if (messages.length === 0) return;
    const people_count = this.countPeople();
    const say = (some: Written["messages"]) =>
      JSON.stringify({ type: "messages", messages: some, people_count } satisfies ChatEvent);
    const whole = say(messages);
    for (const socket of this.ctx.getWebSockets().filter(isOpen)) {
      const { user_id } = blockers.size > 0 ? memberOf(socket) : { user_id: null };
      if (user_id === null) socket.send(whole);
      else {
        const seen = messages.filter(({ user }) => !user || !blockers.get(user.user_id)?.has(user_id));
        if (seen.length > 0) socket.send(seen.length === messages.length ? whole : say(seen));
      }
    }
  }
}

async function findLatest(database: ReturnType<typeof openDatabase>, radio_id: string): Promise<number> {
  const latest = await database
    .selectFrom("radio_chat_messages")
    .select("created_at")
    .where("radio_id", "=", radio_id)
    .orderBy("message_id", "desc")
    .limit(1)
    .executeTakeFirst();
  return latest ? Date.parse(latest.created_at) : 0;
}

/** Returns how many messages a socket has sent in the present window of the limit, with this one. */
function countSaid(socket: WebSocket): number {
  const member = memberOf(socket);
  const now_ms = Date.now();
  const is_over = now_ms - member.counted_from >= CHAT_LIMIT.window_ms;
  const said = is_over ? 1 : member.said + 1;
  socket.serializeAttachment({ ...member, said, ...(is_over && { counted_from: now_ms }) } satisfies Member);
  return said;
}

/** Returns what a socket says; null for anything but a message. */
function readSaying(text: string | ArrayBuffer): ChatSaying | null {
  if (typeof text !== "string") return null;
  try {
    const { say, key } = JSON.parse(text);
    return typeof say === "string" && typeof key === "string" && key.length <= MAX_KEY ? { say, key } : null;
  } catch {
    return null;
  }
}
