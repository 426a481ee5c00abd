import { beforeAll, expect, test } from "vitest";
import * as activities from "../../workers/contract/activities.ts";
import * as banks from "../../workers/contract/banks.ts";
import * as blocks from "../../workers/contract/blocks.ts";
import * as comments from "../../workers/contract/comments.ts";
import * as drafts from "../../workers/contract/drafts.ts";
import * as events from "../../workers/contract/events.ts";
import * as imports from "../../workers/contract/imports.ts";
import { operationGroups } from "../../workers/contract/index.ts";
import { getArchive, listArchiveParts } from "../../workers/contract/leaving.ts";
import * as ledger from "../../workers/contract/ledger.ts";
import * as likes from "../../workers/contract/likes.ts";
import * as memberships from "../../workers/contract/memberships.ts";
import * as newsletters from "../../workers/contract/newsletters.ts";
import * as ofuses from "../../workers/contract/ofuses.ts";
import type { Operation } from "../../workers/contract/operation.ts";
import { takeDown } from "../../workers/contract/operator.ts";
import * as payments from "../../workers/contract/payments.ts";
import * as payouts from "../../workers/contract/payouts.ts";
import * as radios from "../../workers/contract/radios.ts";
import * as reactions from "../../workers/contract/reactions.ts";
import * as relationships from "../../workers/contract/relationships.ts";
import * as reports from "../../workers/contract/reports.ts";
import * as search from "../../workers/contract/search.ts";
import * as stats from "../../workers/contract/stats.ts";
import * as uploads from "../../workers/contract/uploads.ts";
import { japaneseYearOf } from "../../workers/kernel/clock.ts";
import { newId } from "../../workers/kernel/ids.ts";
import {
  api,
  Browser,
  database,
  freshMember,
  type Member,
  network,
  openBrowserAs,
  type Reply,
} from "../support/network.ts";
import { ask, type Call, send } from "./support/calls.ts";
import { earn } from "./support/earnings.ts";
import {
  CALLERS,
  type CallerName,
  others,
  type PostTable,
  posts,
  STATUSES,
  type State,
  VISIBILITIES,
  wordsOf,
} from "./support/permissions.ts";
import { operatorToken } from "./support/tokens.ts";

/** The first words of a post's body, unique to it. A caller without access must not see a byte of it. */
const secretOf = (state: State) => `ひみつの${state}の言葉はさざなみ`;
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
/** 48 ms of silence as WAV, and the first bytes of a film followed by zeros. */
const WAV = Buffer.concat([
  Buffer.from("524946462403000057415645666d74201000000001000100401f0000401f0000010008006461746100030000", "hex"),
  Buffer.alloc(768, 128),
]);
const MP4 = Buffer.from("0000001866747970" + "69736f6d0000020069736f6d6d703431" + "000000086d646174", "hex");

const STATES = VISIBILITIES.flatMap((visibility) => STATUSES.map((status) => `${visibility} ${status}` as State));

const people = new Map<CallerName, Member>();
const browsers = new Map<CallerName, Browser>();
let plan: string;
let category: string;
/** For each state, a post that no test changes, and a stranger's comment on it. */
const standing = new Map<State, { event_id: string; comment_id: string }>();

const person = (name: CallerName): Member => {
  const found = people.get(name);
  if (!found) throw new Error(`${name} has no account`);
  return found;
};
const tokenOf = (name: CallerName) => people.get(name)?.token;
const idOf = (name: CallerName) => person(name).user.user_id;

async function run(statement: string, ...values: unknown[]): Promise<void> {
  await (await database())
    .prepare(statement)
    .bind(...values)
    .run();
}

const now = () => new Date().toISOString();

async function addPlan(title: string): Promise<string> {
  const membership_id = newId(Date.now());
  await run(
    `INSERT INTO memberships (membership_id, user_id, title, amount, active_state, created_at, published_at)
     VALUES (?1, ?2, ?3, 500, 'active', ?4, ?4)`,
    membership_id,
    idOf("owner"),
    title,
    now(),
  );
  return membership_id;
}

async function pay(who: CallerName, membership_id: string, days: number): Promise<string> {
  const subscription_id = newId(Date.now());
  await run(
    "INSERT INTO subscriptions (subscription_id, membership_id, user_id, status, paid_until, created_at) VALUES (?, ?, ?, 'active', ?, ?)",
    subscription_id,
    membership_id,
    idOf(who),
    new Date(Date.now() + days * 86_400_000).toISOString(),
    now(),
  );
  return subscription_id;
}

/** Adds a payment of the member to the owner, outside the books. */
async function addPayment(): Promise<string> {
  const payment_id = newId(Date.now());
  await run(
    `INSERT INTO payments (payment_id, kind, cause_id, payer_user_id, creator_user_id, amount, fee, donation,
       creator_share, payment_intent_id, charge_id, paid_at, available_at, released_at)
     VALUES (?1, 'ofuse_v3', ?1, ?2, ?3, 100, 10, 0, 90, ?1, ?1, ?4, ?4, ?4)`,
    payment_id,
    idOf("member"),
    idOf("owner"),
    now(),
  );
  return payment_id;
}

