/** What operators switch off, and the limits that they change. The operations themselves: tests/network/api-operator.test.ts. */
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { beginPaidLetter } from "../../workers/api/checkouts/commands.ts";
import { findEdgeState } from "../../workers/api/edge/queries.ts";
import type { RequestContext } from "../../workers/api/http/request-context.ts";
import { createNewsletter, publishDue } from "../../workers/api/newsletters/commands.ts";
import { changeLimit, setFeaturePaused } from "../../workers/api/operator/commands.ts";
import { createRadio, startRadio } from "../../workers/api/radios/commands.ts";
import { follow } from "../../workers/api/relationships/commands.ts";
import { commit } from "../../workers/api/storage/commit.ts";
import { countAct, withBounds } from "../../workers/api/storage/limits.ts";
import { createSubscription } from "../../workers/api/subscriptions/join.ts";
import { CARD_PAGE_LIMIT } from "../../workers/api/subscriptions/payment-methods.ts";
import { uploadImage, uploadMedia } from "../../workers/api/uploads/commands.ts";
import { createProfile } from "../../workers/api/users/commands.ts";
import { ADJUSTABLE_LIMITS, CARD_PAGES_A_DAY, LIMIT_FACTOR } from "../../workers/contract/limits.ts";
import { createNewsletter as newsletterCall } from "../../workers/contract/newsletters.ts";
import { sendOfuse } from "../../workers/contract/ofuses.ts";
import { PAUSABLE_FEATURES, type PausableFeature } from "../../workers/contract/paused-features.ts";
import { createRadio as radioCall } from "../../workers/contract/radios.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { addUser, contextOf, d1, NOW_MS, servicesOf } from "./support/context.ts";

let creator: string;
let fan: string;
let membership_id: string;
const now = new Date(NOW_MS).toISOString();

const asOperator = (): RequestContext => ({
  ...contextOf(null),
  operator: { name: "hana", key: undefined, identity: { fetch: () => Promise.reject() }, mails: contextOf(null).mails },
});
const pause = (feature: PausableFeature, is_paused = true) =>
  setFeaturePaused(asOperator(), feature, { is_paused, reason: "試験" });

beforeAll(async () => {
  [creator, fan] = [await addUser("paused_creator", { is_creator: 1 }), await addUser("paused_fan")];
  membership_id = newId(NOW_MS);
  await d1
    .prepare(
      `INSERT INTO memberships (membership_id, user_id, title, description, amount, active_state, created_at, published_at)
       VALUES (?, ?, '会員', '', 500, 'active', ?, ?)`,
    )
    .bind(membership_id, creator, now, now)
    .run();
  // A newsletter is sent only when somebody gets it.
  await d1.batch([
    d1.prepare("UPDATE users SET email = 'fan@fan.example' WHERE user_id = ?").bind(fan),
    d1
      .prepare("INSERT INTO relationships (follower_id, following_id, created_at) VALUES (?, ?, ?)")
      .bind(fan, creator, now),
  ]);
});
afterEach(async () => {
  for (const feature of PAUSABLE_FEATURES) await pause(feature, false);
});

/** A web worker from before the pause of payouts refuses a list that names it. */
test("paused payouts are not in the list that web workers read, but in a field of their own", async () => {
  const told = async () => {
    const { paused_features, are_payouts_paused } = await findEdgeState(contextOf(null), undefined);
    return { paused_features, are_payouts_paused };
  };
  expect(await told()).toEqual({ paused_features: [], are_payouts_paused: false });
  for (const feature of PAUSABLE_FEATURES) await pause(feature);
  const others = PAUSABLE_FEATURES.filter((feature) => feature !== "payouts").toSorted();
  expect(await told()).toEqual({ paused_features: others, are_payouts_paused: true });
});

const letter = () =>
  sendOfuse.body.parse({ receiver_user_id: creator, message: "すき", amount: 550 }) as Parameters<
    typeof beginPaidLetter
  >[1];
const fileOf = (bytes: Uint8Array) => ({
  name: "a",
  body: (async function* () {
    yield bytes;
  })(),
});
const WAV = new TextEncoder().encode(`RIFF\u0024\u0000\u0000\u0000WAVEfmt ${"\u0000".repeat(32)}`);
const newsletter = (status: "draft" | "scheduled" | "published", publish_at: string | null = null) =>
  createNewsletter(
    contextOf(creator),
    newsletterCall.body.parse({
      title: "題",
      document: [{ type: "paragraph", content: [{ type: "text", text: "本文" }] }],
      fan_scope: "fans",
      status,
      publish_at,
    }),
  );
const stranger = (): RequestContext => ({
  ...contextOf(null),
  caller: { user_id: null, claims: { sub: newId(NOW_MS), auth_time: 0 } as never },
});

/** How each feature begins, and the tables that a refusal leaves alone. */
const begin: [PausableFeature, table: string, name: string, act: () => Promise<unknown>][] = [
  ["registrations", "users", "a registration", () => createProfile(stranger(), { default_name: "花" })],
  ["payments", "checkouts", "a member's letter", () => beginPaidLetter(contextOf(fan), letter())],
  ["payments", "checkouts", "a guest's letter", () => beginPaidLetter(contextOf(null), letter())],
  ["guest_letters", "checkouts", "a guest's letter", () => beginPaidLetter(contextOf(null), letter())],
  ["payments", "joinings", "joining a plan", () => createSubscription(contextOf(fan), membership_id)],
  ["uploads", "images", "a picture", () => uploadImage(contextOf(fan), servicesOf(), fileOf(WAV), "public")],
  [
    "uploads",
    "media_files",
    "a sound",
    () => uploadMedia(contextOf(fan), servicesOf(), fileOf(WAV), { kind: "audio", access: "event" }),
  ],
  ["newsletters", "newsletters", "sending a newsletter", () => newsletter("published")],
];

