import { type Post, publicPost } from "./post.ts";

export const hibiki: readonly Post[] = [
  {
    ...publicPost,
    key: "hibiki_moved",
    author: "hibiki",
    kind: "text",
    category: "機材と弦の話",
    title: "日記をこちらへ移します",
    body: `前に使っていた日記のサービスが終わるというので、こちらへ引っ越します。過去の記事は持ってきません。七年ぶん読み返したら、半分は「眠い」でした。`,
    days_ago: 310.4,
  },
  {
    ...publicPost,
    key: "hibiki_metronome",
    author: "hibiki",
    kind: "text",
    category: "機材と弦の話",
    title: "フォローしてくれている人にだけ、失敗の話",
    body: `三日かけて録った曲のメトロノームが、最初から最後まで半拍ずれていました。気持ちよく弾けるなと思っていたら、ずれているほうに体が慣れていただけでした。

全部録り直して、今度は正しい位置で弾いています。気持ちよくありません。`,
    visibility: "fans",
    days_ago: 205.3,
  },
  {
    ...publicPost,
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
    ...publicPost,
    key: "hibiki_strings",
    author: "hibiki",
    kind: "blog",
    category: "機材と弦の話",
    title: "弦を替える日と替えない日",
    body: `弦は新しいほど良い音がすると思われがちですが、録音に限って言えば、張ってから三日目の、きらきらした成分が少し落ちて指になじんだあたりがいちばん使いやすいです。

> 張ってから三日目。雨だと四日目。

[音声:1]

上が三日目の音です。なので録音の予定が決まると、逆算して三日前に張ります。雨だと四日前。`,
    days_ago: 63.1,
    has_sound: true,
  },
  {
    ...publicPost,
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
    video_url: "https://www.youtube.com/watch?v=M7lc1UVf-VE",
  },
  {
    ...publicPost,
    key: "hibiki_station_two",
    author: "hibiki",
    kind: "video",
    category: "デモと断片",
    title: "【椅子の方へ】「各駅停車」二番線",
    body: `四十秒の断片に、続きが七十秒つきました。

1. 扉の音（前と同じ）
2. 走り出し。六弦だけ、だんだん速く
3. 鉄橋。ここだけマイクを窓の外に向けています
4. 次の駅。扉の音が半音低い

終点はまだです。三番のところで、下の階の人が布団をたたく音が入りました。鉄橋らしくなったので残します。`,
    visibility: "memberships",
    plan: "hibiki_500",
    days_ago: 35.6,
    picture: {
      scene: "city",
      palette: ["#eef0e2", "#a8b890", "#45583f", "#e2734f"],
      alt: "緑がかった町と電波塔、高架を走る電車",
    },
  },
  {
    ...publicPost,
    key: "hibiki_tabs",
    author: "hibiki",
    kind: "blog",
    category: "機材と弦の話",
    title: "【椅子の方へ】二曲目「湯気」のチューニングとコード譜",
    body: `質問の多かった「湯気」ですが、六弦から順にC・G・C・G・C・Eという開放でCが鳴るチューニングで、カポは使わず、右手はほとんど親指と人差し指だけで弾いています。

一か所だけ押さえるのがつらい和音があります。僕もつらいです。省略しても曲は壊れません。`,
    visibility: "memberships",
    plan: "hibiki_500",
    days_ago: 28.8,
  },
  {
    ...publicPost,
    key: "hibiki_inn",
    author: "hibiki",
    kind: "blog",
    category: "デモと断片",
    title: "宿屋の曲に、宿屋ができました",
    body: `『弦と湯気』の五曲目は、企画ごとなくなったゲームの宿屋の音楽だった、と以前書きました。

それを読んだ蓮見れんさんという方から手紙が届きました。ひとりで、宿屋が舞台のゲームを三年作っているそうです。「宿屋はあるのですが、曲がありません」とありました。曲はあるのに宿屋がない人間と、ちょうど逆です。

体験版を遊ばせてもらいました。戸を開けると、主人がこちらを見ないまま「濡れてますね」と言います。その一言でだいたい決まりました。

五曲目を、宿帳を書いているあいだだけ鳴るように短くしました。ペンを置くと、音が止みます。書かないでいると、いつまでも鳴っています。`,
    days_ago: 10.9,
    picture: {
      scene: "guitar",
      palette: ["#f2e4e0", "#c69a94", "#553640", "#d99a3c"],
      alt: "赤みのある明かりの録音部屋に立てたギター",
    },
  },
  {
    ...publicPost,
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
];
