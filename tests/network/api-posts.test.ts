import { beforeAll, describe, expect, test } from "vitest";
import type { Block } from "../../workers/contract/document.ts";
import { getDraft, saveDraft } from "../../workers/contract/drafts.ts";
import {
  createEvent,
  createEventCategory,
  deleteEvent,
  type Event,
  getEvent,
  listFollowedEvents,
  listOwnEvents,
  listUserEvents,
  updateEvent,
  updateEvents,
  visitEvent,
} from "../../workers/contract/events.ts";
import { listNotifications } from "../../workers/contract/notifications.ts";
import type { InputOf } from "../../workers/contract/operation.ts";
import { follow, updateRelationship } from "../../workers/contract/relationships.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { database, freshMember, type Member, tick } from "../support/network.ts";
import { ask, NOBODY, refused, send } from "./support/calls.ts";
import { addImage, addMedia } from "./support/own-uploads.ts";

const HOUR_MS = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();
const paragraph = (text: string): Block => ({ type: "paragraph", content: [{ type: "text", text }] });

/** The required fields of a post. */
const blog = {
  kind: "blog" as const,
  title: "夜明けの海",
  document: [paragraph("海まで歩きました。")],
  status: "published" as const,
  publish_target_type: "public" as const,
};

const run = async (sql: string, ...values: (string | number | null)[]) =>
  (await database())
    .prepare(sql)
    .bind(...values)
    .run();

async function addPlan(member: Member, active_state = "active"): Promise<string> {
  const membership_id = newId(Date.now());
  await run(
    "INSERT INTO memberships (membership_id, user_id, title, description, amount, active_state, created_at) VALUES (?, ?, 'プラン', '', 500, ?, ?)",
    membership_id,
    member.user.user_id,
    active_state,
    inHours(0),
  );
  return membership_id;
}

let writer: Member;
let follower: Member;
let stranger: Member;
beforeAll(async () => {
  [writer, follower, stranger] = await Promise.all([
    freshMember("書く人"),
    freshMember("追う人"),
    freshMember("ほかの人"),
  ]);
  await ask(follow, { token: follower.token, body: { following_id: writer.user.user_id } });
});

type Body = InputOf<typeof createEvent>["body"];
const create = async (body: Partial<Body> = {}, member = writer): Promise<Event> =>
  (await ask(createEvent, { token: member.token, body: { ...blog, ...body } })).event;
const seenBy = async (member: Member | null, event_id: string): Promise<Event> =>
  (await ask(getEvent, { params: { event_id }, token: member?.token ?? null })).event;
const refusedBody = (code: Parameters<typeof refused>[1], body: object) =>
  refused(createEvent, code, { token: writer.token, body: { ...blog, ...body } });

