/**
 * Reads the properties that the layout needs from a TrueType font: its characters and their widths. Source: the
 * OpenType specification, tables head, hhea, hmtx and cmap (format 12).
 */
export class Typeface {
  readonly family: string;
  readonly bytes: Uint8Array;
  readonly #view: DataView;
  readonly #units_per_em: number;
  readonly #metrics: number;
  readonly #metrics_count: number;
  readonly #groups: number;
  readonly #groups_count: number;

  /** @throws when the bytes are no font, or the font has no character table of format 12. */
  constructor(family: string, bytes: Uint8Array) {
    this.family = family;
    this.bytes = bytes;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#view = view;
    const tables = new Map<string, number>();
    for (let entry = 12, left = view.getUint16(4); left > 0; entry += 16, left--) {
      tables.set(new TextDecoder().decode(bytes.subarray(entry, entry + 4)), view.getUint32(entry + 8));
    }
    const tableOffset = (name: string): number => {
      const found = tables.get(name);
      if (found === undefined) throw new Error(`${family} has no table ${name}`);
      return found;
    };
    this.#units_per_em = view.getUint16(tableOffset("head") + 18);
    this.#metrics = tableOffset("hmtx");
    this.#metrics_count = view.getUint16(tableOffset("hhea") + 34);
    const subtable = this.#findCharacters(tableOffset("cmap"));
    this.#groups = subtable + 16;
    this.#groups_count = view.getUint32(subtable + 12);
  }

  #findCharacters(cmap: number): number {
    for (let record = cmap + 4, left = this.#view.getUint16(cmap + 2); left > 0; record += 8, left--) {
      const subtable = cmap + this.#view.getUint32(record + 4);
      if (this.#view.getUint16(subtable) === 12) return subtable;
    }
    throw new Error(`${this.family} has no table of all its characters`);
  }

  /** Returns the number of a character's glyph. Zero is the box for a missing character. */
  #glyphOf(code_point: number): number {
    let [low, high] = [0, this.#groups_count - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const group = this.#groups + middle * 12;
      const first = this.#view.getUint32(group);
      if (code_point < first) high = middle - 1;
      else if (code_point > this.#view.getUint32(group + 4)) low = middle + 1;
      else return this.#view.getUint32(group + 8) + code_point - first;
    }
    return 0;
  }

  has(code_point: number): boolean {
    return this.#glyphOf(code_point) !== 0;
  }

  /** Returns the width of a character in ems. */
  widthOf(code_point: number): number {
    const metric = Math.min(this.#glyphOf(code_point), this.#metrics_count - 1);
    return this.#view.getUint16(this.#metrics + metric * 4) / this.#units_per_em;
  }
}
