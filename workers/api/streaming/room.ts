import { OVERLAY_EVENTS } from "../../contract/overlay-names.ts";
import type { OverlayNews } from "../../contract/streaming.ts";
import { LiveRoom } from "../../live/room.ts";
import { openDatabase } from "../storage/database.ts";
import { findOverlayOf, readNews } from "./queries.ts";

/** A message of the room to a connection. `after`: the news hold everything between this number and their last. */
export type RoomMessage = { type: "news"; after: number; news: OverlayNews } | { type: "settings" } | { type: "gone" };

/** The close code of a connection whose token was replaced. Source: RFC 6455, section 7.4.2. */
const TOKEN_REPLACED = 4410;

/**
 * The sockets of one person's open overlays, each with the hash of its token as tag. It reads new letters once for all of
 * them. Source: docs/decisions/0045.
 */
export class OverlayRoom extends LiveRoom<ApiEnv> {
  /** A stream that many people watch may have many screens, and one person can open as many pages as they like. */
  protected override readonly max_sockets = 1000;
  /** The number of the last letter that was sent. Undefined after hibernation. */
  #last_number: number | undefined;
  /** Letters are read and sent one batch behind the other. */
  #sending: Promise<void> = Promise.resolve();

  /** Sends the letters up to this one and those that came meanwhile. */
  announce(user_id: string, number: number): Promise<void> {
    const sent = this.#sending.then(() => this.#sendNews(user_id, number));
    this.#sending = sent.catch(() => {});
    return sent;
  }

  announceSettings(): void {
    this.#say({ type: OVERLAY_EVENTS.settings });
  }

  /** Closes the sockets of all other tokens. */
  endOthers(token_hash: string): void {
    const message = JSON.stringify({ type: OVERLAY_EVENTS.gone } satisfies RoomMessage);
    for (const tag of this.listTags()) if (tag !== token_hash) this.dismiss(tag, message, TOKEN_REPLACED);
  }

  async #sendNews(user_id: string, number: number): Promise<void> {
    if (!this.hasSockets() || number <= (this.#last_number ?? 0)) return;
    const database = openDatabase(this.env.DB);
    const overlay = await findOverlayOf(database, user_id);
    if (!overlay) return;
    for (let after = this.#last_number ?? number - 1; after < overlay.last_number; after = this.#last_number) {
      const news = await readNews({ database, now_ms: Date.now() }, overlay, after);
      this.#last_number = news.last_number;
      // Only the present token: a connection that was not closed when its token was replaced gets nothing.
      this.#say({ type: OVERLAY_EVENTS.news, after, news }, overlay.token_hash);
    }
  }

  #say(message: RoomMessage, token_hash?: string): void {
    this.send(JSON.stringify(message), token_hash);
  }
}
