import type { Bank, Branch } from "../../contract/banks.ts";
import type { Place } from "./rules.ts";

/** The list of banks as this isolate parsed it: for each bank its code and its lines. */
let blocks: ReadonlyMap<string, string> | undefined;

/** Loads the list on its first use, because most isolates never need it and all of them start faster without it. */
async function readBlocks(): Promise<ReadonlyMap<string, string>> {
  blocks ??= new Map(
    (await import("virtual:bank-list")).default.split("\n\n").map((block) => [block.slice(0, 4), block]),
  );
  return blocks;
}

function toPlace(line: string): Place {
  const [code = "", name = "", kana = ""] = line.split("\t");
  return { code, name, kana };
}

/** Returns all banks, in the order of their codes. */
export async function readBanks(): Promise<Place[]> {
  return [...(await readBlocks()).values()].map((block) => toPlace(block.slice(0, block.indexOf("\n"))));
}

/** Returns a bank and its branches, in the order of their codes; null for an unknown code. */
export async function readBank(bank_code: string): Promise<{ bank: Place; branches: Place[] } | null> {
  const block = (await readBlocks()).get(bank_code);
  if (block === undefined) return null;
  const [bank = "", ...branches] = block.split("\n");
  return { bank: toPlace(bank), branches: branches.map(toPlace) };
}

export const toBank = ({ code, name }: Place): Bank => ({ bank_code: code, name });
export const toBranch = ({ code, name }: Place): Branch => ({ branch_code: code, name });
