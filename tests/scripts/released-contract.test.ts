import { describe, expect, test } from "vitest";
import * as z from "zod";
import {
  contractBreaches,
  currentContract,
  describeContract,
  readReleasedContract,
} from "../../scripts/released-contract.ts";
import { defineOperation, type Operation } from "../../workers/contract/operation.ts";

const answer = {
  ofuse_id: z.string(),
  type: z.enum(["received", "sent"]),
  amount: z.int(),
  reply: z.object({ message: z.string() }).nullable(),
  senders: z.array(z.object({ name: z.string() })),
};
const body = { message: z.string().max(200), sort_by: z.enum(["newest", "oldest"]), note: z.string().optional() };
const operation: Operation = defineOperation({
  id: "sendLetter",
  method: "POST",
  path: "/v4/letters/{letter_id}",
  auth: "optional",
  summary: "",
  params: z.object({ letter_id: z.string() }),
  query: z.object({ page: z.int().optional() }),
  body: z.object(body),
  status: 201,
  answer: z.object(answer),
  errors: [],
});
const released = describeContract([operation]);
const breachesOf = (change: Partial<Operation>) =>
  contractBreaches(released, describeContract([{ ...operation, ...change }]));

describe("the released contract", () => {
  test("is kept by the sources", () => {
    const kept = readReleasedContract();
    expect(Object.keys(kept ?? {}).length).toBeGreaterThan(30);
    expect(contractBreaches(kept ?? {}, currentContract())).toEqual([]);
  });

  test("may be added to", () => {
    const wider: Operation = {
      ...operation,
      auth: "none",
      query: z.object({ page: z.int().optional(), newer: z.boolean().optional() }),
      body: z.object({
        message: z.union([z.string().max(400), z.object({ text: z.string() })]),
        sort_by: z.enum(["newest", "oldest", "amount"]).optional(),
        note: z.string().nullable().optional(),
        colour: z.string().default("black"),
      }),
      answer: z.object({
        ...answer,
        type: z.enum(["received", "sent", "draft"]),
        reply: z.object({ message: z.string(), created_at: z.string() }).nullable(),
        colour: z.string().optional(),
      }),
    };
    expect(contractBreaches(released, describeContract([wider, { ...operation, id: "another" }]))).toEqual([]);
  });

  test.each<[string, Partial<Operation>, RegExp]>([
    ["another method", { method: "PUT" }, /POST .* has become PUT/],
    ["another path", { path: "/v4/letter/{letter_id}" }, /has become POST \/v4\/letter\//],
    ["a sign-in where none was needed", { auth: "required" }, /sign-in/],
    ["another status of success", { status: 200 }, /answers 200/],
    ["a required input added", { body: z.object({ ...body, colour: z.string() }) }, /body\.colour is required/],
    ["an input made required", { body: z.object({ ...body, note: z.string() }) }, /body\.note is required/],
    ["a required query", { query: z.object({ page: z.int() }) }, /query\.page is required/],
    ["an input gone", { body: z.object(body).omit({ note: true }) }, /note is gone/],
    ["an input retyped", { body: z.object({ ...body, message: z.int() }) }, /message: string is no longer taken/],
    ["an input value gone", { body: z.object({ ...body, sort_by: z.enum(["newest"]) }) }, /oldest is no longer/],
    ["a tighter bound", { body: z.object({ ...body, message: z.string().max(100) }) }, /maxLength is 100/],
    ["a new bound", { body: z.object({ ...body, note: z.string().min(1).optional() }) }, /minLength is 1/],
    ["a smaller number", { query: z.object({ page: z.int().max(10).optional() }) }, /page: maximum is 10/],
    ["a larger number to begin with", { query: z.object({ page: z.int().min(1).optional() }) }, /page: minimum is 1/],
    ["an answer gone", { answer: null }, /ofuse_id is gone/],
    ["an answer field gone", { answer: z.object(answer).omit({ amount: true }) }, /amount is gone/],
    ["an answer field retyped", { answer: z.object({ ...answer, amount: z.string() }) }, /amount: it may be string/],
    ["an answer field become null", { answer: z.object({ ...answer, amount: z.int().nullable() }) }, /may be null/],
    ["an answer field become optional", { answer: z.object({ ...answer, amount: z.int().optional() }) }, /be missing/],
    ["an answer value gone", { answer: z.object({ ...answer, type: z.enum(["sent"]) }) }, /received is no longer/],
    ["a field gone inside", { answer: z.object({ ...answer, reply: z.object({}).nullable() }) }, /reply/],
    [
      "a field gone in a list",
      { answer: z.object({ ...answer, senders: z.array(z.object({})) }) },
      /\[\]\.name is gone/,
    ],
  ])("is broken by %s", (_what, change, breach) => {
    expect(breachesOf(change)).toContainEqual(expect.stringMatching(breach));
  });

  test("is broken by a removed operation, and by a body where there was none", () => {
    expect(contractBreaches(released, {})).toEqual(["sendLetter: the operation is gone"]);
    const { body: _, ...bodiless } = operation;
    const without = describeContract([bodiless]);
    const optional = describeContract([{ ...operation, body: z.object({ note: z.string().optional() }) }]);
    expect(contractBreaches(without, optional)).toEqual(["sendLetter: it asks for a body now"]);
  });
});
