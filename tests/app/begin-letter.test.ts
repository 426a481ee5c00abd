import { load } from "cheerio";
import { createElement, type FunctionComponent } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { createMemoryRouter, Outlet, RouterProvider } from "react-router";
import { afterEach, describe, expect, test, vi } from "vitest";
import { unsentWords } from "../../app/browser/stored-keys.ts";
import { addressOf } from "../../app/forms/kept-words.ts";
import { v4Context } from "../../app/request/context.ts";
import { action, clientAction } from "../../app/routes/creator/begin-letter.tsx";
import { letterChoices } from "../../app/routes/creator/letter-lists.server.ts";
import OfusePage from "../../app/routes/creator/ofuse.tsx";
import { viewerContext } from "../../app/session/context.ts";
import type { V4 } from "../../app/v4/client.ts";
import type { Operation } from "../../workers/contract/operation.ts";
import { contextOfBrowser } from "./support/browser-context.ts";

/** How the words of a letter come into the form for a paid letter, without a server. */

const BEGIN = "/natsume/ofuse/begin";
const LONG = "あ".repeat(280);

/** Renders a component below a creator's layout, while a form is sent to `sends_to`. */
function render(
  Component: FunctionComponent<never>,
  { props, context, root }: Record<string, object>,
  sends_to: string | null,
) {
  const Layout = () => createElement(Outlet, { context });
  const Page = () => createElement(Component as FunctionComponent, props);
  const children = [{ path: "", Component: Page }];
  const router = createMemoryRouter([{ id: "root", path: "/", loader: () => root, Component: Layout, children }], {
    hydrationData: { loaderData: { root } },
  });
  if (sends_to) {
    const sending = { state: "submitting", formAction: sends_to };
    vi.spyOn(router.state.fetchers, "get").mockReturnValue(sending as never);
  }
  return load(renderToStaticMarkup(createElement(RouterProvider, { router })));
}

/** Renders the letter page for a member, or for a visitor. */
function letterPage(
  viewer_id: string | null,
  of: { accepts_free_ofuses?: boolean; takes_money?: boolean; sends_to?: string } = {},
) {
  const { accepts_free_ofuses = true, takes_money = true, sends_to = null } = of;
  const creator = { link_id: "natsume", name: "なつめ", is_creator: true, is_blocked: false, accepts_free_ofuses };
  const context = {
    ...{ creator, viewer_id, is_own: false, on_air_radio: null, letters_left: "1日に3通まで。" },
    idempotency_key: viewer_id && "key",
  };
  const loaderData = { ofuses: [], choices: letterChoices, stamps: {}, sent: null, kept: null, keptResult: null };
  return render(
    OfusePage as never,
    { props: { loaderData }, context, root: { takes_money, paused_features: [] } },
    sends_to,
  );
}

describe("the form of the letter page", () => {
  test.each([
    ["a member", "hana", "送信する"],
    ["a visitor", null, "ログインして送信する"],
  ])("has one solid button for %s, and a button that carries the words to the paid form", (_, viewer_id, words) => {
    const page = letterPage(viewer_id);
    const buttons = page("#letter button").toArray();
    expect(buttons.map((button) => page(button).text())).toEqual([words, "有料のofuseを送る（100円から）"]);
    expect(buttons.map((button) => page(button).attr("formaction"))).toEqual([undefined, BEGIN]);
    expect(page(".button-secondary, .button[class='button button-block']")).toHaveLength(1);
    expect(page(buttons[1]).hasClass("button-primary-outline")).toBe(true);
    expect(page(".letter-card a[href$='/paid']")).toHaveLength(0);
  });

  test.each([
    ["/natsume/ofuse", "送信しています…"],
    [BEGIN, "送信する"],
  ])("takes no press of either button while it is sent to %s", (sends_to, words) => {
    const page = letterPage("hana", { sends_to });
    const buttons = page("#letter button").toArray();
    expect(buttons.map((button) => page(button).attr("aria-disabled"))).toEqual(["true", "true"]);
    expect(page(buttons[0]).text()).toBe(words);
  });

  test("is replaced by a link to the paid form where free letters are closed", () => {
    const page = letterPage(null, { accepts_free_ofuses: false });
    expect(page("#letter")).toHaveLength(0);
    expect(page(".letter-card a[href='/natsume/ofuse/paid']")).toHaveLength(1);
  });

  test("offers nothing paid on a site without money", () => {
    const page = letterPage(null, { takes_money: false });
    expect(page("#letter button").toArray()).toHaveLength(1);
    expect(page.html()).not.toContain("有料のofuseを送る（100円から）");
  });
});