describe("a post and its draft", () => {
  const save = (draft_id: string, revision: number, body: string, event_id: string | null = null) =>
    ask(saveDraft, {
      token: writer.token,
      params: { draft_id },
      body: { kind: "blog", fields: { body }, revision, event_id },
    });
  const wordsOf = async (draft_id: string) =>
    (await ask(getDraft, { token: writer.token, params: { draft_id } })).draft.fields.body;

  test("does not lose the words that another page saved since", async () => {
    const draft_id = newId(Date.now());
    await save(draft_id, 0, "古い言葉");
    await save(draft_id, 1, "別の画面の新しい言葉");
    await refusedBody("draft_conflict", { draft_id, draft_revision: 1 });
    expect(await wordsOf(draft_id)).toBe("別の画面の新しい言葉");
    await create({ draft_id, draft_revision: 2 });
    await refused(getDraft, "not_found", { token: writer.token, params: { draft_id } });
  });

  test("is not overwritten by a page whose draft another page has published", async () => {
    const { event_id } = await create();
    const draft_id = newId(Date.now());
    await save(draft_id, 0, "書き直し", event_id);
    const update = (title: string) => ({
      token: writer.token,
      params: { event_id },
      body: { ...blog, title, draft_id, draft_revision: 1 },
    });
    await ask(updateEvent, update("新しい題"));
    await refused(updateEvent, "draft_conflict", update("古い画面の題"));
    expect((await seenBy(writer, event_id)).title).toBe("新しい題");
  });

  test("is published once, whichever page does it and however many at once", async () => {
    for (const revision of [0, 1]) {
      const draft_id = newId(Date.now());
      if (revision > 0) await save(draft_id, 0, "二つの画面");
      const title = `一つだけ ${draft_id}`;
      const body = { ...blog, title, draft_id, draft_revision: revision };
      const replies = await Promise.all(
        Array.from({ length: 5 }, () =>
          send(createEvent, { token: writer.token, body, key: crypto.randomUUID() }).then(({ status }) => status),
        ),
      );
      expect(replies.sort()).toEqual([201, 409, 409, 409, 409]);
      await refusedBody("draft_published", body);
      // A page that saves by itself cannot bring the draft back.
      const saved = { kind: "blog" as const, fields: { body: "あとから" }, revision: 0, event_id: null };
      await refused(saveDraft, "draft_published", { token: writer.token, params: { draft_id }, body: saved });
      const made = (await database()).prepare("SELECT COUNT(*) AS n FROM events WHERE title = ?");
      expect(await made.bind(title).first("n")).toBe(1);
      // Another member may happen to generate the same id.
      const other = await freshMember("ほかの書き手");
      await ask(createEvent, { token: other.token, body });
    }
  });

  test("is not overwritten by a page that has seen an older post", async () => {
    const { event_id, updated_at } = await create();
    const update = (title: string, seen: { seen_updated_at?: string | null }) => ({
      token: writer.token,
      params: { event_id },
      body: { ...blog, title, ...seen },
    });
    const { event } = await ask(updateEvent, update("別の画面の題", { seen_updated_at: updated_at }));
    await refused(updateEvent, "event_conflict", update("古い画面の題", { seen_updated_at: updated_at }));
    expect((await seenBy(writer, event_id)).title).toBe("別の画面の題");
    await ask(updateEvent, update("見てからの題", { seen_updated_at: event.updated_at }));
    // A client that does not send the version it saw is not refused.
    await ask(updateEvent, update("最後の題", {}));
    expect((await seenBy(writer, event_id)).title).toBe("最後の題");
  });
});

test("saving drafts and posts is limited per writer", async () => {
  const busy = await freshMember("いそがしい人");
  const fill = (act: string, times: number) =>
    run(
      `INSERT INTO limited_acts SELECT ?, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), key FROM json_each(?)`,
      `${act} ${busy.user.user_id}`,
      JSON.stringify(Array.from({ length: times })),
    );
  const post = { token: busy.token, body: blog };
  const draft = () => ({
    token: busy.token,
    params: { draft_id: newId(Date.now()) },
    body: { kind: "blog" as const, fields: {}, revision: 0 },
  });
  await fill("post", 299);
  const { event_id } = await create({}, busy);
  await refused(createEvent, "too_many_requests", post);
  await refused(updateEvent, "too_many_requests", { ...post, params: { event_id } });
  const batch = { change: "status" as const, event_ids: [event_id], status: "private" as const };
  await refused(updateEvents, "too_many_requests", { token: busy.token, body: batch });
  await fill("draft", 599);
  await ask(saveDraft, draft());
  await refused(saveDraft, "too_many_requests", draft());
  await create();
});

describe("a created post", () => {
  test("is answered exactly as its writer and others read it afterwards", async () => {
    const made = await create({ title: "  題名\u3000", comment_filter: "none" });
    expect(made).toMatchObject({ title: "題名", comment_filter: "none", status: "published", visits_count: 0 });
    expect(await seenBy(writer, made.event_id)).toEqual(made);
    expect(await seenBy(null, made.event_id)).toEqual({ ...made, visits_count: null });
    expect(made).toMatchObject({ body: "海まで歩きました。", lead: "海まで歩きました。", document: blog.document });
  });

  test("is visible to its writer alone while it is private or scheduled", async () => {
    for (const status of ["private", "publish_pending"] as const) {
      const publish_at = status === "private" ? null : inHours(1);
      const { event_id, published_at } = await create({ status, publish_at });
      expect(published_at).toBeNull();
      expect((await seenBy(writer, event_id)).publish_at).toBe(publish_at);
      for (const token of [null, stranger.token, follower.token]) {
        await refused(getEvent, "not_found", { params: { event_id }, token });
      }
      const { events } = await ask(listUserEvents, { params: { user_id: writer.user.user_id } });
      expect(events.map((event) => event.event_id)).not.toContain(event_id);
    }
  });

  test("keeps its planned time in the format in which times are compared", async () => {
    const publish_at = inHours(30).replace(/\.\d+Z$/, "Z");
    const { event_id } = await create({ status: "publish_pending", publish_at });
    expect((await seenBy(writer, event_id)).publish_at).toBe(publish_at.replace("Z", ".000Z"));
  });

  test("is created once under one key", async () => {
    const call = { token: writer.token, key: crypto.randomUUID(), body: blog };
    const first = await ask(createEvent, call);
    expect(await ask(createEvent, call)).toEqual(first);
    await refused(createEvent, "idempotency_key_reused", { ...call, body: { ...blog, title: "別の題" } });
  });

  test("deletes its draft", async () => {
    const draft_id = newId(Date.now());
    await run(
      "INSERT INTO event_drafts (draft_id, user_id, kind, fields, revision, created_at, updated_at) VALUES (?, ?, 'blog', '{}', 1, ?, ?)",
      draft_id,
      writer.user.user_id,
      inHours(0),
      inHours(0),
    );
    await create({ draft_id }, stranger);
    const left = async () =>
      (await (await database()).prepare("SELECT 1 FROM event_drafts WHERE draft_id = ?").bind(draft_id).all()).results
        .length;
    expect(await left()).toBe(1);
    await create({ draft_id });
    expect(await left()).toBe(0);
  });
});

