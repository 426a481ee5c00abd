/**
 * The features of the product, `true` if they are built. To launch a feature, set it to `true`: all texts follow. This
 * file has no imports, because browsers load it too.
 */
export const features = {
  blocks: true,
  comments: true,
  icon_and_cover: true,
  leaving: true,
  link_id_change: true,
  links_and_genres: true,
  monetization: true,
  newsletters: true,
  paid_ofuses: true,
  password_reset: true,
  payouts: true,
  plans: true,
  posting: true,
  radio: true,
  reports: true,
  streaming: true,
  subscriptions: true,
} as const satisfies Record<string, boolean>;

export type Feature = keyof typeof features;

export const isReady = (feature: Feature): boolean => features[feature];

/** A suffix for the name of a feature: empty once it is built. */
export const unreadyMark = (feature: Feature): string => (isReady(feature) ? "" : "（準備中）");
