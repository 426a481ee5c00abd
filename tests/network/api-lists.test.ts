import { describe, expect, test } from "vitest";
import { categories, plans, posts } from "../../scripts/demo/posts.ts";
import { getEventCategory, listOwnEventCategories, listUserEventCategories } from "../../workers/contract/events.ts";
import { productOperations } from "../../workers/contract/index.ts";
import { getMaintenance } from "../../workers/contract/maintenance.ts";
import { listUserMemberships } from "../../workers/contract/memberships.ts";
import {
  listDonationCampaigns,
  listExternalSites,
  listGenres,
  listLetterAppearances,
  listStamps,
} from "../../workers/contract/references.ts";
import { getUser } from "../../workers/contract/users.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { database, freshMember, signIn } from "../support/network.ts";
import { ask, NOBODY, refused, send, userId } from "./support/calls.ts";

describe("a creator's categories", () => {
  const titles = categories.filter(({ author }) => author === "natsume").map(({ title }) => title);

  test("are in the creator's order, the same for the owner and for visitors", async () => {
    const own = await ask(listOwnEventCategories, { token: await signIn("natsume") });
    expect(own.event_categories.map(({ title }) => title)).toEqual(titles);
    expect(await ask(listUserEventCategories, { params: { user_id: await userId("natsume") } })).toEqual(own);
  });

  test.each([[["events_count"]], [["events_count", "events_count"]]])(
    "count their published posts when expanded by %j",
    async (expand) => {
      const { event_categories } = await ask(listUserEventCategories, {
        params: { user_id: await userId("natsume") },
        query: { "expand[]": expand },
      });
      for (const { title, events_count } of event_categories) {
        const written = posts.filter((post) => post.author === "natsume" && post.status === "published");
        expect(events_count, title).toBe(written.filter(({ category }) => category === title).length);
      }
    },
  );

  test("are uncounted by default, and refuse to expand unknown fields", async () => {
    const params = { user_id: await userId("natsume") };
    const { event_categories } = await ask(listUserEventCategories, { params });
    expect(event_categories[0]).not.toHaveProperty("events_count");
    await refused(listUserEventCategories, "validation_failed", { params, query: { "expand[]": ["user"] } });
  });

  test("can be read one at a time by their owner alone", async () => {
    const token = await signIn("natsume");
    const { event_categories } = await ask(listOwnEventCategories, { token });
    const params = { event_category_id: event_categories[0]?.event_category_id ?? "" };
    expect((await ask(getEventCategory, { params, token })).event_category).toMatchObject({ title: titles[0] });
    await refused(getEventCategory, "not_found", { params, token: await signIn("hibiki") });
    await refused(getEventCategory, "not_found", { params: { event_category_id: NOBODY }, token });
  });
});

const listsOfSomebody = productOperations.filter(
  ({ method, path, auth }) => method === "GET" && auth !== "required" && /^\/v4\/(?:users|memberships)\/\{/.test(path),
);

test("every expected list of a person or a plan exists", () => {
  expect(listsOfSomebody.length).toBeGreaterThanOrEqual(5);
});

test.each(listsOfSomebody.map((operation) => [operation.path, operation] as const))(
  "%s of an unknown person, or of one who left, is not found, with and without a token",
  async (_, operation) => {
    const leaver = await freshMember("去った人");
    const membership_id = newId(Date.now());
    const d1 = await database();
    await d1
      .prepare(
        `INSERT INTO memberships (membership_id, user_id, title, description, amount, active_state, created_at, published_at)
         VALUES (?, ?, 'プラン', '', 500, 'active', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')`,
      )
      .bind(membership_id, leaver.user.user_id)
      .run();
    const params = { user_id: leaver.user.user_id, membership_id };
    expect((await send(operation, { params })).status, "while they are there").toBe(200);
    await d1
      .prepare("UPDATE users SET left_at = '2026-01-01T00:00:00.000Z' WHERE user_id = ?")
      .bind(leaver.user.user_id)
      .run();
    for (const token of [null, await signIn("natsume")]) {
      await refused(operation, "not_found", { params, token });
      await refused(operation, "not_found", { params: { user_id: NOBODY, membership_id: NOBODY }, token });
    }
  },
);

describe("a creator's plans", () => {
  test("are listed with their price in yen, in their order", async () => {
    const { memberships } = await ask(listUserMemberships, { params: { user_id: await userId("natsume") } });
    const wanted = plans.filter(({ author }) => author === "natsume");
    expect(memberships.map(({ title, amount, currency }) => ({ title, amount, currency }))).toEqual(
      wanted.map(({ title, amount }) => ({ title, amount, currency: "jpy" })),
    );
  });

  test("are an empty list for a creator without plans", async () => {
    expect(await ask(listUserMemberships, { params: { user_id: await userId("yamato") } })).toEqual({
      memberships: [],
    });
  });
});

describe("the fixed lists", () => {
  test.each([listDonationCampaigns, listExternalSites, listGenres, listLetterAppearances, listStamps])(
    "exist, each entry once and with a name: $id",
    async (operation) => {
      const [entries = []] = Object.values(await ask(operation)) as Record<string, string>[][];
      // A donation campaign need not be running.
      if (operation.id !== "listDonationCampaigns") expect(entries.length).toBeGreaterThan(0);
      const ids = entries.map((entry) => Object.entries(entry).find(([name]) => name.endsWith("_id"))?.[1]);
      expect(new Set(ids).size).toBe(entries.length);
      expect(entries.every(({ name }) => name)).toBe(true);
    },
  );

  test("contain every genre and site that people have chosen", async () => {
    const genres = (await ask(listGenres)).genres.map(({ genre_id }) => genre_id);
    const sites = (await ask(listExternalSites)).external_sites.map(({ external_site_id }) => external_site_id);
    for (const link_id of ["natsume", "hibiki", "sumire", "yamato", "kanade", "akari"]) {
      const { user } = await ask(getUser, { query: { link_id } });
      expect(genres).toEqual(expect.arrayContaining(user.genre_ids));
      expect(sites).toEqual(expect.arrayContaining(user.external_links.map((link) => link.external_site_id)));
    }
  });
});

test("the status announces no maintenance by default", async () => {
  expect(await ask(getMaintenance)).toEqual({ started_at: null, finished_at: null });
});