describe("each kind requires its own content", () => {
  const links = (count: number, end = "") => {
    const link = (_: unknown, n: number) =>
      ({ type: "text", text: `${n}`, href: `https://a.example/${n}${end}` }) as const;
    return { type: "paragraph", content: Array.from({ length: count }, link) } as const;
  };
  const list = (count: number) =>
    ({ type: "list", is_ordered: false, items: links(count).content.map((one) => [one]) }) as const;
  const faults: [name: string, body: object, field: string][] = [
    ["pictures of none", { kind: "image" }, "images"],
    ["a film of none", { kind: "video" }, "video_url"],
    ["words of none", { document: [] }, "document"],
    ["words that are blank", { document: [paragraph("　 ")] }, "document"],
    ["a line and nothing else", { document: [{ type: "rule" }, { type: "paywall" }] }, "document"],
    ["a gallery in a blog", { images: [{ image_id: NOBODY }] }, "images"],
    ["the same picture twice", { kind: "image", images: [{ image_id: NOBODY }, { image_id: NOBODY }] }, "images"],
    [
      "a picture of the gallery in the words",
      { kind: "image", images: [{ image_id: NOBODY }], document: [{ type: "image", image_id: NOBODY }] },
      "document",
    ],
    ["a film in a blog", { video_media_id: NOBODY }, "video_url"],
    ["two films", { kind: "video", video_media_id: NOBODY, video_url: "https://vimeo.com/123456" }, "video_url"],
    ["somebody's page", { document: [{ type: "embed", url: "https://evil.example/x" }] }, "document"],
    ["two paywalls", { document: [paragraph("a"), { type: "paywall" }, { type: "paywall" }] }, "document"],
    ["21 embeds", { document: Array(21).fill({ type: "embed", url: "https://vimeo.com/987654" }) }, "document"],
    ["201 links", { document: [links(100), list(101)] }, "document"],
    ["links of 64 kB", { document: [links(200, `/${"x".repeat(320)}`)] }, "document"],
    ["a plan that is not named", { publish_target_type: "memberships" }, "publish_target_membership_id"],
    ["a moment that is not named", { status: "publish_pending" }, "publish_at"],
    ["no title", { title: " " }, "title"],
  ];
  test.each(faults)("%s", async (_name, body, field) => {
    const { errors } = await refusedBody("validation_failed", body);
    expect(Object.keys(errors ?? {})).toEqual([field]);
  });

  test("twenty embeds and two hundred links are accepted", async () => {
    const embeds = Array.from(
      { length: 20 },
      (_, n) => ({ type: "embed", url: `https://vimeo.com/98765${n}` }) as const,
    );
    const document: Block[] = [links(100), list(100), ...embeds];
    expect((await create({ document })).document).toHaveLength(22);
  });

  test("links outside the web are refused", async () => {
    for (const href of ["javascript:alert(1)", "data:text/html,x", "//evil.example", "ftp://a.example/"]) {
      const document = [{ type: "paragraph", content: [{ type: "text", text: "a", href }] }];
      await refusedBody("validation_failed", { document });
    }
  });

  test("a film is stored under its one canonical URL", async () => {
    const event = await create({ kind: "video", video_url: "https://youtu.be/dQw4w9WgXcQ?t=4", document: [] });
    expect(event.video_url).toBe("https://www.youtube.com/watch?v=dQw4w9WgXcQ");
    for (const video_url of [
      "https://evil.example/watch?v=dQw4w9WgXcQ",
      "https://open.spotify.com/track/1234567890123456789012",
    ])
      await refusedBody("video_url_not_allowed", { kind: "video", video_url });
    const embed = await create({ document: [{ type: "embed", url: "https://m.youtube.com/shorts/dQw4w9WgXcQ" }] });
    expect(embed.document).toEqual([{ type: "embed", url: "https://www.youtube.com/watch?v=dQw4w9WgXcQ" }]);
  });

  test("a time in the past is refused", async () => {
    await refusedBody("publish_at_passed", { status: "publish_pending", publish_at: inHours(-1 / 60) });
  });

  test("a category and a plan must be the writer's own, and the plan open", async () => {
    const { event_category } = await ask(createEventCategory, { token: stranger.token, body: { title: "よその" } });
    for (const event_category_id of [event_category.event_category_id, NOBODY])
      await refusedBody("category_not_found", { event_category_id });
    for (const id of [await addPlan(stranger), await addPlan(writer, "inactive"), NOBODY])
      await refusedBody("membership_not_found", {
        publish_target_type: "memberships",
        publish_target_membership_id: id,
      });
  });

  test("pictures must be the writer's own, for posts, processed, and in no other post", async () => {
    const { user_id } = writer.user;
    const used = await addImage(user_id);
    await create({ kind: "image", images: [{ image_id: used }] });
    const unusable = [
      used,
      NOBODY,
      await addImage(stranger.user.user_id),
      await addImage(user_id, { access: "public" }),
      await addImage(user_id, { processing_status: "processing" }),
    ];
    const good = await addImage(user_id);
    for (const image_id of unusable) {
      await refusedBody("image_not_usable", { kind: "image", images: [{ image_id: good }, { image_id }] });
      await refusedBody("image_not_usable", { cover_image_id: image_id });
      await refusedBody("image_not_usable", { document: [{ type: "image", image_id }] });
    }
  });

  test("films and sound must be the writer's own, of their kind, and in no other post", async () => {
    const { user_id } = writer.user;
    const [film, sound] = [await addMedia(user_id, "video"), await addMedia(user_id, "audio")];
    const foreign = await addMedia(stranger.user.user_id, "video");
    for (const video_media_id of [sound, foreign, NOBODY])
      await refusedBody("media_not_usable", { kind: "video", video_media_id });
    await refusedBody("media_not_usable", { document: [{ type: "audio", media_id: film }] });
    const event = await create({ kind: "video", video_media_id: film, document: [{ type: "audio", media_id: sound }] });
    expect(event.media.map(({ media_id, kind, url }) => [media_id, kind, url])).toEqual([
      [film, "video", `/media/${film}/file`],
      [sound, "audio", `/media/${sound}/file`],
    ]);
    await refusedBody("media_not_usable", { kind: "video", video_media_id: film });
  });
});

