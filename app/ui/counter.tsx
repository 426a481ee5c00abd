import { groupDigits } from "../../workers/contract/group-digits.ts";

/** The number of characters that a text may still have. Screen readers announce that it becomes too long, once. */
export function Counter({ left }: { left: number }) {
  const is_over = left < 0;
  return (
    <>
      <span className={is_over ? "counter counter-over" : "counter"} data-testid="remaining">
        {is_over ? `${groupDigits(-left)}文字オーバー` : `残り${groupDigits(left)}文字`}
      </span>
      <span className="visually-hidden" aria-live="polite">
        {is_over && "文字数の上限を超えました"}
      </span>
    </>
  );
}
