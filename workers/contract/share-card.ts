/**
 * The content of a page's preview image, which the web worker orders from the share-images worker. It holds only what
 * anybody may read. Source: docs/decisions/0012.
 */
export interface ShareCard {
  name: string;
  link_id: string;
  /** Paths of public pictures. */
  icon: string | null;
  cover: string | null;
  /** Used on a creator's card. */
  bio: string;
  /** Used on a post's card; null on a creator's. */
  title: string | null;
  /** Says who may read the post; empty when everybody may. */
  note: string;
}

/** The size that previews crop least. Source: ogp.me; X, Facebook and LINE show 1.91:1. */
export const SHARE_IMAGE_SIZE = { width: 1200, height: 630 };

/** The names of the form parts in which a card and its pictures are sent. */
export const SHARE_CARD_PARTS = { card: "card", icon: "icon", cover: "cover" } as const;