describe("a post's content", () => {
  test("keeps its order and descriptions; the first picture is the cover", async () => {
    const ids = await Promise.all([1, 2, 3].map(() => addImage(writer.user.user_id)));
    const [first = "", second = "", inside = ""] = ids;
    const event = await create({
      kind: "image",
      images: [{ image_id: second, alt: "二枚目" }, { image_id: first }],
      document: [{ type: "image", image_id: inside, alt: "文中" }],
    });
    expect(event.images.map(({ image_id, alt }) => [image_id, alt])).toEqual([
      [second, "二枚目"],
      [first, ""],
      [inside, "文中"],
    ]);
    expect(event).toMatchObject({ images_count: 3, placeholder: "data:image/png;base64,AAAA" });
    expect(event.image?.image_id).toBe(second);
    expect(await seenBy(null, event.event_id)).toMatchObject({ images: event.images, image: event.image });

    const changed = await ask(updateEvent, {
      token: writer.token,
      params: { event_id: event.event_id },
      body: { ...blog, kind: "image", images: [{ image_id: first, alt: "一枚目" }, { image_id: inside }] },
    });
    expect(changed.event.images.map(({ image_id, alt }) => [image_id, alt])).toEqual([
      [first, "一枚目"],
      [inside, ""],
    ]);
    expect(await seenBy(writer, event.event_id)).toEqual(changed.event);
    // A picture that the post no longer shows may be used in another.
    await create({ cover_image_id: second });
  });

  test("ends at the paywall line for readers without access, to the byte", async () => {
    const [cover, free, secret] = await Promise.all([1, 2, 3].map(() => addImage(writer.user.user_id)));
    const [heard, hidden] = await Promise.all([1, 2].map(() => addMedia(writer.user.user_id, "audio")));
    const document: Block[] = [
      paragraph("ここまでは読めます"),
      { type: "image", image_id: free ?? "" },
      { type: "audio", media_id: heard ?? "" },
      { type: "paywall" },
      paragraph("ここからは秘密です"),
      { type: "image", image_id: secret ?? "", alt: "秘密の説明" },
      { type: "audio", media_id: hidden ?? "" },
      { type: "embed", url: "https://vimeo.com/987654" },
    ];
    const { event_id } = await create({ publish_target_type: "fans", cover_image_id: cover, document });
    const whole = await seenBy(follower, event_id);
    expect(whole).toMatchObject({ is_locked: false, document, images_count: 3 });
    expect(whole.images.map(({ image_id }) => image_id)).toEqual([cover, free, secret]);
    expect(whole.images.map(({ medium_url }) => medium_url.includes("signature="))).toEqual([true, false, true]);
    expect(whole.media.map(({ url }) => url.includes("signature="))).toEqual([false, true]);

    for (const reader of [null, stranger]) {
      const teaser = await seenBy(reader, event_id);
      expect(teaser).toMatchObject({
        is_locked: true,
        body: "ここまでは読めます",
        lead: "ここまでは読めます",
        document: document.slice(0, 3),
        image: null,
        placeholder: "data:image/png;base64,AAAA",
        images_count: 3,
      });
      expect(teaser.images.map(({ image_id }) => image_id)).toEqual([free]);
      expect(teaser.media.map(({ media_id }) => media_id)).toEqual([heard]);
      const list = await ask(listUserEvents, {
        params: { user_id: writer.user.user_id },
        token: reader?.token ?? null,
      });
      const listed = list.events.find((event) => event.event_id === event_id);
      expect(listed).toMatchObject({ lead: "ここまでは読めます", image: null });
      for (const word of ["秘密", cover, secret, hidden, "987654"]) {
        expect(JSON.stringify([teaser, list.events.find((event) => event.event_id === event_id)])).not.toContain(word);
      }
    }
  });

  test("is never public with a paywall line", async () => {
    const document: Block[] = [paragraph("ここまで"), { type: "paywall" }, paragraph("秘密")];
    const code = "paywall_needs_audience";
    for (const timing of [
      { status: "published" },
      { status: "private" },
      { status: "publish_pending", publish_at: inHours(1) },
    ])
      await refusedBody(code, { document, ...timing });

    const { event_id } = await create({ document, publish_target_type: "fans" });
    const [params, token] = [{ event_id }, writer.token];
    await refused(updateEvent, code, { params, token, body: { ...blog, document } });
    const { event_id: open } = await create();
    const target = { change: "publish_target", publish_target_type: "public" };
    await refused(updateEvents, code, { token, body: { ...target, event_ids: [open, event_id] } });
    expect((await seenBy(null, event_id)).is_locked).toBe(true);

    // A post from before the rule, withdrawn and published again.
    await run("UPDATE events SET publish_target_type = 'public', status = 'private' WHERE event_id = ?", event_id);
    const again = { change: "status", status: "published", event_ids: [event_id] };
    await refused(updateEvents, code, { token, body: again });
    await ask(updateEvents, {
      token,
      body: { ...target, publish_target_type: "fans", event_ids: [event_id] } as never,
    });
    await ask(updateEvents, { token, body: again as never });
    // Without its line the post is public.
    await ask(updateEvent, { params, token, body: { ...blog, document: [paragraph("ここまで")] } });
    expect((await seenBy(null, event_id)).is_locked).toBe(false);
  });

  test("describes a picture on both sides of the line only with the words before it", async () => {
    const cover = await addImage(writer.user.user_id);
    const undescribed = await addImage(writer.user.user_id);
    const { event_id } = await create({
      publish_target_type: "fans",
      cover_image_id: cover,
      document: [
        { type: "image", image_id: cover, alt: "表紙" },
        { type: "image", image_id: undescribed },
        { type: "paywall" },
        { type: "image", image_id: cover, alt: "秘密の表紙" },
        { type: "image", image_id: undescribed, alt: "秘密の説明" },
      ],
    });
    const teaser = await seenBy(null, event_id);
    expect(teaser.images.map(({ alt }) => alt)).toEqual(["表紙", ""]);
    expect(JSON.stringify(teaser)).not.toContain("秘密");
  });

  test("shows its cover even when locked, if the cover is before the line", async () => {
    const cover = await addImage(writer.user.user_id);
    const { event_id } = await create({
      publish_target_type: "fans",
      cover_image_id: cover,
      document: [{ type: "image", image_id: cover }, { type: "paywall" }, paragraph("秘密")],
    });
    const teaser = await seenBy(null, event_id);
    expect([teaser.image?.image_id, teaser.lead]).toEqual([cover, ""]);
  });

  test("is hidden from readers without access, without a line or with a film", async () => {
    const film = await addMedia(writer.user.user_id, "video");
    for (const video of [{ video_media_id: film }, { video_url: "https://vimeo.com/123456" }]) {
      const { event_id } = await create({ publish_target_type: "fans", kind: "video", ...video });
      expect(await seenBy(stranger, event_id)).toMatchObject({
        is_locked: true,
        body: null,
        lead: null,
        document: null,
        images: [],
        media: [],
        video_url: null,
        updated_at: null,
        is_removed: false,
      });
      const read = await seenBy(follower, event_id);
      expect(read.video_url ?? read.media[0]?.url).toMatch(/vimeo|signature=/);
    }
  });
});

