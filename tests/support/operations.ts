/** The commands of docs/operations.md. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const page = join(import.meta.dirname, "../../docs/operations.md");

/** Blocks that begin with one of these lines are run by no test. The page says what they mean. */
const MARKS = ["# Root on Debian", "# Cloudflare account"];

export interface DocumentedBlock {
  /** The line of the page. */
  line: number;
  text: string;
  is_marked: boolean;
}

export interface DocumentedCommand {
  line: number;
  /** The command without `sudo`, `env`, variables and redirections. Placeholders such as `<report_id>` are one word. */
  words: string[];
  /** Whether it is in a block of the shell, and not in a sentence. */
  is_in_block: boolean;
  is_marked: boolean;
}

const readPage = (): string => readFileSync(page, "utf8");

/** Returns the blocks of the shell. */
export function documentedBlocks(): DocumentedBlock[] {
  return [...readPage().matchAll(/^```sh\n(.*?)^```$/gms)].map(({ 0: whole, 1: text = "", index, input }) => ({
    line: input.slice(0, index).split("\n").length + 1,
    text,
    is_marked: MARKS.some((mark) => whole.startsWith(`\`\`\`sh\n${mark}\n`)),
  }));
}

/** Splits a line of the shell into its commands, and each into words. */
function wordsOf(line: string): string[][] {
  const token =
    /\s+|(?<end>&&|\|\||[;|])|(?<comment>#.*)|(?<word>(?:<\S[^<>]*>|'[^']*'|"[^"]*"|\$\([^)]*\)|[^\s;|&#'"])+)/gy;
  const commands: string[][] = [[]];
  for (const { groups = {} } of line.matchAll(token)) {
    if (groups.end !== undefined) commands.push([]);
    else if (groups.word !== undefined) commands.at(-1)?.push(groups.word.replace(/(['"])(.*?)\1/gs, "$2"));
  }
  return commands.map(withoutShell).filter((words) => words.length > 0);
}

/** Drops what surrounds a command: `sudo` and `env` with their flags, variables, redirections. */
function withoutShell(words: readonly string[]): string[] {
  const redirected = words.findIndex((word) => word === "<" || word === ">");
  const kept = redirected < 0 ? [...words] : words.slice(0, redirected);
  const isAround = (word: string) => word === "env" || /^[A-Z][A-Z_]*=/.test(word);
  while (kept[0] !== undefined && (kept[0] === "sudo" || isAround(kept[0]))) {
    if (kept.shift() !== "sudo") continue;
    while (kept[0]?.startsWith("-")) if (kept.shift() === "-u") kept.shift();
  }
  return kept;
}

/** Returns every command of the blocks, and those of the sentences that begin with npm or npx. */
export function documentedCommands(): DocumentedCommand[] {
  const blocks = documentedBlocks();
  const in_blocks = blocks.flatMap(({ line, text, is_marked }) =>
    text
      .replace(/(<<EOF)\n.*^EOF$/ms, "")
      .replace(/'[^']*'/g, (quoted) => quoted.replaceAll("\n", " "))
      .split("\n")
      .flatMap((each, below) =>
        wordsOf(each).map((words) => ({ line: line + below, words, is_in_block: true, is_marked })),
      ),
  );
  const sentences = readPage().replace(/^```.*?^```$/gms, (block) => block.replace(/[^\n]/g, ""));
  const in_sentences = [...sentences.matchAll(/`([^`]+)`/g)].flatMap(({ 1: text = "", index, input }) => {
    const line = input.slice(0, index).split("\n").length;
    return wordsOf(text.replaceAll("\n", " "))
      .filter(([program]) => program === "npm" || program === "npx")
      .map((words) => ({ line, words, is_in_block: false, is_marked: false }));
  });
  return [...in_blocks, ...in_sentences];
}

/** Returns the name of the script that `npm run` gets, and its arguments; null for another command. */
export function npmScriptOf({ words }: DocumentedCommand): { script: string; args: string[] } | null {
  const [npm, ...rest] = words.filter((word) => word !== "--silent");
  if (npm !== "npm") return null;
  const [script = "", ...args] = rest[0] === "run" ? rest.slice(1) : rest;
  return { script, args: args[0] === "--" ? args.slice(1) : args };
}

/** Returns the arguments of an operators' command with values in place of what the page leaves open. */
export function fillIn(args: readonly string[]): string[] {
  return args.map((arg) =>
    arg
      .replace(/^<address.*>$/, "hana@example.jp")
      .replace(/^<.*>$/, "01m8ad3pfzt26gsd9qfp75y0b5")
      .replace("pi_...", "pi_1")
      .replace("https://...", "https://books.test/"),
  );
}
