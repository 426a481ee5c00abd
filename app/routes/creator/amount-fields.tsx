import { groupDigits } from "../../../workers/contract/group-digits.ts";
import { PAID_OFUSE_MAX_YEN, PAID_OFUSE_MIN_YEN, YEN_PER_CHARACTER } from "../../../workers/contract/limits.ts";
import { FieldErrors } from "../../ui/form-errors.tsx";
import { Radios } from "../../ui/radios.tsx";
import { LETTER_PRICES, OWN_PRICE } from "./letter-prices.ts";

/** Returns how many characters of a letter an amount pays for. */
export const charactersFor = (yen: number) => Math.floor(yen / YEN_PER_CHARACTER);

/** The amount of a paid letter or comment: prices to choose from, and a field for another one. */
export function AmountFields(props: {
  first_price: string;
  own_amount: string;
  errorsOf(name: string): string[] | null;
  /** Whether the amount pays for a number of characters. */
  has_characters?: boolean;
}) {
  const { first_price, own_amount, errorsOf, has_characters = false } = props;
  const choices = [
    ...LETTER_PRICES.map((price) => ({
      value: price,
      label: `${groupDigits(Number(price))}円（税込）`,
      ...(has_characters && { note: `${groupDigits(charactersFor(Number(price)))}文字まで` }),
    })),
    {
      value: OWN_PRICE,
      label: "金額を自分で決める",
      ...(has_characters && { note: `1文字あたり${YEN_PER_CHARACTER}円` }),
    },
  ];
  const errors = errorsOf("own_amount");
  return (
    <>
      <div className="amount-choices">
        <Radios
          id="price"
          name="price"
          label="金額"
          choices={choices}
          initial={first_price}
          errors={errorsOf("price")}
        />
      </div>
      <div className="field own-amount">
        <label htmlFor="own-amount">自分で決める金額（円）</label>
        <input
          id="own-amount"
          name="own_amount"
          type="text"
          inputMode="numeric"
          autoComplete="off"
          // The stylesheet hides an empty field of a chosen price. It needs a placeholder to tell.
          placeholder=" "
          className="control"
          defaultValue={own_amount}
          aria-invalid={errors ? true : undefined}
          aria-describedby={errors ? "own-amount-hint own-amount-error" : "own-amount-hint"}
          // biome-ignore lint/a11y/noAutofocus: after a refused form, the person continues at the field to correct.
          autoFocus={Boolean(errors)}
        />
        <div className="field-hint" id="own-amount-hint">
          {PAID_OFUSE_MIN_YEN}円から{groupDigits(PAID_OFUSE_MAX_YEN)}円まで。
        </div>
        <FieldErrors errors={errors} id="own-amount-error" />
      </div>
    </>
  );
}
