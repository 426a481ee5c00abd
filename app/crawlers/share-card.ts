import type { EventSummary } from "../../workers/contract/events.ts";
import type { Image } from "../../workers/contract/fields.ts";
import { type Banner, type BannerSize, SHARE_IMAGE_SIZE, type ShareCard } from "../../workers/contract/share-card.ts";
import type { User } from "../../workers/contract/users.ts";
import { lockNotes } from "../post/event-card.tsx";
import { excerptOf } from "../text/excerpt.ts";
import { qrCode } from "../text/qr-code.server.ts";

/** A picture in a link preview. */
export type SharePicture = Pick<Image, "medium_url" | "width" | "height" | "alt">;

/**
 * The maximum length of the bio on a card. It is more than the picture has room for. Text beyond it must not change the
 * picture's address.
 */
const BIO_GRAPHEMES = 100;

/** The subject of a card: a creator, or one of their posts. */
export type ShareSubject = { creator: User } | { event: EventSummary };

/** Returns the card of a creator, or of a post. A post's card contains none of the content, because visitors see it. */
export function shareCard(subject: ShareSubject): ShareCard {
  const { name, link_id, icon_image } = "event" in subject ? subject.event.user : subject.creator;
  const person = { name, link_id, icon: openUrl(icon_image) };
  if ("event" in subject) {
    const { title, publish_target_type } = subject.event;
    return { ...person, cover: null, bio: "", title, note: lockNotes[publish_target_type] };
  }
  const { bio, cover_image } = subject.creator;
  return { ...person, cover: openUrl(cover_image), bio: excerptOf(bio, BIO_GRAPHEMES), title: null, note: "" };
}

/**
 * Returns the address of a public picture. Returns null for a signed address, because it would open a locked picture to
 * everybody.
 */
export function openUrl(image: Pick<Image, "medium_url"> | null): string | null {
  return image && !image.medium_url.includes("?") ? image.medium_url : null;
}

/**
 * Returns the picture of a card, or null for a post that is not published. Its address holds a digest of the card, so
 * that caches never show an old one; nothing is drawn at any other address.
 */
export async function sharePicture(subject: ShareSubject): Promise<SharePicture | null> {
  if ("event" in subject && subject.event.status !== "published") return null;
  const card = shareCard(subject);
  const version = await versionOf(card);
  const place = "event" in subject ? `${card.link_id}/${subject.event.event_id}` : card.link_id;
  const alt =
    card.title === null
      ? `${card.name}（@${card.link_id}）`
      : [card.title, `${card.name}（@${card.link_id}）`, card.note].filter(Boolean).join("、");
  return { medium_url: `/share-images/${place}/${version}.png`, ...SHARE_IMAGE_SIZE, alt };
}

/** Returns the content of a banner. `origin` is that of the creator's page. */
export function bannerOf({ name, link_id, icon_image }: User, size: BannerSize, origin: string): Banner {
  const address = `${origin}/${link_id}`;
  // Only the square picture is shown where nobody can press it.
  const code = size === "1080x1080" ? qrCode(address) : null;
  return { size, name, link_id, icon: openUrl(icon_image), address: address.replace(/^https?:\/\//, ""), code };
}

/** Returns the address of a banner. Like that of a card, it changes with the content. */
export async function bannerPath(banner: Banner): Promise<string> {
  return `/share-images/${banner.link_id}/banner-${banner.size}/${await versionOf(banner)}.png`;
}

/** Returns the address of the picture of a page's QR code. It depends on nothing but the page's address. */
export const codePath = (link_id: string, type: "png" | "svg") => `/share-images/${link_id}/qr.${type}`;

async function versionOf(content: ShareCard | Banner): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(content)));
  return Array.from(new Uint8Array(digest, 0, 8), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
