import { beforeAll, expect, test } from "vitest";
import { plannedOperations } from "../../workers/contract/index.ts";
import type { PlannedOperation } from "../../workers/contract/operation.ts";
import { getMembershipStats } from "../../workers/contract/stats.ts";
import { updateLiveHeartbeat } from "../../workers/contract/users.ts";
import { api, type Reply, signIn } from "../support/network.ts";
import { expectProblem, NOBODY } from "./support/calls.ts";

/** Calls of the spec that may still answer `not_implemented_yet`. Remove a name when its call works; never add one. */
const accepted = `
  getMembershipStats sendTestOfuse updateLiveHeartbeat updateTimelineToken
`
  .trim()
  .split(/\s+/);

/** Required queries of planned calls. */
const queries: Record<string, string> = {
  updateLiveHeartbeat: "?id=overlay-1&token=secret",
};

const good = ({ id, path }: PlannedOperation) => path.replace(/\{\w+\}/g, NOBODY) + (queries[id] ?? "");
const ask = ({ method }: PlannedOperation, path: string, token?: string): Promise<Reply> =>
  api(method, path, { token });

let token: string;
beforeAll(async () => {
  token = await signIn("natsume");
});

test("the list of planned calls can only shrink", () => {
  const planned = plannedOperations.map(({ id }) => id);
  console.info(`${planned.length} calls are planned:\n${planned.sort().join("\n")}`);
  expect(planned.filter((id) => !accepted.includes(id))).toEqual([]);
  expect(
    accepted.filter((id) => !planned.includes(id)),
    "works now: take it off this list",
  ).toEqual([]);
});

test.each(plannedOperations)("$id exists, and answers that it is not built yet", async (operation) => {
  const reply = await ask(operation, good(operation), token);
  expect(expectProblem(reply, "not_implemented_yet").detail).toBe("この機能は準備中です。");
});

test("authentication comes first, then the path, then the query, and only then not_implemented_yet", async () => {
  for (const operation of [updateLiveHeartbeat, getMembershipStats]) {
    expectProblem(await ask(operation, operation.path), "unauthenticated");
    expectProblem(await ask(operation, operation.path, "garbage"), "token_invalid");
  }
  expectProblem(
    await ask(getMembershipStats, `${getMembershipStats.path}?agg_period=never`, token),
    "validation_failed",
  );
  expectProblem(await ask(updateLiveHeartbeat, `${updateLiveHeartbeat.path}?id=1`, token), "validation_failed");
});

test("an idempotency key does not bypass it", async () => {
  const body = { message: "手紙" };
  for (const _ of [1, 2]) {
    const reply = await api("POST", "/v4/test_ofuses", { token, body, key: "planned-0001" });
    expectProblem(reply, "not_implemented_yet");
  }
});
