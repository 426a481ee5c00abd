/** The radios of two creators. One is over, and its recording plays: scripts/demo/sound.ts. */

export interface DemoRadio {
  key: string;
  /** The key of the creator. */
  author: string;
  title: string;
  description: string;
  audience: "public" | "fans";
  written_days_ago: number;
  starts_in_days: number;
  /** Set for a radio that is over. It was on air as long as its recording is, beginning at `starts_in_days`. */
  recording?: {
    transcript: string;
    /** Messages of the chat, at a second of the broadcast. A pinned message becomes a chapter. */
    chat: readonly { from: string; message: string; at_s: number; is_pinned?: true }[];
    comments: readonly { from: string; message: string; days_ago: number }[];
  };
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
    key: "natsume_music_box_radio",
    author: "natsume",
    title: "窓辺のオルゴール",
    description: "古道具屋さんで見つけた小さなオルゴールを、窓辺で鳴らしました。二十四秒だけの、短い録音です。",
    audience: "public",
    written_days_ago: 9.5,
    starts_in_days: -9.2,
    recording: {
      transcript: "（オルゴールの音。話し声はありません。ゆっくりした曲が、二十四秒ほど続きます）",
      chat: [
        { from: "natsume", message: "鳴らします", at_s: 1, is_pinned: true },
        { from: "fan_hana", message: "すてきな音です", at_s: 6 },
        { from: "akari", message: "パン屋の朝にかけたい", at_s: 10 },
        { from: "natsume", message: "ここから後半", at_s: 12, is_pinned: true },
      ],
      comments: [
        { from: "yamato", message: "テントの中で聴きました。よく眠れそうです。", days_ago: 8.7 },
        { from: "fan_hana", message: "何度も聴いています。むぎちゃんは怒りませんでしたか？", days_ago: 8.1 },
      ],
    },
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
