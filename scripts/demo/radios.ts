/** The radios of two creators, all still to come: a demo world has no sound. */

export interface DemoRadio {
  key: string;
  /** The key of the creator. */
  author: string;
  title: string;
  description: string;
  audience: "public" | "fans";
  written_days_ago: number;
  starts_in_days: number;
}

export const radios: readonly DemoRadio[] = [
  {
    key: "natsume_window_radio",
    author: "natsume",
    title: "窓辺の夜ふかしラジオ",
    description: `下絵を描きながら、いただいたお手紙を読みます。

水の音と鉛筆の音が入ると思います。むぎも、たぶん鳴きます。`,
    audience: "public",
    written_days_ago: 1.2,
    starts_in_days: 2.4,
  },
  {
    key: "kanade_can_radio",
    author: "kanade",
    title: "夜ふかし缶詰　生で開ける回",
    description: "編集していない声で、季節の変わり目の話をします。フォローしてくださっている方だけの、小さな回です。",
    audience: "fans",
    written_days_ago: 0.6,
    starts_in_days: 5.3,
  },
];
