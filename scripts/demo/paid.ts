import type { LetterAppearanceId, StampId } from "../../workers/contract/letter-choices.ts";

/** What the people of the demo world pay for besides plans, and how its creators are paid out. */

/** A paid letter. Its words have at most one character for two yen. */
export type PaidLetter = {
  /** The key of the sender; null for a guest. */
  from: string | null;
  to: string;
  amount: number;
  message: string;
  days_ago: number;
  stamp?: StampId;
  /** The paper makes it a fan letter. */
  paper?: LetterAppearanceId;
  /** How much of the creator's share goes to the demo's campaign. */
  donation_percent?: 10 | 30 | 50 | 100;
  is_anonymous?: true;
  is_public?: true;
  is_liked?: true;
  reply?: string;
  /** The card was declined first, and the sender paid with another one. */
  is_declined_first?: true;
  /** The operators gave the money back after some days. */
  is_refunded?: true;
};

export const paidLetters: readonly PaidLetter[] = [
  {
    from: "fan_hana",
    to: "natsume",
    amount: 1100,
    message:
      "「坂道」の連作、ぜんぶそろった日にまとめて見返しました。同じ坂なのに、いちばん上の一枚だけ風の音がします。画材の足しにしてください。",
    days_ago: 96.4,
    is_public: true,
    is_liked: true,
    reply:
      "風の音、入れたつもりの一枚です。気づいてくださってありがとうございます。いただいた分は青い絵の具になります。",
  },
  {
    from: "fan_yuki",
    to: "natsume",
    amount: 550,
    message: "むぎちゃんのおやつ代にどうぞ。いつも癒やされています。",
    days_ago: 81.2,
    is_public: true,
    is_liked: true,
    reply: "むぎに見せたら、においだけ確かめて去っていきました。たいせつに使います。",
  },
  {
    from: "fan_mei",
    to: "natsume",
    amount: 3300,
    message:
      "個展のお知らせ、うれしくて声が出ました。遠方でうかがえないのですが、せめて会場のお花代の一部になればと思います。落ち着いたら、展示の写真を見せてください。どうか無理をなさらず、よい初日を迎えられますように。",
    days_ago: 60.8,
    paper: "sakura",
    stamp: "cheer",
    is_liked: true,
    reply: "お花、白いものを一輪いただきました。写真は会期が終わったらここにまとめますね。",
  },
  {
    from: "akari",
    to: "natsume",
    amount: 5500,
    message:
      "先日は装画をありがとうございました！ お仕事とは別に、いちファンとして。打ち合わせで見せてもらった下描き、額に入れて飾りたいくらいでした。",
    days_ago: 43.5,
    is_liked: true,
  },
  {
    from: null,
    to: "natsume",
    amount: 550,
    message: "展示で拝見しました。アカウントは持っていませんが、お礼を伝えたくて。雨の船着き場の絵が好きです。",
    days_ago: 27.3,
  },
  {
    from: "fan_sora",
    to: "natsume",
    amount: 1100,
    message: "連載百回おめでとうございます。百枚ぶんの海を、ありがとうございます。",
    days_ago: 16.1,
    paper: "starry",
    stamp: "clap",
    donation_percent: 30,
    is_public: true,
    is_declined_first: true,
  },
  {
    from: "fan_kenji",
    to: "natsume",
    amount: 3300,
    message: "個展の延長ばんざい。二度目を見に行きます。",
    days_ago: 8.7,
    is_anonymous: true,
  },
  {
    from: "fan_nana",
    to: "natsume",
    amount: 550,
    message: "はじめてお送りします。応援しています！",
    days_ago: 2.2,
    stamp: "cheer",
  },
  {
    from: "fan_taro",
    to: "hibiki",
    amount: 1100,
    message: "新曲、通勤の電車で三回聴いて乗り過ごしました。弦代にしてください。",
    days_ago: 52.6,
    is_liked: true,
    reply: "乗り過ごすほどとは…！ すみません、うれしいです。",
  },
  { from: "fan_ryo", to: "hibiki", amount: 550, message: "二番の入りが好きです。", days_ago: 20.4 },
  {
    from: "fan_hana",
    to: "kanade",
    amount: 2200,
    message: "夜ふかし缶詰、五十回おめでとうございます。声に助けられた夜が何度もありました。",
    days_ago: 73.9,
    is_public: true,
    is_liked: true,
    reply: "五十回までたどり着けたのは、聴いてくださる方のおかげです。",
  },
  {
    from: "fan_chika",
    to: "kanade",
    amount: 1100,
    message: "のど飴をどうぞ。お大事になさってください。",
    days_ago: 35.2,
    stamp: "tea",
  },
  {
    from: "fan_aoi",
    to: "kanade",
    amount: 1100,
    message: "同じ内容を二回送ってしまいました。すみません、片方は取り消してください。",
    days_ago: 24.9,
    is_refunded: true,
  },
  {
    from: "fan_sora",
    to: "sumire",
    amount: 1100,
    message: "銭湯の話の続きが読めて、帰り道に本当に銭湯へ寄りました。",
    days_ago: 47.7,
    is_liked: true,
    reply: "湯あがりの牛乳まで含めて、読書です。",
  },
  {
    from: "fan_taro",
    to: "sumire",
    amount: 550,
    message: "誤字を見つけられないくらい夢中で読みました。",
    days_ago: 21.8,
  },
  {
    from: "fan_mei",
    to: "mio",
    amount: 2200,
    message: "湯のみ、届きました。手のひらに当たるくぼみが、測ったようにぴったりです。",
    days_ago: 31.6,
    paper: "lined",
    is_liked: true,
  },
  {
    from: "fan_ryo",
    to: "ren",
    amount: 1100,
    message: "体験版の雨の音、ヘッドホンで聴くと最高でした。",
    days_ago: 14.3,
    donation_percent: 50,
  },
];

