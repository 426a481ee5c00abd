import { type Post, publicPost } from "./post.ts";

/** Natsume's later posts. */
export const natsume: readonly Post[] = [
  {
    ...publicPost,
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
    ...publicPost,
    key: "natsume_train_scan",
    author: "natsume",
    kind: "image",
    category: "水彩",
    title: "【合鍵の方へ】高架の電車、原寸スキャンと色の控え",
    body: `先日の「高架の電車」を、紙のざらつきまで見える大きさで読みこみなおしましたので、合鍵をお持ちのみなさんにお渡しします。

===

空に使ったのは二色だけです。上のほうは空の青をうんと薄く、下は珊瑚色。境目は、水だけを含ませた筆で三回なでました。四回なでた試し描きは、どろどろになりました。
電車の白は、塗り残しが半分、あとから白い絵の具でおこしたのが半分です。ずるをしたところは拡大するとわかります。`,
    visibility: "memberships",
    plan: "natsume_1500",
    days_ago: 74.1,
    picture: {
      scene: "city",
      palette: ["#f3eee6", "#b9b3c9", "#565068", "#e58f74"],
      alt: "色の控えを添えた、高架を走る電車の絵のスキャン",
    },
    more: [
      { scene: "city", palette: ["#f3eee6", "#cfc8d6", "#8a839b", "#e58f74"], alt: "電車の窓の部分を大きく写したもの" },
      { scene: "city", palette: ["#fbf3e4", "#d9cfc0", "#948b80", "#d97f6a"], alt: "空に使った二色の控え" },
    ],
  },
  {
    ...publicPost,
    key: "natsume_mountain_draft",
    author: "natsume",
    kind: "blog",
    category: "制作日記",
    title: "【合鍵の方へ】山の絵の下描きと配色メモ",
    body: `いま描いている山の絵がようやく半分まで来たので、合鍵をお持ちのみなさんには、ひと足先に鉛筆の下描きと、パレットの横に置いている配色のメモをそのままお見せします。

もとになっているのは、大和さんの写真です。許可をいただいたうえで、三枚を一枚に組みなおしました。

[画像:2]

尾根の線は写真のまま、手前の木立は入れ替え、テントは想像です。大和さんからのひとこと。

> その場所にテントを張ると風で飛ばされます。

絵なので、飛ばないことにします。

===

# 配色は五つ

1. 空の灰みどり
2. 遠い山の青
3. 近い山の深緑
4. 雪は紙の白
5. テントの山吹

山吹がいちばん小さいのに、いちばん先に決めた色です。

[画像:3]

# 失敗も載せておきます

右上、雲を描いたあとに消そうとして、紙の表面が毛羽立ちました。厚い紙でも、三回こすると負けます。

原寸のスキャンは、描きあがったらこの記事に追加します。`,
    visibility: "memberships",
    plan: "natsume_1500",
    days_ago: 69.5,
    picture: {
      scene: "mountain",
      palette: ["#eef1ee", "#a9b9b6", "#56686a", "#e0b25a"],
      alt: "色数をおさえた、雪山とテントの下描き",
    },
    more: [
      { scene: "mountain", palette: ["#f4f4f0", "#cfd4d2", "#8d9794", "#b9b2a1"], alt: "鉛筆で描いた尾根の下描き" },
      { scene: "mountain", palette: ["#e6ecea", "#93a9a6", "#3d5556", "#d9a441"], alt: "配色を試した山の小さな絵" },
    ],
  },
  {
    ...publicPost,
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
    ...publicPost,
    key: "natsume_chair_video",
    author: "natsume",
    kind: "video",
    category: "水彩",
    title: "【となりの椅子】三十分、ただ描いています",
    body: `早送りも、音楽も、字幕もありません。

はじめの六分は、紙を湿らせて待っているだけです。とちゅうで宅配便が来て、むぎが画面の左から右へ走りぬけ、二分ほど無人になります。
となりの椅子に座っているつもりで、お茶でも飲みながらどうぞ。眠くなったら寝てください。わたしも編集しながら寝ました。`,
    visibility: "memberships",
    plan: "natsume_3000",
    days_ago: 56.4,
    picture: {
      scene: "flowers",
      palette: ["#eef2f7", "#9fb7c9", "#3f5a6e", "#e9a06a"],
      alt: "机の上の花びんと、開いたままの絵の具箱",
    },
  },
  {
    ...publicPost,
    key: "natsume_pans",
    author: "natsume",
    kind: "blog",
    category: "らくがき",
    title: "絵の具の並び順、派閥がある",
    body: `固形絵の具のならびを虹の順番にする派と、よく使う順にする派がいるらしいのですが、わたしは買った順にただ詰めているだけなので、青の隣に青がなくて毎回探しています。

みなさんのパレット、どうなっていますか。整頓している方のお話を聞いて、反省だけしたいです。`,
    days_ago: 52.7,
  },
  {
    ...publicPost,
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
    video_url: "https://vimeo.com/76979871",
  },
  {
    ...publicPost,
    key: "natsume_answers",
    author: "natsume",
    kind: "blog",
    category: "制作日記",
    title: "お手紙でいただいた質問に、まとめてお答えします",
    body: `フォローしてくださっているみなさんから届いた質問が、封筒の形の箱にいっぱいになりました。ひとつずつお返事するつもりが間に合わなかったので、ここでまとめてお答えします。

# 朝型ですか、夜型ですか

光のある時間に描きたいので朝型です。ただし起きるのは苦手です。矛盾しています。

# むぎちゃんは絵の上を歩きませんか

歩きます。乾いていないときを選んで歩きます。足あとごと仕上げた絵が二枚あります。

# 描けない日はどうしていますか

筆を洗います。洗う筆がなくなったら、鉛筆をけずります。鉛筆もなくなったら、その日はおしまいです。

# いちばん高かった道具は何ですか

エアコンです。夏に紙が波うつので。

# 海はもう飽きませんか

まだ同じ海を見たことがないです。

---

五つめのお返事だけ、少し格好をつけました。`,
    visibility: "fans",
    days_ago: 42.1,
  },
  {
    ...publicPost,
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
    more: [
      { scene: "cat", palette: ["#f4efe6", "#cbbfae", "#7d7264", "#c98b6a"], alt: "ねこのラフ" },
      { scene: "forest", palette: ["#eef0e6", "#b9c2a8", "#6f7a62", "#d08b4c"], alt: "きつねのラフ" },
      { scene: "sea", palette: ["#eef3f4", "#b8cbd0", "#66818a", "#d9a27c"], alt: "海のラフ" },
      { scene: "night", palette: ["#e9e7ee", "#a9a5bb", "#565270", "#d8b45f"], alt: "夜の坂道のラフ" },
    ],
  },
  {
    ...publicPost,
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
    ...publicPost,
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
    ...publicPost,
    key: "natsume_lighthouse_back",
    author: "natsume",
    kind: "image",
    category: "水彩",
    title: "灯台の裏側、描きかけ",
    body: `すみれさんの挿絵の六枚目。まだ誰にも見せない。空の色が決まるまで寝かせる。

（右の岩、削りすぎ。波の白はマスキングでなく塗り残しで）`,
    status: "private",
    days_ago: 22.7,
    picture: {
      scene: "sea",
      palette: ["#f1eee8", "#a7b3bb", "#4a5766", "#d8a15a"],
      alt: "灰色の海と灯台の、描きかけの絵",
    },
  },
  {
    ...publicPost,
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
    ...publicPost,
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
    ...publicPost,
    key: "natsume_toolbox",
    author: "natsume",
    kind: "blog",
    category: "制作日記",
    title: "道具箱の中身をぜんぶ見せます",
    body: `「何をそろえたら始められますか」というご質問をいただくことが増えてきたので、今日は道具箱をひっくり返して、ほんとうに**毎日使っているものだけ**を正直に書き出してみます。

# 筆は三本

- 太い丸筆
- 中くらいの丸筆
- 先の割れた古い筆

この割れたのが草むらを描くのに最高で、もう売っていないので替えがききません。

# 絵の具は十二色

うち四色は、ほとんど減っていません。紫は買ってから五年たちますが、まだ角が残っています。

> 混ぜれば作れる色は、なくても大丈夫。

[画像:2]

# そのほか

## 水入れ

ジャムの空きびん。二つあると、ひとつはきれいな水のままでいられます。

## 布

古いタオルを切ったもの。ティッシュだと毛が残るので。

## タイマーと、消しゴムと、むぎ

むぎは道具ではありませんが、いないと休憩の時間がわかりません。

---

全部でいくらかかるかより、机の上に出しっぱなしにできるかどうかのほうが、つづけるには大事な気がしています。しまうと、出すのが面倒になるんです。わたしだけでしょうか。

紙の話は[水彩紙のメーカーのページ](https://www.example.com/paper)がくわしいです。`,
    days_ago: 4.5,
    picture: {
      scene: "flowers",
      palette: ["#fbf3dc", "#e0b96a", "#7a5a34", "#5b86c4"],
      alt: "水彩の道具を並べたテーブルと花びんの絵",
    },
    more: [
      {
        scene: "flowers",
        palette: ["#f6f1e7", "#d8b08c", "#6b5844", "#5d8aa8"],
        alt: "パレットのわきに並べた花びんと筆洗い",
      },
    ],
  },
  {
    ...publicPost,
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
    more: [
      { scene: "sunset", palette: ["#fff0d9", "#f2b79b", "#7d6b8f", "#3d4c72"], alt: "田んぼに空が映ったところ" },
      { scene: "sunset", palette: ["#fdebd8", "#e9a58c", "#8f7390", "#445379"], alt: "二人連れのいるあたりを大きく" },
      { scene: "sea", palette: ["#e8f1f2", "#a9c7cf", "#56788a", "#f0a868"], alt: "下描きのときの水の色" },
      { scene: "sunset", palette: ["#fbe4cf", "#d98f7c", "#6e5f86", "#2f3d61"], alt: "いちばん最後に重ねた夕方の色" },
      { scene: "flowers", palette: ["#f3f1e6", "#b7c49a", "#65734f", "#d98f5f"], alt: "道ばたの草花" },
    ],
  },
  {
    ...publicPost,
    key: "natsume_postcards",
    author: "natsume",
    kind: "blog",
    category: "制作日記",
    title: "ポストカードの通販をはじめます",
    body: `ながらくお待たせしました、「部屋に飾りたい」とお手紙で言っていただくことの多かった絵を八枚選んで、ようやくポストカードの通販をはじめられることになりました。

紙は、絵の具のざらつきが伝わるものを選びました。封筒には一通ずつ、むぎの足あと（はんこです）を押してお送りします。`,
    status: "publish_pending",
    days_ago: -2.5,
  },
  {
    ...publicPost,
    key: "natsume_next_wallpaper",
    author: "natsume",
    kind: "image",
    category: "水彩",
    title: "【窓辺の席】来月の壁紙「小春」",
    body: `寒くなる前に一日だけある、上着のいらない午後を描きました。ロック画面の時計がちょうど空に入る位置です。

今月のむぎは、花びんの影で丸くなっています。見つからなかった方はお手紙ください。場所をお教えします。`,
    visibility: "memberships",
    plan: "natsume_500",
    status: "publish_pending",
    days_ago: -6.2,
    picture: {
      scene: "flowers",
      palette: ["#fdf3e0", "#cdc79b", "#6c6a43", "#ef9060"],
      alt: "小春日和の窓辺に置いた花びんの壁紙",
    },
  },
];
