/**
 * SQL expressions that generate the benchmark's data. Every value is computed from its row number, not drawn at random:
 * the data are the same on every machine and for every batch size.
 */

const PRIME = 2_147_483_647;
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/**
 * Returns SQL for a random-looking integer from 0 to 2^31-2, from a row number below 2^40 and a draw number. Squaring
 * breaks up the lattice that multiplication alone leaves. No step exceeds 63 bits, where SQLite switches to floats.
 */
function hashSql(row: string, draw: number): string {
  const mixed = `(((${row}) % ${PRIME} * 48271 + ${(draw * 40_692_743) % PRIME}) % ${PRIME})`;
  return `((${mixed} * ${mixed} % ${PRIME}) * 69621 % ${PRIME})`;
}

/** Returns SQL for an integer from 0 to `bound - 1`. */
export function belowSql(bound: number, row: string, draw: number): string {
  return `(${hashSql(row, draw)} % ${bound})`;
}

/**
 * Returns SQL for an integer from 0 to `bound - 1`, with small ones far more frequent: with `power` 3, one in 30 draws
 * out of 30,000 is 0.
 * Popularity is distributed like this.
 */
export function skewedSql(bound: number, power: number, row: string, draw: number): string {
  const share = `(${hashSql(row, draw)} / ${PRIME}.0)`;
  return `CAST(${bound} * ${Array(power).fill(share).join(" * ")} AS INTEGER)`;
}

/** Returns SQL that picks one of the texts. */
export function oneOfSql(texts: readonly string[], row: string, draw: number): string {
  return `(${quoteSql(JSON.stringify(texts))} ->> ${belowSql(texts.length, row, draw)})`;
}

/** Returns SQL for a ULID of this moment. Its random part is hexadecimal, whose digits are all in the ULID alphabet. */
export function ulidSql(ms: string, row: string, draw: number): string {
  const digits = Array.from(
    { length: 10 },
    (_, place) => `substr('${ALPHABET}', 1 + ((${ms} >> ${45 - 5 * place}) & 31), 1)`,
  );
  return `(${digits.join(" || ")} || printf('%08x%08x', ${hashSql(row, draw)}, ${hashSql(row, draw + 500)}))`;
}

/** Returns SQL for the moment as the product stores it. */
export function isoTimeSql(ms: string): string {
  return `strftime('%Y-%m-%dT%H:%M:%fZ', (${ms}) / 1000.0, 'unixepoch')`;
}

/** Returns a common table expression `numbers (n)` with the rows `from` to `to - 1`. */
export function numbersSql(from: number, to: number, name = "numbers"): string {
  return `${name} (n) AS (VALUES (${from}) UNION ALL SELECT n + 1 FROM ${name} WHERE n + 1 < ${to})`;
}

function quoteSql(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
