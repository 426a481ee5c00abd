import { groupDigits } from "../../workers/contract/group-digits.ts";

/** An amount of money: `1,250円`, `−300円`. */
export const yenText = (yen: number): string => `${yen < 0 ? "−" : ""}${groupDigits(Math.abs(yen))}円`;

/** How a balance changes: `+900円`, `−1,000円`. */
export function YenChange({ yen }: { yen: number }) {
  return <b className={yen < 0 ? "yen-change yen-out" : "yen-change"}>{`${yen > 0 ? "+" : ""}${yenText(yen)}`}</b>;
}
