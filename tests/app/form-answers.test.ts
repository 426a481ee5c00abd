import { UnsecuredJWT } from "jose";
import { createElement, type FunctionComponent } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { createRoutesStub, RouterContextProvider } from "react-router";
import { describe, expect, test } from "vitest";
import type { ReturnedWords } from "../../app/forms/words.ts";
import { PostForm } from "../../app/post/post-form.tsx";
import { jarContext, v4Context } from "../../app/request/context.ts";
import * as chatMessage from "../../app/routes/creator/chat-message.tsx";
import { loadChat } from "../../app/routes/creator/load-chat.ts";
import { RadioChat } from "../../app/routes/creator/radio-chat.tsx";
import * as login from "../../app/routes/login/login.tsx";
import Categories, * as categories from "../../app/routes/my/categories.tsx";
import * as editPost from "../../app/routes/my/edit-post.tsx";
import EditRadio, * as editRadio from "../../app/routes/my/edit-radio.tsx";
import * as newPost from "../../app/routes/my/new-post.tsx";
import * as newRadio from "../../app/routes/my/new-radio.tsx";
import * as onAir from "../../app/routes/my/on-air.tsx";
import Posts, * as posts from "../../app/routes/my/posts.tsx";
import * as saveDraft from "../../app/routes/my/save-draft.ts";
import ProfileSettings, * as profile from "../../app/routes/my/settings/profile.tsx";
import { linkIdForm } from "../../app/routes/operation-forms.server.ts";
import Acts from "../../app/routes/operator/acts.tsx";
import Maintenance, * as maintenance from "../../app/routes/operator/maintenance.tsx";
import { describeGiven, describeSubject } from "../../app/routes/operator/operator-words.ts";
import { type IdentityAccess, identityContext, viewerContext } from "../../app/session/context.ts";
import { IdentityRefusal } from "../../app/session/identity-toolkit.ts";
import type { V4 } from "../../app/v4/client.ts";
import { errorCatalogue } from "../../workers/contract/errors.ts";
import type { Operation } from "../../workers/contract/operation.ts";

/** What pages answer to forms, and show afterwards, without a server. */

type Answers = Record<string, object>;
const refusal = (code: keyof typeof errorCatalogue) => ({
  refusal: { ...errorCatalogue[code], code, fields: {}, needs_sign_in: false, retry_after_s: null },
});

/** Returns a request's context on an API that gives these answers: bodies, or refusals. Notes calls, bodies and cookies. */
function contextOn(answers: Answers, cookies: Record<string, string> = {}) {
  const asked: string[] = [];
  const bodies: Record<string, unknown> = {};
  const set: Record<string, string> = {};
  const read = async ({ id }: Operation) => {
    asked.push(id);
    return answers[id] ?? {};
  };
  const send = async (operation: Operation, given?: { body?: unknown }) => {
    bodies[operation.id] = given?.body;
    const answer = await read(operation);
    return "refusal" in answer ? { ok: false, ...answer } : { ok: true, answer };
  };
  const context = new RouterContextProvider();
  context.set(v4Context, { read, part: read, send } as unknown as V4);
  context.set(jarContext, {
    read: (name: string) => cookies[name],
    set: (name: string, value: string) => {
      set[name] = value;
    },
    clear: () => {},
  } as never);
  context.set(viewerContext, { session: {}, registration: "complete", profile: { user_id: "u" } } as never);
  return { context, asked, bodies, set };
}

/** Sends a form as a browser without JavaScript does. */
async function send(
  { action }: { action: (args: never) => Promise<unknown> },
  context: RouterContextProvider,
  { path = "/", fields, params = {} }: { path?: string; fields: Record<string, string>; params?: object },
) {
  const url = new URL(path, "https://ofuse.example");
  const request = new Request(url, { method: "POST", body: new URLSearchParams(fields) });
  return (await action({ request, url, params, context } as never)) as Response & {
    data: never;
    init: { status: number } | null;
  };
}

function render(Component: FunctionComponent<never>, props: object): string {
  const Page = () => createElement(Component as FunctionComponent, props);
  const Stub = createRoutesStub([{ id: "root", path: "/", loader: () => ({}), Component: Page }]);
  return renderToStaticMarkup(
    createElement(Stub, { hydrationData: { loaderData: { root: { paused_features: [] } } } }),
  );
}