/** Adds a completed joining of the member's. The clock asks the gateway only about open ones. */
async function joiningOfMember(): Promise<string> {
  const joining_id = newId(Date.now());
  await run(
    `INSERT INTO joinings (joining_id, user_id, membership_id, scope, idempotency_key, body_hash, status, created_at)
     VALUES (?1, ?2, ?3, ?1, ?1, '', 'joined', ?4)`,
    joining_id,
    idOf("member"),
    plan,
    now(),
  );
  return joining_id;
}

type WrittenNewsletter = { membership_id?: string | null; status?: "draft" | "published" };

/** Adds a newsletter of the owner. */
async function addNewsletter({ membership_id = null, status = "draft" }: WrittenNewsletter = {}) {
  const id = newId(Date.now());
  await run(
    `INSERT INTO newsletters (newsletter_id, user_id, title, body, fan_scope, membership_id, status, published_at,
       created_at, updated_at) VALUES (?1, ?2, '便り', ?3, ?4, ?5, ?6, ?7, ?8, ?8)`,
    id,
    idOf("owner"),
    NEWSLETTER_WORDS,
    membership_id === null ? "fans" : "memberships",
    membership_id,
    status,
    status === "draft" ? null : now(),
    now(),
  );
  return { id };
}
const NEWSLETTER_WORDS = "ひみつの便りの言葉はさざなみ";

async function getNewsletterAs(name: CallerName, written: WrittenNewsletter): Promise<string> {
  const reply = await send(newsletters.getNewsletter, { token: tokenOf(name), params: await addNewsletter(written) });
  if (reply.status !== 200) return wordOf(reply);
  return JSON.stringify(reply.json).includes(NEWSLETTER_WORDS) ? "read" : "teaser";
}

async function receivesNewsletter(name: CallerName, written: WrittenNewsletter): Promise<string> {
  const { id } = await addNewsletter({ ...written, status: "published" });
  return listed(
    await send(newsletters.listNewsletters, { token: tokenOf(name) }),
    (json: { news_letters: newsletters.ReceivedNewsletter[] }) => json.news_letters,
    (each) => each.id === id,
  );
}

const NO_TOKEN = "not-signed-by-us";

async function subscriptionOfMember(): Promise<string> {
  const row = (await database()).prepare("SELECT subscription_id FROM subscriptions WHERE user_id = ?");
  return (await row.bind(idOf("member")).first<string>("subscription_id")) ?? "";
}

async function upload(operation: { path: string }, token: string | undefined, bytes: Buffer, name: string) {
  const form = new FormData();
  form.set("file", new File([new Uint8Array(bytes)], name));
  // As bytes, so that the content is the same for every sender.
  const request = new Request("http://here.test", { method: "POST", body: form });
  return api("POST", operation.path, {
    token,
    body: new Uint8Array(await request.arrayBuffer()),
    headers: { "content-type": request.headers.get("content-type") ?? "" },
  });
}

async function uploadedPicture(): Promise<string> {
  const reply = await upload(uploads.uploadPrivateImage, tokenOf("owner"), PNG, "a.png");
  return uploads.uploadPrivateImage.answer.parse(reply.json).image.image_id;
}

function bodyOf(state: State, more: Partial<events.EventBody> = {}) {
  const [visibility, status] = state.split(" ");
  return {
    kind: "blog" as const,
    title: `題名 ${state}`,
    document: [{ type: "paragraph" as const, content: [{ type: "text" as const, text: secretOf(state) }] }],
    status:
      status === "published"
        ? ("published" as const)
        : status === "pending"
          ? ("publish_pending" as const)
          : ("private" as const),
    publish_at: status === "pending" ? new Date(Date.now() + 30 * 86_400_000).toISOString() : null,
    publish_target_type: visibility === "members" ? ("memberships" as const) : (visibility as "public" | "fans"),
    publish_target_membership_id: visibility === "members" ? plan : null,
    ...more,
  };
}

async function addPost(state: State, more: Partial<events.EventBody> = {}): Promise<string> {
  const { event } = await ask(events.createEvent, { token: tokenOf("owner"), body: bodyOf(state, more) });
  if (state.endsWith("removed"))
    await run("UPDATE events SET removed_at = ? WHERE event_id = ?", now(), event.event_id);
  return event.event_id;
}

/** Adds a comment from the time when the post was open to its writer. */
async function addComment(event_id: string): Promise<string> {
  const comment_id = newId(Date.now());
  await run(
    "INSERT INTO event_comments (comment_id, event_id, user_id, message, created_at) VALUES (?, ?, ?, 'よい投稿', ?)",
    comment_id,
    event_id,
    idOf("stranger"),
    "2026-01-01T00:00:00.000Z",
  );
  return comment_id;
}

