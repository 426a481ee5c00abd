/** What the creators of the demo world have posted, and who follows or supports whom. */
import type { Palette, Scene } from "./pictures/index.ts";

export type Post = {
  key: string;
  /** The key of the person who wrote it. */
  author: string;
  kind: "image" | "video" | "text" | "blog";
  /** The title of one of the author's categories. */
  category: string | null;
  title: string;
  body: string;
  visibility: "public" | "fans" | "memberships";
  /** The key of the plan it takes to read it, when `visibility` is `memberships`. */
  plan: string | null;
  status: "published" | "publish_pending" | "private";
  /** Days before now; negative when it is still to be published. */
  days_ago: number;
  picture: { scene: Scene; palette: Palette; alt: string } | null;
  video_url: string | null;
};

export type Category = { key: string; author: string; title: string };
export type Plan = { key: string; author: string; title: string; description: string; amount: number };

export const categories: readonly Category[] = [
  { key: "natsume_watercolour", author: "natsume", title: "水彩" },
  { key: "natsume_diary", author: "natsume", title: "制作日記" },
  { key: "natsume_doodle", author: "natsume", title: "らくがき" },
  { key: "hibiki_demo", author: "hibiki", title: "デモと断片" },
  { key: "hibiki_gear", author: "hibiki", title: "機材と弦の話" },
  { key: "sumire_short", author: "sumire", title: "掌編" },
  { key: "sumire_diary", author: "sumire", title: "書きかけ日記" },
  { key: "yamato_log", author: "yamato", title: "山行記録" },
  { key: "kanade_radio", author: "kanade", title: "夜ふかし缶詰" },
  { key: "kanade_work", author: "kanade", title: "声のしごと" },
  { key: "akari_new", author: "akari", title: "新作のおしらせ" },
  { key: "akari_snack", author: "akari", title: "おやつの時間" },
];

export const plans: readonly Plan[] = [
  {
    key: "natsume_500",
    author: "natsume",
    title: "窓辺の席",
    description: "月に一枚、スマートフォンとパソコン用の壁紙をお届けします。むぎの寝顔がおまけにつくこともあります。",
    amount: 500,
  },
  {
    key: "natsume_1500",
    author: "natsume",
    title: "アトリエの合鍵",
    description: "壁紙に加えて、下描きと配色メモ、原寸のスキャンデータを公開しています。制作中の失敗も隠さず載せます。",
    amount: 1500,
  },
  {
    key: "hibiki_500",
    author: "hibiki",
    title: "録音部屋の椅子",
    description: "完成前のデモ音源と、曲ごとのチューニング・コード譜。雑談は少なめです。",
    amount: 500,
  },
  {
    key: "kanade_800",
    author: "kanade",
    title: "缶切り会員",
    description: "ラジオの未公開トークと、月一回のおやすみ朗読が聴けます！お便りコーナーでお名前をお呼びします。",
    amount: 800,
  },
  {
    key: "sumire_300",
    author: "sumire",
    title: "下読み部屋",
    description: "推敲前の原稿を先に読めます。展開について口を出しても構いません（採用するとは限りません）。",
    amount: 300,
  },
];

/** Pairs of who follows and who is followed. */
export const follows: readonly (readonly [string, string])[] = [
  ["fan_hana", "natsume"],
  ["fan_hana", "sumire"],
  ["fan_hana", "kanade"],
  ["fan_taro", "hibiki"],
  ["fan_taro", "sumire"],
  ["natsume", "hibiki"],
  ["natsume", "sumire"],
  ["natsume", "yamato"],
  ["hibiki", "natsume"],
  ["hibiki", "kanade"],
  ["hibiki", "akari"],
  ["sumire", "natsume"],
  ["sumire", "hibiki"],
  ["yamato", "natsume"],
  ["kanade", "hibiki"],
  ["kanade", "sumire"],
  ["akari", "natsume"],
  ["akari", "kanade"],
];

export const subscriptions: readonly { fan: string; plan: string }[] = [
  { fan: "fan_hana", plan: "natsume_500" },
  { fan: "fan_hana", plan: "kanade_800" },
  { fan: "fan_taro", plan: "hibiki_500" },
];

/** A published post everyone may read; an entry states only where it differs. */
const open = {
  visibility: "public",
  plan: null,
  status: "published",
  picture: null,
  video_url: null,
} as const;

