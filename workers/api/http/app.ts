import * as z from "zod";
import { JSON_BYTES } from "../../contract/bounds.ts";
import { batchReads } from "../../contract/edge.ts";
import { visitEvent } from "../../contract/events.ts";
import { idempotencyKey, WORDS_KEY_MS, WORDS_KEY_PREFIX } from "../../contract/fields.ts";
import type { Operation } from "../../contract/operation.ts";
import { URL_KEY_HEADER } from "../../contract/radios.ts";
import { fileAnswer, jsonAnswer, textAnswer } from "../../http/answer.ts";
import { checkValue, readInput } from "../../http/input.ts";
import { type Arrival, createRouter, type Router } from "../../http/router.ts";
import { isoTime } from "../../kernel/clock.ts";
import { sha256Hex, signText } from "../../kernel/digest.ts";
import { Problem } from "../../kernel/problem.ts";
import type { VerifierSettings } from "../../verifier/index.ts";
import { IdempotencyRace, type IdempotencyRow } from "../storage/commit.ts";
import type { Database } from "../storage/database.ts";
import { findKeptAnswer } from "../storage/kept-answers.ts";
import { hashAddress } from "./address-hash.ts";
import { authenticateCaller } from "./authenticate.ts";
import type { Endpoint } from "./endpoint.ts";
import { admitOperator } from "./operator.ts";
import { PageCallers } from "./page-callers.ts";
import type { Caller, OperatorAccess, RequestContext, Services } from "./request-context.ts";
import type { SignIns } from "./sign-in-state.ts";

export interface FrontDoor {
  services: Services;
  verifier: VerifierSettings;
  signIns(request_id: string): SignIns;
  announce(outbox_ids: string[]): void;
  tellPages?(user_ids: string[]): void;
  operator_access: OperatorAccess;
  /** The batch that the request is a part of. Its reads share what was found out about their caller. */
  batch?: Pick<RequestContext, "caller" | "address_hash">;
}

/**
 * Routes requests to every endpoint: authenticate, validate, then replay or handle, and answer. The domains never see
 * HTTP.
 */
export function createApp(endpoints: readonly Endpoint[]): Router<FrontDoor> {
  const router: Router<FrontDoor> = createRouter(
    endpoints.map((endpoint) => ({
      operation: endpoint.operation,
      answer: (arrival: Arrival, door: FrontDoor) => answerEndpoint(endpoint, arrival, door, router),
    })),
  );
  return router;
}

const page_callers = new PageCallers();

/**
 * Authenticates the caller. A read in a batch has the batch's caller, and a read of a page the caller of the page's
 * earlier reads, unless it must ask again whether they are live.
 */
async function findCaller(
  operation: Operation,
  request: Request,
  { services, verifier, batch }: FrontDoor,
  { signIns, request_id }: { signIns: SignIns; request_id: string },
): Promise<Caller | null> {
  const { auth, is_sensitive } = operation;
  if (batch && !is_sensitive) {
    if (auth === "required" && !batch.caller) throw new Problem("unauthenticated");
    return auth === "none" ? null : batch.caller;
  }
  const is_read = operation.method === "GET" || operation === batchReads;
  const caller = await authenticateCaller(auth, request, verifier, services.database, {
    requireLive: (claims, token) => signIns.requireLive(claims, token, is_sensitive === true),
    recall: (identity_id) => (is_read && !is_sensitive ? page_callers.read(request_id, identity_id) : undefined),
  });
  if (caller?.user_id && is_read) page_callers.write(request_id, caller.claims.sub, caller.user_id);
  else if (caller) page_callers.forget(request_id, caller.claims.sub);
  return caller;
}