describe("the profile", () => {
  const loaderData = {
    ...{ user_id: "u", link_id: "hana", is_creator: false, should_verify_email: false },
    ...{ written: {}, external_sites: [], genres: [] },
  };

  test.each(["icon", "cover"])(
    "is not saved while its %s was chosen and not uploaded, and keeps its words",
    async (name) => {
      const { context, asked } = contextOn({});
      const fields = { name: "はな", bio: "消えない自己紹介", has_links: "yes", [`${name}_file`]: "x.png" };
      const answer = await send(profile, context, { fields });
      expect([answer.init?.status, asked]).toEqual([422, []]);
      const { result } = answer.data as { result: { error: object } };
      // Beside the picture, whose part of the page is loaded later.
      expect(result.error).toEqual({
        [`${name}_image_id`]: [expect.stringMatching(/^選んだファイル（x\.png）がまだ/)],
      });
      expect(render(ProfileSettings, { loaderData, actionData: answer.data })).toContain("消えない自己紹介");
    },
  );

  test("is saved with empty fields for files", async () => {
    const { context, asked } = contextOn({ getProfile: { user: { genre_ids: [], external_links: [] } } });
    const answer = await send(profile, context, { fields: { name: "はな", icon_file: "", cover_file: "" } });
    expect([answer.status, asked]).toEqual([303, ["getProfile", "updateProfile"]]);
  });

  test("takes a name for addresses whose first letter a telephone wrote in upper case", () => {
    expect(linkIdForm.parse({ link_id: "Natsume" })).toEqual({ link_id: "natsume" });
    expect(linkIdForm.parse({ link_id: " Ｎａｔｓｕｍｅ＿１　" })).toEqual({ link_id: "natsume_1" });
    expect(linkIdForm.safeParse({}).error?.issues[0]?.message).toBe("ユーザーIDを入力してください。");
  });
});

describe("a sign-in by password", () => {
  const signIn = async (code: string, recaptcha: object | null) => {
    const { context } = contextOn({});
    const signInWithPassword = () => Promise.reject(new IdentityRefusal(code));
    context.set(identityContext, { toolkit: { signInWithPassword }, recaptcha } as unknown as IdentityAccess);
    const fields = { email: "hana@example.jp", password: "correct horse" };
    const { init, data } = await send(login, context, { fields });
    return { status: init?.status, said: (data as { result: { error: Record<string, string[]> } }).result.error[""] };
  };
  const wrong = { status: 401, said: ["メールアドレスまたはパスワードが正しくありません。"] };

  test("tells a person whose account is disabled so, where the provider has checked the password before", async () => {
    expect(await signIn("USER_DISABLED", null)).toEqual({
      status: 403,
      said: [errorCatalogue.account_disabled.detail],
    });
    expect(await signIn("INVALID_LOGIN_CREDENTIALS", null)).toEqual(wrong);
  });

  test("says the same of a wrong password and a disabled account where Firebase keeps the accounts", async () => {
    for (const code of ["USER_DISABLED", "INVALID_LOGIN_CREDENTIALS"]) expect(await signIn(code, {})).toEqual(wrong);
  });
});

describe("the categories", () => {
  const shown = { categories: [{ event_category_id: "a", title: "日記" }], viewer_id: "u", idempotency_key: "k" };

  test.each([
    ["", "new-category"],
    ["a", "category-a"],
    ["gone", "new-category"],
  ])("show the name again that was typed for '%s' before a sign-in", async (event_category_id, field) => {
    const intent = { kind: "form", path: "/my/posts/categories", fields: { event_category_id, title: "制作" } };
    const answers = { listOwnEventCategories: { event_categories: shown.categories }, redeemIntent: { intent } };
    const { context } = contextOn(answers, { soziIdFormIntent: "id.secret" });
    const loaderData = await categories.loader({ context } as never);
    expect(render(Categories, { loaderData })).toMatch(new RegExp(`id="${field}"[^>]*value="制作"`));
  });

  test("keep the new name of a category that was deleted meanwhile", async () => {
    const { context } = contextOn({ updateEventCategory: refusal("not_found") });
    const { init, data } = await send(categories, context, { fields: { event_category_id: "gone", title: "制作" } });
    expect(init?.status).toBe(404);
    const html = render(Categories, { loaderData: { ...shown, kept: null }, actionData: data });
    expect(html).toMatch(/id="new-category"[^>]*value="制作"/);
    expect(html).toContain("このカテゴリーは、すでに削除されています。");
  });
});

