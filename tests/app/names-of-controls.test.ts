import { load } from "cheerio";
import { createElement, type FunctionComponent } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { createRoutesStub, Outlet } from "react-router";
import { describe, expect, test } from "vitest";
import { schemaOf } from "../../app/post/editor-schema.ts";
import { Pictures } from "../../app/post/pictures.tsx";
import EventComments from "../../app/routes/creator/comments.tsx";
import { FollowForm } from "../../app/routes/creator/follow-form.tsx";
import Letters from "../../app/routes/creator/ofuse.tsx";
import { meta as home } from "../../app/routes/home/home.tsx";
import Kit from "../../app/routes/kit.tsx";
import { meta as box } from "../../app/routes/my/box.tsx";
import Comments, { meta as comments } from "../../app/routes/my/comments.tsx";
import { meta as followings } from "../../app/routes/my/followings.tsx";
import { HideLetterForm } from "../../app/routes/my/hide-letter-form.tsx";
import Members, { meta as members } from "../../app/routes/my/members.tsx";
import { meta as newsletters } from "../../app/routes/my/newsletters.tsx";
import { meta as posts } from "../../app/routes/my/posts.tsx";
import { meta as radio } from "../../app/routes/my/radio.tsx";
import Payments from "../../app/routes/my/settings/payments.tsx";
import { readDocument } from "../../app/site/documents.server.ts";
import { CopyCode, CopyField } from "../../app/ui/copy-field.tsx";
import { UploadField } from "../../app/uploads/upload-field.tsx";
import { demoSite } from "../../scripts/demo-site.ts";

/** The names by which a screen reader lists the controls of a page: each says on what it acts. */

function render(Component: FunctionComponent<never>, props: object, context?: object) {
  const Page = () => createElement(Component as FunctionComponent, props);
  const Layout = () => createElement(Outlet, { context });
  const children = [{ path: "", Component: Page }];
  const root = { origin: "https://ofuse.example", viewer: null, paused_features: [] };
  const Stub = createRoutesStub([{ id: "root", path: "/", loader: () => root, Component: Layout, children }]);
  return load(renderToStaticMarkup(createElement(Stub, { hydrationData: { loaderData: { root } } })));
}

/** Returns the names of the elements: their labels, else their texts. */
function namesOf(page: ReturnType<typeof load>, selector: string): string[] {
  return page(selector)
    .toArray()
    .map((element) => page(element).attr("aria-label") ?? page(element).text());
}

const user = (name: string) => ({ user_id: name, link_id: name, name, icon_image: null });
const created_at = "2026-11-20T03:00:00.000Z";
const nothing = () => {};
const id = (n: number) => `01kaf2m8q3v7x1n5r9t4w6y${String(n).padStart(3, "0")}`;

test("the title of a list has the name of its tab", () => {
  const titleOf = (meta: (args: never) => readonly object[], loaderData: object) => {
    const [first] = meta({
      location: { search: "?page=2" },
      matches: [],
      loaderData: { page: 2, ...loaderData },
    } as never);
    return (first as { title: string }).title.replace("（2ページ目）｜ofuse", "");
  };
  const view = { type: "received", is_not_replied: false, filter: "all" };
  expect([
    ...[view, { ...view, is_not_replied: true }, { ...view, type: "sent" }].map((shown) =>
      titleOf(box, { view: shown }),
    ),
    ...["all", "not_replied", "paid"].map((filter) => titleOf(comments, { view: { filter } })),
    ...["all", "subscribing"].map((filter) => titleOf(members, { view: { filter } })),
    ...["all", "subscribing"].map((filter) => titleOf(followings, { view: { filter } })),
    ...[null, "is_private", "draft"].map((status) => titleOf(posts, { status })),
    ...[null, "finished"].map((status) => titleOf(radio, { status })),
    ...["all", "draft"].map((listing) => titleOf(newsletters, { listing })),
    ...["all", "subscribing"].map((filter) => titleOf(home, { kind: "member", filter })),
    titleOf(home, { kind: "visitor" }),
  ]).toEqual([
    ...["レターボックス", "レターボックス（未返信）", "レターボックス（送ったofuse）"],
    ...["届いたコメント", "届いたコメント（未返信）", "届いたコメント（有料）"],
    ...["フォロワー", "フォロワー（メンバーシップに加入中）"],
    ...["フォロー中", "フォロー中（メンバーシップに加入中）"],
    ...["投稿", "投稿（非公開）", "投稿（下書き）"],
    ...["ラジオ", "ラジオ（放送済み）"],
    ...["ニュースレター", "ニュースレター（下書き）"],
    ...["ファンレターで創作を応援", "加入中のプランの新着", "ファンレターで創作を応援"],
  ]);
});