/** Presses the button of a form, and returns where the browser continues and what the API got. */
async function press(fields: Record<string, string>, member?: string) {
  const { context, jar } = contextOfBrowser("");
  const told: { id: string; body: unknown }[] = [];
  const send = async ({ id }: Operation, { body }: { body?: unknown }) => {
    told.push({ id, body });
    return { ok: true, answer: { intent_id: "i", secret: "s" } };
  };
  context.set(v4Context, { send } as unknown as V4);
  if (member) context.set(viewerContext, { session: {}, profile: { user_id: member } } as never);
  const url = new URL(BEGIN, "https://ofuse.example");
  const request = new Request(url, { method: "POST", body: new URLSearchParams(fields) });
  const answer = (await action({ request, url, params: { link_id: "natsume" }, context } as never)) as Response;
  return { to: answer.headers.get("location"), told, cookies: jar.lines().join("\n") };
}

const letter = { message: LONG, stamp_id: "clap", letter_appearance_id: "sakura", is_public: "on" };
const noise = { idempotency_key: "k", price: "11000", evil: "x" };

describe("a letter that becomes a paid one", () => {
  test("opens the paid form with its words and choices, and is sent to nobody", async () => {
    const { to, told } = await press({ ...letter, ...noise, paid: "on", author: "hana" }, "hana");
    expect(to).toBe("/natsume/ofuse/paid");
    const fields = { ...letter, paid: "on", author: "hana" };
    expect(told).toEqual([{ id: "createIntent", body: { kind: "form", path: "/natsume/ofuse/paid", fields } }]);
  });

  test("needs no account", async () => {
    const { to, told, cookies } = await press({ ...letter, paid: "on" });
    expect([to, told.length]).toEqual(["/natsume/ofuse/paid", 1]);
    expect(told[0]?.body).not.toHaveProperty("fields.author");
    expect(cookies).toContain("soziIdFormIntent");
    expect(cookies).not.toContain("flash");
  });

  test("opens the empty form when nothing was typed", async () => {
    expect(await press({ message: " \n", paid: "on" })).toEqual({ to: "/natsume/ofuse/paid", told: [], cookies: "" });
  });

  test("waits for the sign-in when the session of its author has ended", async () => {
    const { to, told } = await press({ ...letter, paid: "on", author: "hana" });
    expect(to).toBe("/login?to=%2Fnatsume%2Fofuse%2Fpaid");
    expect(told[0]?.body).toMatchObject({ path: "/natsume/ofuse/paid", fields: { author: "hana", message: LONG } });
  });
});

describe("the words that a member's tab keeps", () => {
  const FREE = "/natsume/ofuse";
  const PAID = "/natsume/ofuse/paid";
  const OTHER = "/hana/ofuse";
  const addressOfForm = (path: string) => addressOf(path, new FormData());
  afterEach(() => vi.unstubAllGlobals());

  /** Presses the button for a paid letter where the tab keeps older words. Returns for which forms it still has them. */
  async function pressInTab(message: string, to: string) {
    const kept = new Map<string, string>();
    vi.stubGlobal("sessionStorage", {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, value: string) => kept.set(name, value),
      removeItem: (name: string) => kept.delete(name),
    });
    vi.stubGlobal("dispatchEvent", () => true);
    const forms = [FREE, PAID, OTHER].map((path) => [addressOfForm(path), { message: "まえの手紙" }]);
    unsentWords.write({ author: "hana", forms: Object.fromEntries(forms) });
    const body = new URLSearchParams({ message, paid: "on", author: "hana" });
    const request = new Request(new URL(BEGIN, "https://ofuse.example"), { method: "POST", body });
    const serverAction = async () => {
      throw new Response(null, { status: 302, headers: { location: to } });
    };
    const answer = clientAction({ request, params: { link_id: "natsume" }, serverAction } as never);
    await expect(answer).rejects.toBeInstanceOf(Response);
    // The tab forgets words after it has loaded their script.
    await vi.dynamicImportSettled();
    return Object.keys(unsentWords.read()?.forms ?? {});
  }

  test("are forgotten for both forms when the paid form has the words", async () => {
    expect(await pressInTab(LONG, PAID)).toEqual([addressOfForm(OTHER)]);
  });

  test.each([
    ["the sign-in comes first", LONG, "/login?to=%2Fnatsume%2Fofuse%2Fpaid"],
    ["nothing was typed", " \n", PAID],
  ])("are kept when %s", async (_, message, to) => {
    expect(await pressInTab(message, to)).toEqual([FREE, PAID, OTHER].map(addressOfForm));
  });
});

test("of a letter from another site only the message is taken", async () => {
  const { to, told, cookies } = await press({ ...letter, ...noise });
  expect(to).toBe("/natsume/ofuse");
  expect(told[0]?.body).toEqual({ kind: "form", path: "/natsume/ofuse", fields: { message: LONG } });
  expect(cookies).toContain("flash=letter_brought");
});
