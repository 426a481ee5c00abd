/** How large the text is, and whether things may move. Style sheets read both from attributes of the root element. */
export interface Display {
  text_size: "standard" | "large" | "extra_large";
  motion: "system" | "reduce";
}

const TEXT_SIZES: readonly string[] = ["standard", "large", "extra_large"] satisfies Display["text_size"][];
const MOTIONS: readonly string[] = ["system", "reduce"] satisfies Display["motion"][];

/** The cookie that stores the display: `large-reduce`. */
export const DISPLAY_COOKIE = "display";
export const DISPLAY_MAX_AGE_S = 400 * 24 * 60 * 60;

/** Returns the cookie's value. */
export const displayValue = ({ text_size, motion }: Display): string => `${text_size}-${motion}`;

/** Returns a display of these values, each with its default when it is unknown. */
export function displayOf(text_size: unknown, motion: unknown): Display {
  const knownOf = (values: readonly string[], value: unknown) => values.find((each) => each === value) ?? values[0];
  return { text_size: knownOf(TEXT_SIZES, text_size), motion: knownOf(MOTIONS, motion) } as Display;
}

/** Returns the attributes of the root element. A default has none. */
export const displayAttributes = ({ text_size, motion }: Display) => ({
  "data-text-size": text_size === "standard" ? undefined : text_size,
  "data-motion": motion === "system" ? undefined : motion,
});
