import type { ChatRooms } from "../../contract/chat-engine.ts";
import type { LiveEngine } from "../../contract/live-engine.ts";
import type { OverlayRooms } from "../../contract/overlay-engine.ts";
import type { Clock } from "../../kernel/clock.ts";
import { Problem } from "../../kernel/problem.ts";
import { type IdentityClaims, type SignInMarks, signInIdOf } from "../../verifier/index.ts";
import type { Gateway } from "../gateway/client.ts";
import type { Mails } from "../mails/client.ts";
import type { Push } from "../push/client.ts";
import { type Change, commit, type IdempotencyRow } from "../storage/commit.ts";
import type { Database } from "../storage/database.ts";
import { requireEnabled } from "../storage/disabled.ts";
import { countAct, type Limit, withBounds } from "../storage/limits.ts";
import type { SearchDatabase } from "../storage/search-database.ts";

/** The person behind a valid token. `user_id` is null until they have completed their registration. */
export interface Caller {
  claims: IdentityClaims;
  user_id: string | null;
}

/** The bindings that only operators' operations use: OPERATOR_KEY, and the connections to identity and to the mails worker. */
export interface OperatorAccess {
  /** Undefined disables tokens signed with a key and calls of identity. */
  key: string | undefined;
  identity: { fetch(url: string, init: RequestInit): Promise<Response> };
  mails: Mails;
}

/** The operator of a request. */
export interface Operator extends OperatorAccess {
  /** The name in the audit rows. */
  name: string;
}

/** The request as the domains see it. The front door creates one for each request. */
export interface RequestContext {
  request_id: string;
  now_ms: number;
  database: Database;
  d1: D1Database;
  search: SearchDatabase;
  media: R2Bucket;
  media_key: string;
  /** Keys of bank accounts, as `id:secret,id:secret`. */
  bank_keys: string;
  /** The operator's registration number for the consumption tax; null without one. */
  issuer_number: string | null;
  gateway: Gateway;
  mails: Mails;
  push: Push;
  sound: LiveEngine;
  chat: ChatRooms;
  overlays: OverlayRooms;
  /** Hash of the client's address, for rate limits; null when the address is unknown. */
  address_hash: string | null;
  /** Null without a token. */
  caller: Caller | null;
  /** Set only for operators' operations. */
  operator?: Operator;
  /** Set for a HEAD, which must not change anything. Source: RFC 9110, section 9.2.1. */
  is_head?: true;
  /** Hash of the radio's key that the caller sent (`takes_url_key`); absent without one. */
  url_key_hash?: string;
  /** The idempotency key the caller sent, with its scope; null without one. */
  idempotency: Omit<IdempotencyRow, "answer"> | null;
  /** Called with the ids of a committed change's outbox rows, so that they are processed at once. It is only a hint. */
  announce(outbox_ids: string[]): void;
  /** Tells the open pages of these members whether they have unread notifications. It is only a hint; absent without pages. */
  tellPages?(user_ids: string[]): void;
}

/** The part of a request's context that decides what a person may see. A chat's room has it too. */
export type Viewing = Pick<RequestContext, "now_ms" | "url_key_hash"> & { caller: Pick<Caller, "user_id"> | null };

export interface Services {
  database: Database;
  d1: D1Database;
  search: SearchDatabase;
  media: R2Bucket;
  /** Re-encodes pictures: workers/pictures. */
  pictures: { fetch(url: string, init?: RequestInit): Promise<Response> };
  media_key: string;
  bank_keys: string;
  issuer_number: string | null;
  gateway: Gateway;
  mails: Mails;
  push: Push;
  sound: LiveEngine;
  chat: ChatRooms;
  overlays: OverlayRooms;
  clock: Clock;
}

/** Returns the caller's user id; null for a visitor and for a member who has not finished registering. */
export function viewerId({ caller }: Pick<Viewing, "caller">): string | null {
  return caller?.user_id ?? null;
}

/** Returns the operator of this request. Throws `not_found` if the operation is not for operators. */
export function operatorOf({ operator }: RequestContext): Operator {
  if (!operator) throw new Problem("not_found");
  return operator;
}

/** Returns the caller's user id. Throws `registration_required` when the account has no profile yet. */
export function memberId(context: RequestContext): string {
  if (!context.caller) throw new Problem("unauthenticated");
  if (!context.caller.user_id) throw new Problem("registration_required");
  return context.caller.user_id;
}

/** Returns what identifies the caller's sign-in. */
export function signInOf({ caller }: RequestContext): SignInMarks {
  if (!caller) throw new Problem("unauthenticated");
  const { sub, auth_time, keyForGlobalSignOut } = caller.claims;
  return { sub, auth_time, keyForGlobalSignOut, signInId: signInIdOf(caller.claims) };
}

/** Commits a change and stores its answer under the request's idempotency key, for retries. Returns the answer. */
export async function commitAnswer<A>(context: RequestContext, change: Change, answer: A): Promise<A> {
  const { database, d1, now_ms, idempotency } = context;
  const row = idempotency && { ...idempotency, answer };
  const preconditions = [...requireEnabled(viewerId(context)), ...(change.preconditions ?? [])];
  context.announce(await commit({ database, d1, now_ms, idempotency: row }, { ...change, preconditions }));
  return answer;
}

/** Like {@link commitAnswer}, for a change with a rate limit. `who` is null when there is nobody to count it for. */
export async function commitLimited<A>(
  context: RequestContext,
  limit: Limit,
  who: string | null,
  change: Change,
  answer: A,
): Promise<A> {
  return commitAnswer(context, who === null ? change : withBounds(change, countAct(context, limit, who)), answer);
}