describe("names on what a control acts:", () => {
  test("a letter that the receiver hides", () => {
    const shown = (is_hidden: boolean, letter: object = { sender: user("花"), sender_name: "花" }) =>
      namesOf(render(HideLetterForm as never, { ...letter, ofuse_id: "o", is_hidden, to: "/" }), "button");
    expect([...shown(false), ...shown(true)]).toEqual(["花さんのofuseをページから外す", "花さんのofuseをページに戻す"]);
    expect(shown(true, { sender: null, sender_name: "匿名" })).toEqual(["匿名のofuseをページに戻す"]);
  });

  test("a letter and a comment that are reported, and a creator who is followed", () => {
    const made = { created_at, message: "", reply: null, is_liked: false, is_hidden: false };
    const letter = {
      ...made,
      ofuse_id: "o",
      sender_name: "花",
      sender: user("花"),
      stamp_id: null,
      letter_appearance_id: null,
    };
    const creator = { ...user("棗"), ofuse_state: "closed", is_followed: false };
    const comment = {
      ...{ ...made, comment_id: "c", user: user("花"), amount: 0, paid: false, likes_count: 0, can_delete: false },
      ...{ is_deleted: false, parent_comment_id: null },
    };
    const event = { event_id: "e", user: creator, comment_filter: "all", comments_count: 1 };
    const list = { comments: [comment], page: 1, has_next: false, kept: null };
    const context = { creator, viewer_id: "v", is_own: false };
    const left = { ...comment, comment_id: "l", user: { ...user("退会したユーザー"), link_id: "left-l" } };
    const shown = { event, ...list, comments: [comment, left] };
    const comments = render(EventComments as never, shown, context);
    expect(namesOf(comments, "a[href$=report]")).toEqual([
      "花さんのコメントを通報",
      "退会したユーザーのコメントを通報",
    ]);
    const loaderData = { ofuses: [letter], stamps: {}, has_next: false, is_continued: false };
    const letters = render(Letters as never, { loaderData }, context);
    expect(namesOf(letters, "a[href$=report]")).toEqual(["花さんのofuseを通報"]);
    const form = render(FollowForm as never, { creator, idempotency_key: null });
    expect(namesOf(form, "form")).toEqual(["棗"]);
  });

  test("a received comment that is answered", () => {
    const received = ["花", "太郎"].map((name) => ({
      ...{ comment_id: name, user: user(name), event: { event_id: "e", title: "海" } },
      ...{ message: "", amount: 0, paid: false, is_replied: false, created_at },
    }));
    const view = { filter: "all", sort_by: "newest" };
    const loaderData = { comments: received, has_next: false, page: 1, view, kept: null, viewer_id: "u", link_id: "n" };
    const page = render(Comments as never, { loaderData: { ...loaderData, idempotency_key: "k" } });
    expect(namesOf(page, "details > summary")).toEqual(
      expect.arrayContaining(["花さんに返信する", "太郎さんに返信する"]),
    );
  });

  test("a follower who is removed, whom the dialog names too", () => {
    const followers = ["花", "太郎"].map((name) => ({ user: user(name), created_at }));
    const loaderData = { followers, has_next: false, page: 1, view: { filter: "all", keyword: "" } };
    const page = render(Members as never, { loaderData });
    const names = ["花さんをフォロワーから外", "太郎さんをフォロワーから外"];
    expect(namesOf(page, "[command=show-modal]")).toEqual(names.map((name) => `${name}す`));
    expect(namesOf(page, "dialog h2")).toEqual(names.map((name) => `${name}しますか？`));
    for (const dialog of page("dialog").toArray()) {
      const id = page(dialog).attr("aria-describedby");
      expect(page(`[id="${id}"]`).text()).toContain("相手には知らされません。");
    }
  });

  test("an invoice, a receipt and a begun payment", () => {
    const creator = { name: "棗", link_id: "natsume" };
    const paid = { kind: "membership", creator, amount: 1, refund_state: null, subscription_id: "s" };
    const payments = ["2026-11-27T04:00:00.000Z", "2026-10-27T04:00:00.000Z"].map((paid_at) => ({
      ...paid,
      ...{ payment_id: paid_at, paid_at, refunded_at: null, invoice_id: "i", session_id: "c" },
    }));
    const begun = { kind: "ofuse", creator, amount: 1, expires_at: null, returned_at: null };
    const returned = { ...begun, session_id: "r", status: "returned" };
    const spending = { monthly_limit: null, next_limit: null, minor_limit: null, paid: 0, pending: 0, renewals: 0 };
    const loaderData = {
      ...{ user_id: "u", spending, cards: [], error: null, waiting: [{ ...begun, session_id: "o", status: "open" }] },
      ...{ history: [returned, ...payments], has_next: false, page: 1, is_added: false, idempotency_key: "k" },
    };
    const page = render(Payments as never, { loaderData });
    expect(namesOf(page, ".invoice-rows a")).toEqual([
      "手続きを見る（棗さんへのofuse）",
      "内容を見る（棗さんへのofuse）",
      "請求書（棗さん、2026/11/27 13:00）",
      "領収書（棗さん、2026/11/27 13:00）",
      "請求書（棗さん、2026/10/27 13:00）",
      "領収書（棗さん、2026/10/27 13:00）",
    ]);
  });

  test("a text to copy", () => {
    const field = render(CopyField as never, { id: "a", label: "ページのURL", address: "/" });
    const code = render(CopyCode as never, { id: "b", label: "バッジのHTML", code: "" });
    expect([...namesOf(field, "button"), ...namesOf(code, "button")]).toEqual([
      "ページのURLをコピー",
      "バッジのHTMLをコピー",
    ]);
    const site = {
      ...demoSite,
      is_google_told: false,
      has_recaptcha: false,
      has_outside_ways: false,
      takes_money: true,
      has_firestore: false,
    };
    const document = readDocument("kit", site, "https://ofuse.example");
    const names = namesOf(render(Kit as never, { loaderData: { document } }), ".copy");
    expect(names.length).toBeGreaterThan(5);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^.+をコピー$/);
  });

  test("a picture of a profile that is uploaded without JavaScript", () => {
    const field = { id: "icon", label: "アイコン", accept: "image/*", profile_field: "icon", onUploaded: nothing };
    expect(namesOf(render(UploadField as never, field), "button")).toEqual(["アイコンをアップロード"]);
  });

  test("a picture that becomes the cover", () => {
    const page = render(Pictures as never, {
      ...{ values: { images: `${id(1)} ${id(2)}` }, images: [], media: [], kind: "blog", errors: {} },
      ...{ onChange: nothing, onBegun: nothing, onUploaded: nothing, onInsert: nothing, onRemove: nothing },
    });
    expect(namesOf(page, "label:has([name=cover_image_id])")).toEqual([
      "画像1を表紙にする",
      "画像2を表紙にする",
      "表紙は選ばない（本文の最初の画像が使われます）",
    ]);
  });

  test("a picture in the editor, by the field of its description", () => {
    const image = { image_id: id(1), alt: "", width: 1, height: 1, medium_url: "/a", srcset: null, placeholder: null };
    const { picture } = schemaOf({ images: [image], media: [] }).nodes;
    const shown = picture?.spec.toDOM?.(picture.create({ image_id: id(1) })) as unknown as unknown[];
    const fields = render(Pictures as never, {
      ...{ values: { images: id(1) }, images: [image], media: [], kind: "blog", errors: {} },
      ...{ onChange: nothing, onBegun: nothing, onUploaded: nothing, onInsert: nothing, onRemove: nothing },
    });
    const [, attributes] = shown[2] as [string, Record<string, string>];
    expect(attributes.alt).toBe("画像");
    expect(fields(`[id="${attributes["aria-labelledby"]}"]`).attr("name")).toBe(`alt.${id(1)}`);
  });
});