describe("a changed post", () => {
  const change = (event_id: string, body: object, member = writer) => ({
    token: member.token,
    params: { event_id },
    body: { ...blog, ...body },
  });

  test("can be changed or deleted by its writer alone", async () => {
    const { event_id } = await create();
    for (const member of [stranger, follower]) {
      await refused(updateEvent, "not_found", change(event_id, {}, member));
      await refused(deleteEvent, "not_found", change(event_id, {}, member));
    }
    await refused(updateEvent, "not_found", change(NOBODY, {}));
    await refused(updateEvent, "unauthenticated", { ...change(event_id, {}), token: null });
    expect(await seenBy(stranger, event_id)).toMatchObject({ title: blog.title, updated_at: null });
  });

  test("keeps the date of its first publication however often it is published", async () => {
    const { event_id, published_at } = await create();
    await ask(updateEvent, change(event_id, { status: "private" }));
    await refused(getEvent, "not_found", { params: { event_id } });
    const again = (await ask(updateEvent, change(event_id, { title: "新しい題" }))).event;
    expect(again).toMatchObject({ published_at, title: "新しい題", status: "published" });
    expect(again.updated_at).not.toBeNull();
    expect(await seenBy(writer, event_id)).toEqual(again);
  });

  test("cannot be scheduled after its publication", async () => {
    const { event_id } = await create();
    const scheduled = { status: "publish_pending", publish_at: inHours(1) };
    await refused(updateEvent, "event_transition_refused", change(event_id, scheduled));
  });

  test("stays private after an operator took it down, but may be edited or deleted", async () => {
    const { event_id } = await create();
    await run("UPDATE events SET status = 'private', removed_at = ? WHERE event_id = ?", inHours(0), event_id);
    for (const status of ["published", "publish_pending"])
      await refused(updateEvent, "event_removed", change(event_id, { status, publish_at: inHours(1) }));
    await refused(updateEvents, "event_removed", {
      token: writer.token,
      body: { change: "status", event_ids: [event_id], status: "published" },
    });
    const { event } = await ask(updateEvent, change(event_id, { status: "private", title: "直しました" }));
    expect(event).toMatchObject({ title: "直しました", is_removed: true });
    await ask(deleteEvent, { token: writer.token, params: { event_id } });
  });

  test("may keep a plan that was closed meanwhile", async () => {
    const plan = await addPlan(writer);
    const target = { publish_target_type: "memberships", publish_target_membership_id: plan } as const;
    const { event_id } = await create(target);
    await run("UPDATE memberships SET active_state = 'inactive' WHERE membership_id = ?", plan);
    await ask(updateEvent, change(event_id, { ...target, title: "直した題" }));
    await refusedBody("membership_not_found", target);
  });

  test("disappears when it is deleted, with its counts, and its pictures can be used again", async () => {
    const image_id = await addImage(writer.user.user_id);
    const { event_id } = await create({ kind: "image", images: [{ image_id }] });
    await ask(deleteEvent, { token: writer.token, params: { event_id } });
    await refused(getEvent, "not_found", { params: { event_id }, token: writer.token });
    await refused(deleteEvent, "not_found", { token: writer.token, params: { event_id } });
    await create({ kind: "image", images: [{ image_id }] });
  });
});