beforeAll(async () => {
  const { url } = await network();
  await Promise.all(
    CALLERS.map(async (name) => {
      if (name === "visitor") return void browsers.set(name, new Browser(url));
      people.set(name, await freshMember(name));
      browsers.set(name, await openBrowserAs(person(name)));
    }),
  );
  await run("UPDATE users SET is_creator = 1 WHERE user_id = ?", idOf("owner"));
  plan = await addPlan("その一");
  await pay("member", plan, 10);
  await pay("lapsed", plan, -1);
  await pay("other", await addPlan("その二"), 10);
  for (const name of ["follower", "blocked"] as const) {
    await ask(relationships.follow, { token: tokenOf(name), body: { following_id: idOf("owner") } });
  }
  await ask(blocks.createBlock, { token: tokenOf("owner"), body: { blocking_id: idOf("blocked") } });
  const made = await ask(events.createEventCategory, { token: tokenOf("owner"), body: { title: "日記" } });
  category = made.event_category.event_category_id;
  await Promise.all(
    STATES.map(async (state) => {
      const event_id = await addPost(state, {
        images: [{ image_id: await uploadedPicture(), alt: "" }],
        kind: "image",
      });
      standing.set(state, { event_id, comment_id: await addComment(event_id) });
    }),
  );
}, 120_000);

/** Returns the word for a reply: the error code, or the status if that is enough. */
function wordOf({ status, json }: Reply): string {
  const { code } = (json ?? {}) as { code?: string };
  return code === undefined || code === "not_found" || code === "unauthenticated" ? String(status) : code;
}

/** Returns `listed` or `absent`, or how the list shows the post. */
function standingIn(reply: Reply, state: State): string {
  if (reply.status !== 200) return wordOf(reply);
  const { events: list } = reply.json as { events: events.EventSummary[] };
  const found = list.find(({ event_id }) => event_id === at(state).event_id);
  if (!found) return "absent";
  return seen(found, state, JSON.stringify(found));
}

/** Returns `read` or `teaser`, or names what is neither. */
function seen(event: events.EventSummary, state: State, text: string): string {
  if (!event.is_locked) return text.includes(secretOf(state)) ? "read" : "read without its words";
  return text.includes(secretOf(state)) || event.image ? "a teaser that tells" : "teaser";
}

const list = (operation: Operation, call: () => Call = () => ({})) => {
  const replyTo = once((name: CallerName) => {
    const page_size = operation.auth === "required" || name !== "visitor" ? 100 : 25;
    const { query, ...rest } = call();
    return send(operation, { token: tokenOf(name), query: { page_size, ...query }, ...rest });
  });
  return async (name: CallerName, state: State) => standingIn(await replyTo(name), state);
};

const activitiesOf = (filter: "all" | "subscribing") => {
  const replyTo = once((name: CallerName) =>
    send(activities.listFollowingActivities, { token: tokenOf(name), query: { first: 100, filter } }),
  );
  return async (name: CallerName, state: State) => {
    const reply = await replyTo(name);
    if (reply.status !== 200) return wordOf(reply);
    const { activities: done } = reply.json as { activities: activities.Activity[] };
    const found = done.find(({ activity_id }) => activity_id === at(state).event_id);
    return found?.event ? seen(found.event, state, JSON.stringify(found)) : "absent";
  };
};

const at = (state: State) => standing.get(state) ?? { event_id: "", comment_id: "" };
const asked = async (operation: Operation, name: CallerName, call: Call) =>
  wordOf(await send(operation, { token: tokenOf(name), ...call }));

/**
 * Does the work once for each state or caller: creates a post for all callers of a state, which no caller may change for
 * the others, or asks for the list in which a caller finds the posts of all states.
 */
function once<K, V>(work: (key: K) => Promise<V>): (key: K) => Promise<V> {
  const done = new Map<K, Promise<V>>();
  return (key) => {
    const known = done.get(key) ?? work(key);
    done.set(key, known);
    return known;
  };
}

/** Forgets the acts that the API counts, so that no caller reaches a limit. Each state of a post begins with it. */
const forgetActs = (scope: string) => run("DELETE FROM limited_acts WHERE scope LIKE ?", scope);

const say = (comment_filter: "all" | "paid_only" | "none") => {
  const post = once(async (state: State) => {
    await forgetActs("%comment %");
    return addPost(state, { comment_filter });
  });
  return async (name: CallerName, state: State) => {
    const params = { event_id: await post(state) };
    return asked(comments.createEventComment, name, { params, body: { message: "すてきです" } });
  };
};

const reported = once(async (state: State) => {
  await forgetActs("daily_report %");
  const event_id = await addPost(state);
  return { event_id, comment_id: await addComment(event_id) };
});
const doomed = once((state: State) => addPost(state));
const receivedComments = once((name: CallerName) =>
  send(comments.listReceivedComments, { token: tokenOf(name), query: { page_size: 100 } }),
);
/** Returns the address of a post's picture, as its owner gets it. */
const pictureUrl = once(async (state: State) => {
  const params = { event_id: at(state).event_id };
  return (await ask(events.getEvent, { token: tokenOf("owner"), params })).event.image?.medium_url ?? "";
});
const like = async (operation: Operation, name: CallerName, params: Record<string, string>) => {
  const reply = await send(operation, { token: tokenOf(name), params, body: { is_liked: true } });
  const { guest_token } = (reply.json ?? {}) as { guest_token?: string };
  return reply.status === 200 && guest_token ? "guest" : wordOf(reply);
};

