/** Radios for tests in workerd: their callers, and calls of the product API with the real time. */
import { createRadio, type RadioBody } from "../../../workers/contract/radios.ts";
import { newId } from "../../../workers/kernel/ids.ts";
import { addUser, d1 } from "./context.ts";
import { type Answered, type Asked, problemOf, productOf, tokenOf } from "./product.ts";

export const runSql = (query: string, ...values: (string | number | null)[]) =>
  d1
    .prepare(query)
    .bind(...values)
    .run();

/** The database's clock decides over the end of a radio as well, so the tests have the real time. */
export const product = productOf();
export const toIsoTime = (ms: number) => new Date(ms).toISOString();

let people = 0;

/** Adds a member who registered long ago, so that no limit of young accounts holds. */
export async function addMember(name = "listener") {
  const user_id = await addUser(`${name}_${++people}`);
  await runSql("UPDATE users SET created_at = '2020-01-01T00:00:00.000Z' WHERE user_id = ?", user_id);
  return { user_id, token: await tokenOf(user_id) };
}
export type Member = Awaited<ReturnType<typeof addMember>>;

export const follow = (fan: Member, creator: Member) =>
  runSql("INSERT INTO relationships VALUES (?, ?, 1, ?)", fan.user_id, creator.user_id, toIsoTime(Date.now()));

export const block = (blocker: Member, blocked: Member) =>
  runSql("INSERT INTO blocks VALUES (?, ?, ?)", blocker.user_id, blocked.user_id, toIsoTime(Date.now()));

export async function addPlan({ user_id }: Member): Promise<string> {
  const membership_id = newId(Date.now());
  await runSql(
    `INSERT INTO memberships (membership_id, user_id, title, description, amount, active_state, created_at, published_at)
     VALUES (?1, ?2, 'プラン', '', 500, 'active', ?3, ?3)`,
    ...[membership_id, user_id, toIsoTime(Date.now())],
  );
  return membership_id;
}

/** Lets a fan pay for a plan until some days from now. */
export const pay = (fan: Member, membership_id: string, days: number) =>
  runSql(
    `INSERT INTO subscriptions (subscription_id, membership_id, user_id, status, paid_until, created_at)
     VALUES (?, ?, ?, 'active', ?, '2026-01-01T00:00:00.000Z')`,
    ...[newId(Date.now()), membership_id, fan.user_id, toIsoTime(Date.now() + days * 86_400_000)],
  );

/** Returns the body of a radio for everybody with these changes. */
export const radioOf = (more: Partial<RadioBody> = {}): RadioBody =>
  createRadio.body.parse({ title: "夜ふかし缶詰", publish_target_type: "public", ...more });

/** Sends a call that must succeed. Returns its answer. */
export async function succeed(asked: Asked): Promise<Answered["json"]> {
  const answered = await product.ask(asked);
  if (answered.status >= 300) throw new Error(`${asked.path}: ${JSON.stringify(answered.json)}`);
  return answered.json;
}

/** Returns the status of a call that succeeds, or the code of its refusal. */
export async function outcomeOf(asked: Asked): Promise<string> {
  const answered = await product.ask(asked);
  return answered.status < 300 ? String(answered.status) : problemOf(answered);
}

export async function addRadio({ token }: Member, more: Partial<RadioBody> = {}) {
  const { radio, url_key } = await succeed({ method: "POST", path: "/v4/radios", token, body: radioOf(more) });
  return { radio_id: radio.radio_id as string, url_key: url_key as string | null };
}

export const changeRadio = ({ token }: Member, radio_id: string, more: Record<string, unknown> = {}) =>
  product.ask({ method: "PUT", path: `/v4/radios/${radio_id}`, token, body: { ...radioOf(), ...more } });

export const startRadio = ({ token }: Member, radio_id: string) =>
  outcomeOf({ method: "POST", path: `/v4/radios/${radio_id}/start`, token });

export const finishRadio = ({ token }: Member, radio_id: string) =>
  outcomeOf({ method: "POST", path: `/v4/radios/${radio_id}/finish`, token });
