import { createElement, type FunctionComponent } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { createRoutesStub, Outlet, RouterContextProvider } from "react-router";
import { describe, expect, test } from "vitest";
import { jarContext, v4Context } from "../../app/request/context.ts";
import { CookieJar } from "../../app/request/cookies.ts";
import Checkout from "../../app/routes/checkout.tsx";
import { action } from "../../app/routes/creator/comment.tsx";
import Comments from "../../app/routes/creator/comments.tsx";
import { viewerContext } from "../../app/session/context.ts";
import type { V4 } from "../../app/v4/client.ts";

/** What pages say of a paid comment that its receiver hides, without a server. */

const id = (n: number) => `01kaf2m8q3v7x1n5r9t4w6y${String(n).padStart(3, "0")}`;
const natsume = { user_id: id(1), link_id: "natsume", name: "なつめ", icon_image: null };
const hana = { user_id: id(2), link_id: "hana", name: "はな", icon_image: null };

/** Renders a component below a creator's layout. */
function render(Component: FunctionComponent<never>, props: object): string {
  const Layout = () => createElement(Outlet, { context: { creator: natsume, viewer_id: id(1), is_own: true } });
  const Page = () => createElement(Component as FunctionComponent, props);
  const children = [{ path: "", Component: Page }];
  const Stub = createRoutesStub([{ id: "root", path: "/", loader: () => ({}), Component: Layout, children }]);
  return renderToStaticMarkup(createElement(Stub, { hydrationData: { loaderData: { root: {} } } }));
}

describe("the owner of a post", () => {
  const commentOf = (amount: number) => ({
    ...{ comment_id: id(3), user: hana, message: "応援しています", is_deleted: false, paid: amount > 0, amount },
    ...{ currency: "jpy", parent_comment_id: null, likes_count: 0, is_liked: false, can_delete: true },
    created_at: "2026-11-20T03:00:00.000Z",
  });
  const dialogOf = (amount: number) => {
    const event = { event_id: id(4), user: natsume, comment_filter: "all", comments_count: 1 };
    const comments = [commentOf(amount)];
    const html = render(Comments, { event, comments, page: 1, has_next: false, kept: null });
    return /<dialog.*<\/dialog>/s.exec(html)?.[0] ?? "";
  };

  test("hides a paid comment, and learns that its amount stays", () => {
    const dialog = dialogOf(1100);
    expect(dialog).toContain('value="hide"');
    expect(dialog).toContain("受け取った金額はそのまま残り、返金はされません。");
    expect(dialog).not.toContain("削除");
  });

  test("deletes a free one", () => {
    const dialog = dialogOf(0);
    expect(dialog).toContain('value="delete"');
    expect(dialog).toContain("削除したコメントは元に戻せません。");
  });

  test.each([
    ["hide", "comment_hidden"],
    ["delete", "comment_deleted"],
  ])("who chose %s is told %s", async (operation, message) => {
    const url = new URL(`https://ofuse.example/natsume/events/${id(4)}/comments/${id(3)}`);
    const request = new Request(url, { method: "POST", body: new URLSearchParams({ operation }) });
    const context = new RouterContextProvider();
    const jar = new CookieJar(request);
    context.set(jarContext, jar);
    context.set(viewerContext, { session: {}, profile: { user_id: id(1) } } as never);
    context.set(v4Context, { send: async () => ({ ok: true, answer: null }) } as unknown as V4);
    const params = { link_id: "natsume", event_id: id(4), comment_id: id(3) };
    const answer = (await action({ request, url, params, context } as never)) as Response;
    expect(answer.status).toBe(303);
    expect(jar.lines().join()).toContain(message);
  });
});

describe("the receipt of a paid comment", () => {
  const session = {
    ...{ session_id: id(5), kind: "event_comment", status: "paid", is_confirmed: true, amount: 1100, currency: "jpy" },
    ...{ creator: natsume, is_guest: false, url: null, voucher: null, words: null, is_fan_letter: false, fee: 110 },
    ...{ donation: null, creator_share: 990, ofuse_id: null, event_id: id(4), comment_id: id(3), reaction: null },
    ...{ claim_key: null, letter: null, payment_id: id(6), replaced_by: null, withdrawn_at: null, seller_number: null },
    ...{ created_at: "2026-11-20T03:00:00.000Z", paid_at: "2026-11-20T03:01:00.000Z" },
  };
  const receiptOf = (hidden_comment: { message: string } | null) =>
    render(Checkout, {
      loaderData: {
        session: { ...session, hidden_comment },
        stamps: {},
        issuer: { seller: "ofuse", address: "", phone: "", issuer_number: null },
        payer_name: null,
      },
    });

  test("shows the words of a hidden comment, and leads to no empty place", () => {
    const html = receiptOf({ message: "応援しています" });
    expect(html).toContain("クリエイターが、このコメントを非表示にしました。");
    expect(html).toContain("応援しています");
    expect(html).not.toContain(`/comments/${id(3)}`);
  });

  test("leads to a comment that is shown", () => {
    const html = receiptOf(null);
    expect(html).toContain(`href="/natsume/events/${id(4)}/comments/${id(3)}"`);
    expect(html).not.toContain("非表示");
  });
});
