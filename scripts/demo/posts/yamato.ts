import { type Post, publicPost } from "./post.ts";

export const yamato: readonly Post[] = [
  {
    ...publicPost,
    key: "yamato_first",
    author: "yamato",
    kind: "text",
    category: null,
    title: "写真の置き場所を作りました",
    body: `職場の後輩に言われて登録しました。山の写真を置いていきます。撮影地は書きますが、細かい場所は書きません。足場の悪いところが多いので。

コメントやお手紙の返事は、下山してからになります。`,
    days_ago: 352.2,
  },
  {
    ...publicPost,
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
    more: [
      { scene: "mountain", palette: ["#dfe6ee", "#8fa3b8", "#33455c", "#f0b27a"], alt: "日の出の十分前の稜線" },
      { scene: "mountain", palette: ["#fbe3cf", "#d59b83", "#4d4a63", "#f4d06f"], alt: "日が当たりはじめた稜線" },
      { scene: "night", palette: ["#c9d3e2", "#5f7392", "#1d2b45", "#f1c27d"], alt: "まだ星の残る西の空" },
    ],
  },
  {
    ...publicPost,
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
    ...publicPost,
    key: "yamato_pack",
    author: "yamato",
    kind: "blog",
    category: "道具と手入れ",
    title: "ザックの中身、重さつき",
    body: `フォローしてくれている方から二度きかれたので、秋の一泊ぶんを台所のはかりで全部はかりました。

# 重さ

- テント　1,180g
- 寝袋　620g
- マット　330g
- 火器と鍋　410g
- 食料　1,050g（うち羊羹230g）
- 水　2,000g
- 雨具と防寒着　890g
- カメラ、レンズ2本　2,240g
- 三脚　1,310g
- 予備の電池、手袋、その他　760g

**合計で10,790g**です。撮影の道具が三分の一をこえています。山の先輩には「それは登山ではなく運搬だ」と言われます。

三脚を800gのものに替えれば楽になるのは、わかっています。替えません。風の日に、一度だけ替えて後悔したので。`,
    visibility: "fans",
    days_ago: 66.4,
  },
  {
    ...publicPost,
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
    ...publicPost,
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
  {
    ...publicPost,
    key: "yamato_clouds_video",
    author: "yamato",
    kind: "video",
    category: "山行記録",
    title: "雲海、六時間を九十秒で",
    body: `夜中の一時から朝の七時まで、同じ場所で二十秒に一枚。雲が谷を埋めて、岬のように尾根だけが残り、日が昇るとほどけていくまでです。

四十二秒のところで画面が一度ゆれます。鹿が三脚の脚をかぎに来ました。`,
    days_ago: 5.2,
    picture: {
      scene: "mountain",
      palette: ["#f6e6ec", "#b49ac0", "#493d66", "#f3a86a"],
      alt: "紫色の夜明けの空に立つ雪の峰と、ふもとのテント",
    },
    video_url: "https://vimeo.com/76979871",
  },
];
