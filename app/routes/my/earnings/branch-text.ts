/** Endings after which banks write no 支店. A place name may end in 部 or 所 too: 宇部支店, 御器所支店. */
const COMPLETE = /(?:店|営業.{0,2}部|本部|本所|出張所|事務所)$/;
/** The branches of ゆうちょ銀行 have three digits as their names. */
const NUMBER = /^[〇一二三四五六七八九]{3}$/;

/** Writes a branch of the list of banks, which omits 支店, as the bank writes it: `渋谷支店`, `本店`, `〇一八店`. */
export function branchText(name: string): string {
  if (COMPLETE.test(name)) return name;
  return name + (NUMBER.test(name) ? "店" : "支店");
}
