/** The comments of the demo world, with their replies. */

export type Comment = {
  /** The key of the writer, who must be able to read the post. */
  from: string;
  /** The key of the post. */
  post: string;
  message: string;
  /** Must be less than the post's own `days_ago`. */
  days_ago: number;
  replies?: readonly { from: string; message: string; days_ago: number }[];
};

export const comments: readonly Comment[] = [
  {
    from: "fan_hana",
    post: "natsume_harbour",
    message: "塗り残した白がいちばんまぶしいです。朝の海のにおいがしました。",
    days_ago: 181.1,
    replies: [
      { from: "natsume", message: "白は我慢の色なので、そう言っていただけると報われます。", days_ago: 180.9 },
      { from: "fan_hana", message: "我慢の色！ 手帳に書いておきます。", days_ago: 180.7 },
    ],
  },
  {
    from: "yamato",
    post: "natsume_harbour",
    message: "「寒くないの」は山でもよく聞かれます。答えはいつも「寒いです」。",
    days_ago: 178.3,
    replies: [{ from: "natsume", message: "四十分で限界でした。山の方には勝てません。", days_ago: 178.0 }],
  },
  { from: "akari", post: "natsume_mugi", message: "むぎちゃんの背中、パン屋さんの一斤に見えます🍞", days_ago: 165.8 },
  {
    from: "fan_hana",
    post: "natsume_mugi",
    message: "待っているようで、たぶん誰のことも待っていないお顔ですね。",
    days_ago: 165.2,
    replies: [{ from: "natsume", message: "正解です。宅配便の方にだけ愛想がいいです。", days_ago: 164.9 }],
  },
  { from: "hibiki", post: "natsume_hand", message: "お大事に。弾かない一週間も、練習のうちでした。", days_ago: 115.0 },
  { from: "fan_hana", post: "natsume_hand", message: "どうかゆっくり。夜勤明けに待っています。", days_ago: 114.6 },
  {
    from: "sumire",
    post: "natsume_hand",
    message: "締切はこちらでなんとかします。治すのを先に。",
    days_ago: 114.1,
    replies: [
      { from: "natsume", message: "皆さん、ありがとうございます。利き手でない方で打っています。", days_ago: 113.5 },
    ],
  },
  {
    from: "akari",
    post: "natsume_cake",
    message: "食べる前に描いてくださる方、はじめてです！ 次は二切れお送りします🍰",
    days_ago: 99.1,
    replies: [{ from: "natsume", message: "一切れは描く用、一切れは食べる用ですね。", days_ago: 98.8 }],
  },
  {
    from: "hibiki",
    post: "natsume_jacket",
    message: "届いた日に、机の上でいちばん明るいものになりました。",
    days_ago: 91.8,
  },
  {
    from: "fan_taro",
    post: "natsume_jacket",
    message: "この絵から『弦と湯気』を知りました。電車の中で聴いています。",
    days_ago: 86.4,
  },
  {
    from: "yamato",
    post: "natsume_mountain",
    message: "ペグの角度が正しい。行ったことがある人の絵です。",
    days_ago: 59.9,
    replies: [
      { from: "natsume", message: "ありません。大和さんの写真を三枚、ひと月ずっと見ていました。", days_ago: 59.6 },
      { from: "yamato", message: "三枚を、ひと月。光栄です。", days_ago: 59.1 },
    ],
  },
  {
    from: "sumire",
    post: "natsume_pans",
    message: "色順派です。本棚は作者順なのに、どうしてでしょう。",
    days_ago: 52.3,
  },
  {
    from: "fan_hana",
    post: "natsume_roughs",
    message: "ラフの線がもう風の向きを知っていて、びっくりしました。",
    days_ago: 38.1,
  },
  {
    from: "fan_hana",
    post: "natsume_wallpaper",
    message: "ロッカーの内側とスマホ、どちらも「凪」になりました。",
    days_ago: 18.0,
  },
  {
    from: "fan_taro",
    post: "natsume_toolbox",
    message: "先の割れた筆、うちの引き出しにもいます。捨てずに草むら係として雇いなおします。",
    days_ago: 4.2,
    replies: [
      { from: "natsume", message: "ぜひ。割れかたは一本ずつちがうので、草の種類が増えますよ。", days_ago: 4.0 },
    ],
  },
  {
    from: "kanade",
    post: "natsume_way_home",
    message: "水たまりの音が聞こえる絵だ…！ 収録帰りに見て元気でました🎙",
    days_ago: 1.1,
  },
  { from: "fan_hana", post: "natsume_way_home", message: "ちょうど雨あがりの帰り道で拝見しています。", days_ago: 0.6 },
  {
    from: "fan_taro",
    post: "hibiki_strings",
    message: "替えない日の理由が「もったいない」だけの私には、耳の痛い話でした。",
    days_ago: 62.7,
  },
  {
    from: "kanade",
    post: "hibiki_demo_station",
    message: "四十秒で終わるのがつらい！ 終点まで乗りたいです。",
    days_ago: 39.9,
    replies: [{ from: "hibiki", message: "終点、まだ工事中です。", days_ago: 39.5 }],
  },
  { from: "fan_taro", post: "hibiki_tabs", message: "この形、小指が届きません。八年弾いてもです。", days_ago: 28.1 },
  { from: "natsume", post: "hibiki_night_rec", message: "灯りが一つだけの部屋、描いてもいいですか。", days_ago: 6.3 },
  {
    from: "fan_hana",
    post: "sumire_bath",
    message: "「遅いよ」の三文字で、湯冷めする前に泣きました。",
    days_ago: 119.9,
  },
  {
    from: "fan_taro",
    post: "sumire_timetable",
    message: "三駅目で降りてくるのが誰なのか、気になって眠れません。",
    days_ago: 77.2,
    replies: [{ from: "sumire", message: "眠れない夜には、時刻表をおすすめします。", days_ago: 76.5 }],
  },
  { from: "natsume", post: "sumire_illustration", message: "三行ぶん、責任を感じています。", days_ago: 29.1 },
  {
    from: "hibiki",
    post: "yamato_ridge",
    message: "四時二十分に起きている理由が、曲作り以外にもあるんですね。",
    days_ago: 129.6,
  },
  {
    from: "natsume",
    post: "yamato_retreat",
    message: "撮らなかった日の話が、いちばんよく見えました。",
    days_ago: 87.9,
  },
  {
    from: "fan_hana",
    post: "kanade_radio_30",
    message: "三十回おめでとうございます！ 瓶詰派に寝返りそうになりました。",
    days_ago: 101.2,
  },
  {
    from: "akari",
    post: "kanade_narration",
    message: "「間」のところ、お菓子の焼き上がりを待つ時間に似ています⏲",
    days_ago: 72.0,
    replies: [{ from: "kanade", message: "それ、次の放送で言っていいですか！？", days_ago: 71.8 }],
  },
  {
    from: "sumire",
    post: "kanade_reading_video",
    message: "自分の書いた一行に、知らない息つぎがありました。ありがとうございます。",
    days_ago: 33.8,
  },
  { from: "kanade", post: "akari_fail", message: "ふくらまなかった方を買いたいです。本気です。", days_ago: 54.7 },
  {
    from: "hibiki",
    post: "akari_guitar_strap",
    message: "注文はどこからですか。肩はもう空けてあります🎸",
    days_ago: 21.3,
  },
  {
    from: "natsume",
    post: "akari_saturday",
    message: "今週は負けません。二十時五十九分から座っています。",
    days_ago: 3.2,
  },
];