/** The request for each line of the table, by name. */
const acts: Record<string, (name: CallerName, state: State) => Promise<string>> = {
  listUserEvents: list(events.listUserEvents, () => ({ params: { user_id: idOf("owner") } })),
  listMembershipEvents: list(events.listMembershipEvents, () => ({ params: { membership_id: plan } })),
  listNewestEvents: list(events.listNewestEvents, () => ({ query: { page_size: undefined, limit: 25 } })),
  listFollowedEvents: list(events.listFollowedEvents),
  "listFollowedEvents of those one pays": list(events.listFollowedEvents, () => ({ query: { filter: "subscribing" } })),
  listFollowingActivities: activitiesOf("all"),
  "listFollowingActivities of those one pays": activitiesOf("subscribing"),
  listOwnEvents: list(events.listOwnEvents),
  listReceivedComments: async (name, state) => {
    const reply = await receivedComments(name);
    if (reply.status !== 200) return wordOf(reply);
    const { comments: received } = comments.listReceivedComments.answer.parse(reply.json);
    return received.some(({ comment_id }) => comment_id === at(state).comment_id) ? "listed" : "absent";
  },
  getEvent: async (name, state) => {
    const reply = await send(events.getEvent, { token: tokenOf(name), params: { event_id: at(state).event_id } });
    if (reply.status !== 200) return wordOf(reply);
    return seen((reply.json as { event: events.Event }).event, state, reply.text);
  },
  "picture by another's address": async (name, state) => {
    const page = await browsers.get(name)?.get(await pictureUrl(state));
    return String(page?.status);
  },
  visitEvent: async (name, state) => {
    const call = { params: { event_id: at(state).event_id }, query: { visit_id: `visit-${name}` } };
    const reply = await send(events.visitEvent, { token: tokenOf(name), ...call });
    if (reply.status !== 200) return wordOf(reply);
    return (reply.json as { is_counted: boolean }).is_counted ? "counted" : "no";
  },
  likeEvent: (name, state) => like(likes.likeEvent, name, { event_id: at(state).event_id }),
  likeEventComment: (name, state) => like(likes.likeEventComment, name, { ...at(state) }),
  listEventComments: (name, state) =>
    asked(comments.listEventComments, name, { params: { event_id: at(state).event_id } }),
  createEventComment: say("all"),
  createPaidEventComment: (name, state) =>
    asked(comments.createPaidEventComment, name, {
      params: { event_id: at(state).event_id },
      body: { amount: 100, message: "よい投稿" },
    }),
  "createEventComment where only paid ones are taken": say("paid_only"),
  "createEventComment where none are taken": say("none"),
  deleteEventComment: async (name, state) => {
    const { event_id } = at(state);
    return asked(comments.deleteEventComment, name, { params: { event_id, comment_id: await addComment(event_id) } });
  },
  reportEventComment: async (name, state) => {
    const params = await reported(state);
    return asked(reports.reportEventComment, name, { params, body: { reason: "slander" } });
  },
  reportEvent: async (name, state) => {
    const { event_id } = await reported(state);
    return asked(reports.reportEvent, name, { params: { event_id }, body: { reason: "others" } });
  },
  updateEvent: async (name, state) => {
    const params = { event_id: await doomed(state) };
    return asked(events.updateEvent, name, { params, body: bodyOf(state, { title: "新しい題名" }) });
  },
  updateEvents: async (name, state) => {
    const body = { change: "event_category", event_ids: [await doomed(state)], event_category_id: null };
    return asked(events.updateEvents, name, { body });
  },
  deleteEvent: async (name, state) => asked(events.deleteEvent, name, { params: { event_id: await doomed(state) } }),
};

/**
 * Sends the request of each caller, and returns the words that they met. The owner's request runs last, because it may
 * delete the post or comment. The others change nothing for each other.
 */
async function wordsMetBy(act: (name: CallerName) => Promise<string>): Promise<[CallerName, string][]> {
  const ask = async (name: CallerName): Promise<[CallerName, string]> => [name, await act(name)];
  const strangers = await Promise.all(CALLERS.filter((name) => name !== "owner").map(ask));
  return [...strangers, await ask("owner")];
}

test("every line of the table is tested, and nothing else", () => {
  expect(Object.keys(acts).sort()).toEqual(Object.keys(posts).sort());
  expect(Object.keys(otherActs).sort()).toEqual(Object.keys(others).sort());
});

test("every call of these groups has a line", () => {
  const groups = [
    ...["events", "activities", "drafts", "comments", "likes"],
    ...["blocks", "reports", "reactions", "uploads", "search", "banks"],
    ...["ledger", "payouts", "imports"],
  ];
  const lines = [...Object.keys(posts), ...Object.keys(others)];
  const calls = operationGroups.filter(({ name }) => groups.includes(name)).flatMap(({ operations }) => operations);
  expect(calls.length).toBeGreaterThan(35);
  expect(calls.map(({ id }) => id).filter((id) => !lines.includes(id))).toEqual([]);
});

