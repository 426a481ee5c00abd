/** The posts, plans and categories of the demo world's creators. */
import { akari } from "./posts/akari.ts";
import { hibiki } from "./posts/hibiki.ts";
import { kanade } from "./posts/kanade.ts";
import { mio } from "./posts/mio.ts";
import { natsume } from "./posts/natsume.ts";
import { natsumeFirst } from "./posts/natsume-first.ts";
import type { Post } from "./posts/post.ts";
import { ren } from "./posts/ren.ts";
import { sumire } from "./posts/sumire.ts";
import { sumireLighthouse } from "./posts/sumire-lighthouse.ts";
import { yamato } from "./posts/yamato.ts";

export type { Post };

type Category = { key: string; author: string; title: string };
type Plan = {
  key: string;
  author: string;
  title: string;
  description: string;
  /** Yen per month. */
  amount: number;
  /** An inactive plan takes no new members. */
  active_state: "active" | "inactive";
  /** How many members the plan takes. One plan is full. */
  members_limit?: number;
  picture?: NonNullable<Post["picture"]>;
};

export const posts: readonly Post[] = [
  ...natsumeFirst,
  ...natsume,
  ...hibiki,
  ...sumire,
  sumireLighthouse,
  ...yamato,
  ...kanade,
  ...akari,
  ...mio,
  ...ren,
];

export const categories: readonly Category[] = [
  { key: "natsume_watercolour", author: "natsume", title: "水彩" },
  { key: "natsume_diary", author: "natsume", title: "制作日記" },
  { key: "natsume_doodle", author: "natsume", title: "らくがき" },
  { key: "hibiki_demo", author: "hibiki", title: "デモと断片" },
  { key: "hibiki_gear", author: "hibiki", title: "機材と弦の話" },
  { key: "sumire_short", author: "sumire", title: "掌編" },
  { key: "sumire_diary", author: "sumire", title: "書きかけ日記" },
  { key: "yamato_log", author: "yamato", title: "山行記録" },
  { key: "yamato_gear", author: "yamato", title: "道具と手入れ" },
  { key: "kanade_radio", author: "kanade", title: "夜ふかし缶詰" },
  { key: "kanade_work", author: "kanade", title: "声のしごと" },
  { key: "akari_new", author: "akari", title: "新作のおしらせ" },
  { key: "akari_snack", author: "akari", title: "おやつの時間" },
  { key: "mio_works", author: "mio", title: "うつわ" },
  { key: "mio_kiln", author: "mio", title: "窯のそばで" },
  { key: "ren_devlog", author: "ren", title: "開発日誌" },
  { key: "ren_material", author: "ren", title: "素材と裏話" },
];

export const plans: readonly Plan[] = [
  {
    key: "natsume_500",
    author: "natsume",
    title: "窓辺の席",
    description: "月に一枚、スマートフォンとパソコン用の壁紙をお届けします。むぎの寝顔がおまけにつくこともあります。",
    amount: 500,
    active_state: "active",
  },
  {
    key: "natsume_1500",
    author: "natsume",
    title: "アトリエの合鍵",
    description: "壁紙に加えて、下描きと配色メモ、原寸のスキャンデータを公開しています。制作中の失敗も隠さず載せます。",
    amount: 1500,
    active_state: "active",
    picture: {
      scene: "flowers",
      palette: ["#f2efe6", "#c9b795", "#5b5345", "#c76f5a"],
      alt: "アトリエの机と花びんの下描き",
    },
  },
  {
    key: "natsume_3000",
    author: "natsume",
    title: "となりの椅子",
    description:
      "描いているところを、早送りなしで映した動画を月に一本。年の終わりに、手描きの小さな絵はがきを郵送します。",
    amount: 3000,
    active_state: "active",
    members_limit: 12,
  },
  {
    key: "hibiki_500",
    author: "hibiki",
    title: "録音部屋の椅子",
    description: "完成前のデモ音源と、曲ごとのチューニング・コード譜。雑談は少なめです。",
    amount: 500,
    active_state: "active",
  },
  {
    key: "kanade_300",
    author: "kanade",
    title: "缶のふた会員",
    description: "まずは開けるところから！毎月の収録予定と、番組で使えなかった台本をこっそりお見せします。",
    amount: 300,
    active_state: "active",
  },
  {
    key: "kanade_800",
    author: "kanade",
    title: "缶切り会員",
    description: "ラジオの未公開トークと、月一回のおやすみ朗読が聴けます！お便りコーナーでお名前をお呼びします。",
    amount: 800,
    active_state: "active",
  },
  {
    key: "kanade_2000",
    author: "kanade",
    title: "缶詰工場の見学者",
    description: "収録まるごと、切らずにお届けします。言い間違いも、水を飲む音も、ぜんぶです。覚悟してくださいね！",
    amount: 2000,
    active_state: "active",
  },
  {
    key: "sumire_300",
    author: "sumire",
    title: "下読み部屋",
    description: "推敲前の原稿を先に読めます。展開について口を出しても構いません（採用するとは限りません）。",
    amount: 300,
    active_state: "active",
  },
  {
    key: "sumire_1000",
    author: "sumire",
    title: "原稿用紙の余白",
    description: "手書きの原稿を写真でお送りする試み。字が読めないとのお声を多数いただき、終了いたしました。",
    amount: 1000,
    active_state: "inactive",
  },
  {
    key: "mio_500",
    author: "mio",
    title: "窯のそばの丸椅子",
    description: "釉薬の調合と焼成の記録。うまくいった窯も、そうでない窯も、温度の線ごとお見せします。",
    amount: 500,
    active_state: "active",
  },
  {
    key: "ren_300",
    author: "ren",
    title: "デバッグ隊",
    description: "開発中の版をいちばん先に遊べます。壁にはさまったら教えてください。",
    amount: 300,
    active_state: "active",
  },
  {
    key: "ren_500",
    author: "ren",
    title: "地図係",
    description: "デバッグ隊の内容に加えて、マップとドット絵の制作過程を全部公開します。",
    amount: 500,
    active_state: "active",
  },
  {
    key: "ren_1500",
    author: "ren",
    title: "宿帳に名前",
    description:
      "ゲームの中の宿屋の宿帳に、お名前を書き込みます。四文字まで。泊まった日付も選べます。部屋はひとつなので、一度にお一人まで。",
    amount: 1500,
    active_state: "active",
    members_limit: 1,
  },
];
