import type { EventSummary } from "../../workers/contract/events.ts";
import type { Image } from "../../workers/contract/fields.ts";
import { SHARE_IMAGE_SIZE, type ShareCard } from "../../workers/contract/share-card.ts";
import type { User } from "../../workers/contract/users.ts";
import { lockNotes } from "../post/event-card.tsx";
import { excerpt } from "../text/excerpt.ts";

/** A picture as previews name it. */
export type SharePicture = Pick<Image, "medium_url" | "width" | "height" | "alt">;

/** More than there is room for: what follows need not change the address. */
const BIO_GRAPHEMES = 100;

/** What a card is made of: the creator alone, or one of their posts. */
export type ShareSubject = { creator: User } | { event: EventSummary };

/** The card of a creator, or of a post as a visitor may know it: never anything of its content. */
export function shareCard(subject: ShareSubject): ShareCard {
  const { name, link_id, icon_image } = "event" in subject ? subject.event.user : subject.creator;
  const person = { name, link_id, icon: openUrl(icon_image) };
  if ("event" in subject) {
    const { title, publish_target_type } = subject.event;
    return { ...person, cover: null, bio: "", title, note: lockNotes[publish_target_type] };
  }
  const { bio, cover_image } = subject.creator;
  return { ...person, cover: openUrl(cover_image), bio: excerpt(bio, BIO_GRAPHEMES), title: null, note: "" };
}

/** A signed address opens a locked picture to whoever holds it: it stays out of previews. */
export function openUrl(image: Pick<Image, "medium_url"> | null): string | null {
  return image && !image.medium_url.includes("?") ? image.medium_url : null;
}

/**
 * Where the picture of a card is. What it shows is part of the address, so that whoever keeps pictures by their address never keeps
 * an old one; nothing is drawn at another address. Null for a post that is not published: it has no page for others.
 */
export async function sharePicture(subject: ShareSubject): Promise<SharePicture | null> {
  if ("event" in subject && subject.event.status !== "published") return null;
  const card = shareCard(subject);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(card)));
  const version = Array.from(new Uint8Array(digest, 0, 8), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const place = "event" in subject ? `${card.link_id}/${subject.event.event_id}` : card.link_id;
  const alt =
    card.title === null
      ? `${card.name}（@${card.link_id}）`
      : [card.title, `${card.name}（@${card.link_id}）`, card.note].filter(Boolean).join("、");
  return { medium_url: `/share-images/${place}/${version}.png`, ...SHARE_IMAGE_SIZE, alt };
}