test.each(Object.entries(acts))(
  "%s: each of the nine callers, on each state of a post",
  async (line, act) => {
    const table = posts[line] as PostTable;
    const surprises: string[] = [];
    for (const state of STATES) {
      const [visibility, status] = state.split(" ") as [keyof PostTable, string];
      const expected = wordsOf(status === "published" ? table[visibility] : table.unpublished);
      for (const [name, word] of await wordsMetBy((name) => act(name, state))) {
        if (word !== expected[name]) surprises.push(`${state}: ${name} met ${word}, not ${expected[name]}`);
      }
    }
    expect(surprises).toEqual([]);
  },
  120_000,
);

async function listed<T>(reply: Reply, of: (json: never) => T[], is: (each: T) => boolean): Promise<string> {
  if (reply.status !== 200) return wordOf(reply);
  return of(reply.json as never).some(is) ? "listed" : "absent";
}

async function addDraft(): Promise<string> {
  const draft_id = newId(Date.now());
  const body = { kind: "blog" as const, fields: { title: "書きかけ" }, revision: 0 };
  await ask(drafts.saveDraft, { token: tokenOf("owner"), params: { draft_id }, body });
  return draft_id;
}

const create = (name: CallerName, more: object) =>
  asked(events.createEvent, name, { body: { ...bodyOf("public private"), ...more } });

/** Returns the stranger's letter to the owner for a line of the table. */
const strangersLetter = once(async (_line: "updateOfuse" | "reportOfuse") => {
  const { ofuse } = await ask(ofuses.sendFreeOfuse, {
    token: tokenOf("stranger"),
    body: { receiver_user_id: idOf("owner"), message: "ひどい手紙", is_public: false },
  });
  return { ofuse_id: ofuse.ofuse_id };
});

/** Returns the removal of a comment of the stranger. */
const strangersRemoval = once(async (_line: "getRemoval" | "appealRemoval") => {
  const params = { event_id: at("public published").event_id };
  const said = { token: tokenOf("stranger"), params, body: { message: "ひどい言葉" } };
  const { comment_id: subject_id } = (await ask(comments.createEventComment, said)).comment;
  const token = await operatorToken();
  const { removal } = await ask(takeDown, { token, body: { subject_type: "event_comment", subject_id } });
  return { removal_id: removal.removal_id };
});

/** Returns the stranger's comment on a radio of the owner. */
const strangersRadioComment = once(async (_line: "reportRadioComment") => {
  const body = { title: "夜ふかし", publish_target_type: "public" as const };
  const { radio_id } = (await ask(radios.createRadio, { token: tokenOf("owner"), body })).radio;
  const said = { token: tokenOf("stranger"), params: { radio_id }, body: { message: "ひどい言葉" } };
  const { comment } = await ask(radios.createRadioComment, said);
  return { radio_id, comment_id: comment.comment_id };
});

const paidLetter = { amount: 100, message: "いつも見ています" };

/** Returns the stranger's payment for a letter to the owner. */
const strangersPayment = once(async (_line: "getCheckoutSession") => {
  const body = { ...paidLetter, receiver_user_id: idOf("owner") };
  return (await ask(ofuses.sendOfuse, { token: tokenOf("stranger"), body })).checkout_session.session_id;
});
/** Lets the owner earn once, and says whether a caller's answer has that money: 6,993 yen after the fee. */
const earnOnce = once((_owner: "owner") => earn(idOf("owner"), 7770));
async function seesMoney(operation: Operation, name: CallerName, query: Call["query"] = {}): Promise<string> {
  await earnOnce("owner");
  const reply = await send(operation, { token: tokenOf(name), query });
  if (reply.status !== 200) return wordOf(reply);
  return reply.text.includes("6993") ? "listed" : "absent";
}
/** The days of a report that has today, whatever time it is. */
function days(): { from: string; to: string } {
  const dayAt = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  return { from: dayAt(Date.now() - 86_400_000), to: dayAt(Date.now() + 86_400_000) };
}

const LIST_OF_MEMBERS = Buffer.from("プラン\n500円のプラン\n");
/** Returns an import of the owner's that waits for its confirmation. */
const importOfOwner = once(async (_line: string) => {
  const { json } = await upload(imports.createImport, tokenOf("owner"), LIST_OF_MEMBERS, "a.csv");
  return imports.createImport.answer.parse(json).import.import_id;
});