describe("many posts at once", () => {
  const batch = (body: object, member = writer) => ({ token: member.token, body });

  test("are all changed, or none if one belongs to another member", async () => {
    const mine = [(await create()).event_id, (await create()).event_id];
    const { event_id: foreign } = await create({}, stranger);
    for (const change of [
      { change: "status", status: "private" },
      { change: "publish_target", publish_target_type: "fans" },
      { change: "event_category", event_category_id: null },
      { change: "delete" },
    ]) {
      await refused(updateEvents, "not_found", batch({ ...change, event_ids: [...mine, foreign] }));
    }
    for (const event_id of [...mine, foreign])
      expect(await seenBy(null, event_id)).toMatchObject({ publish_target_type: "public" });
    const done = await ask(updateEvents, {
      token: writer.token,
      body: { change: "status", status: "private", event_ids: [...mine, ...mine] },
    });
    expect(done).toEqual({ changed_count: 2 });
    for (const event_id of mine) await refused(getEvent, "not_found", { params: { event_id } });
  });

  test("are published, locked, sorted into a category and deleted", async () => {
    const pending = await create({ status: "publish_pending", publish_at: inHours(5) });
    const event_ids = [pending.event_id, (await create({ status: "private" })).event_id];
    const change = (body: object) => ask(updateEvents, batch({ ...body, event_ids }) as never);
    await change({ change: "status", status: "published" });
    for (const event_id of event_ids)
      expect(await seenBy(null, event_id)).toMatchObject({ status: "published", publish_at: null });
    const plan = await addPlan(writer);
    await change({
      change: "publish_target",
      publish_target_type: "memberships",
      publish_target_membership_id: plan,
    });
    for (const event_id of event_ids)
      expect(await seenBy(follower, event_id)).toMatchObject({ is_locked: true, publish_target_membership_id: plan });
    const { event_category } = await ask(createEventCategory, { token: writer.token, body: { title: "まとめて" } });
    const { event_category_id } = event_category;
    await change({ change: "event_category", event_category_id });
    const { events, counts } = await ask(listOwnEvents, { token: writer.token, query: { event_category_id } });
    expect(events.map(({ event_id }) => event_id).sort()).toEqual([...event_ids].sort());
    await change({ change: "delete" });
    const after = await ask(listOwnEvents, { token: writer.token });
    expect([after.counts.all, after.counts.is_published]).toEqual([counts.all - 2, counts.is_published - 2]);
  });

  test("include only the writer's own", async () => {
    const event_ids = [(await create()).event_id];
    const plan = { publish_target_type: "memberships", publish_target_membership_id: await addPlan(stranger) };
    await refused(updateEvents, "membership_not_found", batch({ change: "publish_target", event_ids, ...plan }));
    await refused(
      updateEvents,
      "validation_failed",
      batch({ change: "publish_target", event_ids, publish_target_type: "memberships" }),
    );
    await refused(
      updateEvents,
      "category_not_found",
      batch({ change: "event_category", event_ids, event_category_id: NOBODY }),
    );
  });
});

