const UNITS = ["", "万", "億", "兆"];

/** Writes a safe integer in Japanese units, with one decimal at most: `9,500`, `1.2万`, `3億`. */
export function shortNumber(number: number): string {
  const size = Math.abs(number);
  const inUnit = (index: number) => Math.round(size / (10_000 ** index / 10)) / 10;
  const index = UNITS.findIndex((_, at) => inUnit(at) < 10_000);
  const grouped = String(inUnit(index)).replace(/\B(?=\d{3}\b)/, ",");
  return `${number < 0 ? "-" : ""}${grouped}${UNITS[index]}`;
}
