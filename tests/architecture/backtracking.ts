import { parseSync } from "vite";

/**
 * Finds regular expressions whose time grows with the square of the text, or faster. The engine tries one way of matching
 * after the other, so it is slow where a text fits an unbounded repetition in many ways and then fails:
 *
 * - The search may start at each character of what the repetition reads: `\s*\n` in many spaces, `<[^>]*>` in many `<`.
 * - Two repetitions may share what they read: `\s*-?\s*x` after `^`, or `(a+)+x`.
 *
 * Reads an expression as an automaton with one state for each character or class in it (Glushkov's construction), and compares
 * classes by sample characters. Takes a repetition of up to {@link BOUNDED} times as none. May refuse an expression that its
 * lookarounds keep fast. Does not look into lookbehinds.
 */
export function isSlow(source: string, flags: string): boolean {
  const { whole, follow, classes, nested } = readAutomaton(source, flags);
  const canFail = (state: number) => !whole.sure_last.has(state);
  const loops = [...classes.keys()].filter((state) => canFail(state) && reach(state, follow).has(state));
  if (nested.some(canFail)) return true;
  if (!flags.includes("y") && loops.some((loop) => startsInside(loop))) return true;
  return loops.some((loop) => [...classes.keys()].some((other) => other !== loop && shares(other, loop)));

  /** Whether a text that leads from `loop` to itself also leads a search that starts in it there. */
  function startsInside(loop: number): boolean {
    const seen = new Set<string>();
    const open: [search: number | null, inside: number][] = [[null, loop]];
    for (let pair = open.pop(); pair; pair = open.pop()) {
      const [search, inside] = pair;
      if (search === loop && inside === loop) return true;
      if (seen.has(String(pair))) continue;
      seen.add(String(pair));
      for (const next of follow[inside] ?? []) {
        if (search === null) open.push([null, next]);
        const starts = search === null ? entriesAfter(inside) : (follow[search] ?? []);
        for (const start of starts) if (meet(classes[start], classes[next])) open.push([start, next]);
      }
    }
    return false;
  }

  function entriesAfter(state: number): number[] {
    return [...whole.first].filter(([, before]) => meet(before, classes[state])).map(([entry]) => entry);
  }

  /** Whether a text that leads from `a` to itself, and from `b` to itself, also leads from `a` to `b`. */
  function shares(a: number, b: number): boolean {
    const seen = new Set<string>();
    const open: [number, number, number][] = [[a, a, b]];
    for (let ways = open.pop(); ways; ways = open.pop()) {
      if (seen.has(String(ways))) continue;
      seen.add(String(ways));
      for (const x of follow[ways[0]] ?? []) {
        for (const y of follow[ways[1]] ?? []) {
          for (const z of follow[ways[2]] ?? []) {
            if (!meet(classes[x], classes[y], classes[z])) continue;
            if (x === a && y === b && z === b) return true;
            open.push([x, y, z]);
          }
        }
      }
    }
    return false;
  }
}

interface Literal {
  source: string;
  flags: string;
}

/** Returns the regular expression literals of a file. */
export function literalsOf(path: string, code: string): Literal[] {
  const { program, errors } = parseSync(path, code);
  if (errors[0]) throw new Error(`${path}: ${errors[0].message}`);
  const found: Literal[] = [];
  const visit = (node: object) => {
    const { regex } = node as { regex?: { pattern: string; flags: string } };
    if (regex) found.push({ source: regex.pattern, flags: regex.flags });
    else for (const value of Object.values(node)) if (typeof value === "object" && value) visit(value);
  };
  visit(program);
  return found;
}

/** A repetition of up to 1,000 times is ignored, because it makes a search at most 1,000 times slower. */
const BOUNDED = 1000;

type Characters = ReadonlySet<string>;

/** A part of an expression. States are the characters and classes of the expression, numbered from the left. */
interface Part {
  /** Whether the part may match the empty text, and whether it does so everywhere. `^` may, but not everywhere. */
  is_nullable: boolean;
  is_sure: boolean;
  /** The characters behind which it may match the empty text. */
  before: Characters;
  /** Its first states, each with the characters behind which it may begin there. */
  first: ReadonlyMap<number, Characters>;
  /** Its last states, and those of them after which it needs nothing more. */
  last: ReadonlySet<number>;
  sure_last: ReadonlySet<number>;
}

