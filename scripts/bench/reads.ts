/**
 * Measures the reads of the large database: HTTP to the API over loopback, one request at a time, for many users.
 * Checks each read's query plan: none may scan a table.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { listFollowingActivities } from "../../workers/api/activities/queries.ts";
import { listEventComments } from "../../workers/api/comments/queries.ts";
import { listFollowedEvents, listNewestEvents, listUserEvents } from "../../workers/api/events/queries.ts";
import { openGateway } from "../../workers/api/gateway/client.ts";
import type { RequestContext } from "../../workers/api/http/request-context.ts";
import { findCreatorBalances, listTransactions, sumMonthlyEarnings } from "../../workers/api/ledger/queries.ts";
import { openMails } from "../../workers/api/mails/client.ts";
import { listUserMemberships } from "../../workers/api/memberships/queries.ts";
import { listOfuses, listPublicOfuses } from "../../workers/api/ofuses/queries.ts";
import { genres } from "../../workers/api/references/lists.ts";
import { listFollowers, listRelationships } from "../../workers/api/relationships/queries.ts";
import { searchUsers } from "../../workers/api/search/queries.ts";
import { findCreatorStats, findMembershipStats, findTopStats } from "../../workers/api/stats/queries.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import { openSearchDatabase } from "../../workers/api/storage/search-database.ts";
import { findUser, recommendUsers } from "../../workers/api/users/queries.ts";
import { buildIfStale } from "../build.ts";
import { startNetwork } from "../network.ts";
import { noChat } from "../no-chat.ts";
import { noOverlays } from "../no-overlays.ts";
import { noPush } from "../no-push.ts";
import { noSound } from "../no-sound.ts";
import { timeAtShare } from "./figures.ts";
import { explainStatements, recordStatements, type Statement, scansOf } from "./plans.ts";
import { hardPeople, userOfRank } from "./rows.ts";
import { families, givens, paragraphs } from "./words.ts";
import { BENCH_PASSWORD, benchDataFolder, benchEmail, callers, makeBenchWorld } from "./world.ts";

const WARM_UP = 20;
const REQUESTS = 320;
const TARGET_MS = 20;
const PAGE_SIZE = 20;

export interface MeasuredRead {
  read: string;
  requests: number;
  p50_ms: number;
  p99_ms: number;
  max_ms: number;
  target_ms: number;
}

export interface MeasuredReads {
  rows: MeasuredRead[];
  /** Plans that scan a whole table, by read; empty if there are none. */
  scans: Record<string, string[]>;
}

type Network = Awaited<ReturnType<typeof startNetwork>>;

interface Person {
  user_id: string;
  link_id: string;
  token: string;
}

interface World {
  /** Creators of all ranks, with more of the popular ones. */
  creators: { user_id: string; link_id: string }[];
  /** Readable posts, most commented first. */
  event_ids: string[];
  ordinary: Person[];
  hard: Record<keyof typeof hardPeople, Person>;
}

interface Read {
  read: string;
  /** Returns the path and the caller of the nth request. */
  request(world: World, nth: number): { path: string; caller?: Person };
  /** Runs the query behind the request. */
  query(context: RequestContext, world: World): Promise<unknown>;
}

const pickNth = <T>(of: readonly T[], index: number): T => of[index % of.length] as T;
const pageOf = (page_number: number) => ({ page_number, page_size: PAGE_SIZE });
const pickPerson = (world: World, index: number) => pickNth(world.ordinary, index);

const creatorReads: Read[] = [
  {
    read: "a creator, by link_id",
    request: (world, n) => ({
      path: `/v4/users?link_id=${pickNth(world.creators, n).link_id}`,
      caller: pickPerson(world, n),
    }),
    query: (context, { creators }) => findUser(context, { link_id: pickNth(creators, 0).link_id }),
  },
  ...[1, 5].map(
    (page): Read => ({
      read: `a creator's posts, page ${page}`,
      request: (world, n) => ({
        path: `/v4/users/${pickNth(world.creators, n).user_id}/events?page_number=${page}`,
        caller: pickPerson(world, n),
      }),
      query: (context, { creators }) => listUserEvents(context, pickNth(creators, 0).user_id, pageOf(page)),
    }),
  ),
  {
    read: "a creator's plans",
    request: ({ creators }, n) => ({ path: `/v4/users/${pickNth(creators, n).user_id}/memberships` }),
    query: (context, { creators }) => listUserMemberships(context, pickNth(creators, 0).user_id),
  },
  {
    read: "a creator's public letters",
    request: ({ creators }, n) => ({ path: `/v4/users/${pickNth(creators, n).user_id}/ofuses` }),
    query: (context, { creators }) => listPublicOfuses(context, pickNth(creators, 0).user_id, { first: PAGE_SIZE }),
  },
  ...[1, 5].map(
    (page): Read => ({
      read: `a post's comments, page ${page}`,
      request: ({ event_ids }, n) => ({ path: `/v4/events/${pickNth(event_ids, n)}/comments?page_number=${page}` }),
      query: (context, { event_ids }) => listEventComments(context, pickNth(event_ids, 0), pageOf(page)),
    }),
  ),
];

