import { beforeAll, expect, test } from "vitest";
import { routePatterns } from "../../scripts/pages.ts";
import { saveDraft } from "../../workers/contract/drafts.ts";
import { sendFreeOfuse } from "../../workers/contract/ofuses.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { type Browser, browser, freshMember, openBrowserAs } from "../support/network.ts";
import { ask, userId } from "./support/calls.ts";

/**
 * Asks for every page as a visitor and as two members at the same moment. The web worker and the API serve all three in
 * one process each, and share memory between requests: no page may hold anything of another reader.
 */

const CREATOR = "natsume";
/** Gets the letters. None of their pages is asked for: a live radio tells who has written to its creator. */
const RECEIVER = "kanade";

interface Reader {
  browser: Browser;
  /** Only this person's pages may contain these. */
  marks: string[];
}

let visitor: Reader;
let members: Reader[];
let paths: string[];

/** A member with a draft and a sent letter. Both are unlike all other text. */
async function memberWithMarks(): Promise<Reader> {
  const word = () => crypto.randomUUID().slice(0, 13);
  const [name, title, message] = [word(), word(), word()] as const;
  const { token, email, user, ...account } = await freshMember(name);
  const receiver_user_id = await userId(RECEIVER);
  await Promise.all([
    ask(saveDraft, {
      token,
      params: { draft_id: newId(Date.now()) },
      body: { kind: "blog", fields: { title, body: "" }, revision: 0 },
    }),
    ask(sendFreeOfuse, { token, body: { receiver_user_id, message } }),
  ]);
  const marks = [name, title, message, email, user.user_id, user.link_id];
  return { browser: await openBrowserAs({ token, email, ...account }), marks };
}

/** Returns the path of the first link of a page that matches. */
async function linkOf(page: string, link: RegExp): Promise<string> {
  const found = link.exec((await visitor.browser.get(page)).text)?.[0];
  if (!found) throw new Error(`${page} has no link like ${link}`);
  return found;
}

beforeAll(async () => {
  visitor = { browser: await browser(), marks: [] };
  members = await Promise.all([memberWithMarks(), memberWithMarks()]);
  const open = routePatterns()
    .map((pattern) => pattern.replace("/:link_id", `/${CREATOR}`))
    .filter((pattern) => !/[:*]|^\/logout/.test(pattern));
  const linked = await Promise.all([
    linkOf(`/${CREATOR}`, new RegExp(`/${CREATOR}/events/\\w{26}`)),
    linkOf(`/${CREATOR}/radio`, new RegExp(`/${CREATOR}/radios/\\w{26}`)),
    linkOf("/news", /\/news\/[\w-]+/),
  ]);
  paths = [...open, ...linked];
});

/** How many pages are asked for at the same moment, each by all readers. */
const AT_ONCE = 4;

test("no page contains anything of a reader who asks at the same moment", async () => {
  const readers = [visitor, ...members];
  const own = new Set<string>();
  const foreign: string[] = [];
  async function askAll(path: string): Promise<void> {
    const pages = await Promise.all(readers.map((reader) => reader.browser.get(path)));
    for (const [at, { text, headers }] of pages.entries()) {
      const everything = text + JSON.stringify([...headers]);
      for (const [of, { marks }] of readers.entries()) {
        const found = marks.filter((mark) => everything.includes(mark));
        if (of === at) for (const mark of found) own.add(mark);
        else foreign.push(...found.map((mark) => `${path}: reader ${at} sees ${mark} of reader ${of}`));
      }
    }
  }
  for (let first = 0; first < paths.length; first += AT_ONCE) {
    await Promise.all(paths.slice(first, first + AT_ONCE).map(askAll));
  }
  expect(foreign).toEqual([]);
  // Each mark is on some page of its own reader, so the test would find it.
  expect([...own].sort()).toEqual(members.flatMap(({ marks }) => marks).sort());
  expect(paths.length).toBeGreaterThan(60);
});
