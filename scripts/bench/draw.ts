/**
 * Pieces of SQL from which the big world is drawn. Nothing is left to chance: every value is reckoned from the number of
 * its row, so the same world comes out on every machine and in whatever batches it is written.
 */

const PRIME = 2_147_483_647;
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/**
 * An integer from 0 to 2^31-2 that looks random, from a row number below 2^40 and the number of a draw. Squaring breaks
 * up the lattice that multiplying alone would leave; no step exceeds 63 bits, where SQLite would turn to floats.
 */
function hash(row: string, draw: number): string {
  const mixed = `(((${row}) % ${PRIME} * 48271 + ${(draw * 40_692_743) % PRIME}) % ${PRIME})`;
  return `((${mixed} * ${mixed} % ${PRIME}) * 69621 % ${PRIME})`;
}

/** An integer from 0 to `bound - 1`. */
export function below(bound: number, row: string, draw: number): string {
  return `(${hash(row, draw)} % ${bound})`;
}

/**
 * An integer from 0 to `bound - 1`, small ones far more often: with `power` 3, one in 30 draws out of 30,000 is the 0.
 * Popularity is like that.
 */
export function skewed(bound: number, power: number, row: string, draw: number): string {
  const share = `(${hash(row, draw)} / ${PRIME}.0)`;
  return `CAST(${bound} * ${Array(power).fill(share).join(" * ")} AS INTEGER)`;
}

/** One of the texts. */
export function oneOf(texts: readonly string[], row: string, draw: number): string {
  return `(${quote(JSON.stringify(texts))} ->> ${below(texts.length, row, draw)})`;
}

/** A ULID of that moment whose random part is drawn (hexadecimal digits are letters of its alphabet). */
export function ulid(ms: string, row: string, draw: number): string {
  const digits = Array.from(
    { length: 10 },
    (_, place) => `substr('${ALPHABET}', 1 + ((${ms} >> ${45 - 5 * place}) & 31), 1)`,
  );
  return `(${digits.join(" || ")} || printf('%08x%08x', ${hash(row, draw)}, ${hash(row, draw + 500)}))`;
}

/** The moment as the product stores it. */
export function iso(ms: string): string {
  return `strftime('%Y-%m-%dT%H:%M:%fZ', (${ms}) / 1000.0, 'unixepoch')`;
}

/** A common table expression `numbers (n)`: `from` to `to - 1`. */
export function numbers(from: number, to: number, name = "numbers"): string {
  return `${name} (n) AS (VALUES (${from}) UNION ALL SELECT n + 1 FROM ${name} WHERE n + 1 < ${to})`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
