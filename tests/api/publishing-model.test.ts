/**
 * Compares posts' states with a model. Commands are generated from a seed; the model predicts the result of each, and
 * the database is compared after each. To repeat a failure, run the test of its seed: the message names the step and
 * the commands before it.
 */
import { beforeAll, expect, test } from "vitest";
import { createEvent, deleteEvent, publishDue, updateEvent, updateEvents } from "../../workers/api/events/commands.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import type { EventBody } from "../../workers/contract/events.ts";
import { Problem } from "../../workers/kernel/problem.ts";
import { addUser, contextOf, d1, NOW_MS } from "./support/context.ts";

const SEEDS = Array.from({ length: 24 }, (_, index) => 4711 + index);
const STEPS = 60;
const MINUTE_MS = 60_000;
const START_MS = NOW_MS - 90 * 24 * 60 * MINUTE_MS;

type Status = EventBody["status"];
type Person = "owner" | "stranger";

interface Post {
  status: Status;
  publish_at_ms: number | null;
  published_at_ms: number | null;
  is_removed: boolean;
  /** How often it was announced. */
  announced: number;
}

type Command =
  | { do: "create"; status: Status; publish_at_ms: number }
  | { do: "update"; by: Person; nth: number; status: Status; publish_at_ms: number }
  | { do: "batch"; by: Person; nths: number[]; status: "published" | "private" }
  | { do: "delete"; by: Person; nth: number }
  | { do: "delete many"; by: Person; nths: number[] }
  | { do: "take down"; nth: number }
  | { do: "tick"; times: number }
  | { do: "wait"; ms: number };

const STATUSES: readonly Status[] = ["private", "publish_pending", "published"];
/** Written by hand: the allowed changes of state. Keeping the state is always allowed. */
const ALLOWED = [
  "private publish_pending",
  "private published",
  "publish_pending private",
  "publish_pending published",
  "published private",
];