describe("a button of a radio that is pressed twice", () => {
  const press = (operation: string, status: string) => {
    const refused = refusal("radio_transition_refused");
    const radio_id = "01kaf2m8q3v7x1n5r9t4w6y8ze";
    const radio = { radio_id, status, updated_at: "2026-01-02T01:00:00.000Z" };
    const { context } = contextOn({ startRadio: refused, finishRadio: refused, getRadio: { radio } });
    return send(onAir, context, { fields: { do: operation }, params: { radio_id } });
  };

  test.each([
    ["start", "on_air"],
    ["finish", "finished"],
  ])("to %s leads back to the page", async (operation, status) => {
    expect((await press(operation, status)).status).toBe(303);
  });

  test.each([
    ["start", "finished"],
    ["finish", "scheduled"],
  ])("to %s is refused while the radio is %s", async (operation, status) => {
    expect((await press(operation, status)).init?.status).toBe(409);
  });
});

describe("a radio that another page has changed", () => {
  const radio_id = "01kaf2m8q3v7x1n5r9t4w6y8ze";
  const [opened, now] = ["2026-01-02T01:00:00.000Z", "2026-01-02T02:00:00.000Z"];
  const radio = {
    ...{
      radio_id,
      status: "finished",
      updated_at: now,
      image: null,
      title: "題",
      description: "",
      transcript: "新しい",
    },
    ...{ publish_target_type: "public", recording_publish_target_type: "none", publish_target_membership_id: null },
    ...{ starts_at: null, is_chat_on: true },
  };
  const fields = { title: "書き足した題", transcript: "前の文字起こし", seen_updated_at: opened };
  const save = (more: Record<string, string>, updateRadio: object) => {
    const { context, bodies } = contextOn({ getRadio: { radio }, updateRadio });
    return { bodies, answer: send(editRadio, context, { fields: { ...fields, ...more }, params: { radio_id } }) };
  };

  test.each<[string, string, Record<string, string>]>([
    ["a conflict, with the choice to replace what is saved", "radio_conflict", {}],
    ["another fault, without that choice", "validation_failed", { title: "" }],
  ])("keeps the words and their version after %s", async (_after, code, more) => {
    const { bodies, answer } = save({ do: "save", ...more }, refusal("radio_conflict"));
    const { data } = await answer;
    if (code === "radio_conflict") expect(bodies.updateRadio).toMatchObject({ seen_updated_at: opened });
    const written = { ...fields, seen_updated_at: now };
    const html = render(EditRadio, { loaderData: { radio, plans: [], viewer_id: "u", written }, actionData: data });
    expect(html).toContain(`name="seen_updated_at" value="${opened}"`);
    expect(html).toContain("前の文字起こし</textarea>");
    expect(html.includes('value="overwrite"')).toBe(code === "radio_conflict");
  });

  test("is replaced when its writer chooses so", async () => {
    const { bodies, answer } = save({ do: "overwrite" }, { radio, url_key: null });
    expect((await answer).status).toBe(303);
    expect(bodies.updateRadio).not.toHaveProperty("seen_updated_at");
  });

  test("is compared by the button that hides its recording as well", async () => {
    const { context, bodies } = contextOn({ getRadio: { radio }, updateRadio: refusal("radio_conflict") });
    const answer = await send(onAir, context, { fields: { do: "hide_recording" }, params: { radio_id } });
    expect(answer.init?.status).toBe(409);
    expect(bodies.updateRadio).toMatchObject({ recording_publish_target_type: "none", seen_updated_at: now });
  });
});

