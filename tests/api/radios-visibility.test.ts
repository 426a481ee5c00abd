/**
 * Permissions for radios, written by hand from the decisions ("Visibility and permissions", docs/decisions/0039)
 * and never from the code: every caller, every call, every audience, before the broadcast, on air and afterwards.
 */
import { beforeAll, describe, expect, test } from "vitest";
import type { RadioBody } from "../../workers/contract/radios.ts";
import type { Asked } from "./support/product.ts";
import { problemOf } from "./support/product.ts";
import {
  addMember,
  addPlan,
  addRadio,
  block,
  finishRadio,
  follow,
  type Member,
  pay,
  product,
  runSql,
  startRadio,
  succeed,
} from "./support/radios.ts";

/** `holder` is a visitor with the key, `former` a visitor with the key that the present one replaced. */
const CALLERS = [
  ...["visitor", "stranger", "follower", "member", "lapsed"],
  ...["blocked", "disabled", "holder", "former", "owner"],
] as const;
type Caller = (typeof CALLERS)[number];

type Audience = RadioBody["recording_publish_target_type"];
const MOMENTS = ["before", "on air", "after"] as const;
type Moment = (typeof MOMENTS)[number];

/**
 * The words: a number is the status. `read`: with its description. `teaser`: the title, and no byte of the description.
 * `listed`, `locked` and `absent`: how it is in the list of its owner's page. Other words are error codes.
 */