function timelineRead(
  read: string,
  who: (world: World, n: number) => Person,
  filter: "all" | "subscribing",
  page: number,
) {
  return {
    read: `timeline, ${read}, page ${page}`,
    request: (world: World, n: number) => ({
      path: `/v4/relationships/events?filter=${filter}&page_number=${page}`,
      caller: who(world, n),
    }),
    query: (context: RequestContext, world: World) =>
      listFollowedEvents(context, who(world, 0).user_id, { filter, ...pageOf(page) }),
  } satisfies Read;
}

function followRead(who: keyof typeof hardPeople, filter: "all" | "active" | "passive", page: number) {
  return {
    read: `follows of ${who}, ${filter}, page ${page}`,
    request: ({ hard }: World) => ({
      path: `/v4/relationships?filter=${filter}&page_number=${page}`,
      caller: hard[who],
    }),
    query: (context: RequestContext, { hard }: World) =>
      listRelationships(context, hard[who].user_id, { filter, is_subscribing: false, ...pageOf(page) }),
  } satisfies Read;
}

function recommendRead(read: string, who: (world: World, n: number) => Person) {
  return {
    read: `recommended to ${read}`,
    request: (world: World, n: number) => ({ path: "/v4/users/recommend?limit=6", caller: who(world, n) }),
    query: (context: RequestContext) => recommendUsers(context, 6),
  } satisfies Read;
}

/** Search words that match all, few or no creators. They vary, so that no request repeats the one before. */
const searched = {
  "a name": givens.filter((given) => Array.from(given).length > 1),
  "a whole name": families.flatMap((family, n) => [
    `${family}${pickNth(givens, n)}`,
    `${family} ${pickNth(givens, n + 7)}`,
  ]),
  "two letters": ["です", "ます", "水彩", "ねこ", "ネコ", "した", "ない", "ａｔ", "99", "応援", "締切"],
  "two words": ["です ます", "佐藤 締切", "さくら 応援", "写真 レシピ", "朝 夜", "ﾃﾞﾓ ありがとう"],
  "a sentence": paragraphs.map((paragraph) => paragraph.slice(0, 40)),
  "an address": Array.from({ length: 40 }, (_, n) => `studio_hoshi_${3 + 10 * n * 701}`),
  "nothing there is": ["ますです", "鯨鯱鰯", "zq9x", "さくら陽菜蓮", "ももももももも"],
  "one letter": ["の", "さ", "猫", "a", "9", "鯱", "🍰"],
};

interface Search {
  keyword?: string;
  name?: string;
  genre_id?: string;
}

function searchRead(read: string, sought: (n: number) => Search, page_number = 1) {
  return {
    read: `search, ${read}, page ${page_number}`,
    request: (world: World, n: number) => ({
      path: `/v4/search?${new URLSearchParams({ ...sought(n), page_number: String(page_number) })}`,
      caller: pickPerson(world, n),
    }),
    query: (context: RequestContext) => searchUsers(context, { ...sought(0), limit: PAGE_SIZE, page_number }),
  } satisfies Read;
}

/** Each word occurs in many texts; no text has all of them. */
const longWords = (n: number) =>
  Array.from({ length: 6 }, (_, word) => pickNth(paragraphs, n + word).slice(0, 15)).join(" ");