/** Returns a generator of numbers below a bound, the same for the same seed. */
function newDraw(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

function drawCommand(of: (bound: number) => number, now_ms: number, made: number): Command {
  const drawNth = () => of(made + 1);
  const drawNths = () => Array.from({ length: 1 + of(3) }, drawNth);
  const by: Person = of(6) === 0 ? "stranger" : "owner";
  const status = STATUSES[of(3)] ?? "private";
  // A publish time from ten minutes ago to an hour ahead, in steps of ten minutes.
  const publish_at_ms = now_ms + (of(8) - 1) * 10 * MINUTE_MS;
  switch (of(12)) {
    case 0:
    case 1:
      return { do: "create", status, publish_at_ms };
    case 2:
    case 3:
    case 4:
    case 5:
      return { do: "update", by, nth: drawNth(), status, publish_at_ms };
    case 6:
      return { do: "batch", by, nths: drawNths(), status: status === "private" ? "private" : "published" };
    case 7:
      return of(3) > 0 ? { do: "delete", by, nth: drawNth() } : { do: "delete many", by, nths: drawNths() };
    case 8:
      return { do: "take down", nth: drawNth() };
    case 9:
    case 10:
      return { do: "tick", times: 1 + of(3) };
    default:
      return { do: "wait", ms: of(40) * MINUTE_MS };
  }
}

/** Predicts what each command does to the product. */
class Model {
  now_ms = START_MS;
  /** In order of creation; null for a deleted post. */
  posts: (Post | null)[] = [];

  #refusal(post: Post, to: Status): string | null {
    if (post.is_removed && to !== "private") return "event_removed";
    if (post.status !== to && !ALLOWED.includes(`${post.status} ${to}`)) return "event_transition_refused";
    return null;
  }

  #enter(post: Post, status: Status, publish_at_ms: number | null): void {
    if (status === "published") this.#publish(post, this.now_ms);
    post.status = status;
    post.publish_at_ms = status === "publish_pending" ? publish_at_ms : null;
  }

  #publish(post: Post, at_ms: number): void {
    if (post.status !== "published") post.announced++;
    post.published_at_ms ??= at_ms;
  }

  /** Applies the command. Returns the error code, or null. A refused command changes nothing. */
  apply(command: Command): string | null {
    switch (command.do) {
      case "wait":
        this.now_ms += command.ms;
        return null;
      case "tick":
        for (const post of this.posts) {
          if (post?.status !== "publish_pending" || (post.publish_at_ms ?? 0) > this.now_ms) continue;
          const meant_ms = post.publish_at_ms ?? 0;
          this.#publish(post, meant_ms);
          Object.assign(post, { status: "published", publish_at_ms: null });
        }
        return null;
      case "create": {
        const { status, publish_at_ms } = command;
        if (status === "publish_pending" && publish_at_ms < this.now_ms) return "publish_at_passed";
        const post: Post = {
          status: "private",
          publish_at_ms: null,
          published_at_ms: null,
          is_removed: false,
          announced: 0,
        };
        this.#enter(post, status, publish_at_ms);
        this.posts.push(post);
        return null;
      }
      case "update": {
        const post = command.by === "owner" ? this.posts[command.nth] : null;
        if (!post) return "not_found";
        if (command.status === "publish_pending" && command.publish_at_ms < this.now_ms) return "publish_at_passed";
        const refusal = this.#refusal(post, command.status);
        if (refusal === null) this.#enter(post, command.status, command.publish_at_ms);
        return refusal;
      }
      case "batch": {
        const posts = command.nths.map((nth) => this.posts[nth] ?? null);
        if (command.by !== "owner" || posts.includes(null)) return "not_found";
        const all = posts as Post[];
        const refusals = all.map((post) => this.#refusal(post, command.status));
        for (const code of ["event_removed", "event_transition_refused"]) if (refusals.includes(code)) return code;
        for (const post of all) this.#enter(post, command.status, null);
        return null;
      }
      case "delete":
      case "delete many": {
        const nths = command.do === "delete" ? [command.nth] : command.nths;
        if (command.by !== "owner" || nths.some((nth) => !this.posts[nth])) return "not_found";
        for (const nth of nths) this.posts[nth] = null;
        return null;
      }
      case "take down": {
        const post = this.posts[command.nth];
        if (post) Object.assign(post, { status: "private", publish_at_ms: null, is_removed: true });
        return null;
      }
    }
  }
}

const toIsoTime = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
const bodyOf = (status: Status, publish_at_ms: number): EventBody => ({
  kind: "blog",
  title: "題",
  document: [{ type: "paragraph", content: [{ type: "text", text: "本文" }] }],
  images: [],
  cover_image_id: null,
  video_url: null,
  video_media_id: null,
  event_category_id: null,
  comment_filter: "all",
  status,
  publish_at: status === "publish_pending" ? toIsoTime(publish_at_ms) : null,
  publish_target_type: "public",
  publish_target_membership_id: null,
});

let people: Record<Person, string>;
beforeAll(async () => {
  people = { owner: await addUser("model_owner", { is_creator: 1 }), stranger: await addUser("model_stranger") };
});

const NOTHING = "01hzzzzzzzzzzzzzzzzzzzzzzz";

/** Runs the scheduled work several times. Each run is overtaken by the next after reading and before writing. */
function runTicks(now_ms: number, times: number): Promise<void> {
  const overtaken: D1Database = Object.assign(Object.create(d1), {
    prepare: d1.prepare.bind(d1),
    async batch(statements: D1PreparedStatement[]) {
      await runTicks(now_ms, times - 1);
      return d1.batch(statements);
    },
  });
  return publishDue({ d1: times > 1 ? overtaken : d1, database: openDatabase(d1), now_ms });
}

