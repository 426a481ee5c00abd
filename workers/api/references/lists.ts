/** Fixed lists that people choose from. Never change an id, because people may have chosen it. Names may change. */

/** A link to the site must lead to one of `hosts` or to a subdomain. A site without `hosts` accepts any address. */
export const externalSites: { external_site_id: string; name: string; hosts?: readonly string[] }[] = [
  { external_site_id: "website", name: "ウェブサイト" },
  { external_site_id: "x", name: "X", hosts: ["x.com", "twitter.com"] },
  { external_site_id: "bluesky", name: "Bluesky", hosts: ["bsky.app"] },
  { external_site_id: "instagram", name: "Instagram", hosts: ["instagram.com"] },
  { external_site_id: "tiktok", name: "TikTok", hosts: ["tiktok.com"] },
  { external_site_id: "youtube", name: "YouTube", hosts: ["youtube.com", "youtu.be"] },
  { external_site_id: "pixiv", name: "pixiv", hosts: ["pixiv.net", "pixiv.me"] },
  { external_site_id: "booth", name: "BOOTH", hosts: ["booth.pm"] },
  { external_site_id: "note", name: "note", hosts: ["note.com", "note.mu"] },
  { external_site_id: "soundcloud", name: "SoundCloud", hosts: ["soundcloud.com"] },
];

export const genres = [
  { genre_id: "illustration", name: "イラスト" },
  { genre_id: "manga", name: "マンガ" },
  { genre_id: "music", name: "音楽" },
  { genre_id: "novel", name: "小説・文芸" },
  { genre_id: "photo", name: "写真" },
  { genre_id: "voice", name: "声・ラジオ" },
  { genre_id: "game", name: "ゲーム" },
  { genre_id: "video", name: "動画" },
  { genre_id: "streaming", name: "配信" },
  { genre_id: "craft", name: "ハンドメイド" },
  { genre_id: "cooking", name: "料理・お菓子" },
  { genre_id: "cosplay", name: "コスプレ" },
];
