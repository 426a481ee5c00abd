import { Hono } from "hono";
import { z } from "zod";
import { ID_PATTERN, idempotencyKey } from "../../contract/fields.ts";
import type { CheckedInputOf, Operation } from "../../contract/operation.ts";
import { sha256Hex } from "../../kernel/digest.ts";
import { Problem } from "../../kernel/problem.ts";
import type { VerifierSettings } from "../../verifier/index.ts";
import { IdempotencyRace } from "../storage/commit.ts";
import type { Database } from "../storage/database.ts";
import { findKeptAnswer } from "../storage/kept-answers.ts";
import { jsonAnswer, problemAnswer, requestIdOf } from "./answer.ts";
import { authenticate } from "./authenticate.ts";
import { readJson } from "./body.ts";
import type { Endpoint } from "./endpoint.ts";
import { admitOperator } from "./operator.ts";
import type { OperatorAccess, RequestContext, Services } from "./request-context.ts";
import type { SignIns } from "./sign-in-state.ts";

export interface FrontDoor {
  services: Services;
  verifier: VerifierSettings;
  signIns(request_id: string): SignIns;
  announce(outbox_ids: string[]): void;
  operator_access: OperatorAccess;
}

type Variables = { Variables: { request_id: string }; Bindings: { door: FrontDoor } };

/** One Hono app for all endpoints: parse, authenticate, replay or handle, answer. Rooms never see HTTP. */
export function createApp(endpoints: readonly Endpoint[]): Hono<Variables> {
  const app = new Hono<Variables>();
  app.use(async (c, next) => {
    c.set("request_id", requestIdOf(c.req.raw));
    await next();
  });
  for (const endpoint of endpoints) {
    const { method, path } = endpoint.operation;
    app.on(method, path.replace(/\{(\w+)\}/g, ":$1"), (c) =>
      answer(endpoint, c.req.raw, c.req.param() as Record<string, string>, c.env.door, c.get("request_id")),
    );
  }
  // An operator's address does not exist for others, with whatever method.
  const told = endpoints.filter(({ operation }) => operation.auth !== "operator");
  const methodsByPath = Map.groupBy(told, ({ operation }) => operation.path);
  for (const [path, group] of methodsByPath) {
    app.all(path.replace(/\{(\w+)\}/g, ":$1"), (c) => {
      const refusal = problemAnswer(new Problem("method_not_allowed"), c.get("request_id"));
      refusal.headers.set("allow", group.map(({ operation }) => operation.method).join(", "));
      return refusal;
    });
  }
  app.notFound((c) => problemAnswer(new Problem("not_found"), c.get("request_id")));
  app.onError((error, c) => problemAnswer(error, c.get("request_id")));
  return app;
}

async function answer(
  { operation, handle, receive }: Endpoint,
  request: Request,
  params: Record<string, string>,
  door: FrontDoor,
  request_id: string,
): Promise<Response> {
  const { services } = door;
  const { database } = services;
  const signIns = door.signIns(request_id);
  const { auth, is_sensitive = false } = operation;
  // Authenticate before validating, so that anonymous callers learn nothing about parameters.
  const now_ms = services.clock.now();
  const { caller, operator } =
    auth === "operator"
      ? await admitOperator(operation, request, {
          access: door.operator_access,
          verifier: door.verifier,
          database,
          signIns,
          now_ms,
        })
      : {
          caller: await authenticate(auth, request, door.verifier, database, (claims, token) =>
            signIns.requireLive(claims, token, is_sensitive),
          ),
          operator: undefined,
        };
  const body = operation.body ? await readJson(request) : null;
  const input = checkInput(operation, params, new URL(request.url).searchParams, body?.json);
  const address = request.headers.get("cf-connecting-ip");
  const context: RequestContext = {
    request_id,
    now_ms,
    database,
    d1: services.d1,
    search: services.search,
    media_key: services.media_key,
    address_hash: address && (await sha256Hex(`${services.media_key} ${address}`)),
    caller,
    operator,
    idempotency: null,
    announce: door.announce,
  };
  const key = operation.method === "GET" ? null : request.headers.get("idempotency-key");
  const received = async () => {
    const { answer, is_replayed } = (await receive?.(request, context, services)) ?? { answer: null };
    return jsonAnswer(operation.status, answer, request_id, is_replayed);
  };
  if (key === null || !caller) {
    return receive ? received() : jsonAnswer(operation.status, await handle(input, context), request_id);
  }
  check(z.object({ "Idempotency-Key": idempotencyKey }), { "Idempotency-Key": key });
  const url = new URL(request.url);
  const idempotency = {
    scope: `${caller.claims.sub} ${operation.id}`,
    key,
    status: operation.status,
    body_hash: await sha256Hex(`${url.pathname}${url.search}\n${body?.text ?? ""}`),
  };
  context.idempotency = idempotency;
  // Whether the bytes are the same is known when they have arrived: who receives them looks for an earlier answer.
  if (receive) return received();
  const earlier = await findAnswer(database, idempotency, request_id);
  if (earlier) return earlier;
  try {
    return jsonAnswer(operation.status, await handle(input, context), request_id);
  } catch (error) {
    // A twin that ran at the same time may have won, and then be the very reason for this one's refusal.
    const twin = await findAnswer(database, idempotency, request_id);
    if (twin) return twin;
    if (error instanceof IdempotencyRace) throw new Problem("unavailable", { cause: error });
    throw error;
  }
}

/** The answer already given under this key; null where there is none. Throws as {@link findKeptAnswer} does. */
async function findAnswer(
  database: Database,
  asked: { scope: string; key: string; body_hash: string },
  request_id: string,
): Promise<Response | null> {
  const kept = await findKeptAnswer(database, asked);
  return kept && jsonAnswer(kept.status, kept.answer, request_id, true);
}

function checkInput(
  operation: Operation,
  params: Record<string, string>,
  search: URLSearchParams,
  json: unknown,
): CheckedInputOf<Operation> {
  // A malformed id in an address names nothing, so it is answered as an unknown one is.
  const checkedParams = operation.params?.safeParse(params);
  if (checkedParams && !checkedParams.success) throw new Problem("not_found");
  const query: Record<string, string | string[]> = {};
  for (const name of Object.keys(operation.query?.shape ?? {})) {
    const values = search.getAll(name);
    if (values.length > 0) query[name] = values.length > 1 || name.endsWith("[]") ? values : (values[0] ?? "");
  }
  return {
    params: checkedParams?.data as undefined,
    query: check(operation.query, query, isMalformedId) as undefined,
    body: check(operation.body, json) as undefined,
  };
}

/** A body of many faults is told of the first. */
const MAX_FAULTS = 100;

const isMalformedId = (issue: z.core.$ZodIssue) =>
  issue.code === "invalid_format" && issue.pattern === String(ID_PATTERN);

/** Throws `validation_failed` with a sentence for each field, or `not_found` for an issue that `namesNothing`. */
function check(
  schema: z.ZodType | undefined,
  value: unknown,
  namesNothing: (issue: z.core.$ZodIssue) => boolean = () => false,
): unknown {
  if (!schema) return undefined;
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  if (result.error.issues.some(namesNothing)) throw new Problem("not_found");
  const fields: Record<string, string[]> = {};
  for (const issue of result.error.issues.slice(0, MAX_FAULTS)) {
    const name = issue.path.join(".") || "body";
    fields[name] = [...(fields[name] ?? []), issue.message];
  }
  throw new Problem("validation_failed", { fields });
}

/** Messages of checks that have none of their own, in Japanese. */
z.config(z.locales.ja());
