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

/** The sizes of banners in pixels: the header of a profile, two usual sizes of banners on pages, and a square post. */
export const BANNER_SIZES = ["1500x500", "728x90", "300x250", "1080x1080"] as const;
export type BannerSize = (typeof BANNER_SIZES)[number];

/** A QR code as an SVG path of unit squares. `size` is its width, including the required quiet zone. */
export interface QrCode {
  size: number;
  path: string;
}

/** The content of a picture with which a creator leads people to their page. Source: docs/decisions/0046. */
export interface Banner extends Pick<ShareCard, "name" | "link_id" | "icon"> {
  size: BannerSize;
  /** The address of the creator's page, as people write it. */
  address: string;
  /** The code of that address. Null where readers can press the picture. */
  code: QrCode | null;
}

/** What the share-images worker draws. A code alone fills the picture. */
export type Drawing = { card: ShareCard } | { banner: Banner } | { code: QrCode };

/** The names of the form parts in which a drawing and its pictures are sent. */
export const DRAWING_PARTS = { drawing: "drawing", icon: "icon", cover: "cover" } as const;
