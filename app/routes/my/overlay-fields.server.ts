import { NG_WORDS, TITLE_GRAPHEMES } from "../../../workers/contract/bounds.ts";
import { groupDigits } from "../../../workers/contract/group-digits.ts";
import {
  OVERLAY_ANIMATIONS,
  OVERLAY_SOUNDS,
  SHOWN_LETTERS,
  VOICE_SPEEDS,
} from "../../../workers/contract/overlay-names.ts";
import type { OverlayGoal, OverlaySettings } from "../../../workers/contract/streaming.ts";
import type { Choice } from "../../ui/radios.tsx";
import { stampNames } from "../creator/letter-lists.server.ts";

/*
 * The words of /my/streaming. They come with the page's data: they are most of the page, and its script does without them.
 */

/** The fields of the form, except for the checkboxes of the stamps. */
export type WrittenSettings = Record<Exclude<keyof OverlaySettings, "stamp_ids">, string>;

export const streamingWords = {
  lead: "OBSなどで生配信をするときに、届いたofuseを配信の画面に重ねて映せます。公開されていないofuseは、届いたことと名前、スタンプだけが映り、本文と金額は映りません。",
  secret:
    "いまだけ表示されます。知っている人はだれでも見られるので、配信に映したり、ほかの人に教えたりしないでください。",
  steps: [
    "「アドレスを作る」を押して、OBSに入れるアドレスをコピーします。",
    "OBSの「ソース」の「＋」から「ブラウザ」を選び、URLに貼り付けます。",
    "幅に1920、高さに1080を入れて「OK」を押します。音を配信にのせるときは「OBSで音声を制御する」にも印を付けます。",
  ],
  timeline: "タイムラインは、届いたofuseを新しい順に並べた画面です。手元のスマートフォンや、ふたつめの画面で開けます。",
  made: "に作ったアドレスが使えます。アドレスは、作ったときにだけ表示されます。",
  replaced: "作り直すと、前のアドレスはすぐに使えなくなります。",
  without_address: "アドレスを作ると、試しのofuseを送れます。",
  test: "試しのofuseは配信画面にだけ映ります。レターボックスにも売上にも残りません。",
  none_open: "いま開いている配信画面はありません。OBSに入れると、30秒ほどでここに出ます。",
  preview: "保存した設定での見えかたです。市松模様のところは、配信では透明になります。",
};

/** A part of the form of settings. */
export interface SettingSection {
  title: string;
  fields: SettingField[];
}
export type SettingField = { label: string; hint?: string } & (
  | { kind: "list"; name: keyof WrittenSettings; choices: Choice[] }
  | { kind: "text" | "digits" | "lines" | "check" | "color" | "date"; name: keyof WrittenSettings }
  | { kind: "stamps"; choices: Choice[] }
);

/** Makes the choices of a list. The type demands a label for each value of the contract. */
const choicesOf = <Value extends string>(values: readonly Value[], labels: Record<Value, string>): Choice[] =>
  values.map((value) => ({ value, label: labels[value] }));

/** Makes choices of numbers, with the one that another client has set. */
const numbersOf = (offered: readonly number[], now: number, labelOf: (number: number) => string): Choice[] =>
  [...new Set([...offered, now])]
    .sort((a, b) => a - b)
    .map((number) => ({ value: String(number), label: labelOf(number) }));

const percentOr = (none: string) => (percent: number) => (percent === 0 ? none : `${percent}%`);

