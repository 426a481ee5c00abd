/** Tests authentication on every operation. */
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { productOperations } from "../../workers/contract/index.ts";
import type { Operation } from "../../workers/contract/operation.ts";
import { getProfile } from "../../workers/contract/users.ts";
import { browser, database, disable, freshMember, type Member, signIn } from "../support/network.ts";
import { shareOf } from "../support/share.ts";
import { inputsOf } from "./support/arbitraries.ts";
import { type Call, expectProblem, NOBODY, refused, send } from "./support/calls.ts";
import { foreign, namesSomething } from "./support/owned.ts";
import { endedTokens, expiredTokens, forgedTokens, signedAgain } from "./support/tokens.ts";

/** The statuses of a call with empty input after authentication. */
const ADMITTED = [200, 404, 422];
/** How many of the bad tokens each operation gets. */
const TOKENS_EACH = 4;
const by = (auth: Operation["auth"]) => productOperations.filter((operation) => operation.auth === auth);

let good: string;
/** Tokens that every operation must refuse, by what is wrong with them. */
let bad: Record<string, string>;
let expired: Record<string, string>;
let disabled: Member;

beforeAll(async () => {
  good = await signIn("natsume");
  expired = await expiredTokens(good);
  bad = { ...(await forgedTokens(good)), ...expired, ...(await endedTokens()) };
  disabled = await freshMember("利用停止");
  await disable(disabled);
});

/** A call with ids that name nothing: authentication comes before the input is read. */
const callOf = (operation: Operation): Call => ({
  params: Object.fromEntries([...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => [name, NOBODY])),
  ...(operation.body && { body: {} }),
});

const indexOf = (operation: Operation) => productOperations.indexOf(operation);

/** A call with valid input, the same every time. */
const taken = (operation: Operation): Call => fc.sample(inputsOf(operation, {}), { numRuns: 1, seed: 1 })[0] ?? {};

describe.concurrent.each(by("required"))("$id", (operation) => {
  test("refuses a visitor", async () => {
    const reply = await send(operation, callOf(operation));
    expectProblem(reply, "unauthenticated");
    expect(reply.headers.get("www-authenticate")).toMatch(/^Bearer/);
  });

  test("refuses credentials of another scheme", async () => {
    const schemes = ["Bearer", "Bearer  ", `Basic ${good}`, `Bearer ${good} ${good}`, good];
    for (const authorization of shareOf(schemes, indexOf(operation), 1)) {
      const reply = await send(operation, { ...callOf(operation), headers: { authorization } });
      expect(reply.status, authorization.slice(0, 20)).toBe(401);
    }
  });
});

describe.concurrent.each([...by("required"), ...by("optional")])("$id", (operation) => {
  test("refuses forged, foreign and revoked tokens", async () => {
    for (const [why, token] of shareOf(Object.entries(bad), indexOf(operation), TOKENS_EACH)) {
      const reply = await send(operation, { ...callOf(operation), token });
      expect(reply.status, why).toBe(401);
      expectProblem(reply, "token_invalid");
      expect(reply.headers.get("www-authenticate")).toMatch(/^Bearer/);
    }
  });

  test("refuses a disabled account", async () => {
    await refused(operation, "account_disabled", { ...callOf(operation), token: disabled.token });
  });
});

describe.concurrent.each(by("required").filter(({ errors }) => errors.includes("registration_required")))(
  "$id",
  (operation) => {
    test("asks a person without a profile to finish registering", async () => {
      await refused(operation, "registration_required", { ...taken(operation), token: await signIn("fan_new") });
    });
  },
);

describe.concurrent.each(by("optional"))("$id", (operation) => {
  test("answers a visitor", async () => {
    expect(ADMITTED).toContain((await send(operation, callOf(operation))).status);
  });
});

describe.concurrent.each(by("none"))("$id", (operation) => {
  test("ignores the token", async () => {
    const visitor = await send(operation, callOf(operation));
    expect(ADMITTED).toContain(visitor.status);
    for (const token of shareOf([...Object.values(bad), disabled.token], indexOf(operation), TOKENS_EACH)) {
      expect((await send(operation, { ...callOf(operation), token })).status).toBe(visitor.status);
    }
  });
});

test("the ended tokens are valid but for their sign-in", async () => {
  const reply = await send(getProfile, { token: await signedAgain(expired["ended an hour ago"] ?? "") });
  expect(reply.json).toMatchObject({ user: { link_id: "natsume" } });
});

test("an account that is enabled again is unchanged", async () => {
  const member = await freshMember("もどった人");
  await disable(member);
  await refused(getProfile, "account_disabled", { token: member.token });
  await disable(member, null);
  expect((await send(getProfile, { token: member.token })).json).toEqual({ user: member.user });
});

describe("another member's thing", () => {
  const naming = by("required").filter(namesSomething);

  test("is in the table for every operation that names one", () => {
    expect(Object.keys(foreign).sort()).toEqual(naming.map(({ id }) => id).sort());
  });

  test.concurrent.each(naming.filter(({ id }) => foreign[id] !== "people" && foreign[id] !== "lists"))(
    "does not exist for $id",
    async (operation) => {
      const make = foreign[operation.id];
      if (typeof make !== "function") throw new Error(`${operation.id} is not in the table`);
      const { call, row, strangers, code = "not_found" } = await make();
      const columns = Object.keys(row.key).map((name) => `${name} = ?`);
      const select = (await database()).prepare(`SELECT * FROM ${row.table} WHERE ${columns.join(" AND ")}`);
      const read = () => select.bind(...Object.values(row.key)).first();
      const before = await read();
      expect(before).not.toBeNull();
      for (const token of strangers) {
        const { request_id: _, ...told } = await refused(operation, code, { ...call, token });
        const { request_id: __, ...nothing } = await refused(operation, code, { ...nobodys(call), token });
        expect(told, "as if there were none").toEqual(nothing);
      }
      expect(await read()).toEqual(before);
    },
  );

  /** Returns the same call with unknown ids. */
  function nobodys(call: Call): Call {
    const unknown = (values: object = {}) =>
      Object.fromEntries(
        Object.entries(values).map(([name, value]) => [
          name,
          name.endsWith("_ids") ? [NOBODY] : name.endsWith("_id") ? NOBODY : value,
        ]),
      );
    return {
      ...call,
      params: unknown(call.params),
      ...(call.body !== undefined && { body: unknown(call.body as object) }),
    };
  }
});

test("a cookie never authenticates a call of the API", async () => {
  const member = await browser();
  await member.signIn("natsume");
  expect(member.cookies.size).toBeGreaterThan(0);
  const page = await member.get("/v4/profile");
  expect(page.status).toBe(401);
  for (const cookie of [`soziIdAuth=${good}`, `authorization=Bearer ${good}`, `token=${good}`]) {
    await refused(getProfile, "unauthenticated", { headers: { cookie } });
  }
});
