/** The newsletters of two creators: sent, scheduled, and drafts. */

import { follows } from "./follows.ts";

export type Newsletter = {
  key: string;
  /** The key of the creator. */
  author: string;
  title: string;
  body: string;
  /** The key of the plan whose members get it; null for all followers. */
  plan: string | null;
  written_days_ago: number;
  /** Days since it was sent; negative when it is scheduled, null for a draft. */
  sent_days_ago: number | null;
};

export const newsletters: readonly Newsletter[] = [
  {
    key: "natsume_window",
    author: "natsume",
    title: "窓辺だより　灯台のこと、新しい筆のこと",
    body: `こんにちは、なつめです。

このひと月は、灯台ばかり描いていました。表側より裏側のほうが好きだと気づいたのは、三枚目あたりです。裏には洗濯物を干すための鉤がひとつだけあって、だれが使っていたのか、いまも気になっています。

筆を一本、あたらしくしました。まだよそよそしくて、思ったところで止まってくれません。仲よくなれたら、その筆だけで描いた絵をお見せします。

むぎは元気です。このたよりを書いているあいだ、ずっとキーボードの右半分にいました。誤字があったら、むぎのしわざです。`,
    plan: null,
    written_days_ago: 41.6,
    sent_days_ago: 40.7,
  },
  {
    key: "natsume_cold_water",
    author: "natsume",
    title: "窓辺だより　水がつめたくなりました",
    body: `こんにちは、なつめです。

筆を洗う水がつめたくなって、冬の絵の具の乾きかたになってきました。この時季は一枚にかかる時間が長くなります。待っているあいだに、みなさんのお手紙を読みかえしています。

来月は、ポストカードのご案内ができそうです。どの絵にするか、最後の一枚だけまだ迷っています。`,
    plan: null,
    written_days_ago: 9.8,
    sent_days_ago: 9.2,
  },
  {
    key: "natsume_postcards",
    author: "natsume",
    title: "ポストカードの通販をはじめました",
    body: `こんにちは、なつめです。

お待たせしていたポストカード、本日から通販でお求めいただけます。八枚組で、封筒にはむぎの足あと（はんこです）を押してお送りします。

最後まで迷っていた一枚は、雨あがりの帰り道になりました。空がふたつある絵です。お部屋のどこかに、窓がひとつふえますように。`,
    plan: null,
    written_days_ago: 0.9,
    sent_days_ago: -2.6,
  },
  {
    key: "natsume_calendar_draft",
    author: "natsume",
    title: "来年のカレンダーについて",
    body: `こんにちは、なつめです。

来年のカレンダーを作るかどうか、ずっと考えています。十二か月のうち、八か月ぶんはもう絵があります。残りの四か月は`,
    plan: null,
    written_days_ago: 0.3,
    sent_days_ago: null,
  },
  {
    key: "sumire_second_draft",
    author: "sumire",
    title: "下読み部屋のみなさまへ　「返却期限」の男のせりふ",
    body: `三案にいただいたご意見を集計した。一案に九名、二案に二名、三案に零名。そして「三人とも黙っていてほしい」が一名いらした。

結論から申し上げると、男は黙ることになった。黙らせてみたところ、原稿が四枚縮み、話が一日早く終わった。ご意見は採用するとは限らないと書いたが、採用することもある。

改稿は、今週中に下読み部屋へ置いておく。`,
    plan: "sumire_300",
    written_days_ago: 6.5,
    sent_days_ago: 6.1,
  },
  {
    key: "sumire_untitled_draft",
    author: "sumire",
    title: "",
    body: "銭湯の煙突が一本、町から減った話を書くつもりでいる。書きだしはまだない。",
    plan: null,
    written_days_ago: 2.7,
    sent_days_ago: null,
  },
];

/** Returns the keys of the followers who got a sent newsletter; none for one of a plan, whose members money.ts makes. */
export function receiversOf({ author, plan, sent_days_ago }: Newsletter): string[] {
  if (plan !== null || sent_days_ago === null || sent_days_ago < 0) return [];
  return follows.filter(([, creator, since]) => creator === author && since > sent_days_ago).map(([fan]) => fan);
}