/** A paid comment under a post that everybody may read. */
export type PaidComment = { from: string; post: string; amount: number; message: string; days_ago: number };

export const paidComments: readonly PaidComment[] = [
  {
    from: "fan_hana",
    post: "natsume_jacket_story",
    amount: 550,
    message: "没の七枚目が忘れられません。",
    days_ago: 83.9,
  },
  { from: "fan_yuki", post: "natsume_mountain", amount: 330, message: "飛ばないテントに乾杯🍵", days_ago: 59.4 },
  { from: "fan_mei", post: "natsume_nap", amount: 550, message: "むぎちゃんのブランケット代です。", days_ago: 10.9 },
  {
    from: "fan_taro",
    post: "hibiki_strings",
    amount: 550,
    message: "替えない日派です。弦代にどうぞ。",
    days_ago: 62.2,
  },
  {
    from: "fan_sora",
    post: "sumire_lighthouse",
    amount: 1100,
    message: "灯台守の休日、最後の一行で息が止まりました。",
    days_ago: 48.9,
  },
  {
    from: "fan_chika",
    post: "kanade_reading_video",
    amount: 550,
    message: "番台のひとの声が、想像どおりでした。",
    days_ago: 33.1,
  },
];

/** How a creator registers for monetization, and the payouts that the creator asks for. */
export type Registration = {
  creator: string;
  days_ago: number;
  /** Decides how the payouts end; see docs/decisions/0027, "Bank accounts". */
  account_number: string;
  holder: string;
  payouts: readonly { days_ago: number; amount: number | "all" }[];
  /** Another bank account, after a failed payout. */
  corrected?: { days_ago: number; account_number: string };
  is_automatic?: true;
  /** The creator's number on invoices. */
  invoice_number?: string;
};

const GOOD_ACCOUNT = "0012345";
/** The gateway answers `no_account` for this number. */
const MISTYPED_ACCOUNT = "1111116";

export const registrations: readonly Registration[] = [
  {
    creator: "natsume",
    days_ago: 125,
    invoice_number: "T3987654321098",
    account_number: MISTYPED_ACCOUNT,
    holder: "ナツメ ハルカ",
    payouts: [
      { days_ago: 70.3, amount: 2000 },
      { days_ago: 61.3, amount: 2500 },
      { days_ago: 22.6, amount: "all" },
    ],
    corrected: { days_ago: 62.1, account_number: GOOD_ACCOUNT },
  },
  {
    creator: "kanade",
    days_ago: 124,
    account_number: GOOD_ACCOUNT,
    holder: "ツキシマ カナデ",
    payouts: [{ days_ago: 41.2, amount: "all" }],
  },
  {
    creator: "sumire",
    days_ago: 123,
    account_number: GOOD_ACCOUNT,
    holder: "スミレノ アヤ",
    payouts: [],
    is_automatic: true,
  },
  { creator: "hibiki", days_ago: 122, account_number: GOOD_ACCOUNT, holder: "ハヤセ ヒビキ", payouts: [] },
  { creator: "mio", days_ago: 121, account_number: GOOD_ACCOUNT, holder: "ミサキ ミオ", payouts: [] },
  { creator: "ren", days_ago: 120, account_number: GOOD_ACCOUNT, holder: "アサノ レン", payouts: [] },
];
