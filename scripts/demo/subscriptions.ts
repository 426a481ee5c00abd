/** The subscriptions of the demo world: fans who have joined a creator's plan. */
export type Subscription = {
  /** The key of the fan. */
  fan: string;
  plan: string;
  status: "active" | "past_due" | "canceled";
  /** Days since the fan joined. */
  days_ago: number;
  /** Paid days that are left; negative when the subscription is over. */
  paid_days_left: number;
};

export const subscriptions: readonly Subscription[] = [
  { fan: "fan_hana", plan: "natsume_500", status: "active", days_ago: 101.3, paid_days_left: 20.1 },
  { fan: "fan_hana", plan: "kanade_800", status: "active", days_ago: 70.6, paid_days_left: 21.4 },
  { fan: "fan_hana", plan: "sumire_1000", status: "canceled", days_ago: 95.2, paid_days_left: -5.2 },
  { fan: "fan_taro", plan: "hibiki_500", status: "active", days_ago: 40.5, paid_days_left: 20.5 },
  { fan: "fan_taro", plan: "sumire_300", status: "past_due", days_ago: 58.2, paid_days_left: 3.8 },
  { fan: "natsume", plan: "sumire_300", status: "active", days_ago: 33.4, paid_days_left: 27.6 },
  { fan: "fan_yuki", plan: "natsume_500", status: "active", days_ago: 86.9, paid_days_left: 4.1 },
  { fan: "fan_yuki", plan: "kanade_2000", status: "canceled", days_ago: 54.7, paid_days_left: 5.3 },
  { fan: "fan_sora", plan: "sumire_300", status: "active", days_ago: 64.1, paid_days_left: 26.9 },
  { fan: "fan_kenji", plan: "ren_500", status: "active", days_ago: 12.9, paid_days_left: 18.1 },
  { fan: "fan_mei", plan: "natsume_1500", status: "active", days_ago: 11.2, paid_days_left: 19.8 },
  { fan: "fan_mei", plan: "mio_500", status: "active", days_ago: 61.8, paid_days_left: 29.2 },
  { fan: "fan_aoi", plan: "natsume_500", status: "past_due", days_ago: 89.4, paid_days_left: 2.6 },
  { fan: "fan_shin", plan: "kanade_800", status: "past_due", days_ago: 119.5, paid_days_left: 1.7 },
  { fan: "fan_shin", plan: "ren_300", status: "active", days_ago: 7.6, paid_days_left: 23.4 },
  { fan: "fan_chika", plan: "kanade_300", status: "active", days_ago: 18.6, paid_days_left: 12.4 },
  { fan: "fan_ryo", plan: "ren_1500", status: "active", days_ago: 22.2, paid_days_left: 8.8 },
  { fan: "fan_nana", plan: "natsume_3000", status: "active", days_ago: 6.4, paid_days_left: 24.6 },
  { fan: "fan_nana", plan: "sumire_300", status: "active", days_ago: 9.1, paid_days_left: 21.9 },
  { fan: "fan_koto", plan: "natsume_500", status: "canceled", days_ago: 19.7, paid_days_left: 11.3 },
  { fan: "fan_koto", plan: "mio_500", status: "canceled", days_ago: 71.3, paid_days_left: -10.3 },
];