async function answerEndpoint(
  { operation, handle, receive, toText, stream }: Endpoint,
  { request, params, request_id }: Arrival,
  door: FrontDoor,
  router: Router<FrontDoor>,
): Promise<Response> {
  // A batch only reads. The spec counts a visit by a GET.
  if (door.batch && operation === visitEvent) throw new Problem("method_not_allowed");
  const { services } = door;
  const { database } = services;
  const signIns = door.signIns(request_id);
  // Authenticate before validating, so that anonymous callers learn nothing about parameters.
  const now_ms = services.clock.now();
  const { caller, operator } =
    operation.auth === "operator"
      ? await admitOperator(operation, request, {
          access: door.operator_access,
          verifier: door.verifier,
          database,
          signIns,
          now_ms,
          request_id,
        })
      : { caller: await findCaller(operation, request, door, { signIns, request_id }), operator: undefined };
  const { input, text } = await readInput(operation, request, params, JSON_BYTES);
  const url_key = operation.takes_url_key ? request.headers.get(URL_KEY_HEADER) : null;
  const context: RequestContext = {
    request_id,
    now_ms,
    database,
    d1: services.d1,
    search: services.search,
    media: services.media,
    media_key: services.media_key,
    bank_keys: services.bank_keys,
    issuer_number: services.issuer_number,
    gateway: services.gateway,
    mails: services.mails,
    push: services.push,
    sound: services.sound,
    chat: services.chat,
    overlays: services.overlays,
    address_hash: door.batch ? door.batch.address_hash : await hashAddress(request, services.media_key),
    caller,
    operator,
    ...(request.method === "HEAD" && { is_head: true }),
    ...(url_key !== null && { url_key_hash: await sha256Hex(url_key) }),
    idempotency: null,
    announce: door.announce,
    tellPages: door.tellPages,
  };
  const read = (path: string) => {
    const headers = request.headers;
    return router(new Request(new URL(path, request.url), { headers }), request_id, {
      ...door,
      batch: context,
    });
  };
  const key = operation.method === "GET" ? null : request.headers.get("idempotency-key");
  const receiveUpload = async () => {
    const { answer, is_replayed } = (await receive?.(request, context, services)) ?? { answer: null };
    return jsonAnswer(operation.status, answer, is_replayed);
  };
  const who = caller?.claims.sub ?? (operation.has_keys_of_guests ? "guest" : null);
  if (key === null || who === null) {
    if (receive) return receiveUpload();
    if (stream && operation.file_answer) return fileAnswer(operation.file_answer, await stream(input, context));
    const answer = await handle(input, context, read);
    const { format } = (input.query ?? {}) as { format?: string };
    if (toText && operation.text && format !== "json") return textAnswer(operation.text, toText(answer));
    return jsonAnswer(operation.status, answer);
  }
  checkValue(z.object({ "Idempotency-Key": idempotencyKey }), { "Idempotency-Key": key });
  const url = new URL(request.url);
  const is_of_words = operation.has_keys_of_words && key.startsWith(WORDS_KEY_PREFIX);
  const idempotency = {
    scope: `${who} ${operation.id}`,
    key,
    ...(is_of_words && { counts_from: isoTime(now_ms - WORDS_KEY_MS) }),
    status: operation.status,
    // Keyed: from a plain hash, a reader of the database could guess a short secret in the body, such as an account number.
    body_hash: await signText(`${url.pathname}${url.search}\n${text}`, services.media_key),
  };
  context.idempotency = idempotency;
  // An upload's idempotency can be checked only after its bytes arrived, so `receive` looks for an earlier answer
  // itself.
  if (receive) return receiveUpload();
  const earlier = await findAnswer(database, idempotency);
  if (earlier) return earlier;
  try {
    return jsonAnswer(operation.status, await handle(input, context, read));
  } catch (error) {
    // A parallel request with the same key may have succeeded, and its success may be the reason this one failed.
    const twin = await findAnswer(database, idempotency);
    if (twin) return twin;
    if (error instanceof IdempotencyRace) throw new Problem("unavailable", { cause: error });
    throw error;
  }
}

/** Returns the answer already given under this idempotency key, or null. Throws as {@link findKeptAnswer} does. */
async function findAnswer(database: Database, asked: Omit<IdempotencyRow, "answer">): Promise<Response | null> {
  const kept = await findKeptAnswer(database, asked);
  return kept && jsonAnswer(kept.status, kept.answer, true);
}