test("a writer's own posts are counted by state", async () => {
  const member = await freshMember("数える人");
  expect((await ask(listOwnEvents, { token: member.token })).counts).toEqual({
    all: 0,
    is_published: 0,
    is_publish_pending: 0,
    is_private: 0,
  });
  await create({}, member);
  await create({ status: "private" }, member);
  await create({ status: "private" }, member);
  await create({ status: "publish_pending", publish_at: inHours(1) }, member);
  const answer = await ask(listOwnEvents, { token: member.token, query: { status: "is_private" } });
  expect(answer.counts).toEqual({ all: 4, is_published: 1, is_publish_pending: 1, is_private: 2 });
  expect(answer.events).toHaveLength(2);
});

test("a reported post is hidden from its reporter alone", async () => {
  const { event_id } = await create();
  const newest = await create();
  await run(
    `INSERT INTO reports (report_id, reporter_user_id, subject_type, subject_id, subject_user_id, reason, created_at)
     VALUES (?, ?, 'event', ?, ?, 'others', ?)`,
    newId(Date.now()),
    follower.user.user_id,
    event_id,
    writer.user.user_id,
    inHours(0),
  );
  const { token } = follower;
  await refused(getEvent, "not_found", { params: { event_id }, token });
  await refused(visitEvent, "not_found", { params: { event_id }, query: { visit_id: "v" }, token });
  const lists = [
    await ask(listUserEvents, { params: { user_id: writer.user.user_id }, token }),
    await ask(listFollowedEvents, { token }),
  ];
  for (const { events } of lists) {
    expect(events.map((event) => event.event_id)).toContain(newest.event_id);
    expect(events.map((event) => event.event_id)).not.toContain(event_id);
  }
  expect((await ask(getEvent, { params: { event_id: newest.event_id }, token })).previous?.event_id).not.toBe(event_id);
  await seenBy(stranger, event_id);
  await seenBy(null, event_id);
});

