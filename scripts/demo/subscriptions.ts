/** The subscriptions of the demo world: fans who join a creator's plan, and what becomes of it. */
export type Subscription = {
  /** The key of the fan. */
  fan: string;
  plan: string;
  /** Days since the fan joined. */
  days_ago: number;
  /** When the fan left the plan, in days ago. The paid period lasts longer. */
  left_days_ago?: number;
  /** The last renewal, a day and a half ago, could not be charged. Then `days_ago` is rounded to whole months. */
  is_unpaid?: true;
};

/** Sumire closes this plan. Its members keep it until their period ends. */
export const CLOSED_PLAN = { plan: "sumire_1000", creator: "sumire", days_ago: 39.1 };

export const subscriptions: readonly Subscription[] = [
  { fan: "fan_hana", plan: "natsume_500", days_ago: 101.3 },
  { fan: "fan_hana", plan: "kanade_800", days_ago: 70.6 },
  { fan: "fan_hana", plan: "sumire_1000", days_ago: 95.2 },
  { fan: "fan_taro", plan: "hibiki_500", days_ago: 40.5 },
  { fan: "fan_taro", plan: "sumire_300", days_ago: 58.2, is_unpaid: true },
  { fan: "natsume", plan: "sumire_300", days_ago: 33.4 },
  { fan: "fan_yuki", plan: "natsume_500", days_ago: 86.9 },
  { fan: "fan_yuki", plan: "kanade_2000", days_ago: 54.7, left_days_ago: 12.4 },
  { fan: "fan_sora", plan: "sumire_300", days_ago: 64.1 },
  { fan: "fan_kenji", plan: "ren_500", days_ago: 12.9 },
  { fan: "fan_mei", plan: "natsume_1500", days_ago: 11.2 },
  { fan: "fan_mei", plan: "mio_500", days_ago: 61.8 },
  { fan: "fan_aoi", plan: "natsume_500", days_ago: 89.4 },
  { fan: "fan_shin", plan: "kanade_800", days_ago: 92.5, is_unpaid: true },
  { fan: "fan_shin", plan: "ren_300", days_ago: 7.6 },
  { fan: "fan_chika", plan: "kanade_300", days_ago: 18.6 },
  { fan: "fan_ryo", plan: "ren_1500", days_ago: 22.2 },
  { fan: "fan_nana", plan: "natsume_3000", days_ago: 6.4 },
  { fan: "fan_nana", plan: "sumire_300", days_ago: 9.1 },
  { fan: "fan_koto", plan: "natsume_500", days_ago: 19.7, left_days_ago: 3.2 },
  { fan: "fan_koto", plan: "mio_500", days_ago: 101.3, left_days_ago: 50.2 },
];
