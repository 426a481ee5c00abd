import { groupDigits } from "../../workers/contract/group-digits.ts";
import type { OverlayGoal, OverlayLetter } from "../../workers/contract/streaming.ts";
import { escapeXml } from "../text/xml.ts";

/*
 * The HTML of what an overlay shows. The server writes it into pages and the script into the stage, so that both are the
 * same. Every word of a person is escaped.
 */

/** Writes an amount as everywhere on our pages. */
const yen = (amount: number): string => `${groupDigits(amount)}円`;

/** Returns the sentence about a letter, for the voice. */
export function letterSentence({ sender_name, amount, is_paid }: OverlayLetter): string {
  const from = sender_name === null ? "" : `${sender_name}さんから`;
  return `${from}${amount === null ? (is_paid ? "有料の" : "") : `${yen(amount)}の`}ofuseが届きました`;
}

/** A letter as a card. */
export function letterCard({ sender_name, icon_url, amount, is_paid, is_test, message, stamp }: OverlayLetter): string {
  const icon = icon_url === null ? "" : `<img class="icon" src="${escapeXml(icon_url)}" alt="" width="96" height="96">`;
  const from = sender_name === null ? "" : `<bdi class="name">${escapeXml(sender_name)}</bdi>さんから`;
  const price = amount === null ? (is_paid ? "有料の" : "") : `<b class="price">${yen(amount)}</b>の`;
  const words = message === null ? "" : `<p class="words">${escapeXml(message)}</p>`;
  const picture =
    stamp === null
      ? ""
      : `<img class="stamp" src="/letter-looks/${stamp.stamp_id}.svg" alt="${escapeXml(stamp.name)}" width="96" height="96">`;
  const mark = is_test ? '<span class="mark">テスト</span>' : "";
  return `<article class="card">${icon}<div class="said"><p class="from">${from}${price}ofuseが届きました${mark}</p>${words}</div>${picture}</article>`;
}

/** The bar of a goal. */
function goalBar({ title, amount, total }: OverlayGoal): string {
  const percent = Math.min(100, Math.floor((total / amount) * 100));
  const name = title === "" ? "目標" : title;
  return `<section class="goal"><p><bdi>${escapeXml(name)}</bdi><span>${yen(total)} / ${yen(amount)}</span></p>
<progress max="100" value="${percent}">${percent}%</progress></section>`;
}

/** A line that stays: the latest or the largest letter of today. */
function standingLine(label: string, letter: OverlayLetter): string {
  const name = letter.sender_name === null ? "匿名" : letter.sender_name;
  const price = letter.amount === null ? "" : ` <b class="price">${yen(letter.amount)}</b>`;
  return `<p class="line"><span class="label">${label}</span> <bdi class="name">${escapeXml(name)}</bdi>${price}</p>`;
}

/** Everything that stays beside the letters. */
export function standingHtml(news: {
  goal: OverlayGoal | null;
  latest: OverlayLetter | null;
  best: OverlayLetter | null;
}): string {
  const { goal, latest, best } = news;
  return [goal && goalBar(goal), latest && standingLine("最新", latest), best && standingLine("今日の最高", best)]
    .filter(Boolean)
    .join("");
}