describe("a radio for people who know its address", () => {
  test.each([
    ["leads to the button that makes another address when an answer before had the new one", true],
    ["leads to the list when its address has not changed", false],
  ])("%s", async (_, is_url_key_new) => {
    const radio_id = "01kaf2m8q3v7x1n5r9t4w6y8ze";
    const radio = { radio_id, user: { link_id: "natsume" }, image: null };
    const saved = { radio, url_key: null, is_url_key_new };
    const { context, set } = contextOn({ getRadio: { radio }, createRadio: saved, updateRadio: saved });
    const words = { title: "題", description: "", transcript: "" };
    const fields = { ...words, publish_target_type: "url", recording_publish_target_type: "none" };
    const answers = [
      await send(newRadio, context, { fields }),
      await send(editRadio, context, { fields: { ...fields, do: "rotate" }, params: { radio_id } }),
    ];
    const to = is_url_key_new ? `/my/radio/${radio_id}/edit` : "/my/radio";
    expect(answers.map(({ headers }) => headers?.get("location"))).toEqual([to, to]);
    expect(set.flash).toBe(is_url_key_new ? "radio_key_unshown" : "radio_saved");
  });
});

describe("the chat of a broadcaster's own radio", () => {
  const user = { user_id: "fan", link_id: "fan", name: "ファン", is_creator: false, icon_image: null };
  const message = {
    message_id: "m",
    user,
    message: "発言",
    letter: null,
    pinned_at: null,
    created_at: "2026-01-02T01:00:00Z",
  };
  const radio = { radio_id: "r", user: { user_id: "u" }, status: "finished", is_chat_on: true, is_locked: false };
  const room = { is_open: false, is_restricted: false, pinned_messages: [], reactions: [] };

  test.each([
    [[], "restrict", "unrestrict"],
    [[{ user }], "unrestrict", "restrict"],
  ])("offers with the restricted people %j to %s a writer, not to %s", async (restrictees, offered, other) => {
    const answers = { getChatRoom: { room }, listChatMessages: { messages: [message], next_page_token: null } };
    const { context } = contextOn({ ...answers, listRadioChatRestrictees: { restrictees } });
    const chat = await loadChat(context, radio as never, new URL("https://ofuse.example"));
    const viewer = { is_own: true, viewer_id: "u", idempotency_key: null };
    const html = render(RadioChat, { radio, path: "/natsume/radios/r", chat, viewer });
    expect(html).toContain(`value="${offered}"`);
    expect(html).not.toContain(`value="${other}"`);
  });

  describe("with more than a hundred restricted people", () => {
    const restrictees = Array.from({ length: 110 }, (_, n) => ({ user: { ...user, user_id: `fan${n}` } }));
    const loadRestricted = async (user_id: string) => {
      const messages = [{ ...message, user: { ...user, user_id } }];
      const answers: Answers = { getChatRoom: { room }, listChatMessages: { messages, next_page_token: null } };
      const part = async ({ id }: Operation, { query }: { query: { limit: number; "user_id[]"?: string[] } }) => {
        if (id !== "listRadioChatRestrictees") return answers[id];
        const among = restrictees.filter((each) => query["user_id[]"]?.includes(each.user.user_id) ?? true);
        return {
          restrictees: among.slice(0, query.limit),
          next_page_token: among.length > query.limit ? "next" : null,
        };
      };
      const { context } = contextOn({});
      context.set(v4Context, { part } as unknown as V4);
      return (await loadChat(context, radio as never, new URL("https://ofuse.example")))?.restricted;
    };

    test("knows that a writer of its messages is restricted whom a hundred others follow in the list", async () => {
      expect(await loadRestricted("fan109")).toContain("fan109");
    });

    test("knows the newest ones, whose messages an open page may still show", async () => {
      expect(await loadRestricted("other")).toContain("fan0");
    });
  });

  test.each([
    ["restrict", "restrictRadioChat"],
    ["unrestrict", "unrestrictRadioChat"],
    ["pin", "pinChatMessage"],
  ])("sends %s to the API", async (operation, id) => {
    const { context, asked } = contextOn({});
    const fields = { operation, user_id: "01kaf2m8q3v7x1n5r9t4w6y8ze" };
    const answer = await send(chatMessage, context, {
      fields,
      params: { link_id: "natsume", radio_id: "r", message_id: "m" },
    });
    expect([answer.status, asked]).toEqual([303, [id]]);
  });
});