/** Runs the command on the product. `ids` are those of the posts created so far. */
async function performCommand(command: Command, now_ms: number, ids: string[]): Promise<string | null> {
  const contextOfPerson = (person: Person) => contextOf(people[person], { now_ms });
  const idOf = (nth: number) => ids[nth] ?? NOTHING;
  try {
    switch (command.do) {
      case "create":
        ids.push((await createEvent(contextOfPerson("owner"), bodyOf(command.status, command.publish_at_ms))).event_id);
        break;
      case "update":
        await updateEvent(
          contextOfPerson(command.by),
          idOf(command.nth),
          bodyOf(command.status, command.publish_at_ms),
        );
        break;
      case "batch":
        await updateEvents(contextOfPerson(command.by), {
          change: "status",
          event_ids: command.nths.map(idOf),
          status: command.status,
        });
        break;
      case "delete":
        await deleteEvent(contextOfPerson(command.by), idOf(command.nth));
        break;
      case "delete many":
        await updateEvents(contextOfPerson(command.by), { change: "delete", event_ids: command.nths.map(idOf) });
        break;
      case "take down":
        await d1
          .prepare("UPDATE events SET status = 'private', publish_at = NULL, removed_at = ? WHERE event_id = ?")
          .bind(toIsoTime(now_ms), idOf(command.nth))
          .run();
        break;
      case "tick": {
        await runTicks(now_ms, command.times);
        break;
      }
    }
    return null;
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
}

async function readPosts(ids: string[]): Promise<(Post | null)[]> {
  const { results } = await d1
    .prepare(
      `SELECT event_id, status, publish_at, published_at, removed_at IS NOT NULL AS is_removed,
         (SELECT COUNT(*) FROM outbox WHERE kind = 'event_published' AND payload ->> 'event_id' = event_id) AS announced
       FROM events WHERE user_id = ?`,
    )
    .bind(people.owner)
    .all<Record<string, string | number | null>>();
  const toMs = (time: unknown) => (typeof time === "string" ? Date.parse(time) : null);
  return ids.map((id) => {
    const row = results.find(({ event_id }) => event_id === id);
    if (!row) return null;
    return {
      status: row.status as Status,
      publish_at_ms: toMs(row.publish_at),
      published_at_ms: toMs(row.published_at),
      is_removed: row.is_removed === 1,
      announced: Number(row.announced),
    };
  });
}

test.each(SEEDS)("world %i: every command has the result that the model predicts", async (seed) => {
  const of = newDraw(seed);
  const model = new Model();
  const ids: string[] = [];
  const done: string[] = [];
  for (let step = 0; step < STEPS; step++) {
    const command = drawCommand(of, model.now_ms, model.posts.length);
    done.push(JSON.stringify(command));
    const expected = model.apply(command);
    const story = `seed ${seed}, step ${step}:\n${done.join("\n")}`;
    expect(await performCommand(command, model.now_ms, ids), story).toBe(expected);
    expect(await readPosts(ids), story).toEqual(model.posts);
  }
  await d1.prepare("DELETE FROM events WHERE user_id = ?").bind(people.owner).run();
  // All seeds run within the same hour, and together exceed the limit of posts.
  await d1.prepare("DELETE FROM limited_acts").run();
});

test("the worlds cover every state, every refusal, and posts that are published more than once", () => {
  const met = new Set<string | null>();
  let most = 0;
  for (const seed of SEEDS) {
    const of = newDraw(seed);
    const model = new Model();
    for (let step = 0; step < STEPS; step++) {
      met.add(model.apply(drawCommand(of, model.now_ms, model.posts.length)));
      for (const post of model.posts) {
        if (post) met.add(post.status);
        most = Math.max(most, post?.announced ?? 0);
      }
    }
  }
  const refusals = ["not_found", "publish_at_passed", "event_removed", "event_transition_refused", null];
  expect([...met].sort()).toEqual([...refusals, ...STATUSES].sort());
  expect(most).toBeGreaterThan(1);
});