export const posts: readonly Post[] = [
  /* ---------------------------------------------------------------- natsume */
  {
    ...open,
    key: "natsume_hello",
    author: "natsume",
    kind: "text",
    category: "制作日記",
    title: "はじめまして、なつめです",
    body: `はじめまして、海のそばの古いアパートの二階で透明水彩の絵を描いている、なつめと申します、今日からここにも絵とひとりごとを置いていきます。

更新は週に一枚くらい、のんびりになると思います。お手紙は読むのだけは早いです。返事は遅いです。先に謝っておきます。`,
    days_ago: 188.2,
  },
  {
    ...open,
    key: "natsume_harbour",
    author: "natsume",
    kind: "image",
    category: "水彩",
    title: "朝の船着き場",
    body: `六時すこし前、まだ誰も歩いていない船着き場まで下りていって、風が強くなるまでの四十分だけで塗りきった、ひさしぶりに外で仕上げた一枚です。

海に使った青は三色。手前の白いところは塗り残した紙の色のままです。犬の散歩のおじさんに「寒くないの」と三回聞かれました。`,
    days_ago: 181.6,
    picture: {
      scene: "sea",
      palette: ["#e2f4f4", "#6cb8cf", "#22628f", "#f2896b"],
      alt: "岬の灯台と、朝の海に浮かぶ一そうのヨットの絵",
    },
  },
  {
    ...open,
    key: "natsume_paper",
    author: "natsume",
    kind: "blog",
    category: "制作日記",
    title: "紙を替えたら、待てるようになった",
    body: `八年ずっと同じ水彩紙を使ってきたのですが、いつもの画材店で品切れになっていたのをきっかけに、思いきって綿の入った厚い紙へ替えてみることにしました。

結論からいうと、最初の三枚はひどいものでした。乾くのが遅い。にじみが思ったより先まで走る。いつもの調子で二色目を置くと、花びらが全部つながって、ピンク色の雲みたいになります。

四枚目で、ようやく気づきました。わたしは今まで、乾くのを待っていなかったんですね。紙が待たせない紙だったので、待たなくても絵になっていただけでした。

それからは、台所のタイマーを机に置いています。一層塗ったら七分。そのあいだに洗いものをするか、むぎの背中を撫でるか、いただいたお手紙を読むか。七分って、思っていたよりいろいろなことができます。

写真は、その厚い紙で最後まで描けた最初の一枚です。左下の花だけ、まだ少し雲です。`,
    days_ago: 174.4,
    picture: {
      scene: "flowers",
      palette: ["#fdf1e6", "#8fc0a9", "#3d6b5e", "#e8748a"],
      alt: "窓辺のテーブルに置かれた緑の花びんと、いろいろな花の絵",
    },
  },
  {
    ...open,
    key: "natsume_mugi",
    author: "natsume",
    kind: "image",
    category: "らくがき",
    title: "むぎ、来客を待つ",
    body: `宅配便が届く日になると、どういうわけか朝から窓台にすわって道のほうをじっと見張りはじめる、うちの同居猫むぎ（推定六歳、体重は本人の希望により非公開）です。

なお、実際に人が来ると押し入れに隠れます。`,
    days_ago: 166.1,
    picture: {
      scene: "cat",
      palette: ["#fbefdc", "#9cc4cf", "#46607a", "#ee9a5b"],
      alt: "窓台にすわってこちらを見ている猫の絵",
    },
  },
  {
    ...open,
    key: "natsume_ranunculus",
    author: "natsume",
    kind: "image",
    category: "水彩",
    title: "売れ残りのラナンキュラス",
    body: `閉店まぎわの花屋さんで「もう開ききっちゃってるから」とおまけしてもらったラナンキュラスが、家に着いたら思いのほか立派だったので、夕飯をあとまわしにして描きました。

花びらの枚数は、途中から数えるのをやめています。`,
    days_ago: 150.7,
    picture: {
      scene: "flowers",
      palette: ["#f1f0fb", "#93a9d8", "#44528c", "#f0926a"],
      alt: "青い花びんに生けたラナンキュラスとチューリップの絵",
    },
  },
  {
    ...open,
    key: "natsume_bleed",
    author: "natsume",
    kind: "blog",
    category: "制作日記",
    title: "森の緑を一色で塗らないために",
    body: `お手紙で「木の葉っぱの緑はどうやって混ぜているんですか」と聞いていただいたので、うまく説明できるかわかりませんが、わたしのやりかたを書いてみます。

まず、チューブの緑は使いません。嫌いなわけではなくて、便利すぎて全部その色になってしまうからです。黄色をふたつ（レモン寄りと、おうど色寄り）、青をふたつ（空の青と、深い青）。これをパレットの上ではなく、紙の上で会わせます。

先に黄色を広めに置いて、まだ光っているうちに青を筆先でとん、と落とす。あとは触らない。ここで触りたくなるのが人情ですが、触ると一色になります。

遠くの木は水を多め、近くの木は絵の具を多め。それだけで、森は勝手に奥へ下がっていきます。

……と、えらそうに書きましたが、この絵の右側の木は触りすぎました。よく見ると、そこだけ緑が平らです。見つけてください。`,
    days_ago: 142.3,
    picture: {
      scene: "forest",
      palette: ["#eef6d8", "#8fbf7f", "#2c5a45", "#f0a24f"],
      alt: "木もれ日の差す森の小道に、きつねがすわっている絵",
    },
  },
  {
    ...open,
    key: "natsume_sunset_video",
    author: "natsume",
    kind: "video",
    category: "水彩",
    title: "夕焼けを塗る八分間（早送り）",
    body: `はじめて手元を撮ってみたのですが、三脚のかわりに積んだ画集が途中でゆっくり傾いていくので、後半は画面ごと夕日が沈んでいく動画になりました。

塗りの順番は、黄色、橙、桃色、最後に紫。乾かないうちに下から上へ、です。音は入れていません。`,
    days_ago: 133.5,
    picture: {
      scene: "sunset",
      palette: ["#ffd9a8", "#d9738a", "#4a2f63", "#ff9a4d"],
      alt: "田んぼに映る夕日と、手をつないで帰るふたりの影の絵",
    },
  },
  {
    ...open,
    key: "natsume_night_hill",
    author: "natsume",
    kind: "image",
    category: "水彩",
    title: "坂の上の夜",
    body: `停電した夜、懐中電灯を持って坂の上まで歩いてみたら、いつもは見えない小さな星まで全部出ていて、しばらく首が痛くなるまで動けなかったときのことを思い出しながら描きました。

町の明かりは、本当は消えていました。絵のなかでだけ、つけてあります。`,
    days_ago: 124.9,
    picture: {
      scene: "night",
      palette: ["#cfd9f5", "#5566a8", "#1f2550", "#f7c66b"],
      alt: "星空の下、窓に明かりのともる坂の町と、空を見上げる猫の影の絵",
    },
  },
  {
    ...open,
    key: "natsume_hand",
    author: "natsume",
    kind: "text",
    category: "制作日記",
    title: "一週間ほど右手を休めます",
    body: `昨日の夜から親指のつけ根がじんじんすると思っていたら、病院で「描きすぎです」とあっさり言われてしまい、一週間ほど筆を置いて安静にすることになりました。

大きなけがではないので、ご心配なく。いまこれは左手の人差し指で打っています。三行で十五分かかりました。`,
    days_ago: 115.2,
  },
  {
    ...open,
    key: "natsume_rest",
    author: "natsume",
    kind: "blog",
    category: "制作日記",
    title: "描かない一週間にしたこと",
    body: `右手がほぼ元どおりになりましたので、お見舞いのお手紙をくださったみなさんへのお礼もかねて、筆を持たなかった七日間に何をしていたかを書いておきます。

一日目。何もすることがなくて、むぎと同じ時間に寝ました。十六時間寝られることがわかりました。

三日目。左手で描いてみました。線がふるえて、なんだか知らない人の絵みたいで、ちょっと好きでした。机の前に貼ってあります。

五日目。描かずに、ただ見る散歩をしました。船着き場まで行って、海を三十分。いつもは描くために見ているので、「ここは紙を残す」「ここは最後」と頭のなかで塗り始めてしまうのですが、それをやめると、海はずいぶんうるさい場所でした。ロープのきしむ音、だれかのラジオ、鳥。

七日目。もう描いていいですよと言われて、いちばん最初に描いたのがこの絵です。七日間、だれより暇につきあってくれたので。

手首の体操を教えてくださった方、毎日やっています。ありがとうございました。`,
    days_ago: 107.8,
    picture: {
      scene: "cat",
      palette: ["#f3e9f3", "#b6a5cf", "#54487a", "#f0a35f"],
      alt: "紫色のカーテンの窓辺でくつろぐ猫の絵",
    },
  },
  {
    ...open,
    key: "natsume_cake",
    author: "natsume",
    kind: "image",
    category: "らくがき",
    title: "ひだまり工房さんのケーキ（食べる前）",
    body: `快気祝いにとあかりさんが焼いて送ってくださったケーキを、食べたい気持ちと描きたい気持ちが半々のまま一時間だけ我慢して、どうにか形を残すことに成功しました。

いちごの数が途中で減っているのは、気のせいです。`,
    days_ago: 99.4,
    picture: {
      scene: "cake",
      palette: ["#fff1ea", "#a8cfc4", "#5d4a5c", "#ee6f7c"],
      alt: "いちごをのせた大きなケーキと、マカロンと紅茶の絵",
    },
  },
  {
    ...open,
    key: "natsume_jacket",
    author: "natsume",
    kind: "image",
    category: "水彩",
    title: "『弦と湯気』ジャケット絵",
    body: `ひびきさんの新しいアルバム『弦と湯気』のために、何度も録音部屋へおじゃまして、冷めかけたコーヒーの湯気の曲がりかたまで観察させてもらって描いたジャケットの絵です。

ギターの傷は、実物どおりの場所に入れてあります。`,
    days_ago: 92.1,
    picture: {
      scene: "guitar",
      palette: ["#f7ead9", "#9cbcb4", "#3f4a5e", "#e58a4e"],
      alt: "録音部屋のスタンドに立てかけたアコースティックギターの絵",
    },
  },
  {
    ...open,
    key: "natsume_jacket_story",
    author: "natsume",
    kind: "blog",
    category: "制作日記",
    title: "ジャケットができるまで、没が十一枚",
    body: `先日お見せした『弦と湯気』のジャケットについて、「最初からあの構図だったんですか」というお手紙を三通もいただいたので、恥ずかしながら没になった案の話をします。

一枚目は、海でした。ひびきさんに見せたら「きれいだけど、この曲は家から出てない」と言われました。そのとおりでした。

二枚目から六枚目までは、窓、椅子、靴、窓、窓。窓に逃げるくせがあります。七枚目で人を描いて、八枚目で消しました。

九枚目のとき、打ち合わせの途中で、ひびきさんがギターを置いて電話に出たんです。五分くらい。だれも弾いていないのに、部屋のなかに、さっきまで弾いていた感じがまだ残っていて。ああ、これだと思いました。

十枚目は構図の練習、十一枚目は湯気が大きすぎて温泉になりました。十二枚目が、あの絵です。

没にした海の絵は、うちの廊下に飾ってあります。こっちはこっちで、気に入っているので。`,
    days_ago: 84.6,
    picture: {
      scene: "sea",
      palette: ["#fbe9dc", "#86b2c6", "#3d5d8c", "#f2a35e"],
      alt: "没になった海の絵。夕方の水平線とヨット",
    },
  },
  {
    ...open,
    key: "natsume_train",
    author: "natsume",
    kind: "image",
    category: "水彩",
    title: "打ち合わせの帰り、高架の電車",
    body: `ひさしぶりに都会まで打ち合わせに出かけた帰り、ホームのいちばん端で二本も電車を見送りながら描いた下絵に、家へ戻ってから落ちついて色をのせました。

窓のひとつひとつにだれかがいると思うと、つい全部の明かりをつけたくなります。`,
    days_ago: 76.3,
    picture: {
      scene: "city",
      palette: ["#fde6d6", "#9db4d3", "#3b4a74", "#ef7f6a"],
      alt: "夕方のビル街と電波塔、高架を走る電車の絵",
    },
  },
  {
    ...open,
    key: "natsume_mountain_draft",
    author: "natsume",
    kind: "blog",
    category: "制作日記",
    title: "【合鍵の方へ】山の絵の下描きと配色メモ",
    body: `いま描いている山の絵がようやく半分まで来たので、合鍵をお持ちのみなさんには、ひと足先に鉛筆の下描きと、パレットの横に置いている配色のメモをそのままお見せします。

もとになっているのは、大和さんの写真です。許可をいただいたうえで、三枚を一枚に組みなおしました。尾根の線は写真のまま、手前の木立は入れ替え、テントは想像です。大和さんからは「その場所にテントを張ると風で飛ばされます」とご指摘を受けました。絵なので、飛ばないことにします。

配色は五つ。空の灰みどり、遠い山の青、近い山の深緑、雪は紙の白、テントの山吹。山吹がいちばん小さいのに、いちばん先に決めた色です。

失敗も載せておきます。二枚目の画像の右上、雲を描いたあとに消そうとして、紙の表面が毛羽立ちました。厚い紙でも、三回こすると負けます。

原寸のスキャンは、描きあがったらこの記事に追加します。`,
    visibility: "memberships",
    plan: "natsume_1500",
    days_ago: 69.5,
    picture: {
      scene: "mountain",
      palette: ["#eef1ee", "#a9b9b6", "#56686a", "#e0b25a"],
      alt: "色数をおさえた、雪山とテントの下描き",
    },
  },
  {
    ...open,
    key: "natsume_mountain",
    author: "natsume",
    kind: "image",
    category: "水彩",
    title: "飛ばないテント",
    body: `山に登ったことのないわたしが、大和さんの写真を机に三枚ならべて、一か月かけて登ったつもりになった絵が、ようやく山頂まで塗り終わりました。

雪のところは何も塗っていません。塗らないでおくのが、いちばん勇気のいる作業でした。`,
    days_ago: 60.2,
    picture: {
      scene: "mountain",
      palette: ["#e9f3e6", "#8dbba4", "#24554c", "#f2b84b"],
      alt: "雪をかぶった山と針葉樹の森、山吹色のテントの絵",
    },
  },
  {
    ...open,
    key: "natsume_pans",
    author: "natsume",
    kind: "text",
    category: "らくがき",
    title: "絵の具の並び順、派閥がある",
    body: `固形絵の具のならびを虹の順番にする派と、よく使う順にする派がいるらしいのですが、わたしは買った順にただ詰めているだけなので、青の隣に青がなくて毎回探しています。

みなさんのパレット、どうなっていますか。整頓している方のお話を聞いて、反省だけしたいです。`,
    days_ago: 52.7,
  },
  {
    ...open,
    key: "natsume_vase_video",
    author: "natsume",
    kind: "video",
    category: "水彩",
    title: "ガラスじゃない花びんの描きかた",
    body: `前回の動画で画集が傾いた反省をいかして、今回はあかりさんから譲ってもらった古いミシン台にカメラを固定したので、最初から最後まで画面はまっすぐです。

光の当たるところを先に決めて、そこだけは最後まで触らない、というのを実況しています。途中で鳴く声は、むぎです。`,
    days_ago: 45.4,
    picture: {
      scene: "flowers",
      palette: ["#eef6ea", "#a3c585", "#4b6b3c", "#d97fa8"],
      alt: "花びんの花を描く動画の表紙絵",
    },
  },
  {
    ...open,
    key: "natsume_roughs",
    author: "natsume",
    kind: "image",
    category: "らくがき",
    title: "フォローしてくださっている方へ、ラフのまとめ",
    body: `お仕事の絵になる前の、鉛筆とうすい色だけのラフがだいぶたまってきたので、いつも見に来てくださっている方にだけ、こっそりまとめて置いておきます。

三枚目のきつねは、このあとちゃんとした絵になる予定です。口もとがまだ決まりません。`,
    visibility: "fans",
    days_ago: 38.6,
    picture: {
      scene: "forest",
      palette: ["#f3f1ea", "#c3c8b8", "#77806f", "#d9a679"],
      alt: "うすい色で塗った、森ときつねのラフ",
    },
  },
  {
    ...open,
    key: "natsume_insert",
    author: "natsume",
    kind: "blog",
    category: "制作日記",
    title: "すみれさんの小説に挿絵を描いています",
    body: `菫野すみれさんの次の本で、本文のあいだにはさまる小さな絵を六枚描かせていただくことになり、この二週間は届いた原稿を読んでは泣いて、泣いては描いてという日々でした。

挿絵って、むずかしいですね。文章がもう景色を見せてくれているので、わたしが説明すると邪魔になる。最初の二枚は、書いてあることをそのまま描いてしまって、すみれさんから「なつめさん、これだと読む人の仕事がなくなります」と返ってきました。耳が痛いです。

そこで三枚目からは、書いていないことを描くことにしました。主人公が帰ったあとの番台。だれも見ていない時刻表。灯台の裏側。

載せたのは本には入らなかった一枚で、終電のあとの町です。原稿では一行で通りすぎる場面なのですが、どうしても描きたくて描きました。すみれさんに見せたら、その一行が三行に増えて戻ってきました。

なんだか、文通みたいな仕事です。`,
    days_ago: 31.2,
    picture: {
      scene: "night",
      palette: ["#d8e8f0", "#3f7f93", "#123247", "#ffb37a"],
      alt: "終電のあとの静かな町と、電線の上に広がる星空の絵",
    },
  },
  {
    ...open,
    key: "natsume_fox",
    author: "natsume",
    kind: "image",
    category: "水彩",
    title: "道ばたのきつね",
    body: `ひさしぶりに親戚の家をたずねる山あいの細い道で、車の前をのんびり横切ってから一度だけこちらを振りかえったきつねの、「なにか？」という顔が忘れられなくて描きました。

口もとは、最後まで迷って、閉じました。`,
    days_ago: 25.3,
    picture: {
      scene: "forest",
      palette: ["#e3f4f0", "#7dbdb0", "#1f5058", "#ee7f70"],
      alt: "青みどりの森の小道から、こちらを見ているきつねの絵",
    },
  },
  {
    ...open,
    key: "natsume_wallpaper",
    author: "natsume",
    kind: "image",
    category: "水彩",
    title: "【窓辺の席】今月の壁紙「凪」",
    body: `今月の壁紙は、風のない日の昼下がりの海を、時計や通知の文字が重なっても読みにくくならないように、空をいつもの倍くらい広くとって描きました。

スマートフォン用とパソコン用の二種類です。おまけのむぎは、端のほうで寝ています。`,
    visibility: "memberships",
    plan: "natsume_500",
    days_ago: 18.4,
    picture: {
      scene: "sea",
      palette: ["#eaf7f1", "#8fd0c4", "#3c8a92", "#f4c25e"],
      alt: "風のない昼下がりの、うすみどり色の海の壁紙",
    },
  },
  {
    ...open,
    key: "natsume_nap",
    author: "natsume",
    kind: "image",
    category: "らくがき",
    title: "日当たりの悪い猫",
    body: `せっかく窓辺のいちばんあたたかい場所を片づけて空けておいたのに、わざわざ日の当たらない机の右端、つまりわたしが筆を置きたい場所を選んで居すわるむぎです。

この絵は、左側だけで描きました。`,
    days_ago: 11.6,
    picture: {
      scene: "cat",
      palette: ["#eef4ea", "#a9c8b0", "#3f5f58", "#e8b04f"],
      alt: "緑のカーテンの部屋で、すましてすわる猫の絵",
    },
  },
  {
    ...open,
    key: "natsume_toolbox",
    author: "natsume",
    kind: "blog",
    category: "制作日記",
    title: "道具箱の中身をぜんぶ見せます",
    body: `「何をそろえたら始められますか」というご質問をいただくことが増えてきたので、今日は道具箱をひっくり返して、ほんとうに毎日使っているものだけを正直に書き出してみます。

筆は三本です。太い丸筆、中くらいの丸筆、それから先の割れた古い筆。この割れたのが草むらを描くのに最高で、もう売っていないので替えがききません。

絵の具は十二色。うち四色は、ほとんど減っていません。紫は買ってから五年たちますが、まだ角が残っています。混ぜれば作れる色は、なくても大丈夫です。

水入れは、ジャムの空きびん。二つあると、ひとつはきれいな水のままでいられます。

布は古いタオルを切ったもの。ティッシュだと毛が残るので。

あとは、台所のタイマーと、消しゴムと、むぎ。むぎは道具ではありませんが、いないと休憩の時間がわかりません。

全部でいくらかかるかより、机の上に出しっぱなしにできるかどうかのほうが、つづけるには大事な気がしています。しまうと、出すのが面倒になるんです。わたしだけでしょうか。`,
    days_ago: 4.5,
    picture: {
      scene: "flowers",
      palette: ["#fbf3dc", "#e0b96a", "#7a5a34", "#5b86c4"],
      alt: "水彩の道具を並べたテーブルと花びんの絵",
    },
  },
  {
    ...open,
    key: "natsume_way_home",
    author: "natsume",
    kind: "image",
    category: "水彩",
    title: "雨あがりの帰り道",
    body: `雨があがると田んぼに水がたまって、いつもの帰り道に空がもう一枚ふえたように見えるので、毎回おなじところで自転車をとめてしまい、とうとう絵にしました。

手をつないで歩いていた二人連れは、ほんとうにいました。声はかけていません。`,
    days_ago: 1.3,
    picture: {
      scene: "sunset",
      palette: ["#ffe3c4", "#a98bc4", "#32356b", "#ff7f6b"],
      alt: "紫がかった夕空と、雨あがりの田んぼの道を歩くふたりの絵",
    },
  },
  {
    ...open,
    key: "natsume_postcards",
    author: "natsume",
    kind: "text",
    category: "制作日記",
    title: "ポストカードの通販をはじめます",
    body: `ながらくお待たせしました、「部屋に飾りたい」とお手紙で言っていただくことの多かった絵を八枚選んで、ようやくポストカードの通販をはじめられることになりました。

紙は、絵の具のざらつきが伝わるものを選びました。封筒には一通ずつ、むぎの足あと（はんこです）を押してお送りします。`,
    status: "publish_pending",
    days_ago: -2.5,
  },
  /* ----------------------------------------------------------------- hibiki */
  {
    ...open,
    key: "hibiki_album",
    author: "hibiki",
    kind: "blog",
    category: "デモと断片",
    title: "アルバム『弦と湯気』について",
    body: `『弦と湯気』は、外に出ない日のための全九曲で、録音はすべて自宅の六畳、使ったギターは一本、マイクは二本だけという、機材だけ見ればほとんど宅録を始めた頃のままの作品です。

二曲目の途中で、かすかに「カチ」という音が入っています。ストーブの音です。消して録り直したテイクもあるのですが、聴き比べると、ストーブのあるほうがテンポが良かった。なので残しました。ノイズではなく、打楽器だと思ってください。

五曲目は、もともとゲームのために書いて使われなかった曲です。宿屋で眠る場面の音楽でした。ゲームのほうの宿屋は企画ごとなくなったので、こっちで泊まってもらえればと思います。

ジャケットはなつめさんにお願いしました。打ち合わせで僕が電話に出ているあいだに構図が決まったらしいです。五分間、僕は何の役にも立っていません。

音量は小さめで。`,
    days_ago: 91.3,
    picture: {
      scene: "guitar",
      palette: ["#efe6dc", "#b7b39c", "#4a4136", "#cf7a45"],
      alt: "録音部屋のギターとアンプ",
    },
  },
  {
    ...open,
    key: "hibiki_strings",
    author: "hibiki",
    kind: "text",
    category: "機材と弦の話",
    title: "弦を替える日と替えない日",
    body: `弦は新しいほど良い音がすると思われがちですが、録音に限って言えば、張ってから三日目の、きらきらした成分が少し落ちて指になじんだあたりがいちばん使いやすいです。

なので録音の予定が決まると、逆算して三日前に張ります。雨だと四日前。`,
    days_ago: 63.1,
  },
  {
    ...open,
    key: "hibiki_demo_station",
    author: "hibiki",
    kind: "video",
    category: "デモと断片",
    title: "デモ「各駅停車」40秒",
    body: `電車の扉が閉まるときの三つの音をそのままリフにできないかと思って、帰りのホームで口ずさんだ録音を家でギターに置きかえた、四十秒だけの断片です。

続きはまだありません。終点を考えています。`,
    days_ago: 40.2,
    picture: {
      scene: "city",
      palette: ["#e6f2f4", "#7fb5b5", "#2c5560", "#f5b14c"],
      alt: "町を走る各駅停車の電車",
    },
  },
  {
    ...open,
    key: "hibiki_tabs",
    author: "hibiki",
    kind: "text",
    category: "機材と弦の話",
    title: "【椅子の方へ】二曲目「湯気」のチューニングとコード譜",
    body: `質問の多かった「湯気」ですが、六弦から順にC・G・C・G・C・Eという開放でCが鳴るチューニングで、カポは使わず、右手はほとんど親指と人差し指だけで弾いています。

一か所だけ押さえるのがつらい和音があります。僕もつらいです。省略しても曲は壊れません。`,
    visibility: "memberships",
    plan: "hibiki_500",
    days_ago: 28.8,
  },
  {
    ...open,
    key: "hibiki_night_rec",
    author: "hibiki",
    kind: "image",
    category: "デモと断片",
    title: "夜の録音部屋",
    body: `夜中の二時を過ぎると前の通りを車が一台も通らなくなるので、静かな曲の録音はどうしてもこの時間になり、次の日の午前中は人として使いものになりません。

今夜録ったのは三分の曲。テイク数は言いたくない数です。`,
    days_ago: 6.7,
    picture: {
      scene: "guitar",
      palette: ["#dfe3ee", "#7f90b5", "#2b3352", "#e8a13f"],
      alt: "夜の録音部屋に置いたギターとランプ",
    },
  },
  /* ----------------------------------------------------------------- sumire */
  {
    ...open,
    key: "sumire_bath",
    author: "sumire",
    kind: "blog",
    category: "掌編",
    title: "掌編「番台のひと」",
    body: `廃業した銭湯の番台に、毎晩七時になるときまって祖母がすわりに行くのだと母から聞かされたのは、わたしが大学の寮を引きはらって家に戻った、その日の夕方のことだった。

「止めなくていいの」
「止めたわよ。でも、お釣りを間違えたままの人がいるんだって」

湯はもう三年、沸いていない。それでも祖母は、座布団を二つに折って番台にのぼり、手提げ金庫を開け、十円玉を数える。わたしは脱衣所の籐の椅子にすわって、それを見ていた。

七時半をまわったころ、引き戸が開いた。知らない老人が立っていて、帽子をとり、「すみません、あのときの」と言った。

祖母は顔も上げずに、十円玉を三枚、台の上にすべらせた。

「遅いよ」

老人は三枚を受けとって、一枚だけ返した。「傘、借りてたでしょう。あれの分です」

祖母は少し考えてから、その一枚を金庫に入れ、ぱちんと閉めた。次の日から、祖母は番台に行かなくなった。`,
    days_ago: 120.6,
    picture: {
      scene: "night",
      palette: ["#e6dcf0", "#7a6aa0", "#2e2346", "#f3b765"],
      alt: "夜の町並みと、ぽつんとともる街灯",
    },
  },
  {
    ...open,
    key: "sumire_timetable",
    author: "sumire",
    kind: "text",
    category: "書きかけ日記",
    title: "時刻表を読む夜",
    body: `書けない夜は時刻表を開くことにしていて、もう走っていない路線の、もう停まらない駅の、もう誰も乗り遅れることのない終電の時刻を、声に出さずに順番に読んでいく。

三駅目あたりで、たいてい誰かが降りてくる。その人の話を書けばよい。`,
    days_ago: 77.9,
  },
  {
    ...open,
    key: "sumire_illustration",
    author: "sumire",
    kind: "blog",
    category: "書きかけ日記",
    title: "挿絵が来ると、一行が三行になる",
    body: `次の本ではなつめさんに挿絵をお願いしていて、先週届いた六枚のうちの一枚があまりに良かったものだから、とうに校了したつもりでいた場面をまるごと書き直す羽目になっている。

終電が出たあとの町の絵である。原稿では「町は寝ていた」としか書いていない。ところが絵のなかの町は、寝ていない。窓がいくつも点いている。よく見ると電柱のそばに猫までいる。

こちらは言葉で飯を食っている身なので、絵に先を越されると素直に悔しい。悔しいので、猫を一匹、本文にも出すことにした。名前はまだつけていない。なつめさんの家の猫は「むぎ」というそうだから、それ以外にする。

担当のかたには叱られた。頁が一枚増えると、紙代が変わるのだそうだ。猫一匹の値段を、わたしは今回はじめて知った。`,
    days_ago: 29.4,
    picture: {
      scene: "cat",
      palette: ["#f1ecf7", "#a99bc8", "#403659", "#c98a5a"],
      alt: "原稿のわきの窓辺にすわる猫",
    },
  },
  {
    ...open,
    key: "sumire_draft",
    author: "sumire",
    kind: "blog",
    category: "掌編",
    title: "【下読み】「返却期限」冒頭",
    body: `図書館に本を返しに来たその男が、貸出カードの日付を見て笑ったのは、返却期限がちょうど三十年前の今日になっていたからで、わたしのほうは笑いごとではなかった。

延滞の督促は、原則として本人が来館するまで続く。規則の第九条にそう書いてある。そしてその督促状を書いてきたのは、わたしの母であり、母の前は、母の上司だった人である。

「延滞料は」
「当館では、いただいておりません」
「じゃあ、何を払えばいいんですか」

わたしは規則の綴りを開き、第十条を指でなぞった。感想を一言、と書いてある。ひどく小さな字で、そこだけ手書きだった。

（つづきは推敲中です。男が何と言ったか、案が三つあります。ご意見ください）`,
    visibility: "memberships",
    plan: "sumire_300",
    days_ago: 14.2,
  },
  {
    ...open,
    key: "sumire_private",
    author: "sumire",
    kind: "text",
    category: null,
    title: "（非公開）あとがきの下書き",
    body: `本書に収めた九篇のうち、いちばん古いものは学生のころに書いた銭湯の話で、いちばん新しいものは校了の前の晩、担当のかたに電話口で謝りながら書いた図書館の話である。

ここから謝辞。順番で揉めるので五十音順にする。`,
    status: "private",
    days_ago: 8.9,
  },
  /* ----------------------------------------------------------------- yamato */
  {
    ...open,
    key: "yamato_ridge",
    author: "yamato",
    kind: "image",
    category: "山行記録",
    title: "四時二十分、稜線",
    body: `テント場を二時半に出て、ヘッドライトの輪だけを見ながらガレ場を登り、東の空が色づきはじめたところで三脚を立てて、そこから十一分間だけ撮れた光です。

気温は氷点下三度。バッテリーは懐で温めておかないと十枚で落ちます。`,
    days_ago: 130.3,
    picture: {
      scene: "mountain",
      palette: ["#fdeee0", "#8fb3c9", "#2f4d63", "#f08a5d"],
      alt: "朝の光を受ける雪の稜線と、針葉樹の森",
    },
  },
  {
    ...open,
    key: "yamato_retreat",
    author: "yamato",
    kind: "blog",
    category: "山行記録",
    title: "撮らずに下りた日",
    body: `今回は一枚も写真がありません、山頂まであと標高差で二百メートルというところまで行って、風が強くなったので引き返してきた、ただそれだけの記録になります。

朝の時点では晴れていました。予報も悪くなかった。ただ、尾根に出たとたんに、ザックカバーがばたばた鳴りはじめて、足もとの雪が真横に流れていくのが見えました。

カメラを出せば撮れたと思います。たぶん、いい写真になった。でも手袋を外すのに三十秒、設定に十秒、しまうのに三十秒。その一分ちょっとが惜しいと感じたら下りる、というのを自分の決まりにしています。

下りる途中で、同じように引き返してきた年配の方と一緒になりました。「山は逃げんからね」と言うので「よく聞きますけど、逃げますよね、天気は」と返したら、笑われました。

翌週も同じ山です。`,
    days_ago: 88.4,
  },
  {
    ...open,
    key: "yamato_forest",
    author: "yamato",
    kind: "image",
    category: "山行記録",
    title: "登山口までの三十分",
    body: `山の写真というとどうしても頂上の話になりますが、正直に言うと、僕は登山口までの森を歩いているあいだにシャッターを切る回数がいちばん多いです。

この日は霧が抜けるのを待って四十分。後ろから来た人、全員に抜かれました。`,
    days_ago: 47.6,
    picture: {
      scene: "forest",
      palette: ["#f4f2dd", "#b5b88a", "#45512f", "#d9773f"],
      alt: "霧の抜けた、登山口へ続く森の道",
    },
  },
  {
    ...open,
    key: "yamato_city",
    author: "yamato",
    kind: "image",
    category: null,
    title: "たまには町",
    body: `現場が駅前だったので、昼休みにビルの屋上から測量用ではないほうのカメラを向けてみたのですが、水平が出ていないと落ちつかないのは完全に職業病だと思います。

等高線のない景色も、悪くないです。`,
    days_ago: 16.5,
    picture: {
      scene: "city",
      palette: ["#fff0da", "#c6b8a4", "#5a5560", "#d9663f"],
      alt: "屋上から見た駅前のビル街と電車",
    },
  },
  /* ----------------------------------------------------------------- kanade */
  {
    ...open,
    key: "kanade_radio_30",
    author: "kanade",
    kind: "text",
    category: "夜ふかし缶詰",
    title: "夜ふかし缶詰 第30回 後記",
    body: `記念すべき第三十回だったのに、オープニングで番組名を「夜ふかし瓶詰」と言い間違えたまま二分も気づかずに喋りつづけていたことを、ここに正直にご報告いたします！

編集で直そうかと思ったけど、コメント欄がいちばん盛り上がったのがそこだったので、そのまま残しました。瓶詰派のみなさん、ごめんね。`,
    days_ago: 101.7,
  },
  {
    ...open,
    key: "kanade_narration",
    author: "kanade",
    kind: "blog",
    category: "声のしごと",
    title: "「間」を読むってどういうこと？",
    body: `先日ナレーションの収録で「いまの、すごく良かったです、ただ点のところで半拍だけ待ってもらえますか」と言われて、その半拍がどうしてもわからず、八回録り直した話をさせてください！

一回目、待ちました。長いと言われました。二回目、短い。三回目、「今度は息が聞こえちゃいました」。四回目はおなかが鳴りました。

ブースの外でディレクターさんが、うーんと考えて、それから「じゃあ、湯のみを置いてから言ってみて」って。湯のみ、ないんですけど。でも、置いたつもりで、ことん、とやってから読んだら、一発でオッケーでした。

間って、黙ることじゃなくて、なにかをしている時間なんですね。ひとつ前のことばの余韻を片づけたり、次のことばを取りに行ったり。

それ以来、原稿の「、」の横に、湯のみとか、ドアとか、犬とか書いてます。人に見られたら説明に困る台本です。`,
    days_ago: 72.5,
  },
  {
    ...open,
    key: "kanade_reading_video",
    author: "kanade",
    kind: "video",
    category: "声のしごと",
    title: "朗読：菫野すみれ「番台のひと」",
    body: `すみれ先生にお許しをいただいて、わたしの大好きな掌編「番台のひと」を、ひびきさんのギターといっしょに朗読させてもらいました、ぜひ夜に、できればお風呂あがりに聴いてください！

おばあちゃんの「遅いよ」の言いかた、録り終わってからも三日くらい家で練習してました。`,
    days_ago: 34.3,
    picture: {
      scene: "night",
      palette: ["#f3e3d0", "#8a6a7f", "#352238", "#ffc27a"],
      alt: "朗読動画の表紙。夜の町と月",
    },
  },
  {
    ...open,
    key: "kanade_members",
    author: "kanade",
    kind: "text",
    category: "夜ふかし缶詰",
    title: "【缶切り会員さんへ】おやすみ朗読のリクエスト募集",
    body: `来月のおやすみ朗読で読んでほしい題材を募集します、童話でも詩でも、取扱説明書でも、むかし国語の教科書で読んで忘れられないあのお話でも、なんでもどうぞ！

前回いちばん眠れたと評判だったのは、まさかの「炊飯器の説明書」でした。わたしも読みながら寝ました。`,
    visibility: "memberships",
    plan: "kanade_800",
    days_ago: 9.4,
  },
  /* ------------------------------------------------------------------ akari */
  {
    ...open,
    key: "akari_pouch",
    author: "akari",
    kind: "image",
    category: "新作のおしらせ",
    title: "花びん柄のがまぐち、できました🌷",
    body: `祖母の洋裁店の棚の奥から出てきた古い花柄の生地が、色あせかたまでとってもかわいかったので、柄のいちばんいいところが真ん中に来るように、ひとつずつ裁ってがまぐちにしました🌷

同じ生地はもうないので、全部で七つきりです〜。`,
    days_ago: 82.2,
    picture: {
      scene: "flowers",
      palette: ["#fff3ec", "#d9b8a0", "#7d5a5a", "#d9566f"],
      alt: "がまぐちの生地になった、古い花柄の図案",
    },
  },
  {
    ...open,
    key: "akari_fail",
    author: "akari",
    kind: "blog",
    category: "おやつの時間",
    title: "ふくらまなかったケーキの、おいしい食べかた",
    body: `今日はお取り置きのお約束をしていたケーキのスポンジが三台つづけてぺしゃんこになってしまい、オーブンの前でしゃがみこんで十分くらい動けなかった、という情けないお話から始めます😂

原因はたぶん、卵が冷たかったこと。それと、わたしが焦っていたこと。生地って、こちらの気分がぜんぶ伝わるんですよね。祖母もミシンについて同じことを言っていました。

で、ぺしゃんこの三台、どうしたかといいますと。
細長く切って、低い温度でもう一度、かりかりになるまで焼きました。そこへ溶かしたチョコレートをちょっと。これが、びっくりするくらいおいしい。お茶を持ってきた母が「新作？」と言うので、新作です、と答えました。

四台目はちゃんとふくらみました🍰 お待たせしたぶん、いちごを多めにのせてお渡ししました。

かりかりのほうは「しょんぼりラスク」という名前で、土曜日に少しだけ並べますね〜。`,
    days_ago: 55.1,
    picture: {
      scene: "cake",
      palette: ["#eef3fb", "#b4b9e2", "#4a4a78", "#f2889b"],
      alt: "きれいに焼きあがった、いちごのケーキ",
    },
  },
  {
    ...open,
    key: "akari_guitar_strap",
    author: "akari",
    kind: "image",
    category: "新作のおしらせ",
    title: "ギターストラップ、縫ってみました🎸",
    body: `ひびきさんに「肩が痛くならないストラップって縫えますか」と相談されて、帯芯とデニムを何枚も重ねて試作すること六本目、やっと重さがふんわり分かれるものができました🎸

ミシンの針を二本折りました。ご興味のあるかた、お手紙で教えてくださいね。`,
    days_ago: 21.8,
    picture: {
      scene: "guitar",
      palette: ["#fdf0e2", "#c9b79a", "#5b4a4a", "#d9822f"],
      alt: "新しいストラップをつける予定のギター",
    },
  },
  {
    ...open,
    key: "akari_saturday",
    author: "akari",
    kind: "image",
    category: "おやつの時間",
    title: "土曜の棚、今週はレモンのケーキ🍋",
    body: `ご近所さんから段ボールひと箱ぶんのレモンをいただいたので、今週の土曜の棚はレモンづくし、皮をたっぷりすりおろしたケーキと、残った果汁で作ったジャムが並びます🍋

すりおろし係の母の指先が、いまとてもいい香りです。`,
    days_ago: 3.6,
    picture: {
      scene: "cake",
      palette: ["#fdf8e0", "#bcd69c", "#5f6a45", "#f5cb45"],
      alt: "輪切りのレモンをのせたケーキと、マカロンとお茶",
    },
  },
];