describe("the page of own posts", () => {
  const [one, other] = ["01jd0000000000000000000001", "01jd0000000000000000000002"] as const;
  const path = "/my/posts?status=is_private&page=7";

  test.each<Record<string, string>>([
    { one: `published:${one}` },
    { one: `delete:${one}` },
    { event_ids: one, change: "status:published" },
    { event_ids: one, change: "target:public" },
    { event_ids: one, change: "category:" },
  ])("may be left empty on a later page by %o, and then leads to the page before", async (fields) => {
    const { context } = contextOn({});
    const { status, headers } = await send(posts, context, { path, fields });
    expect([status, headers.get("location")]).toEqual([303, `${path}&left`]);
    const after = contextOn({ listOwnEvents: { events: [], counts: {} }, listDrafts: { drafts: [] } }).context;
    const url = new URL(`${path}&left`, "https://ofuse.example");
    const led = await posts.loader({ url, context: after } as never).catch((thrown: unknown) => thrown);
    expect((led as Response).headers.get("location")).toBe("/my/posts?status=is_private&page=6");
  });

  test("says that a post is gone, and whether others were to be changed", async () => {
    const { context } = contextOn({ updateEvents: refusal("not_found") });
    const sentence = async (ids: string[]) => {
      const body = new URLSearchParams([["change", "status:private"], ...ids.map((id) => ["event_ids", id])]);
      const url = new URL(path, "https://ofuse.example");
      const request = new Request(url, { method: "POST", body });
      return (await posts.action({ request, url, params: {}, context } as never)) as never as Awaited<
        ReturnType<typeof send>
      >;
    };
    for (const [ids, words] of [
      [[one], "この投稿は、すでに削除されています。"],
      [[one, other], "選んだ投稿のなかに、すでに削除されているものがあります。"],
    ] as const) {
      const { data, init } = await sentence([...ids]);
      expect([init?.status, data]).toEqual([404, { error: expect.stringContaining(words), event_ids: ids }]);
    }
    const { status } = await send(posts, context, { path, fields: { one: `delete:${one}` } });
    expect(status, "the button was pressed twice").toBe(303);
  });
});

test.each(["move:0", "delete"])(
  "a category that is gone is said to be so after %s, and leaves the page",
  async (button) => {
    const gone = refusal("not_found");
    const { context, set } = contextOn({ updateEventCategory: gone, deleteEventCategory: gone });
    const { status } = await send(categories, context, {
      fields: { event_category_id: "c", title: "日記", do: button },
    });
    expect([status, Object.values(set)]).toEqual([303, ["category_gone"]]);
  },
);

test("a post that operators took down offers no button to publish it", () => {
  const event = {
    event_id: "e",
    user: { link_id: "natsume" },
    title: "題",
    image: null,
    kind: "blog",
    status: "private",
  };
  const html = (removal_id: string | null) =>
    render(Posts, {
      loaderData: { events: [{ ...event, removal_id }], drafts: [], counts: {}, categories: [], plans: [], page: 1 },
    });
  expect(html(null)).toContain('value="published:e"');
  expect(html("removal")).not.toContain('value="published:e"');
});

describe("the form of a post whose draft was published, and whose answer was lost", () => {
  const draft_id = "01jd0000000000000000000001";
  const event_id = "01jd0000000000000000000002";
  const fields = {
    draft_id,
    revision: "1",
    kind: "blog",
    title: "題",
    body: "足した本文",
    when: "now",
    comment_filter: "all",
    visibility: "public",
    do: "publish",
  };
  const edit = `/my/posts/${event_id}/edit`;
  const listOf = (...statuses: string[]) => ({
    listOwnEvents: { events: statuses.map((status) => ({ event_id, status })) },
  });

  test.each(["not_found", "draft_published"] as const)(
    "says that the post is public, and leads to its form, when a save is refused with %s",
    async (code) => {
      const { context } = contextOn({ saveEventDraft: refusal(code), ...listOf("published") });
      const answer: Response = await send(saveDraft, context, { fields });
      expect(answer.status).toBe(409);
      const detail = expect.stringMatching(/^この投稿は、すでに公開されています。/);
      expect(await answer.json()).toEqual({ code: "draft_published", detail, path: edit });
    },
  );

  test("says that the draft is gone when no post was made of it", async () => {
    const { context } = contextOn({ saveEventDraft: refusal("not_found"), ...listOf() });
    const answer: Response = await send(saveDraft, context, { fields });
    expect([answer.status, await answer.json()]).toEqual([
      404,
      { code: "not_found", detail: "この下書きは、もうありません。" },
    ]);
  });

  test.each(["idempotency_key_reused", "draft_published"] as const)(
    "says so when it is published again with other words, and is refused with %s",
    async (code) => {
      const { context } = contextOn({ createEvent: refusal(code), ...listOf("publish_pending") });
      const { data, init } = await send(newPost, context, { path: `/my/posts/new?draft_id=${draft_id}`, fields });
      const said = [
        "この投稿は、すでに公開を予約されています。いま入力している内容は、この画面にだけ残っています。",
        edit,
      ];
      expect([init, (data as ReturnedWords).result.error]).toEqual([{ status: 409 }, { draft_published: said }]);
      const html = render(PostForm, {
        page: { values: {}, categories: [], plans: [], images: [], media: [] },
        answer: data,
      });
      expect(html).toContain(`<a href="${edit}" target="_blank"`);
    },
  );

  test("saves a change of a published post as a new draft of it", async () => {
    const { context, bodies } = contextOn({ saveEventDraft: refusal("not_found") });
    await send(saveDraft, context, { fields: { ...fields, event_id } });
    expect(bodies.saveEventDraft).toMatchObject({ event_id, revision: 0 });
  });

  test("says that a change was made before when it is sent again with other words", async () => {
    const { context } = contextOn({ updateEvent: refusal("idempotency_key_reused") });
    const { data } = await send(editPost, context, { path: edit, fields, params: { event_id } });
    expect(data).toMatchObject({
      result: { error: { draft_published: [expect.stringContaining("更新されています"), edit] } },
    });
  });
});