describe("a visit", () => {
  const visit = async (event_id: string, visit_id: string, member: Member | null = null) =>
    (await ask(visitEvent, { params: { event_id }, query: { visit_id }, token: member?.token ?? null })).is_counted;

  test("counts once per browser, and never for the post's writer", async () => {
    const { event_id } = await create();
    expect(await visit(event_id, "browser-1")).toBe(true);
    expect(await visit(event_id, "browser-1", stranger)).toBe(false);
    expect(await visit(event_id, "browser-2", stranger)).toBe(true);
    expect(await visit(event_id, "browser-3", writer)).toBe(false);
    expect((await seenBy(writer, event_id)).visits_count).toBe(2);
    expect((await seenBy(stranger, event_id)).visits_count).toBeNull();
  });

  test("of a locked post does not count, and of an invisible post is not found", async () => {
    const { event_id } = await create({ publish_target_type: "fans" });
    expect(await visit(event_id, "browser-1", stranger)).toBe(false);
    expect(await visit(event_id, "browser-1", follower)).toBe(true);
    const hidden = await create({ status: "private" });
    for (const event_id of [hidden.event_id, NOBODY])
      await refused(visitEvent, "not_found", { params: { event_id }, query: { visit_id: "browser-1" } });
    await refused(visitEvent, "validation_failed", { params: { event_id }, query: { visit_id: "a b" } });
  });

  test("is limited per address in an hour, whatever its browsers claim", async () => {
    const { event_id } = await create();
    await visit(event_id, "browser-1");
    const d1 = await database();
    const scope = await d1.prepare("SELECT scope FROM limited_acts WHERE scope LIKE 'visit %'").first<string>("scope");
    await d1
      .prepare(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
         INSERT INTO limited_acts SELECT ?, ?, 'filled ' || i FROM n`,
      )
      .bind(scope, new Date().toISOString())
      .run();
    try {
      await refused(visitEvent, "too_many_requests", { params: { event_id }, query: { visit_id: "browser-2" } });
      expect(await visit(event_id, "browser-1"), "who is known needs no room").toBe(false);
    } finally {
      await d1.prepare("DELETE FROM limited_acts WHERE act_id LIKE 'filled %'").run();
    }
    expect((await seenBy(writer, event_id)).visits_count).toBe(1);
  });
});

test("followers with notifications get one for each post, however often it is published", async () => {
  const quiet = await freshMember("しずかな人");
  const loud = await freshMember("知りたい人");
  const author = await freshMember("知らせる人");
  const following_id = author.user.user_id;
  for (const { token } of [quiet, loud]) await ask(follow, { token, body: { following_id } });
  await ask(updateRelationship, { token: quiet.token, body: { following_id, receives_notifications: false } });
  const { event_id } = await create({ title: "お知らせの題" }, author);
  const change = (status: "private" | "published") =>
    ask(updateEvents, { token: author.token, body: { change: "status", status, event_ids: [event_id] } });
  await change("private");
  await change("published");
  await tick();
  const heard = async ({ token }: Member) =>
    (await ask(listNotifications, { token })).notifications.filter(({ type }) => type === "event_created");
  expect(await heard(loud)).toMatchObject([
    {
      message: "知らせる人さんが「お知らせの題」を投稿しました。",
      path: `/${author.user.link_id}/events/${event_id}`,
      actor: { user_id: following_id },
    },
  ]);
  expect(await heard(quiet)).toEqual([]);
});