const genreOf = (n: number) => pickNth(genres, n).genre_id;
const searchReads: Read[] = [
  ...Object.entries(searched).map(([kind, words]) => searchRead(kind, (n) => ({ keyword: pickNth(words, n) }))),
  searchRead("two letters", (n) => ({ keyword: pickNth(searched["two letters"], n) }), 49),
  ...[1, 49].map((page) =>
    searchRead("one letter of names", (n) => ({ name: pickNth(searched["one letter"], n) }), page),
  ),
  searchRead("one letter", (n) => ({ keyword: pickNth(searched["one letter"], n) }), 49),
  searchRead("six long words", (n) => ({ keyword: longWords(n) })),
  searchRead("a name and a genre", (n) => ({ name: pickNth(givens, n), genre_id: genreOf(n) })),
  searchRead("two letters and a genre", (n) => ({
    keyword: pickNth(searched["two letters"], n),
    genre_id: genreOf(n),
  })),
  searchRead("a genre", (n) => ({ genre_id: genreOf(n) })),
  searchRead("a genre", (n) => ({ genre_id: genreOf(n) }), 49),
  searchRead("nothing given", () => ({})),
];
function activityRead(read: string, who: (world: World, n: number) => Person, filter: "all" | "subscribing") {
  return {
    read: `activities, ${read}`,
    request: (world: World, n: number) => ({
      path: `/v4/relationships/followings/activities?filter=${filter}&first=10`,
      caller: who(world, n),
    }),
    query: (context: RequestContext, world: World) =>
      listFollowingActivities(context, who(world, 0).user_id, { filter, first: 10 }),
  } satisfies Read;
}

function followerRead(filter: "all" | "subscribing", page: number) {
  return {
    read: `followers of star, ${filter}, page ${page}`,
    request: ({ hard }: World) => ({
      path: `/v4/relationships/followers?filter=${filter}&page_number=${page}`,
      caller: hard.star,
    }),
    query: (context: RequestContext, { hard }: World) =>
      listFollowers(context, hard.star.user_id, { filter, ...pageOf(page) }),
  } satisfies Read;
}

function followerSearch(read: string, keyword: string) {
  return {
    read: `followers of star, ${read}, page 1`,
    request: ({ hard }: World) => ({
      path: `/v4/relationships/followers?${new URLSearchParams({ keyword })}`,
      caller: hard.star,
    }),
    query: (context: RequestContext, { hard }: World) =>
      listFollowers(context, hard.star.user_id, { filter: "all", keyword, ...pageOf(1) }),
  } satisfies Read;
}

/** The star has about 10,000 letters. */
function boxRead(read: string, box: Omit<Parameters<typeof listOfuses>[2], "type" | "page_size">) {
  const input = { type: "received", page_size: PAGE_SIZE, ...box } as const;
  const query = Object.entries(input).map(([name, value]) => [name, String(value)] as [string, string]);
  return {
    read: `letters of star, ${read}`,
    request: ({ hard }: World) => ({ path: `/v4/ofuses?${new URLSearchParams(query)}`, caller: hard.star }),
    query: (context: RequestContext, { hard }: World) => listOfuses(context, hard.star.user_id, input),
  } satisfies Read;
}
const boxReads: Read[] = [
  boxRead("page 1", { page_number: 1, sort_by: "newest" }),
  boxRead("page 300", { page_number: 300, sort_by: "newest" }),
  boxRead("unread first", { page_number: 1, sort_by: "unread" }),
  boxRead("a word of many", { page_number: 1, sort_by: "newest", keyword: "ました" }),
  boxRead("a name", { page_number: 1, sort_by: "newest", keyword: "さくら" }),
  boxRead("a word of none", { page_number: 1, sort_by: "newest", keyword: "ゾウリムシ" }),
];

const ALL_TIME = { from_ms: 0, to_ms: Date.UTC(2100) };

/** The star has 6,636 payments. */
function transactionRead(read: string, page: number, kind?: "membership") {
  const query = new URLSearchParams({ page_number: String(page), ...(kind && { kind }) });
  return {
    read: `transactions of star, ${read}`,
    request: ({ hard }: World) => ({ path: `/v4/transactions?${query}`, caller: hard.star }),
    query: ({ database }: RequestContext, { hard }: World) =>
      listTransactions(database, hard.star.user_id, {
        ...ALL_TIME,
        kind,
        offset: (page - 1) * PAGE_SIZE,
        limit: PAGE_SIZE + 1,
      }),
  } satisfies Read;
}
const moneyReads: Read[] = [
  transactionRead("page 1", 1),
  transactionRead("page 200", 200),
  transactionRead("plans, page 50", 50, "membership"),
  {
    read: "balance of star",
    request: ({ hard }) => ({ path: "/v4/balance", caller: hard.star }),
    query: ({ database, now_ms }, { hard: { star } }) =>
      Promise.all([
        findCreatorBalances(database, star.user_id),
        sumMonthlyEarnings(database, star.user_id, { from_ms: now_ms, to_ms: now_ms + 1 }),
      ]),
  },
];

