/**
 * What our texts and pages speak of, and whether it is there yet. Whoever builds one says `true` here: every text follows,
 * and the pages that say 準備中 of it no longer compile. Imports nothing: it runs in browsers too.
 */
export const features = {
  blocks: true,
  comments: true,
  icon_and_cover: true,
  leaving: true,
  link_id_change: true,
  links_and_genres: true,
  monetization: false,
  newsletters: false,
  notification_kinds: false,
  paid_ofuses: false,
  password_reset: true,
  payouts: false,
  plans: false,
  posting: true,
  radio: false,
  reports: true,
  streaming: false,
  subscriptions: false,
} as const satisfies Record<string, boolean>;

export type Feature = keyof typeof features;

/** What may be said to be on its way. */
export type UnreadyFeature = { [F in Feature]: (typeof features)[F] extends false ? F : never }[Feature];

export const isReady = (feature: Feature): boolean => features[feature];

/** Stands behind the name of something: nothing once it is there. */
export const unreadyMark = (feature: Feature): string => (isReady(feature) ? "" : "（準備中）");