export function settingSections(settings: OverlaySettings, goal: OverlayGoal | null): SettingSection[] {
  const { duration_seconds, font_size, card_opacity, volume } = settings;
  return [
    {
      title: "映すofuse",
      fields: [
        {
          kind: "list",
          name: "shown_letters",
          label: "種類",
          choices: choicesOf(SHOWN_LETTERS, {
            all: "すべてのofuse",
            paid: "有料のofuseだけ",
            free: "無料のofuseだけ",
          }),
        },
        {
          kind: "digits",
          name: "min_amount",
          label: "有料のofuseの、いちばん少ない金額（円）",
          hint: "この金額より少ないofuseは映しません。0なら、すべて映します。",
        },
        {
          kind: "stamps",
          label: "スタンプ",
          hint: "選ぶと、そのスタンプのofuseだけを映します。選ばなければ、スタンプを問いません。",
          choices: Object.entries(stampNames).map(([value, label]) => ({ value, label })),
        },
        { kind: "check", name: "hides_names", label: "送った人の名前とアイコンを隠す" },
        {
          kind: "lines",
          name: "ng_words",
          label: "NGワード",
          hint: `1行にひとつ、${NG_WORDS}個まで。名前か本文に含むofuseは映しません。全角と半角、大文字と小文字は区別しません。`,
        },
      ],
    },
    {
      title: "見た目",
      fields: [
        {
          kind: "list",
          name: "animation",
          label: "現れかた",
          choices: choicesOf(OVERLAY_ANIMATIONS, {
            fade: "ふわっと出る",
            slide: "下から出る",
            pop: "はずんで出る",
            none: "動かさない",
          }),
        },
        {
          kind: "list",
          name: "duration_seconds",
          label: "1通を映す時間",
          choices: numbersOf([5, 8, 10, 15, 20, 30], duration_seconds, (seconds) => `${seconds}秒`),
        },
        {
          kind: "list",
          name: "font_size",
          label: "文字の大きさ",
          choices: numbersOf([24, 28, 36, 48, 60, 72], font_size, (size) => `${size}px`),
        },
        {
          kind: "list",
          name: "card_opacity",
          label: "背景の濃さ",
          choices: numbersOf([0, 25, 50, 75, 85, 100], card_opacity, percentOr("なし")),
        },
        { kind: "color", name: "text_color", label: "文字の色" },
        { kind: "color", name: "accent_color", label: "名前と金額の色" },
        { kind: "color", name: "card_color", label: "背景の色" },
      ],
    },
    {
      title: "音と声",
      fields: [
        {
          kind: "list",
          name: "sound",
          label: "届いたときの音",
          choices: choicesOf(OVERLAY_SOUNDS, {
            chime: "チャイム",
            bell: "ベル",
            drop: "しずく",
            none: "鳴らさない",
          }),
        },
        {
          kind: "list",
          name: "volume",
          label: "音量",
          choices: numbersOf([0, 25, 50, 75, 100], volume, percentOr("消音")),
        },
        {
          kind: "check",
          name: "is_read_aloud",
          label: "本文を声に出して読む",
          hint: "声は、OBSが動いているパソコンのものを使います。日本語の声がないパソコンでは読みません。",
        },
        {
          kind: "list",
          name: "voice_speed",
          label: "読む速さ",
          choices: choicesOf(VOICE_SPEEDS, { slow: "ゆっくり", normal: "ふつう", fast: "速く" }),
        },
      ],
    },
    {
      title: "画面に出しておくもの",
      fields: [
        { kind: "check", name: "shows_latest", label: "今日いちばん新しいofuse" },
        {
          kind: "check",
          name: "shows_best",
          label: "今日いちばん大きい支援",
          hint: "公開されたofuseのなかから選びます。",
        },
        { kind: "text", name: "goal_title", label: "目標の名前", hint: `${TITLE_GRAPHEMES}文字まで。` },
        {
          kind: "digits",
          name: "goal_amount",
          label: "目標の金額（円）",
          hint: goal
            ? `いまの合計は${groupDigits(goal.total)}円です。空にすると、画面に出しません。`
            : "入力すると、目標までの棒が画面に出ます。",
        },
        {
          kind: "date",
          name: "goal_from",
          label: "数えはじめる日",
          hint: "この日からのofuseを数えます。公開されていないofuseの金額も、合計にだけ入ります。空なら、はじめから数えます。",
        },
      ],
    },
  ];
}