/** The star's posts were read a million times in these days. */
const figured = { start_date: "2025-11-02", end_date: "2026-11-01" };
function figureRead(read: string, path: string, query: Read["query"], agg_period: "week" | "month") {
  return {
    read: `figures of star, ${read}`,
    request: ({ hard }: World) => ({
      path: `${path}?${new URLSearchParams({ ...figured, agg_period })}`,
      caller: hard.star,
    }),
    query,
  } satisfies Read;
}
const figureReads: Read[] = [
  figureRead("a year by month", "/v4/my/stats", (context) => findCreatorStats(context, figured, "month"), "month"),
  figureRead("a year by week", "/v4/my/stats", (context) => findCreatorStats(context, figured, "week"), "week"),
  figureRead("plans", "/v4/my/stats/membership", (context) => findMembershipStats(context, figured, "month"), "month"),
];

const avidFollower = ({ hard }: World) => hard.follows_a_thousand;

const reads: Read[] = [
  {
    // Measures the cost of a request without a database.
    read: "a fixed list, for comparison",
    request: () => ({ path: "/v4/genres/all" }),
    query: async () => {},
  },
  ...creatorReads,
  ...[1, 2, 5].map((page) => timelineRead("anybody", pickPerson, "all", page)),
  ...[1, 2, 5].map((page) => timelineRead("1,000 followings", avidFollower, "all", page)),
  timelineRead("20 silent followings", ({ hard }) => hard.follows_the_silent, "all", 1),
  ...[1, 5].map((page) => timelineRead("50 plans", avidFollower, "subscribing", page)),
  ...[1, 5, 50].map((page) => followRead("follows_a_thousand", "active", page)),
  ...[1, 5, 1_000, 5_000].map((page) => followRead("star", "passive", page)),
  ...[1, 5, 50].map((page) => followRead("star", "all", page)),
  recommendRead("anybody", pickPerson),
  recommendRead("who follows the 1,000 most popular", avidFollower),
  ...searchReads,
  {
    read: "newest posts of all",
    request: () => ({ path: "/v4/newest_events?limit=24" }),
    query: (context) => listNewestEvents(context, 24),
  },
  { read: "figures", request: () => ({ path: "/v4/stats/top" }), query: (context) => findTopStats(context, "all") },
  activityRead("anybody", pickPerson, "all"),
  activityRead("1,000 followings", avidFollower, "all"),
  activityRead("50 plans", avidFollower, "subscribing"),
  ...boxReads,
  ...moneyReads,
  ...figureReads,
  ...[1, 1_000].map((page) => followerRead("all", page)),
  ...[1, 5].map((page) => followerRead("subscribing", page)),
  followerSearch("a name of nobody", "ゾウリムシ"),
  followerSearch("a common name", "さくら"),
  followerSearch("two words", "店 雑貨"),
];

/**
 * Measures the reads on the benchmark's data in `data_dir`, which it creates if missing.
 *
 * @param some measures only reads whose name contains it.
 */
export async function measureReads(data_dir: string, some = ""): Promise<MeasuredReads> {
  const measured = reads.filter(({ read }) => read.includes(some));
  await makeBenchWorld(data_dir, console.log);
  const network = await startNetwork({ data_dir, world: "site" });
  try {
    const d1 = (await network.miniflare.getD1Database("DB", "ofuse-api")) as unknown as D1Database;
    const search = (await network.miniflare.getD1Database("SEARCH", "ofuse-api")) as unknown as D1Database;
    const world = await readWorld(network, d1);
    const rows: MeasuredRead[] = [];
    const scans: MeasuredReads["scans"] = {};
    for (const read of measured) rows.push(await measureRead(network, read, world));
    // Check the plans after all timings: nothing but the reads may run while they are timed.
    for (const read of measured) {
      const asked = await statementsOf(d1, search, read, world);
      const found = scansOf([
        ...(await explainStatements(d1, asked.product)),
        ...(await explainStatements(search, asked.search)),
      ]);
      if (found.length > 0) scans[read.read] = found;
    }
    return { rows, scans };
  } finally {
    await network.stop();
  }
}

async function readWorld(network: Network, d1: D1Database): Promise<World> {
  const ranks = Array.from({ length: 100 }, (_, index) => index * index * 3);
  const creators = await peopleOf(d1, ranks.map(userOfRank));
  const talked = await d1
    .prepare(
      `SELECT event_id FROM event_comments JOIN events USING (event_id)
       WHERE events.status = 'published' AND events.publish_target_type = 'public'
       GROUP BY event_id ORDER BY COUNT(*) DESC LIMIT 100`,
    )
    .all<{ event_id: string }>();
  const known = new Map((await peopleOf(d1, callers)).map((person) => [person.user, person]));
  const signedIn = async (user: number): Promise<Person> => {
    const person = known.get(user);
    if (!person) throw new Error(`there is no user ${user} in this world`);
    return { ...person, token: await signIn(network, user) };
  };
  const hard: Partial<World["hard"]> = {};
  for (const [name, user] of Object.entries(hardPeople)) hard[name as keyof typeof hardPeople] = await signedIn(user);
  const ordinary: Person[] = [];
  for (const user of callers.slice(Object.keys(hardPeople).length)) ordinary.push(await signedIn(user));
  const event_ids = talked.results.map(({ event_id }) => event_id);
  return { creators, event_ids, ordinary, hard: hard as World["hard"] };
}