const otherActs: Record<string, (name: CallerName) => Promise<string>> = {
  // The archive of a caller is the caller's own: api-archive.test.ts looks into it.
  getArchive: (name) => asked(getArchive, name, {}),
  listArchiveParts: (name) => asked(listArchiveParts, name, {}),
  createImport: async (name) => wordOf(await upload(imports.createImport, tokenOf(name), LIST_OF_MEMBERS, "a.csv")),
  listImports: async (name) => {
    const import_id = await importOfOwner("listImports");
    return listed(
      await send(imports.listImports, { token: tokenOf(name) }),
      (json: { imports: imports.Import[] }) => json.imports,
      (each) => each.import_id === import_id,
    );
  },
  getImport: async (name) =>
    asked(imports.getImport, name, { params: { import_id: await importOfOwner("getImport") } }),
  startImport: async (name) =>
    asked(imports.startImport, name, { params: { import_id: await importOfOwner("startImport") }, body: {} }),
  deleteImport: async (name) =>
    asked(imports.deleteImport, name, { params: { import_id: await importOfOwner("deleteImport") } }),
  createEvent: (name) => create(name, {}),
  "createEvent for the owner's plan": (name) =>
    create(name, { publish_target_type: "memberships", publish_target_membership_id: plan }),
  "createEvent in the owner's category": (name) => create(name, { event_category_id: category }),
  "createEvent with the owner's picture": async (name) =>
    create(name, { kind: "image", images: [{ image_id: await uploadedPicture(), alt: "" }] }),
  listOwnEventCategories: async (name) =>
    listed(
      await send(events.listOwnEventCategories, { token: tokenOf(name) }),
      ({ event_categories }: { event_categories: events.EventCategory[] }) => event_categories,
      ({ event_category_id }) => event_category_id === category,
    ),
  listUserEventCategories: async (name) =>
    listed(
      await send(events.listUserEventCategories, { token: tokenOf(name), params: { user_id: idOf("owner") } }),
      ({ event_categories }: { event_categories: events.EventCategory[] }) => event_categories,
      ({ event_category_id }) => event_category_id === category,
    ),
  getEventCategory: (name) => asked(events.getEventCategory, name, { params: { event_category_id: category } }),
  createEventCategory: (name) => asked(events.createEventCategory, name, { body: { title: `${name}の棚` } }),
  updateEventCategory: (name) =>
    asked(events.updateEventCategory, name, { params: { event_category_id: category }, body: { title: "日々" } }),
  deleteEventCategory: (name) => asked(events.deleteEventCategory, name, { params: { event_category_id: category } }),
  createMembership: (name) =>
    asked(memberships.createMembership, name, { body: { title: "席", description: "", amount: 500 } }),
  listOwnMemberships: async (name) =>
    listed(
      await send(memberships.listOwnMemberships, { token: tokenOf(name) }),
      (json: { memberships: memberships.Membership[] }) => json.memberships,
      ({ membership_id }) => membership_id === plan,
    ),
  listMemberships: async (name) =>
    listed(
      await send(memberships.listMemberships, { token: tokenOf(name) }),
      (json: { memberships: memberships.Membership[] }) => json.memberships,
      ({ membership_id }) => membership_id === plan,
    ),
  getMembership: (name) => asked(memberships.getMembership, name, { params: { membership_id: plan } }),
  updateMembership: (name) =>
    asked(memberships.updateMembership, name, { params: { membership_id: plan }, body: { title: "改める" } }),
  deleteMembership: (name) => asked(memberships.deleteMembership, name, { params: { membership_id: plan } }),
  listMembershipSubscriptions: (name) =>
    asked(memberships.listMembershipSubscriptions, name, { params: { membership_id: plan } }),
  listSubscriptions: async (name) => {
    const subscription_id = await subscriptionOfMember();
    return listed(
      await send(memberships.listSubscriptions, { token: tokenOf(name) }),
      (json: { subscriptions: memberships.Subscription[] }) => json.subscriptions,
      (each) => each.subscription_id === subscription_id,
    );
  },
  getSubscription: async (name) =>
    asked(memberships.getSubscription, name, { params: { subscription_id: await subscriptionOfMember() } }),
  previewSubscription: (name) => asked(memberships.previewSubscription, name, { params: { membership_id: plan } }),
  createSubscription: (name) => asked(memberships.createSubscription, name, { body: { membership_id: plan } }),
  getJoining: async (name) => asked(memberships.getJoining, name, { params: { joining_id: await joiningOfMember() } }),
  updateSubscription: async (name) => {
    const params = { subscription_id: await pay("member", await addPlan("去る席"), 3) };
    return asked(memberships.updateSubscription, name, { params, body: { is_ending: true } });
  },
  getSubscriptionInvoice: async (name) =>
    asked(memberships.getSubscriptionInvoice, name, { params: { subscription_id: await subscriptionOfMember() } }),
  listPayments: async (name) => {
    const payment_id = await addPayment();
    return listed(
      await send(payments.listPayments, { token: tokenOf(name) }),
      (json: { payments: payments.OwnPayment[] }) => json.payments,
      (each) => each.payment_id === payment_id,
    );
  },
  getPaymentMethods: (name) => asked(payments.getPaymentMethods, name, {}),
  createPaymentMethod: (name) => asked(payments.createPaymentMethod, name, {}),
  updatePaymentMethod: (name) =>
    asked(payments.updatePaymentMethod, name, { body: { payment_method_id: "pm_of_nobody" } }),
  cancelPayment: (name) => asked(payments.cancelPayment, name, { params: { session_id: plan } }),
  createCustomerPortal: (name) => asked(payments.createCustomerPortal, name, {}),
  createNewsletter: (name) => asked(newsletters.createNewsletter, name, { body: { title: "便り" } }),
  listOwnNewsletters: async (name) => {
    const { id } = await addNewsletter();
    return listed(
      await send(newsletters.listOwnNewsletters, { token: tokenOf(name) }),
      (json: { news_letters: newsletters.OwnNewsletterSummary[] }) => json.news_letters,
      (each) => each.id === id,
    );
  },
  "listNewsletters, for fans": (name) => receivesNewsletter(name, {}),
  "listNewsletters, for a plan": (name) => receivesNewsletter(name, { membership_id: plan }),
  "getNewsletter, for fans": (name) => getNewsletterAs(name, { status: "published" }),
  "getNewsletter, for a plan": (name) => getNewsletterAs(name, { status: "published", membership_id: plan }),
  "getNewsletter, a draft": (name) => getNewsletterAs(name, {}),
  updateNewsletter: async (name) =>
    asked(newsletters.updateNewsletter, name, { params: await addNewsletter(), body: { title: "別の便り" } }),
  previewNewsletter: async (name) => asked(newsletters.previewNewsletter, name, { params: await addNewsletter() }),
  testNewsletter: async (name) => asked(newsletters.testNewsletter, name, { params: await addNewsletter() }),
  deleteNewsletter: async (name) => asked(newsletters.deleteNewsletter, name, { params: await addNewsletter() }),
  getNewsletterStops: (name) => asked(newsletters.getNewsletterStops, name, { query: { token: NO_TOKEN } }),
  updateNewsletterStops: (name) =>
    asked(newsletters.updateNewsletterStops, name, { body: { token: NO_TOKEN, is_stopped: true } }),
  listEventDrafts: async (name) => {
    const draft_id = await addDraft();
    return listed(
      await send(drafts.listDrafts, { token: tokenOf(name) }),
      (json: { drafts: drafts.Draft[] }) => json.drafts,
      (each) => each.draft_id === draft_id,
    );
  },
  getEventDraft: async (name) => asked(drafts.getDraft, name, { params: { draft_id: await addDraft() } }),
  saveEventDraft: async (name) => {
    const body = { kind: "blog", fields: { title: "盗む" }, revision: 1 };
    return asked(drafts.saveDraft, name, { params: { draft_id: await addDraft() }, body });
  },
  deleteEventDraft: async (name) => asked(drafts.deleteDraft, name, { params: { draft_id: await addDraft() } }),
  uploadImage: async (name) => wordOf(await upload(uploads.uploadImage, tokenOf(name), PNG, "a.png")),
  uploadPrivateImage: async (name) => wordOf(await upload(uploads.uploadPrivateImage, tokenOf(name), PNG, "a.png")),
  uploadAudio: async (name) => wordOf(await upload(uploads.uploadAudio, tokenOf(name), WAV, "a.wav")),
  uploadPrivateAudio: async (name) => wordOf(await upload(uploads.uploadPrivateAudio, tokenOf(name), WAV, "a.wav")),
  uploadPrivateVideo: async (name) => wordOf(await upload(uploads.uploadPrivateVideo, tokenOf(name), MP4, "a.mp4")),
  "an upload in no post": async (name) => {
    const reply = await upload(uploads.uploadPrivateImage, tokenOf("owner"), PNG, "a.png");
    const { image } = uploads.uploadPrivateImage.answer.parse(reply.json);
    return String((await browsers.get(name)?.get(image.medium_url))?.status);
  },
  getReactions: (name) => asked(reactions.getReactions, name, {}),
  updateReactions: (name) => {
    const body = { free_ofuse_message: `${name}より`, paid_ofuse_message: null, subscription_message: null };
    return asked(reactions.updateReactions, name, { body });
  },
  listBanks: (name) => asked(banks.listBanks, name, { query: { q: "みずほ" } }),
  listBranches: (name) => asked(banks.listBranches, name, { params: { bank_code: "0001" } }),
  getBank: async (name) => {
    const reply = await send(payouts.getBank, { token: tokenOf(name) });
    // Each caller sees their own account, and only the owner can have one.
    const { bank_account } = (reply.json ?? {}) as { bank_account?: object | null };
    return bank_account && name !== "owner" ? "another's account" : wordOf(reply);
  },
  updateBank: (name) =>
    asked(payouts.updateBank, name, {
      body: {
        ...{ bank_code: "0001", branch_code: "004", account_type: "futsu" },
        ...{ account_number: "1234567", account_holder_kana: name === "owner" ? "オーナー" : "ベツノヒト" },
      },
    }),
  getBalance: (name) => seesMoney(ledger.getBalance, name),
  listTransactions: (name) => seesMoney(ledger.listTransactions, name),
  getTransactionReport: (name) => seesMoney(ledger.getTransactionReport, name, days()),
  "getTransactionReport as CSV": (name) => seesMoney(ledger.getTransactionReport, name, { ...days(), format: "csv" }),
  listMonthlyEarnings: (name) => seesMoney(ledger.listMonthlyEarnings, name, { year: japaneseYearOf(Date.now()) }),
  getCreatorStats: (name) => asked(stats.getCreatorStats, name, {}),
  getMembershipStats: (name) => asked(stats.getMembershipStats, name, {}),
  getCreatorAccount: (name) => asked(payouts.getCreatorAccount, name, {}),
  updateCreatorAccount: (name) => asked(payouts.updateCreatorAccount, name, { body: {} }),
  listPayouts: (name) => asked(payouts.listPayouts, name, {}),
  getSpending: (name) => asked(payments.getSpending, name, {}),
  updateSpending: (name) => asked(payments.updateSpending, name, { body: { monthly_limit: null } }),
  cancelPayout: (name) => asked(payouts.cancelPayout, name, { params: { payout_id: plan } }),
  createPayout: (name) => asked(payouts.createPayout, name, { body: { amount: 1000 } }),
  linkCreatorAccount: (name) => asked(payouts.linkCreatorAccount, name, { body: { account_type: "individual" } }),
  // Runs last, because a caller's block forbids what the other lines call. createBlock and deleteBlock each use the
  // caller's own block of the owner.
  createBlock: async (name) => asked(blocks.createBlock, name, { body: { blocking_id: idOf("owner") } }),
  listBlocks: async (name) =>
    listed(
      await send(blocks.listBlocks, { token: tokenOf(name) }),
      (json: { blocks: { blocking_id: string }[] }) => json.blocks,
      ({ blocking_id }) => blocking_id === idOf("blocked"),
    ),
  deleteBlock: async (name) => asked(blocks.deleteBlock, name, { params: { blocking_id: idOf("owner") } }),
  claimGuestLikes: async (name) => {
    const { event_id } = at("public published");
    const guest = await ask(likes.likeEvent, { params: { event_id }, body: { is_liked: true } });
    return asked(likes.claimGuestLikes, name, { body: { guest_token: guest.guest_token } });
  },
  searchUsers: (name) => asked(search.searchUsers, name, { query: { keyword: "owner" } }),
  follow: (name) => asked(relationships.follow, name, { body: { following_id: idOf("owner") } }),
  sendFreeOfuse: (name) =>
    asked(ofuses.sendFreeOfuse, name, {
      body: { receiver_user_id: idOf("owner"), message: "いつも見ています", is_public: false },
    }),
  sendOfuse: (name) => asked(ofuses.sendOfuse, name, { body: { ...paidLetter, receiver_user_id: idOf("owner") } }),
  "sendOfuse, to a fan": (name) =>
    asked(ofuses.sendOfuse, name, { body: { ...paidLetter, receiver_user_id: idOf("follower") } }),
  getCheckoutSession: async (name) =>
    asked(payments.getCheckoutSession, name, { params: { session_id: await strangersPayment("getCheckoutSession") } }),
  claimOfuse: async (name) => {
    const [session_id, ofuse_id] = [newId(Date.now()), newId(Date.now())];
    await run(
      "INSERT INTO ofuses (ofuse_id, receiver_user_id, amount, message, is_public, created_at) VALUES (?, ?, 100, '手紙', 0, ?)",
      ofuse_id,
      idOf("owner"),
      now(),
    );
    await run(
      `INSERT INTO checkouts (checkout_id, kind, creator_user_id, amount, status, cause_id, created_at, asked_at)
       VALUES (?1, 'ofuse', ?2, 100, 'paid', ?3, ?4, ?4)`,
      session_id,
      idOf("owner"),
      ofuse_id,
      now(),
    );
    const params = { session_id };
    const { claim_key } = (await ask(payments.getCheckoutSession, { params })).checkout_session;
    return asked(payments.claimOfuse, name, { params, body: { claim_key } });
  },
  "updateOfuse, off the page": async (name) =>
    asked(ofuses.updateOfuse, name, { params: await strangersLetter("updateOfuse"), body: { is_hidden: true } }),
  reportOfuse: async (name) =>
    asked(reports.reportOfuse, name, { params: await strangersLetter("reportOfuse"), body: { reason: "slander" } }),
  getRemoval: async (name) => asked(reports.getRemoval, name, { params: await strangersRemoval("getRemoval") }),
  appealRemoval: async (name) =>
    asked(reports.appealRemoval, name, {
      params: await strangersRemoval("appealRemoval"),
      body: { message: "納得できません" },
    }),
  reportRadioComment: async (name) =>
    asked(reports.reportRadioComment, name, {
      params: await strangersRadioComment("reportRadioComment"),
      body: { reason: "slander" },
    }),
};

/** A caller's block of the owner would forbid what the other lines call, so these come last. */
const lastLines = ["deleteEventCategory", "createBlock", "deleteBlock"];
const inOrder = Object.entries(otherActs).sort(([a], [b]) => lastLines.indexOf(a) - lastLines.indexOf(b));

test.each(inOrder)("%s: each of the nine callers", async (line, act) => {
  const expected = wordsOf(others[line] ?? "");
  const surprises: string[] = [];
  for (const [name, word] of await wordsMetBy(act)) {
    if (word !== expected[name]) surprises.push(`${name} met ${word}, not ${expected[name]}`);
  }
  expect(surprises).toEqual([]);
});