const everybody: Record<string, Record<string, string>> = {
  //                visitor  stranger follower member   lapsed   blocked  disabled holder   former   owner
  getRadio: {
    public: "       read     read     read     read     read     read     403      read     read     read",
    "fans before": "404      404      read     404      404      404      403      404      404      read",
    fans: "         teaser   teaser   read     teaser   teaser   teaser   403      teaser   teaser   read",
    "memberships before":
      "             404      404      404      read     404      404      403      404      404      read",
    memberships: "  teaser   teaser   teaser   read     teaser   teaser   403      teaser   teaser   read",
    url: "          404      404      404      404      404      404      403      read     404      read",
    none: "         404      404      404      404      404      404      403      404      404      read",
  },
  listUserRadios: {
    public: "       listed   listed   listed   listed   listed   listed   403      listed   listed   listed",
    "fans before": "absent   absent   listed   absent   absent   absent   403      absent   absent   listed",
    fans: "         locked   locked   listed   locked   locked   locked   403      locked   locked   listed",
    "memberships before":
      "             absent   absent   absent   listed   absent   absent   403      absent   absent   listed",
    memberships: "  locked   locked   locked   listed   locked   locked   403      locked   locked   listed",
    url: "          absent   absent   absent   absent   absent   absent   403      absent   absent   absent",
    none: "         absent   absent   absent   absent   absent   absent   403      absent   absent   absent",
  },
  listenToRadio: {
    public: "       200      200      200      200      200      200      403      200      200      200",
    fans: "         404      404      200      404      404      404      403      404      404      200",
    memberships: "  404      404      404      200      404      404      403      404      404      200",
    url: "          404      404      404      404      404      404      403      200      404      200",
    none: "         404      404      404      404      404      404      403      404      404      200",
  },
  listRadioComments: {
    public: "       200      200      200      200      200      200      403      200      200      200",
    fans: "         404      404      200      404      404      404      403      404      404      200",
    memberships: "  404      404      404      200      404      404      403      404      404      200",
    url: "          404      404      404      404      404      404      403      200      404      200",
    none: "         404      404      404      404      404      404      403      404      404      200",
  },
  getRadioSound: {
    public: "       200      200      200      200      200      200      403      200      200      200",
    fans: "         404      404      200      404      404      404      403      404      404      200",
    memberships: "  404      404      404      200      404      404      403      404      404      200",
    url: "          404      404      404      404      404      404      403      200      404      200",
    none: "         404      404      404      404      404      404      403      404      404      200",
  },
  listUserRecordings: {
    before: "       absent   absent   absent   absent   absent   absent   403      absent   absent   absent",
    "on air": "     absent   absent   absent   absent   absent   absent   403      absent   absent   absent",
    public: "       listed   listed   listed   listed   listed   listed   403      listed   listed   listed",
    fans: "         absent   absent   listed   absent   absent   absent   403      absent   absent   listed",
    memberships: "  absent   absent   absent   listed   absent   absent   403      absent   absent   listed",
    url: "          absent   absent   absent   absent   absent   absent   403      absent   absent   absent",
    none: "         absent   absent   absent   absent   absent   absent   403      absent   absent   absent",
  },
  // `late`: the radio has started.
  remindOfRadio: {
    "public before":
      "             401      200      200      200      200      blocked  403      401      401      200",
    public: "       401      late     late     late     late     blocked  403      401      401      late",
    "fans before": "401      404      200      404      404      404      403      401      401      200",
    fans: "         401      404      late     404      404      404      403      401      401      late",
    "memberships before":
      "             401      404      404      200      404      404      403      401      401      200",
    memberships: "  401      404      404      late     404      404      403      401      401      late",
    "url before": " 401      404      404      404      404      404      403      401      401      200",
    url: "          401      404      404      404      404      404      403      401      401      late",
    none: "         401      404      404      404      404      404      403      401      401      late",
  },
  createRadioComment: {
    public: "       401      201      201      201      201      blocked  403      401      401      201",
    fans: "         401      404      201      404      404      404      403      401      401      201",
    memberships: "  401      404      404      201      404      404      403      401      401      201",
    url: "          401      404      404      404      404      404      403      401      401      201",
    none: "         401      404      404      404      404      404      403      401      401      201",
  },
  // A comment of the owner.
  likeRadioComment: {
    public: "       200      200      200      200      200      blocked  403      200      200      200",
    fans: "         404      404      200      404      404      404      403      404      404      200",
    memberships: "  404      404      404      200      404      404      403      404      404      200",
    url: "          404      404      404      404      404      404      403      200      404      200",
    none: "         404      404      404      404      404      404      403      404      404      200",
  },
  reportRadioComment: {
    public:
      "       401      200      200      200      200      200      403      401      401      cannot_report_yourself",
    fans: "         401      404      200      404      404      404      403      401      401      cannot_report_yourself",
    memberships:
      "  401      404      404      200      404      404      403      401      401      cannot_report_yourself",
    url: "          401      404      404      404      404      404      403      401      401      cannot_report_yourself",
    none: "         401      404      404      404      404      404      403      401      401      cannot_report_yourself",
  },
  // Only a finished radio has a recording.
  likeRadioRecording: {
    before: "       404      404      404      404      404      404      403      404      404      404",
    "on air": "     404      404      404      404      404      404      403      404      404      404",
    public: "       200      200      200      200      200      blocked  403      200      200      200",
    fans: "         404      404      200      404      404      404      403      404      404      200",
    memberships: "  404      404      404      200      404      404      403      404      404      200",
    url: "          404      404      404      404      404      404      403      200      404      200",
    none: "         404      404      404      404      404      404      403      404      404      200",
  },
  // What the owner alone may do. The owner's line is in radios.test.ts.
  updateRadio: { all: " 401   404      404      404      404      404      403      401      401      own" },
  startRadio: { all: "  401   404      404      404      404      404      403      401      401      own" },
  finishRadio: { all: " 401   404      404      404      404      404      403      401      401      own" },
  deleteRadio: { all: " 401   404      404      404      404      404      403      401      401      own" },
  deleteRadioComment: { all: "401 404 404      404      404      404      403      401      401      own" },
};