/** Finds people by user number, which is the rowid minus one: see rows.ts. */
async function peopleOf(d1: D1Database, users: readonly number[]) {
  const { results } = await d1
    .prepare(
      "SELECT rowid - 1 AS user, user_id, link_id FROM users WHERE rowid IN (SELECT value + 1 FROM json_each(?))",
    )
    .bind(JSON.stringify(users))
    .all<{ user: number; user_id: string; link_id: string }>();
  return results;
}

async function signIn({ url, secrets }: Network, user: number): Promise<string> {
  const response = await fetch(
    `${url}/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=${secrets.IDENTITY_API_KEY}`,
    {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: benchEmail(user), password: BENCH_PASSWORD, returnSecureToken: true }),
    },
  );
  const { idToken } = (await response.json()) as { idToken?: string };
  if (!idToken) throw new Error(`signing in ${benchEmail(user)} answered ${response.status}`);
  return idToken;
}

/**
 * Collects this process's young garbage between requests. The client shares the machine with the API. Without this, the
 * client's collector delayed one request in a hundred by 10 to 40 ms, which was the whole p99. Half of that was waiting
 * for a core that the API was using. The API's own garbage collection is measured.
 */
const collectOwnGarbage = (() => {
  setFlagsFromString("--expose-gc");
  const gc: (options: { type: "minor"; execution: "sync" }) => void = runInNewContext("gc");
  return () => gc({ type: "minor", execution: "sync" });
})();
const REQUESTS_PER_COLLECTION = 10;

async function measureRead({ url }: Network, { read, request }: Read, world: World): Promise<MeasuredRead> {
  const times: number[] = [];
  for (let index = -WARM_UP; index < REQUESTS; index++) {
    const { path, caller } = request(world, index + WARM_UP);
    if (index % REQUESTS_PER_COLLECTION === 0) collectOwnGarbage();
    const began_at = performance.now();
    // Ask for no compression: only the edge compresses, and here that would be most of the measured time.
    const headers = { "accept-encoding": "identity", ...(caller && { authorization: `Bearer ${caller.token}` }) };
    const response = await fetch(url + path, { headers });
    const text = await response.text();
    if (index >= 0) times.push(performance.now() - began_at);
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${text}`);
  }
  times.sort((a, b) => a - b);
  return {
    read,
    requests: REQUESTS,
    p50_ms: timeAtShare(times, 0.5),
    p99_ms: timeAtShare(times, 0.99),
    max_ms: timeAtShare(times, 1),
    target_ms: TARGET_MS,
  };
}

/** Returns the statements that the read sends to the databases. */
async function statementsOf(
  d1: D1Database,
  search: D1Database,
  { query, request }: Read,
  world: World,
): Promise<{ product: Statement[]; search: Statement[] }> {
  const asked: { product: Statement[]; search: Statement[] } = { product: [], search: [] };
  const recorded = recordStatements(d1, asked.product);
  const user_id = request(world, 0).caller?.user_id;
  const context: RequestContext = {
    request_id: "",
    now_ms: Date.now(),
    database: openDatabase(recorded),
    d1: recorded,
    search: openSearchDatabase(recordStatements(search, asked.search)),
    media: {} as R2Bucket,
    media_key: "a key for pictures nobody will see",
    bank_keys: "k1:a key for no account",
    issuer_number: null,
    gateway: openGateway({ SITE_ORIGIN: "" }),
    mails: openMails({ fetch: async () => new Response(null, { status: 404 }) }),
    push: noPush,
    sound: noSound,
    chat: noChat,
    overlays: noOverlays,
    address_hash: null,
    caller: user_id ? { user_id, claims: { sub: "", auth_time: 0 } } : null,
    idempotency: null,
    announce: () => {},
  };
  await query(context, world);
  return asked;
}

if (import.meta.main) {
  const built = await buildIfStale();
  if (built && !built.passed) throw new Error(built.output);
  const { rows, scans } = await measureReads(benchDataFolder(), process.argv[2]);
  console.table(rows);
  console.log(Object.keys(scans).length === 0 ? "No table is scanned." : scans);
}
