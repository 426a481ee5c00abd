import { beforeEach, describe, expect, test } from "vitest";
import {
  deleteDraft as deleteEventDraft,
  getDraft as getEventDraft,
  listDrafts as listEventDrafts,
  saveDraft as saveEventDraft,
} from "../../workers/contract/drafts.ts";
import { createEvent, deleteEvent } from "../../workers/contract/events.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { freshMember, type Member } from "../support/network.ts";
import { ask, NOBODY, refused } from "./support/calls.ts";
import { addImage, addMedia } from "./support/own-uploads.ts";

let member: Member;
beforeEach(async () => {
  member = await freshMember("書きかけの人");
});

const some = { kind: "blog" as const, fields: { title: "とちゅう", body: " 空白も\r\nそのまま " } };
const call = (draft_id: string, revision: number, given: object = {}) => ({
  token: member.token,
  params: { draft_id },
  body: { ...some, ...given, revision },
});
const read = async (draft_id: string) =>
  (await ask(getEventDraft, { token: member.token, params: { draft_id } })).draft;
const list = async (query = {}) => (await ask(listEventDrafts, { token: member.token, query })).drafts;

async function makePost(): Promise<string> {
  const body = {
    kind: "blog" as const,
    title: "題",
    document: [{ type: "paragraph" as const, content: [{ type: "text" as const, text: "本文" }] }],
    status: "published" as const,
    publish_target_type: "public" as const,
  };
  return (await ask(createEvent, { token: member.token, body })).event.event_id;
}

describe("a draft", () => {
  test("is stored as typed, under the id that its writer's page chose", async () => {
    const draft_id = newId(Date.now());
    const { draft } = await ask(saveEventDraft, call(draft_id, 0));
    expect(draft).toMatchObject({ draft_id, event_id: null, revision: 1, ...some });
    expect(await read(draft_id)).toEqual({ ...draft, images: [], media: [] });
    const again = (await ask(saveEventDraft, call(draft_id, 1, { kind: "image", fields: {} }))).draft;
    expect(again).toMatchObject({ revision: 2, kind: "image", fields: {}, created_at: draft.created_at });
    expect(await read(draft_id)).toEqual({ ...again, images: [], media: [] });
  });

  test("opens with its own uploads, and no other member's", async () => {
    const other = await freshMember("ほかの人");
    const [mine, sound, foreign] = [
      await addImage(member.user.user_id),
      await addMedia(member.user.user_id, "audio"),
      await addImage(other.user.user_id),
    ];
    const draft_id = newId(Date.now());
    await ask(saveEventDraft, call(draft_id, 0, { upload_ids: [mine, sound, foreign, NOBODY] }));
    const { images, media } = await read(draft_id);
    expect(images.map(({ image_id }) => image_id)).toEqual([mine]);
    expect(media.map(({ media_id }) => media_id)).toEqual([sound]);
    expect([images[0]?.medium_url, media[0]?.url].every((url) => url?.includes("signature="))).toBe(true);
  });

  test("is not overwritten after another page saved it", async () => {
    const draft_id = newId(Date.now());
    await ask(saveEventDraft, call(draft_id, 0, { fields: { body: "一" } }));
    await ask(saveEventDraft, call(draft_id, 1, { fields: { body: "二" } }));
    for (const revision of [0, 1, 3])
      await refused(saveEventDraft, "draft_conflict", call(draft_id, revision, { fields: { body: "別" } }));
    expect((await read(draft_id)).fields).toEqual({ body: "二" });
    const both = await Promise.allSettled(
      ["三", "四"].map((body) => ask(saveEventDraft, call(draft_id, 2, { fields: { body } }))),
    );
    expect(both.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect((await read(draft_id)).revision).toBe(3);
  });

  test("is listed by its title, last saved first, and also for its post", async () => {
    const event_id = await makePost();
    const [first, second, titleless] = [newId(Date.now()), newId(Date.now()), newId(Date.now())];
    await ask(saveEventDraft, call(first, 0));
    await ask(saveEventDraft, call(titleless, 0, { fields: {} }));
    await ask(saveEventDraft, call(second, 0, { event_id, fields: { title: "書き直し" } }));
    await ask(saveEventDraft, call(first, 1));
    expect((await list()).map(({ draft_id, title }) => [draft_id, title])).toEqual([
      [first, "とちゅう"],
      [second, "書き直し"],
      [titleless, ""],
    ]);
    expect((await list({ event_id })).map(({ draft_id }) => draft_id)).toEqual([second]);
    // A post has only one draft, which is deleted with it.
    await refused(saveEventDraft, "draft_conflict", call(newId(Date.now()), 0, { event_id }));
    await ask(deleteEvent, { token: member.token, params: { event_id } });
    expect(await list({ event_id })).toEqual([]);
  });

  test("belongs to its writer alone, and only to their own post", async () => {
    const draft_id = newId(Date.now());
    await ask(saveEventDraft, call(draft_id, 0));
    const event_id = await makePost();
    const mine = await read(draft_id);
    const owner = member;
    member = await freshMember("ほかの人");
    for (const operation of [getEventDraft, deleteEventDraft])
      await refused(operation, "not_found", { token: member.token, params: { draft_id } });
    for (const revision of [0, 1]) await refused(saveEventDraft, "not_found", call(draft_id, revision));
    for (const unseen of [event_id, NOBODY])
      await refused(saveEventDraft, "not_found", call(newId(Date.now()), 0, { event_id: unseen }));
    expect(await list()).toEqual([]);
    member = owner;
    expect(await read(draft_id)).toEqual(mine);
  });

  test("is deleted once, and a writer has at most fifty", async () => {
    const ids = Array.from({ length: 50 }, () => newId(Date.now()));
    for (const draft_id of ids) await ask(saveEventDraft, call(draft_id, 0));
    await refused(saveEventDraft, "draft_limit_reached", call(newId(Date.now()), 0));
    await ask(saveEventDraft, call(ids[0] ?? "", 1));
    await ask(deleteEventDraft, { token: member.token, params: { draft_id: ids[0] ?? "" } });
    await refused(deleteEventDraft, "not_found", { token: member.token, params: { draft_id: ids[0] ?? "" } });
    await ask(saveEventDraft, call(newId(Date.now()), 0));
  });
});