const people = new Map<Caller, Member>();
interface Standing {
  radio_id: string;
  comment_id: string;
  keys: Partial<Record<Caller, string>>;
}
const standing = new Map<string, Standing>();
const ownerOf = () => people.get("owner") as Member;
const stateOf = (audience: Audience, moment: Moment) => `${audience} ${moment}`;
/** Before and on air, a radio cannot be for nobody. */
const STATES = (["public", "fans", "memberships", "url", "none"] as const).flatMap((audience) =>
  MOMENTS.filter((moment) => audience !== "none" || moment === "after").map((moment) => ({ audience, moment })),
);
const SECRET = "ひみつの説明はさざなみ";

beforeAll(async () => {
  for (const name of CALLERS)
    if (!["visitor", "holder", "former"].includes(name)) people.set(name, await addMember(name));
  const owner = ownerOf();
  const person = (name: Caller) => people.get(name) as Member;
  const plan = await addPlan(owner);
  await pay(person("member"), plan, 10);
  await pay(person("lapsed"), plan, -1);
  await follow(person("follower"), owner);
  await block(owner, person("blocked"));
  await runSql(
    "UPDATE users SET disabled_at = '2026-01-01T00:00:00.000Z' WHERE user_id = ?",
    person("disabled").user_id,
  );
  for (const { audience, moment } of STATES) {
    const is_after = moment === "after";
    // The other audience is one that must not count at this moment.
    const audiences = is_after
      ? { publish_target_type: "public" as const, recording_publish_target_type: audience }
      : { publish_target_type: audience as "public", recording_publish_target_type: "public" as const };
    const body = {
      title: `題名 ${audience}`,
      description: SECRET,
      ...audiences,
      publish_target_membership_id: audience === "memberships" ? plan : null,
    };
    const { radio_id, url_key } = await addRadio(owner, body);
    const { token } = owner;
    const path = `/v4/radios/${radio_id}`;
    const rotated = await succeed({ method: "PUT", path, token, body: { ...body, rotates_url_key: true } });
    const { comment } = await succeed({
      method: "POST",
      path: `${path}/comments`,
      token,
      body: { message: "こんばんは" },
    });
    if (moment !== "before") await startRadio(owner, radio_id);
    // One radio is on air at a time: the others take its state by a statement.
    await finishRadio(owner, radio_id);
    if (is_after) {
      const done = "UPDATE radios SET recording_state = 'completed', bytes = 10, duration_ms = 1000 WHERE radio_id = ?";
      await runSql(done, radio_id);
    }
    const keys = { holder: rotated.url_key ?? undefined, former: url_key ?? undefined };
    standing.set(stateOf(audience, moment), { radio_id, comment_id: comment.comment_id, keys });
  }
});

/** Puts the radio of a state on air for the calls of a test, because its owner has one on air at a time. */
async function at(audience: Audience, moment: Moment): Promise<Standing> {
  const found = standing.get(stateOf(audience, moment)) as Standing;
  if (moment === "on air") {
    // Each radio of this test ends several times.
    await runSql("DELETE FROM outbox WHERE kind = 'radio_finished'");
    await runSql("UPDATE radios SET status = 'finished', finished_at = started_at WHERE status = 'on_air'");
    await runSql("UPDATE radios SET status = 'on_air', finished_at = NULL WHERE radio_id = ?", found.radio_id);
  }
  return found;
}