function readAutomaton(source: string, flags: string) {
  const samples = samplesOf(source);
  const follow: Set<number>[] = [];
  const classes: Characters[] = [];
  const nested: number[] = [];
  const NONE: Characters = new Set();
  const empty: Part = guard(samples, true);
  let rest = source;
  const whole = readAlternatives();
  if (rest !== "") throw new Error(`not understood: ${rest} of ${source}`);
  return { whole, follow, classes, nested };

  function take(pattern: RegExp): RegExpExecArray | null {
    const found = pattern.exec(rest);
    if (found) rest = rest.slice(found[0].length);
    return found;
  }

  function readAlternatives(): Part {
    const parts = [readSequence()];
    while (take(/^\|/)) parts.push(readSequence());
    return parts.reduce((a, b) => ({
      is_nullable: a.is_nullable || b.is_nullable,
      is_sure: a.is_sure || b.is_sure,
      before: new Set([...a.before, ...b.before]),
      first: new Map([...a.first, ...b.first]),
      last: new Set([...a.last, ...b.last]),
      sure_last: new Set([...a.sure_last, ...b.sure_last]),
    }));
  }

  function readSequence(): Part {
    let joined = empty;
    while (rest !== "" && !/^[|)]/.test(rest)) joined = join(joined, readRepeated());
    return joined;
  }

  function join(a: Part, b: Part): Part {
    connect(a, b);
    const behind = a.is_nullable ? [...b.first].map(([state, before]) => [state, both(a.before, before)] as const) : [];
    return {
      is_nullable: a.is_nullable && b.is_nullable,
      is_sure: a.is_sure && b.is_sure,
      before: both(a.before, b.before),
      first: new Map([...a.first, ...behind]),
      last: new Set([...b.last, ...(b.is_nullable ? a.last : [])]),
      sure_last: new Set([...b.sure_last, ...(b.is_sure ? a.sure_last : [])]),
    };
  }

  function connect(a: Part, b: Part): void {
    for (const end of a.last) for (const start of b.first.keys()) follow[end]?.add(start);
  }

  function readRepeated(): Part {
    const part = readAtom();
    const [, sign, min, comma, max] = take(/^(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/) ?? [];
    const is_long = sign ? sign !== "?" : comma !== undefined && (max === "" || Number(max) > BOUNDED);
    if (is_long) {
      for (const end of part.last)
        if ([...part.first.keys()].some((start) => follow[end]?.has(start))) nested.push(end);
      connect(part, part);
    }
    const is_optional = sign ? sign !== "+" : min === "0";
    return is_optional ? { ...part, is_nullable: true, is_sure: true, before: samples } : part;
  }

  function readAtom(): Part {
    const group = take(/^\((?:\?(?:(:|=|!|<=|<!)|<\w+>))?/);
    if (group) {
      const inner = readAlternatives();
      take(/^\)/);
      // What follows a lookahead does not follow what it reads.
      if (group[1] === "=" || group[1] === "!") return { ...guard(samples), first: inner.first };
      if (!group[1]?.startsWith("<")) return inner;
      // Of a long lookbehind only the last character is compared.
      const read = new Set([...inner.last].flatMap((state) => [...(classes[state] ?? [])]));
      return guard(group[1] === "<=" ? read : new Set([...samples].filter((each) => !read.has(each))));
    }
    if (take(/^\^/)) return guard(flags.includes("m") ? new Set(["\n", "\r"]) : NONE);
    if (take(/^(?:\$|\\[bB])/)) return guard(samples);
    const [atom = ""] = take(/^(?:\[(?:\\.|[^\]\\])*\]|\\(?:u\{\w+\}|u\w{4}|x\w\w|[pP]\{[^}]+\}|k<\w+>|.)|.)/su) ?? [];
    const is_backreference = /^\\(?:k<|[1-9])/.test(atom);
    const state = classes.push(is_backreference ? samples : charactersOf(atom)) - 1;
    // A backreference may read any text.
    follow.push(new Set(is_backreference ? [state] : []));
    const states = new Set([state]);
    const first = new Map([[state, samples]]);
    return { is_nullable: false, is_sure: false, before: NONE, first, last: states, sure_last: states };
  }

  function charactersOf(atom: string): Characters {
    const pattern = new RegExp(`^(?:${atom})$`, flags.replace(/[gmy]/g, ""));
    return new Set([...samples].filter((each) => pattern.test(each)));
  }

  function guard(before: Characters, is_sure = false): Part {
    return { is_nullable: true, is_sure, before, first: new Map(), last: new Set(), sure_last: new Set() };
  }
}

/** Returns characters of many kinds, and all that the expression names. */
function samplesOf(source: string): Characters {
  const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
  const named = source.replace(/\\(?:u\{(\w+)\}|u(\w{4})|x(\w\w))/g, (_, ...codes: string[]) =>
    String.fromCodePoint(Number.parseInt(codes.slice(0, 3).find(Boolean) ?? "0", 16)),
  );
  return new Set([
    ...ascii,
    ..."\u0080\u00a0é\u0300\u200b\u200d\u2028\u3000あアー漢、。「０Ａ円ｱЖشक가\ufe0f😀🇯",
    ...named,
  ]);
}

/** Returns the states that a text may lead to from this one. */
function reach(state: number, follow: readonly ReadonlySet<number>[]): Set<number> {
  const found = new Set<number>();
  const open = [...(follow[state] ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    open.push(...(follow[next] ?? []));
  }
  return found;
}

const both = (a: Characters, b: Characters): Characters => new Set([...a].filter((each) => b.has(each)));

function meet(a: Characters = new Set(), ...others: (Characters | undefined)[]): boolean {
  return [...a].some((each) => others.every((other) => other?.has(each)));
}
