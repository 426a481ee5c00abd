/** What the web worker has drawn as the preview of a page: only what anybody may read. Source: docs/decisions/0012. */
export interface ShareCard {
  name: string;
  link_id: string;
  /** Paths of public pictures. */
  icon: string | null;
  cover: string | null;
  /** Of a creator's card. */
  bio: string;
  /** Of a post's card; null on a creator's. */
  title: string | null;
  /** Who may read the post, when not everybody may. */
  note: string;
}

/** The size that previews are cut least from. Source: ogp.me; X, Facebook and LINE show 1.91:1. */
export const SHARE_IMAGE_SIZE = { width: 1200, height: 630 };

/** Names of the parts of a form in which a card and its pictures are sent. */
export const SHARE_CARD_PARTS = { card: "card", icon: "icon", cover: "cover" } as const;
