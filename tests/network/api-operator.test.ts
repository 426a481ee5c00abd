/** Operators' operations: who may call them, what they do, their audit rows. Decisions on reports: api-reports.test.ts. */
import { decodeJwt, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { people } from "../../scripts/demo/people.ts";
import { operatorOperations } from "../../workers/contract/index.ts";
import { type AnswerOf, OPERATOR_PATHS, type Operation } from "../../workers/contract/operation.ts";
import {
  answerAppeal,
  changeLimit,
  checkLedger,
  clearMaintenance,
  closeCampaign,
  createAccount,
  createNews,
  decideReport,
  deleteNews,
  findAccount,
  findPayment,
  findSubject,
  getAnyNews,
  getAppeal,
  getLedgerBalances,
  getMaintenanceRecord,
  getOperator,
  getPerson,
  getPersonMoney,
  getReport,
  getSearchState,
  giveBack,
  listAllNews,
  listAppeals,
  listCampaigns,
  listCheckouts,
  listDisputes,
  listFeatures,
  listHeldPayments,
  listLimits,
  listMails,
  listOperatorActs,
  listOutbox,
  listPayoutsUnderWay,
  listReports,
  listSuppressions,
  listUnknownMoney,
  openCampaign,
  rebuildSearch,
  recountStats,
  refundPayment,
  removeAccountFactors,
  retryMail,
  retryOutboxRow,
  retryPayout,
  searchPeople,
  setAccountClaims,
  setAccountDisabled,
  setFeaturePaused,
  setMailSuppressed,
  setMaintenance,
  setPaymentHeld,
  setPayoutHeld,
  settleUnknownMoney,
  signOutAccount,
  takeDown,
  updateNews,
} from "../../workers/contract/operator.ts";
import { listDonationCampaigns } from "../../workers/contract/references.ts";
import { signOperatorToken } from "../../workers/verifier/operator-token.ts";
import { api, database, disable, freshMember, type Member, network, signIn } from "../support/network.ts";
import { waitUntil } from "../support/wait.ts";
import { ask, type Call, expectProblem, NOBODY, refused, send } from "./support/calls.ts";
import { signedAgain } from "./support/tokens.ts";

const ACCOUNT = "NobodyNobodyNobodyNobody0001";
const window = { started_at: "2999-01-01T00:00:00.000Z", finished_at: "2999-01-01T03:00:00.000Z" };

/** A harmless call for each operation, and the status or code that an operator gets. */
const calls: Record<string, { operation: Operation; call: Call; word: string }> = {
  listReports: { operation: listReports, call: {}, word: "200" },
  getReport: { operation: getReport, call: { params: { report_id: NOBODY } }, word: "not_found" },
  decideReport: {
    operation: decideReport,
    call: { params: { report_id: NOBODY }, body: { decision: "kept", note: null } },
    word: "not_found",
  },
  getMaintenanceRecord: { operation: getMaintenanceRecord, call: {}, word: "200" },
  setMaintenance: { operation: setMaintenance, call: { body: window }, word: "200" },
  clearMaintenance: { operation: clearMaintenance, call: {}, word: "200" },
  getSearchState: { operation: getSearchState, call: {}, word: "200" },
  rebuildSearch: { operation: rebuildSearch, call: {}, word: "204" },
  findAccount: { operation: findAccount, call: { query: { who: "@natsume" } }, word: "200" },
  createAccount: {
    operation: createAccount,
    call: { body: { email: "not an address", name: "", is_email_verified: false, password: null } },
    word: "validation_failed",
  },
  setAccountDisabled: {
    operation: setAccountDisabled,
    call: { params: { uid: ACCOUNT }, body: { is_disabled: true } },
    word: "not_found",
  },
  signOutAccount: { operation: signOutAccount, call: { params: { uid: ACCOUNT }, body: {} }, word: "not_found" },
  removeAccountFactors: {
    operation: removeAccountFactors,
    call: { params: { uid: ACCOUNT }, body: {} },
    word: "not_found",
  },
  listDisputes: { operation: listDisputes, call: {}, word: "200" },
  listHeldPayments: { operation: listHeldPayments, call: {}, word: "200" },
  findSubject: { operation: findSubject, call: { params: { subject_id: NOBODY } }, word: "not_found" },
  takeDown: {
    operation: takeDown,
    call: { body: { subject_type: "event", subject_id: NOBODY } },
    word: "not_found",
  },
  giveBack: { operation: giveBack, call: { params: { removal_id: NOBODY }, body: {} }, word: "not_found" },
  listAppeals: { operation: listAppeals, call: {}, word: "200" },
  getAppeal: { operation: getAppeal, call: { params: { removal_id: NOBODY } }, word: "not_found" },
  answerAppeal: {
    operation: answerAppeal,
    call: { params: { removal_id: NOBODY }, body: { decision: "granted" } },
    word: "not_found",
  },
  getOperator: { operation: getOperator, call: {}, word: "200" },
  searchPeople: { operation: searchPeople, call: { query: { keyword: "natsume" } }, word: "200" },
  getPerson: { operation: getPerson, call: { params: { user_id: NOBODY } }, word: "not_found" },
  getPersonMoney: { operation: getPersonMoney, call: { params: { user_id: NOBODY } }, word: "not_found" },
  setAccountClaims: {
    operation: setAccountClaims,
    call: { params: { uid: ACCOUNT }, body: { claims: null } },
    word: "not_found",
  },
  listOperatorActs: { operation: listOperatorActs, call: {}, word: "200" },
  checkLedger: { operation: checkLedger, call: {}, word: "200" },
  recountStats: { operation: recountStats, call: {}, word: "200" },
  findPayment: { operation: findPayment, call: { query: { reference: NOBODY } }, word: "not_found" },
  listCheckouts: { operation: listCheckouts, call: { query: { reference: NOBODY } }, word: "200" },
  refundPayment: { operation: refundPayment, call: { params: { payment_id: NOBODY }, body: {} }, word: "not_found" },
  setPaymentHeld: {
    operation: setPaymentHeld,
    call: { params: { payment_id: NOBODY }, body: { is_held: true, reason: "試験" } },
    word: "not_found",
  },
  listPayoutsUnderWay: { operation: listPayoutsUnderWay, call: {}, word: "200" },
  setPayoutHeld: {
    operation: setPayoutHeld,
    call: { params: { payout_id: NOBODY }, body: { is_held: true } },
    word: "not_found",
  },
  listCampaigns: { operation: listCampaigns, call: {}, word: "200" },
  openCampaign: {
    operation: openCampaign,
    call: { params: { donation_campaign_id: "noto_2026" }, body: {} },
    word: "validation_failed",
  },
  closeCampaign: { operation: closeCampaign, call: { params: { donation_campaign_id: NOBODY } }, word: "not_found" },
  retryPayout: { operation: retryPayout, call: { params: { payout_id: NOBODY } }, word: "not_found" },
  listUnknownMoney: {
    operation: listUnknownMoney,
    call: { query: { kind: "payout", since: "2026-11-20T03:00:00.000Z" } },
    word: "200",
  },
  settleUnknownMoney: {
    operation: settleUnknownMoney,
    call: { params: { gateway_id: "tr_nobody" }, body: { kind: "payout" } },
    word: "not_found",
  },
  listOutbox: { operation: listOutbox, call: {}, word: "200" },
  retryOutboxRow: { operation: retryOutboxRow, call: { params: { outbox_id: "receipt:nothing" } }, word: "not_found" },
  listMails: { operation: listMails, call: {}, word: "200" },
  retryMail: { operation: retryMail, call: { params: { mail_id: "receipt:nothing" } }, word: "not_found" },
  listSuppressions: { operation: listSuppressions, call: {}, word: "200" },
  setMailSuppressed: {
    operation: setMailSuppressed,
    call: { body: { address: "nobody@example.jp", is_suppressed: false } },
    word: "204",
  },
  listAllNews: { operation: listAllNews, call: {}, word: "200" },
  getAnyNews: { operation: getAnyNews, call: { params: { news_id: NOBODY } }, word: "not_found" },
  createNews: { operation: createNews, call: { body: { day: "2026-02-30" } }, word: "validation_failed" },
  updateNews: {
    operation: updateNews,
    call: {
      params: { news_id: NOBODY },
      body: { day: "2026-12-01", is_published: false, seen_updated_at: "2026-12-01T00:00:00.000Z" },
    },
    word: "not_found",
  },
  deleteNews: { operation: deleteNews, call: { params: { news_id: NOBODY } }, word: "not_found" },
  listFeatures: { operation: listFeatures, call: {}, word: "200" },
  setFeaturePaused: {
    operation: setFeaturePaused,
    call: { params: { feature: "uploads" }, body: { is_paused: false, reason: "試験" } },
    word: "200",
  },
  listLimits: { operation: listLimits, call: {}, word: "200" },
  changeLimit: {
    operation: changeLimit,
    call: { params: { name: "like_older" }, body: { value: 100_000, reason: "試験" } },
    word: "limit_out_of_bounds",
  },
  getLedgerBalances: { operation: getLedgerBalances, call: {}, word: "200" },
};

/**
 * Refused callers. Each token is made just before its call, so that it is refused for its own fault and not for its
 * age.
 */
const others = new Map<string, () => Promise<string | null>>();
/** Signed-in operators with a second factor. */
let operator: string;
let operator_of_an_hour_ago: string;

const HOUR_S = 60 * 60;
const claimsOf = (name: unknown, factor: string | undefined, token: string) => ({
  operator: name,
  firebase: { ...(decodeJwt(token).firebase as object), sign_in_second_factor: factor },
});

async function keyToken(changed: { key?: string; audience?: "ofuse-api" | "ofuse-identity"; now_ms?: number } = {}) {
  const key = (await network()).secrets.OPERATOR_KEY;
  return signOperatorToken("hana", { key, audience: "ofuse-api", now_ms: Date.now(), ...changed });
}

beforeAll(async () => {
  const [member, disabled, left_factor] = await Promise.all([
    freshMember("はたらく人"),
    freshMember("利用停止"),
    freshMember("要素のない人"),
  ]);
  const named = (of: Member, name: unknown, factor: string | undefined, more = {}) =>
    signedAgain(of.token, { ...claimsOf(name, factor, of.token), ...more });
  operator = await named(member, "hana", "totp");
  // Of an older account: those created here have no sign-in of an hour ago.
  const older = await signIn("fan_taro");
  const an_hour_ago = Math.floor(Date.now() / 1000) - HOUR_S;
  operator_of_an_hour_ago = await signedAgain(older, { ...claimsOf("taro", "totp", older), auth_time: an_hour_ago });

  const key = (await network()).secrets.OPERATOR_KEY;
  const signed = async (header: { alg: string }, changed: object = {}) =>
    new SignJWT({ ...decodeJwt(await keyToken()), ...changed })
      .setProtectedHeader(header)
      .sign(new TextEncoder().encode(key));
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const known = (who: string, token: string | null) => others.set(who, async () => token);
  known("a visitor", null);
  known("words that are no token", "garbage");
  known("a member", await signIn("fan_hana"));
  known("a creator", await signIn("natsume"));
  known("an account without a profile", await signIn("fan_new"));
  known("an operator without a second factor", await named(left_factor, "hana", undefined));
  known("a member with a second factor", await named(member, undefined, "totp"));
  known("an operator without a name", await named(member, true, "totp"));
  known("an operator whose name is a sentence", await named(member, "hana; DROP TABLE", "totp"));
  known("a disabled operator", await named(disabled, "hana", "totp"));
  known(
    "an operator whose token has ended",
    await named(member, "hana", "totp", { exp: Math.floor(Date.now() / 1000) - 1 }),
  );
  known("an operator who has signed out", await signedOutOperator());
  others.set("another key", () => keyToken({ key: "another-operator-key-000000000000000001" }));
  others.set("a token for identity", () => keyToken({ audience: "ofuse-identity" }));
  others.set("a token of five minutes ago", () => keyToken({ now_ms: Date.now() - 5 * 60_000 }));
  others.set("a token of tomorrow", () => keyToken({ now_ms: Date.now() + 24 * HOUR_S * 1000 }));
  others.set("a token good for a year", () => signed({ alg: "HS256" }, { iat: 0, exp: 4_102_444_800 }));
  others.set("a token of another issuer", () => signed({ alg: "HS256" }, { iss: "somebody" }));
  others.set("a token of another algorithm", () => signed({ alg: "HS512" }));
  others.set("a token without a name", () => signed({ alg: "HS256" }, { operator: "" }));
  others.set(
    "a token without a signature",
    async () => `${encode({ alg: "none" })}.${encode(decodeJwt(await keyToken()))}.`,
  );
  await disable(disabled);
});

/** Returns a token with the claim and the factor, whose sign-in has ended since. */
async function signedOutOperator(): Promise<string> {
  const { token } = await freshMember("ログアウトした人");
  const named = await signedAgain(token, claimsOf("hana", "totp", token));
  await api("DELETE", `/v2/general/auth/sign-ins?id=${decodeJwt(token).signInId}`, { token });
  return named;
}

/** Lets the web worker learn it too: the next file expects pages without a banner. */
afterAll(async () => {
  await send(clearMaintenance, { token: await keyToken() });
  await api("GET", "/api/maintenance");
});

/** Returns an answer without its request id. */
function comparable({ status, headers, json, text }: Awaited<ReturnType<typeof send>>) {
  const { request_id: _, ...body } = (json ?? { text }) as Record<string, unknown>;
  const names = ["content-type", "cache-control", "allow", "www-authenticate", "retry-after"];
  return { status, body, headers: names.map((name) => headers.get(name)) };
}

const rows = async () =>
  (await (await database()).prepare("SELECT COUNT(*) AS n FROM operator_acts").first<{ n: number }>())?.n;

test("every operation is in the table, has an operators' path, and is for operators alone", () => {
  expect(Object.keys(calls).sort()).toEqual(operatorOperations.map(({ id }) => id).sort());
  for (const { auth, path } of operatorOperations) {
    expect([auth, path.startsWith(OPERATOR_PATHS)]).toEqual(["operator", true]);
  }
});

describe.each(Object.entries(calls))("%s", (_, { operation, call, word }) => {
  const wordOf = async (token: string) => {
    const { status, json } = await send(operation, { ...call, token });
    return (json as { code?: string } | undefined)?.code ?? String(status);
  };

  test("is not found for other callers, and leaves no row", async () => {
    const unknown = comparable(await api("GET", `${OPERATOR_PATHS}nothing/of/the/kind`));
    const before = await rows();
    for (const [who, make] of others) {
      expect(comparable(await send(operation, { ...call, token: await make() })), who).toEqual(unknown);
    }
    const body = operation.method === "GET" ? undefined : "[";
    const malformed = { token: await signIn("fan_hana"), params: call.params, query: { limit: "x" }, body };
    expect(comparable(await send(operation, malformed)), "input is not read").toEqual(unknown);
    // Other methods must not reveal the path either.
    const path = operation.path.replace(/\{\w+\}/g, NOBODY);
    for (const method of ["PATCH", "POST", "DELETE", "PUT"]) {
      expect(comparable(await api(method, path)), method).toEqual(unknown);
    }
    expect(await rows()).toBe(before);
  });

  test("is available with the key and to a signed-in operator", async () => {
    expect(await wordOf(await keyToken())).toBe(word);
    expect(await wordOf(operator)).toBe(word);
  });

  test("requires a recent sign-in of an operator before it changes anything", async () => {
    expect(await wordOf(operator_of_an_hour_ago)).toBe(operation.method === "GET" ? word : "recent_sign_in_required");
  });
});

test("the books of the network have no fault", async () => {
  expect(await ask(checkLedger, { token: await keyToken() })).toEqual({ breaches: [], next: null });
  await refused(checkLedger, "validation_failed", { token: await keyToken(), query: { after: -1 } });
});

test("the figures of the demo world are what a count over its tables says", async () => {
  // Other tests move letters of their own members into the past, which no call can.
  const { results } = await (await database())
    .prepare("SELECT user_id FROM users WHERE link_id IN (SELECT value FROM json_each(?))")
    .bind(JSON.stringify(people.map(({ link_id }) => link_id)))
    .all<{ user_id: string }>();
  const demo_people = new Set(results.map(({ user_id }) => user_id));
  expect(demo_people.size).toBe(people.length);
  for (let after: string | null = ""; after !== null; ) {
    const part: AnswerOf<typeof recountStats> = await ask(recountStats, { token: await keyToken(), query: { after } });
    expect(part.differences.filter(({ user_id }) => demo_people.has(user_id))).toEqual([]);
    after = part.next;
  }
});

test("a campaign is open to letters from its opening to its end, can be changed, and leaves audit rows", async () => {
  const token = await keyToken();
  const params = { donation_campaign_id: `c${crypto.randomUUID().replaceAll("-", "").slice(0, 20)}` };
  const isOpen = async () =>
    (await ask(listDonationCampaigns, {})).donation_campaigns.find(
      ({ donation_campaign_id }) => donation_campaign_id === params.donation_campaign_id,
    );
  const body = {
    name: "森を育てる",
    description: "苗木を植えます。",
    url: "https://mori.example/",
    opens_at: "2999-01-01T00:00:00.000Z",
    closes_at: "2999-02-01T00:00:00.000Z",
  };
  await ask(openCampaign, { token, params, body });
  expect(await isOpen()).toBeUndefined();
  await ask(openCampaign, { token, params, body: { ...body, opens_at: "2026-01-01T00:00:00.000Z" } });
  expect(await isOpen()).toMatchObject({ name: "森を育てる", closes_at: body.closes_at });
  const { donation_campaign: closed } = await ask(closeCampaign, { token, params });
  expect(await ask(closeCampaign, { token, params })).toEqual({ donation_campaign: closed });
  expect(await isOpen()).toBeUndefined();
  const { acts } = await ask(listOperatorActs, { token });
  const names = acts.filter(({ subject }) => subject === params.donation_campaign_id).map(({ operation }) => operation);
  expect(names).toEqual(["closeCampaign", "closeCampaign", "openCampaign", "openCampaign"]);
  const wrong = { ...body, url: "javascript:alert(1)", name: "", closes_at: body.opens_at };
  const { errors } = await refused(openCampaign, "validation_failed", { token, params, body: wrong });
  expect(Object.keys(errors ?? {}).sort()).toEqual(expect.arrayContaining(["name", "url"]));
});

test("an operator acts under maintenance, and ends it", async () => {
  const token = await keyToken();
  await ask(setMaintenance, { token, body: { started_at: new Date().toISOString(), finished_at: null } });
  try {
    await api("GET", "/api/maintenance");
    expectProblem(await api("PUT", "/v4/profile", { token: await signIn("fan_hana"), body: {} }), "under_maintenance");
    expect(await ask(getMaintenanceRecord, { token })).toMatchObject({ finished_at: null });
  } finally {
    expect(await ask(clearMaintenance, { token })).toEqual({ started_at: null, finished_at: null });
    await api("GET", "/api/maintenance");
  }
  const { errors } = await refused(setMaintenance, "validation_failed", {
    token,
    body: { started_at: window.finished_at, finished_at: window.started_at },
  });
  expect(Object.keys(errors ?? {})).toEqual(["finished_at"]);
});

describe("an account", () => {
  test("is created once, is found by each of its names, and its token gets its custom claims", async () => {
    const token = await keyToken();
    const email = `${crypto.randomUUID()}@example.jp`;
    const password = "a password of theirs";
    const body = { email, name: "花", is_email_verified: true, password };
    const { uid, account, profile } = await ask(createAccount, { token, body });
    expect({ account, profile }).toMatchObject({
      account: { uid, email, is_email_verified: true, name: "花", has_password: true, is_disabled: false },
      profile: null,
    });
    expect(JSON.stringify(account)).not.toContain("scrypt");
    await refused(createAccount, "email_taken", { token, body });
    for (const who of [uid, email, email.toUpperCase()]) {
      expect(await ask(findAccount, { token, query: { who } })).toMatchObject({ uid });
    }
    await refused(findAccount, "not_found", { token, query: { who: `@${uid}` } });
    const { errors } = await refused(setAccountClaims, "validation_failed", {
      token,
      params: { uid },
      body: { claims: { sub: "another" } },
    });
    expect(Object.keys(errors ?? {})).toEqual(["claims"]);
    for (const operator of ["公式", 1, null]) {
      await refused(setAccountClaims, "validation_failed", { token, params: { uid }, body: { claims: { operator } } });
    }
    await ask(setAccountClaims, { token, params: { uid }, body: { claims: { operator: "hana" } } });
    const { secrets } = await network();
    const signedIn = await api(
      "POST",
      `/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=${secrets.IDENTITY_API_KEY}`,
      { body: { email, password, returnSecureToken: true } },
    );
    const { idToken } = signedIn.json as { idToken: string };
    expect(decodeJwt(idToken)).toMatchObject({ operator: "hana" });
    // Without a second factor the claim opens nothing.
    await refused(listReports, "not_found", { token: idToken });
    await ask(removeAccountFactors, { token, params: { uid }, body: {} });
    await ask(signOutAccount, { token, params: { uid }, body: {} });
    await waitUntil(async () => expect((await api("GET", "/v4/profile", { token: idToken })).status).toBe(401));
  });

  test("without a profile gets no token once it is disabled", async () => {
    const token = await keyToken();
    const { uid } = await ask(createAccount, {
      token,
      body: {
        email: `${crypto.randomUUID()}@example.jp`,
        name: "",
        is_email_verified: true,
        password: "a password of theirs",
      },
    });
    for (const is_disabled of [true, true, false, false]) {
      const { account } = await ask(setAccountDisabled, { token, params: { uid }, body: { is_disabled } });
      expect(account).toMatchObject({ is_disabled });
    }
  });
});

test("an operator who is signed in cannot disable their own account or remove its factors", async () => {
  const params = { uid: String(decodeJwt(operator).sub) };
  const disabling = { params, body: { is_disabled: true } };
  await refused(setAccountDisabled, "cannot_act_on_yourself", { token: operator, ...disabling });
  await refused(removeAccountFactors, "cannot_act_on_yourself", { token: operator, params, body: {} });
  expect(await ask(getOperator, { token: operator })).toEqual({ operator: "hana" });
});

test("an address that no mail reaches is not suppressed, and leaves no row", async () => {
  const token = await keyToken();
  const before = await rows();
  for (const address of ["bad@", "a b@example.jp", "hana@example..jp"]) {
    const body = { address, is_suppressed: true };
    const { errors } = await refused(setMailSuppressed, "validation_failed", { token, body });
    expect(Object.keys(errors ?? {}), address).toEqual(["address"]);
  }
  expect(await rows()).toBe(before);
});

describe("the record of acts", () => {
  test("has a row for every act, with the operator and the request, and no secret, address or name", async () => {
    const email = `${crypto.randomUUID()}@example.jp`;
    const body = { email, name: "ひみつの名前", is_email_verified: false, password: "ひみつのパスワード" };
    const made = await send(createAccount, { token: operator, body });
    const { uid } = made.json as { uid: string };
    const disabled = await send(setAccountDisabled, {
      token: await keyToken(),
      params: { uid },
      body: { is_disabled: true },
    });
    expect([made.status, disabled.status]).toEqual([201, 200]);
    const { acts } = await ask(listOperatorActs, { token: operator, query: { limit: 2 } });
    expect(acts).toMatchObject([
      {
        operator: "hana",
        operation: "setAccountDisabled",
        subject: uid,
        input: { is_disabled: true },
        request_id: disabled.headers.get("x-request-id"),
      },
      {
        operator: "hana",
        operation: "createAccount",
        subject: expect.stringMatching(/^[0-9a-f]{12}$/),
        input: { is_email_verified: false, has_password: true },
        request_id: made.headers.get("x-request-id"),
      },
    ]);
    const { results } = await (await database()).prepare("SELECT * FROM operator_acts").all();
    for (const secret of [email, body.name, body.password]) expect(JSON.stringify(results)).not.toContain(secret);
    const next = await ask(listOperatorActs, { token: operator, query: { limit: 1, before: acts[0]?.act_id } });
    expect(next.acts).toEqual([acts[1]]);
  });

  test("has one row for the first call of each operator's account, also when several arrive at once", async () => {
    const { token } = await freshMember("あたらしい人");
    const { sub: uid } = decodeJwt(token);
    const entrances = async () => {
      const { acts } = await ask(listOperatorActs, { token: await keyToken(), query: { limit: 50 } });
      return acts.filter(({ subject }) => subject === uid);
    };
    const without_factor = await signedAgain(token, claimsOf("mina", undefined, token));
    await refused(listOperatorActs, "not_found", { token: without_factor, query: {} });
    expect(await entrances()).toEqual([]);
    const named = await signedAgain(token, claimsOf("mina", "totp", token));
    await Promise.all([1, 2, 3].map(() => ask(listOperatorActs, { token: named, query: {} })));
    expect(await entrances()).toMatchObject([{ operator: "mina", operation: "enterDesk", input: {} }]);
  });

  test("has no row for a read", async () => {
    const before = await rows();
    for (const { operation, call } of Object.values(calls)) {
      if (operation.method === "GET") await send(operation, { ...call, token: await keyToken() });
    }
    expect(await rows()).toBe(before);
  });

  test.each([
    ["changed", "UPDATE operator_acts SET operator = 'nobody'"],
    ["deleted", "DELETE FROM operator_acts"],
    [
      "overwritten",
      `INSERT INTO operator_acts SELECT * FROM operator_acts WHERE TRUE LIMIT 1
        ON CONFLICT (act_id) DO UPDATE SET operator = 'nobody'`,
    ],
    ["replaced", "INSERT OR REPLACE INTO operator_acts SELECT * FROM operator_acts LIMIT 1"],
  ])("cannot be %s", async (_, statement) => {
    await send(rebuildSearch, { token: await keyToken() });
    const db = await database();
    const all = async () => (await db.prepare("SELECT * FROM operator_acts ORDER BY act_id").all()).results;
    const before = await all();
    await expect(db.prepare(statement).run()).rejects.toThrow(/append-only/);
    expect(await all()).toEqual(before);
  });
});

test("search reports its backlog after a requested rebuild", async () => {
  const { rebuilds } = await ask(getSearchState, { token: await keyToken() });
  expect(rebuilds.given_up_count).toBe(0);
});

test("the site forwards no path to identity's operator calls", async () => {
  const { miniflare, secrets, url } = await network();
  const token = await signOperatorToken("hana", {
    key: secrets.OPERATOR_KEY,
    audience: "ofuse-identity",
    now_ms: Date.now(),
  });
  const path = `${OPERATOR_PATHS}accounts?who=hana%40example.jp`;
  // At the site's address the product API answers, which refuses the token.
  expect((await api("GET", path, { token })).status).toBe(404);
  const identity = await miniflare.getWorker("ofuse-identity");
  for (const given of [null, "garbage", await keyToken(), await signIn("natsume")]) {
    const headers: Record<string, string> = given === null ? {} : { authorization: `Bearer ${given}` };
    const answer = await identity.fetch(`${url}${path}`, { headers });
    expect([answer.status, await answer.json()]).toMatchObject([404, { code: "not_found" }]);
  }
});