type Call = (standing: Standing, name: Caller) => Pick<Asked, "method" | "path" | "body">;
const pathOf = ({ radio_id }: Standing, rest = "") => `/v4/radios/${radio_id}${rest}`;
const commentPath = (standing: Standing, rest = "") => pathOf(standing, `/comments/${standing.comment_id}${rest}`);
const body = { title: "ひとの題", publish_target_type: "public" };
const calls: Record<string, Call> = {
  getRadio: (on) => ({ method: "GET", path: pathOf(on) }),
  listUserRadios: () => ({ method: "GET", path: `/v4/users/${ownerOf().user_id}/radios?page_size=25` }),
  listenToRadio: (on, name) => ({ method: "POST", path: pathOf(on, "/listen"), body: { visit_id: name } }),
  getRadioSound: (on) => ({ method: "GET", path: pathOf(on, "/sound") }),
  listUserRecordings: () => ({ method: "GET", path: `/v4/users/${ownerOf().user_id}/radio_recordings?page_size=25` }),
  remindOfRadio: (on) => ({ method: "POST", path: pathOf(on, "/reminder"), body: { is_reminded: true } }),
  listRadioComments: (on) => ({ method: "GET", path: pathOf(on, "/comments") }),
  createRadioComment: (on) => ({ method: "POST", path: pathOf(on, "/comments"), body: { message: "よい声" } }),
  likeRadioComment: (on) => ({ method: "POST", path: commentPath(on, "/like"), body: { is_liked: true } }),
  reportRadioComment: (on) => ({ method: "POST", path: commentPath(on, "/report"), body: { reason: "others" } }),
  likeRadioRecording: (on) => ({ method: "POST", path: pathOf(on, "/recording_like"), body: { is_liked: true } }),
  updateRadio: (on) => ({ method: "PUT", path: pathOf(on), body }),
  startRadio: (on) => ({ method: "POST", path: pathOf(on, "/start") }),
  finishRadio: (on) => ({ method: "POST", path: pathOf(on, "/finish") }),
  deleteRadio: (on) => ({ method: "DELETE", path: pathOf(on) }),
  deleteRadioComment: (on) => ({ method: "DELETE", path: commentPath(on) }),
};

/** Returns the word for what the caller met. */
async function meet(line: string, name: Caller, on: Standing): Promise<string> {
  const call = calls[line] as Call;
  const answered = await product.ask({ ...call(on, name), token: people.get(name)?.token, url_key: on.keys[name] });
  if (answered.status >= 300) {
    const code = problemOf(answered);
    if (code === "radio_transition_refused") return "late";
    return ["not_found", "unauthenticated", "account_disabled"].includes(code) ? String(answered.status) : code;
  }
  const { radio, radios = answered.json.recordings } = answered.json;
  if (line === "getRadio") {
    const tells = JSON.stringify(radio).includes(SECRET);
    return radio.is_locked === tells ? "a teaser that tells" : tells ? "read" : "teaser";
  }
  if (line === "listUserRadios" || line === "listUserRecordings") {
    const found = radios.find(({ radio_id }: { radio_id: string }) => radio_id === on.radio_id);
    return found ? (found.is_locked ? "locked" : "listed") : "absent";
  }
  return String(answered.status);
}

const expectedLine = (line: string, { audience, moment }: (typeof STATES)[number]) => {
  const table = everybody[line] ?? {};
  return table.all ?? table[moment] ?? table[`${audience} ${moment}`] ?? table[audience] ?? "";
};

describe.each(Object.keys(everybody).map((line) => ({ line })))("$line", ({ line }) => {
  test.each(STATES)("$audience, $moment: answers each caller as the table says", async ({ audience, moment }) => {
    const on = await at(audience, moment);
    const words = expectedLine(line, { audience, moment }).trim().split(/\s+/);
    expect(words).toHaveLength(CALLERS.length);
    const expected = Object.fromEntries(CALLERS.map((name, index) => [name, words[index]]));
    const met: Record<string, string | undefined> = {};
    for (const name of CALLERS) met[name] = expected[name] === "own" ? "own" : await meet(line, name, on);
    expect(met).toEqual(expected);
  });
});

test("a radio of a disabled account is hidden from everybody", async () => {
  const owner = await addMember();
  const { radio_id } = await addRadio(owner);
  const get = async (who?: Member) =>
    (await product.ask({ method: "GET", path: `/v4/radios/${radio_id}`, token: who?.token })).status;
  expect(await get()).toBe(200);
  await runSql("UPDATE users SET disabled_at = '2026-01-01T00:00:00.000Z' WHERE user_id = ?", owner.user_id);
  expect([await get(), await get(people.get("stranger"))]).toEqual([404, 404]);
});
