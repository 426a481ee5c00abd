/** Makes the module `virtual:bank-list`, which exports the list of Japanese banks and branches as one text. */
import { registerHooks } from "node:module";
import type { Plugin } from "vite";
import type { Place } from "zengin-code";
import { JAPAN_POST_BANK } from "../workers/contract/banks.ts";

const MODULE = "virtual:bank-list";

/** Returns the bank's name as people say it: the list omits 銀行, and shortens the names of other institutions. */
function fullName({ code, name }: Place): string {
  const is_bank = (code < "1000" && code !== FUNDS_TRANSFER_SERVICE) || code === JAPAN_POST_BANK;
  return is_bank && !/バンク|銀行/.test(name) ? `${name}銀行` : name;
}
/** The one institution among the codes of banks that is none: ワイズ. */
const FUNDS_TRANSFER_SERVICE = "0200";

/**
 * Writes a block for each bank, after an empty line: the bank's line, then a line for each branch. A line is code, name
 * and reading, with tabs between. The package has 5 MB of JavaScript for the same, with two more spellings of each name.
 */
async function writeBankList(): Promise<string> {
  // Only when the module is made: most commands that load this file never need the list.
  const { default: banks } = await import("zengin-code");
  const lineOf = ({ code, name, kana }: Place) => [code, name, kana].map((text) => text.normalize("NFKC")).join("\t");
  const byCode = (a: Place, b: Place) => (a.code < b.code ? -1 : 1);
  return Object.values(banks)
    .sort(byCode)
    .map((bank) =>
      [{ ...bank, name: fullName(bank) }, ...Object.values(bank.branches).sort(byCode)].map(lineOf).join("\n"),
    )
    .join("\n\n");
}

export function bankList(): Plugin {
  return {
    name: "bank-list",
    resolveId: (source) => (source === MODULE ? `\0${MODULE}` : undefined),
    async load(id) {
      return id === `\0${MODULE}` ? `export default ${JSON.stringify(await writeBankList())};` : undefined;
    },
  };
}

/** Makes the module for code of the workers that this process runs itself, without a build. */
export async function provideBankList(): Promise<void> {
  const source = `export default ${JSON.stringify(await writeBankList())};`;
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === MODULE ? { url: MODULE, shortCircuit: true } : next(specifier, context),
    load: (url, context, next) =>
      url === MODULE ? { format: "module", source, shortCircuit: true } : next(url, context),
  });
}