describe("the operators' page of maintenance", () => {
  const started_at = "2026-01-02T01:00:00.000Z";
  const finished_at = "2999-01-02T02:00:00.000Z";
  const show = (record: object, is_on: boolean) =>
    render(Maintenance, { loaderData: { forms: { author: "u", kept: null }, record, is_on } });

  test("begins the form with the times that hold now", () => {
    const html = show({ started_at, finished_at }, true);
    expect(html).toMatch(/name="started_at"[^>]*value="2026-01-02T10:00"/);
    expect(html).toMatch(/name="finished_at"[^>]*value="2999-01-02T11:00"/);
  });

  test("ends maintenance that is on, and removes a plan that has not begun", () => {
    expect(show({ started_at, finished_at }, true)).toContain("メンテナンスを終える");
    expect(show({ started_at, finished_at }, false)).not.toContain("メンテナンスを終える");
  });

  test.each([
    [started_at, null, "maintenance_ended"],
    [started_at, finished_at, "maintenance_ended"],
    [started_at, "2026-01-02T02:00:00.000Z", "maintenance_cleared"],
    [finished_at, null, "maintenance_cleared"],
  ])("says what the button did to maintenance from %s to %s", async (started_at, finished_at, said) => {
    const { context, set } = contextOn({ getMaintenanceRecord: { started_at, finished_at } });
    const token = new UnsecuredJWT({ operator: "hana", firebase: { sign_in_second_factor: "totp" } }).encode();
    context.set(viewerContext, { session: { token }, registration: "complete", profile: { user_id: "u" } } as never);
    expect((await send(maintenance, context, { fields: { act: "clear" } })).status).toBe(303);
    expect(Object.values(set).join()).toContain(said);
  });
});

test("the operators' log names what was done in Japanese, at Japanese times", () => {
  const given = { is_paused: false, reason: "直った", started_at: "2026-01-02T01:00:00.000Z", value: null, stale: 3 };
  expect(describeGiven(given)).toEqual([
    "休止する：いいえ",
    "理由：直った",
    "始まり：2026/01/02 10:00",
    "上限：標準",
    "stale：3",
  ]);
  expect(describeGiven({ decision: "granted", note: null })).toEqual(["判断：公開に戻した", "ひとこと：なし"]);
  expect(describeSubject("changeLimit", "follow_young")).toBe("フォロー（新しいアカウント、1日）");
  expect(describeSubject("setFeaturePaused", "uploads")).toBe("アップロード");
  expect(describeSubject("retryMail", "01k")).toBe("01k");
  const act = { act_id: "a", operator: "hana", operation: "setFeaturePaused", subject: "uploads", request_id: "r" };
  const acts = [{ ...act, input: { is_paused: false }, acted_at: "2026-01-02T01:00:00.000Z" }];
  const html = render(Acts, { loaderData: { acts, filter: {}, has_next: false, is_first: true } });
  expect(html).toContain("休止する：いいえ");
  expect(html).not.toContain("is_paused");
});
