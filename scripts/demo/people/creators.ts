import type { Person } from "./person.ts";

/** The people of the demo world who publish. */
export const creators: readonly Person[] = [
  {
    key: "natsume",
    link_id: "natsume",
    name: "なつめ",
    bio: `海のそばの古いアパートで、透明水彩の絵を描いています。
船着き場、坂道、窓辺の花、それから同居猫のむぎ。遠くへ行かなくても描けるものばかりです。
書籍の装画やCDジャケットのお仕事もお受けしています（ただいま二か月ほどお待ちいただいています）。
いただいたお手紙は、絵の具が乾くのを待つあいだに読んでいます。`,
    is_creator: true,
    genres: ["illustration", "manga"],
    links: [
      { external_site_id: "x", url: "https://x.example.com/natsume_e" },
      { external_site_id: "pixiv", url: "https://pixiv.example.com/users/natsume_e" },
      { external_site_id: "instagram", url: "https://instagram.example.com/natsume_e" },
      { external_site_id: "booth", url: "https://natsume-e.booth.example.com/" },
    ],
    face: {
      skin: "#ffdcc2",
      hair: "#5a3a2e",
      hair_style: "bob",
      background: "#cfe8ef",
      accent: "#4f8fb0",
      mood: "smile",
    },
  },
  {
    key: "hibiki",
    link_id: "hibiki",
    name: "ひびき",
    bio: `作曲とギター。ゲームと短編アニメの音楽を作っています。
一日一回は弦に触る、を五年続けています。例外は歯を抜いた日だけ。`,
    is_creator: true,
    genres: ["music", "game"],
    links: [
      { external_site_id: "soundcloud", url: "https://soundcloud.example.com/hibiki_sound" },
      { external_site_id: "youtube", url: "https://youtube.example.com/@hibiki_sound" },
      { external_site_id: "x", url: "https://x.example.com/hibiki_sound" },
    ],
    face: {
      skin: "#f6cfae",
      hair: "#39405e",
      hair_style: "spiky",
      background: "#fbe0b8",
      accent: "#d9783f",
      mood: "calm",
    },
  },
  {
    key: "sumire",
    link_id: "sumire",
    name: "菫野すみれ",
    bio: `小説を書いています。銭湯、時刻表、返しそびれた本の話が多いです。
短いものはここで読めます。長いものは本にしています。
誤字を見つけた方はそっと教えてください。お礼に登場人物の名前をひとり決める権利を差し上げます。`,
    is_creator: true,
    genres: ["novel"],
    links: [
      { external_site_id: "note", url: "https://note.example.com/sumireno" },
      { external_site_id: "booth", url: "https://sumireno.booth.example.com/" },
      { external_site_id: "bluesky", url: "https://bluesky.example.com/sumireno" },
    ],
    face: {
      skin: "#ffe1cf",
      hair: "#3a2f45",
      hair_style: "long",
      background: "#e6def5",
      accent: "#8464b4",
      mood: "calm",
    },
  },
  {
    key: "yamato",
    link_id: "yamato",
    name: "大和 岳",
    bio: `山の写真を撮っています。平日は測量の仕事、休みの日も結局山。
夜明け前の稜線がいちばん好きです。`,
    is_creator: true,
    genres: ["photo"],
    links: [
      { external_site_id: "instagram", url: "https://instagram.example.com/yamato_peaks" },
      { external_site_id: "website", url: "https://yamato-peaks.example.com/" },
    ],
    face: {
      skin: "#e6b48c",
      hair: "#2f2a2a",
      hair_style: "short",
      background: "#cfe3d2",
      accent: "#c2553f",
      mood: "smile",
    },
  },
  {
    key: "kanade",
    link_id: "kanade",
    name: "奏かなで",
    bio: `声のお仕事をしています！ナレーション、朗読、たまに悪役🎙
ひとり喋りのラジオ「夜ふかし缶詰」は毎週金曜の深夜に更新中。缶詰のおすすめ、いつでも募集してます。`,
    is_creator: true,
    genres: ["voice", "streaming", "game"],
    links: [
      { external_site_id: "youtube", url: "https://youtube.example.com/@kanade_voice" },
      { external_site_id: "x", url: "https://x.example.com/kanade_voice" },
      { external_site_id: "tiktok", url: "https://tiktok.example.com/@kanade_voice" },
    ],
    face: {
      skin: "#ffd9c4",
      hair: "#c9748f",
      hair_style: "twin",
      background: "#fff0d8",
      accent: "#5b7fc4",
      mood: "wink",
    },
  },
  {
    key: "akari",
    link_id: "akari",
    name: "あかり🍰手づくり小物と焼き菓子の店『ひだまり工房』毎週土曜の夜9時ごろ新作を並べます",
    bio: `布小物と焼き菓子の、小さな小さなお店です🧵🍪
もとは祖母の洋裁店だった場所で、ミシンとオーブンを交互に動かしています。
オーダーはお休み中。お手紙はいつでも大歓迎です〜！`,
    is_creator: true,
    genres: ["craft", "cooking"],
    links: [
      { external_site_id: "booth", url: "https://hidamari-koubou.booth.example.com/" },
      { external_site_id: "instagram", url: "https://instagram.example.com/hidamari_koubou" },
    ],
    face: {
      skin: "#fbd3b4",
      hair: "#8a5a3c",
      hair_style: "bun",
      background: "#fbe3a8",
      accent: "#6f9d5b",
      mood: "smile",
    },
  },
  {
    key: "mio",
    link_id: "mio",
    name: "うつわ みお",
    bio: `山あいの町で、毎日使う器を作っています。飯碗、湯のみ、取り皿。たまに、用途の決まっていない小さなもの。
窯は月に二度。窯出しの朝は電話に出ません。
割れた器も、よろしければ写真を見せてください。直せるかもしれません。`,
    is_creator: true,
    genres: ["craft"],
    links: [
      { external_site_id: "instagram", url: "https://instagram.example.com/utsuwa_mio" },
      { external_site_id: "booth", url: "https://utsuwa-mio.booth.example.com/" },
    ],
    face: {
      skin: "#f1c9a8",
      hair: "#4b3b35",
      hair_style: "bun",
      background: "#dde4da",
      accent: "#7c8f86",
      mood: "calm",
    },
  },
  {
    key: "ren",
    link_id: "ren",
    name: "蓮見れん",
    bio: `ひとりでゲームを作っています。いまは宿屋が舞台の『灯のともる宿』、三年目。
プログラムとドット絵と文章は自分、音楽だけは自分ではどうにもなりませんでした。
昼は会社員、夜は宿屋の主人です。バグの報告は、叱らずにお願いします。`,
    is_creator: true,
    genres: ["game"],
    links: [
      { external_site_id: "x", url: "https://x.example.com/ren_hasumi_dev" },
      { external_site_id: "youtube", url: "https://youtube.example.com/@ren_hasumi_dev" },
      { external_site_id: "website", url: "https://akari-no-yado.example.com/" },
    ],
    face: {
      skin: "#f7d3b6",
      hair: "#27404a",
      hair_style: "short",
      background: "#d3dcf0",
      accent: "#5a4fa3",
      mood: "smile",
    },
  },
];
