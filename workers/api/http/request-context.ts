import type { Clock } from "../../kernel/clock.ts";
import { Problem } from "../../kernel/problem.ts";
import type { IdentityClaims } from "../../verifier/index.ts";
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

/** What operators' operations need besides: OPERATOR_KEY, and the binding to identity. */
export interface OperatorAccess {
  /** Without it no token signed with a key is accepted, and identity is not called. */
  key: string | undefined;
  identity: { fetch(url: string, init: RequestInit): Promise<Response> };
}

/** The operator of a request. */
export interface Operator extends OperatorAccess {
  /** The audit rows name the operator by it. */
  name: string;
}

/** What a request brings to the rooms. Made once by the front door. */
export interface RequestContext {
  request_id: string;
  now_ms: number;
  database: Database;
  d1: D1Database;
  search: SearchDatabase;
  media_key: string;
  /** Hash of the client's address, for limits; null where the address is not known. */
  address_hash: string | null;
  /** Null on calls without a token. */
  caller: Caller | null;
  /** Only on operators' operations. */
  operator?: Operator;
  /** The key the caller sent, already scoped; null when there was none. */
  idempotency: Omit<IdempotencyRow, "answer"> | null;
  /** Called with the outbox rows of a committed change: a hint to look at them at once. */
  announce(outbox_ids: string[]): void;
}

export interface Services {
  database: Database;
  d1: D1Database;
  search: SearchDatabase;
  media: R2Bucket;
  /** Encodes pictures again: workers/pictures. */
  pictures: { fetch(request: Request): Promise<Response> };
  media_key: string;
  clock: Clock;
}

/** The caller's user id, or null for a visitor and for somebody who has not finished registering. */
export function viewerId(context: RequestContext): string | null {
  return context.caller?.user_id ?? null;
}

/** The operator of this request. Throws `not_found` if the operation is not for operators. */
export function operatorOf({ operator }: RequestContext): Operator {
  if (!operator) throw new Problem("not_found");
  return operator;
}

/** The caller's user id. Throws `registration_required` where the account has no profile yet. */
export function memberId(context: RequestContext): string {
  if (!context.caller) throw new Problem("unauthenticated");
  if (!context.caller.user_id) throw new Problem("registration_required");
  return context.caller.user_id;
}

/** Commits a change with the request's idempotency key and the answer that key will give again; returns the answer. */
export async function commitAnswer<A>(context: RequestContext, change: Change, answer: A): Promise<A> {
  const { database, d1, now_ms, idempotency } = context;
  const row = idempotency && { ...idempotency, answer };
  const preconditions = [...requireEnabled(viewerId(context)), ...(change.preconditions ?? [])];
  context.announce(await commit({ database, d1, now_ms, idempotency: row }, { ...change, preconditions }));
  return answer;
}

/** The same for what may be done only so often; `who` is null where there is nobody to count it of. */
export async function commitLimited<A>(
  context: RequestContext,
  limit: Limit,
  who: string | null,
  change: Change,
  answer: A,
): Promise<A> {
  return commitAnswer(context, who === null ? change : withBounds(change, countAct(context, limit, who)), answer);
}
