import { beforeEach, describe, expect, test } from "vitest";
import {
  createEvent,
  createEventCategory,
  deleteEventCategory,
  getEvent,
  listOwnEventCategories,
  updateEventCategory,
} from "../../workers/contract/events.ts";
import { freshMember, type Member } from "../support/network.ts";
import { ask, refused } from "./support/calls.ts";

let member: Member;
beforeEach(async () => {
  member = await freshMember("分ける人");
});

const create = async (title: string) =>
  (await ask(createEventCategory, { token: member.token, body: { title } })).event_category.event_category_id;
const titles = async () =>
  (await ask(listOwnEventCategories, { token: member.token })).event_categories.map(({ title }) => title);
const change = (event_category_id: string, body: { title?: string; position?: number }) => ({
  token: member.token,
  params: { event_category_id },
  body,
});

describe("categories", () => {
  test("keep their order of creation, until one is moved", async () => {
    const ids = [await create("一"), await create("二"), await create("三")];
    expect(await titles()).toEqual(["一", "二", "三"]);
    await ask(updateEventCategory, change(ids[2] ?? "", { position: 0 }));
    expect(await titles()).toEqual(["三", "一", "二"]);
    await ask(updateEventCategory, change(ids[2] ?? "", { position: 99 }));
    expect(await titles()).toEqual(["一", "二", "三"]);
    await ask(updateEventCategory, change(ids[0] ?? "", { position: 1, title: "はじめ" }));
    expect(await titles()).toEqual(["二", "はじめ", "三"]);
    await create("四");
    expect(await titles()).toEqual(["二", "はじめ", "三", "四"]);
  });

  test("have unique titles, however they are spelt", async () => {
    const id = await create("Ärger");
    for (const title of ["Ärger", "äRGER", "A\u0308rger", " ärger　"])
      await refused(createEventCategory, "category_title_taken", { token: member.token, body: { title } });
    const other = await create("ほか");
    await refused(updateEventCategory, "category_title_taken", change(other, { title: "ÄRGER" }));
    await ask(updateEventCategory, change(id, { title: "ÄRGER" }));
    expect(await titles()).toEqual(["ÄRGER", "ほか"]);
    member = await freshMember("ほかの人");
    await create("Ärger");
  });

  test("with one title, created twice at once, are stored once", async () => {
    const sent = await Promise.allSettled(Array.from({ length: 5 }, () => create("同時")));
    expect(sent.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await titles()).toEqual(["同時"]);
  });

  test("are limited to fifty", async () => {
    for (let made = 0; made < 50; made++) await create(`分類${made}`);
    await refused(createEventCategory, "category_limit_reached", {
      token: member.token,
      body: { title: "もうひとつ" },
    });
  });

  test("are removed from their posts when they are deleted", async () => {
    const event_category_id = await create("消える");
    const { event } = await ask(createEvent, {
      token: member.token,
      body: {
        kind: "blog",
        title: "残る",
        document: [{ type: "paragraph", content: [{ type: "text", text: "本文" }] }],
        status: "published",
        publish_target_type: "public",
        event_category_id,
      },
    });
    expect(event.event_category_id).toBe(event_category_id);
    await ask(deleteEventCategory, { token: member.token, params: { event_category_id } });
    await refused(deleteEventCategory, "not_found", { token: member.token, params: { event_category_id } });
    const left = await ask(getEvent, { params: { event_id: event.event_id } });
    expect(left.event).toEqual({ ...event, event_category_id: null, visits_count: null });
  });
});
