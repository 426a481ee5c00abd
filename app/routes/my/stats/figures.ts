import { groupDigits } from "../../../../workers/contract/group-digits.ts";
import type { CreatorFigures } from "../../../../workers/contract/stats.ts";
import { yenText } from "../../../ui/yen.tsx";

export const FIGURES = ["reads", "letters", "supporters", "followers", "revenue"] as const;
export type Figure = (typeof FIGURES)[number];

interface Shown {
  label: string;
  note: string;
  amountOf(figures: CreatorFigures): number;
  toText(value: number): string;
}

const counted = (unit: string) => (value: number) => `${groupDigits(value)}${unit}`;

/** The name and the meaning of each figure. */
export const figureWords: Record<Figure, Shown> = {
  reads: {
    label: "読まれた数",
    note: "1つの投稿を、1つのブラウザーではじめて開いたときに数えます。",
    amountOf: ({ reads_count }) => reads_count,
    toText: counted("回"),
  },
  letters: {
    label: "届いた手紙",
    note: "無料と有料の手紙の数です。",
    amountOf: ({ letters_count }) => letters_count,
    toText: counted("通"),
  },
  supporters: {
    label: "新しく応援した人",
    note: "はじめて手紙や有料のコメントを送った人と、はじめてプランに入った人です。ゲストと、退会した人は数えません。",
    amountOf: ({ supporters_count }) => supporters_count,
    toText: counted("人"),
  },
  followers: {
    label: "新しいフォロワー",
    note: "この期間にフォローし、いまもフォローしている人です。",
    amountOf: ({ followers_count }) => followers_count,
    toText: counted("人"),
  },
  revenue: {
    label: "売上",
    note: "手数料と寄付を除いた額です。返金は、返金した日の分から引きます。",
    amountOf: ({ revenue }) => revenue.earned,
    toText: yenText,
  },
};

/** Formats a difference to the time before: `+3人`, `−2人`, `±0人`. */
export function changeText(figure: Figure, now: number, before: number): string {
  const change = now - before;
  const sign = change > 0 ? "+" : change < 0 ? "−" : "±";
  return `${sign}${figureWords[figure].toText(Math.abs(change))}`;
}

/** Formats a range of days: `11/20`, `11/2〜11/8`, with years `2026/11/02〜2026/11/08`. Source: decisions, "Time". */
export function daysText(
  { start_date, end_date }: { start_date: string; end_date: string },
  with_year = false,
): string {
  const text = (day: string) =>
    with_year ? day.replaceAll("-", "/") : `${Number(day.slice(5, 7))}/${Number(day.slice(8))}`;
  return start_date === end_date ? text(start_date) : `${text(start_date)}〜${text(end_date)}`;
}