describe.each(begin)("while %s are paused", (feature, table, name, act) => {
  test(`${name} is refused and writes nothing, and begins again afterwards`, async () => {
    const count = async () => (await d1.prepare(`SELECT COUNT(*) AS n FROM ${table}`).first<{ n: number }>())?.n ?? 0;
    const before = await count();
    await pause(feature);
    await expect(act()).rejects.toMatchObject({ code: `${feature}_paused` });
    expect(await count()).toBe(before);
    await pause(feature, false);
    // Without a gateway a payment's row is written, and the call after it fails.
    await act().catch((error: unknown) => expect(error).not.toMatchObject({ code: `${feature}_paused` }));
    expect(await count()).toBe(before + 1);
  });
});

test("members pay while guests' letters are paused", async () => {
  await pause("guest_letters");
  await expect(beginPaidLetter(contextOf(fan), letter())).rejects.toMatchObject({ code: "payments_unavailable" });
});

test("a radio does not start while broadcasts are paused", async () => {
  const given = radioCall.body.parse({ title: "夜の放送", publish_target_type: "public" });
  const { radio } = await createRadio(contextOf(creator), given as Parameters<typeof createRadio>[1]);
  await pause("broadcasts");
  await expect(startRadio(contextOf(creator), radio.radio_id)).rejects.toMatchObject({ code: "broadcasts_paused" });
  await pause("broadcasts", false);
  expect((await startRadio(contextOf(creator), radio.radio_id)).radio.status).toBe("on_air");
});

test("a newsletter is saved and scheduled while newsletters are paused, and sent when they are open again", async () => {
  await pause("newsletters");
  await newsletter("draft");
  const { id: newsletter_id } = await newsletter("scheduled", new Date(NOW_MS + 60_000).toISOString());
  const status = () =>
    d1.prepare("SELECT status FROM newsletters WHERE newsletter_id = ?").bind(newsletter_id).first<string>("status");
  // The database's own clock must say so too.
  await d1
    .prepare("UPDATE newsletters SET publish_at = '2020-01-01T00:00:00.000Z' WHERE newsletter_id = ?")
    .bind(newsletter_id)
    .run();
  await publishDue({ ...contextOf(null), now_ms: Date.now() });
  expect(await status()).toBe("scheduled");
  await pause("newsletters", false);
  await publishDue({ ...contextOf(null), now_ms: Date.now() });
  expect(await status()).toBe("published");
});

describe("a changed limit", () => {
  const change = (name: keyof typeof ADJUSTABLE_LIMITS, value: number | null) =>
    changeLimit(asOperator(), name, { value, reason: "試験" });

  test("holds from the next act on, and the standard value after that", async () => {
    const [eager, ...people] = await Promise.all(["l_eager", "l_one", "l_two", "l_three"].map((name) => addUser(name)));
    const [one, two, three] = people as [string, string, string];
    await follow(contextOf(eager as string), one);
    await change("follow_young", 1);
    await expect(follow(contextOf(eager as string), two)).rejects.toMatchObject({ code: "daily_follow_limit_reached" });
    await change("follow_young", 2);
    await follow(contextOf(eager as string), two);
    await change("follow_young", null);
    await follow(contextOf(eager as string), three);
  });

  test("says when a limited act is possible again", async () => {
    const context = contextOf(fan);
    const act = (now_ms: number) =>
      commit(
        { ...context, now_ms, idempotency: null },
        withBounds({ statements: [] }, countAct({ ...context, now_ms }, CARD_PAGE_LIMIT, fan)),
      );
    await change("card_pages", 2);
    await act(NOW_MS);
    await act(NOW_MS + 1000);
    const retry_after_s = 24 * 60 * 60 - 2;
    await expect(act(NOW_MS + 2000)).rejects.toMatchObject({ code: "too_many_requests", retry_after_s });
    await change("card_pages", null);
    for (let more = 2; more < CARD_PAGES_A_DAY; more++) await act(NOW_MS + 3000);
    await expect(act(NOW_MS + 4000)).rejects.toMatchObject({ code: "too_many_requests" });
  });

  test("has bounds", async () => {
    const max = ADJUSTABLE_LIMITS.like_older * LIMIT_FACTOR;
    await expect(change("like_older", max + 1)).rejects.toMatchObject({ code: "limit_out_of_bounds" });
    const limits = await change("like_older", max);
    expect(limits.find(({ name }) => name === "like_older")).toMatchObject({
      value: max,
      max,
      change: { operator: "hana" },
    });
    await change("like_older", null);
  });
});

test("each act leaves a row with its reason", async () => {
  await pause("uploads");
  const last = d1.prepare("SELECT * FROM operator_acts WHERE subject = 'uploads' ORDER BY rowid DESC LIMIT 1");
  expect(await last.first()).toMatchObject({
    operator: "hana",
    operation: "setFeaturePaused",
    input: JSON.stringify({ is_paused: true, reason: "試験" }),
  });
});
