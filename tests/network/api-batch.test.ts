import { beforeAll, describe, expect, test } from "vitest";
import { BATCH_SIZE, batchReads } from "../../workers/contract/edge.ts";
import { freshMember, type Member, network } from "../support/network.ts";
import { ask, NOBODY, refused, userId } from "./support/calls.ts";

let member: Member;
beforeAll(async () => {
  await network();
  member = await freshMember("まとめる人");
});

const readsOf = (...addresses: string[]) => ({
  reads: addresses.map((address) => ({ address, is_optional: false })),
});
async function readAll(token: string | null, ...addresses: string[]) {
  const { answers } = await ask(batchReads, { token, body: readsOf(...addresses) });
  return answers;
}

describe("a batch of reads", () => {
  test("answers each read as the same call alone would, in order", async () => {
    const answers = await readAll(
      member.token,
      "/v4/profile",
      `/v4/users/${NOBODY}/events`,
      "/v4/users?link_id=natsume",
      "/v4/search?limit=x",
      "/v4/nothing",
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 200, 422, 404]);
    expect(answers[0]?.body).toMatchObject({ user: { user_id: member.user.user_id } });
    expect(answers[1]?.body).toMatchObject({ code: "not_found" });
    expect(answers[2]?.body).toMatchObject({ user: { link_id: "natsume" }, free_ofuses_left: expect.any(Number) });
  });

  test("holds no file in memory, and answers the other reads", async () => {
    const csv = "/v4/reports/transactions?from=2026-11-01&to=2026-11-20&format=csv";
    const answers = await readAll(member.token, csv, "/v4/archive", "/v4/profile");
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 200]);
  });

  test("gives a visitor no more than single calls do", async () => {
    const answers = await readAll(null, "/v4/profile", "/v4/users?link_id=natsume", "/v4/export?part=users");
    expect(answers.map(({ status }) => status)).toEqual([401, 200, 401]);
    expect(answers[1]?.body).toMatchObject({ free_ofuses_left: null });
  });

  test("hides operators' addresses, and reads nothing outside the product API", async () => {
    const [operator, batch] = await readAll(member.token, "/v4/operator/people", "/v4/batch");
    expect([operator?.status, batch?.status]).toEqual([404, 405]);
    const outside = ["/v2/general/auth/sign-ins", "//elsewhere.example/v4/", "https://elsewhere.example/v4/profile"];
    for (const address of [...outside, `/v4/search?keyword=${"a".repeat(2000)}`]) {
      await refused(batchReads, "validation_failed", { token: member.token, body: readsOf(address) });
    }
  });

  test("is refused with an invalid token, without reads, and with too many", async () => {
    await refused(batchReads, "token_invalid", { token: "x.y.z", body: readsOf("/v4/genres/all") });
    await refused(batchReads, "validation_failed", { body: readsOf() });
    const many = Array.from({ length: BATCH_SIZE + 1 }, () => "/v4/genres/all");
    await refused(batchReads, "validation_failed", { body: readsOf(...many) });
  });

  test("changes nothing: a read of a path that only writes is refused", async () => {
    const visit = `/v4/events/${NOBODY}/visit?visit_id=visit-1`;
    const answers = await readAll(member.token, "/v4/intents", `/v4/users/${await userId("natsume")}/block`, visit);
    expect(answers.map(({ status }) => status)).toEqual([405, 404, 405]);
  });
});
