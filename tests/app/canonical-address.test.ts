import { RouterContextProvider } from "react-router";
import { describe, expect, test } from "vitest";
import { pageMeta } from "../../app/crawlers/page-meta.ts";
import { v4Context } from "../../app/request/context.ts";
import * as event from "../../app/routes/creator/event.tsx";
import * as plan from "../../app/routes/creator/plan.tsx";
import * as posts from "../../app/routes/creator/posts.tsx";
import * as radio from "../../app/routes/creator/radio.tsx";
import * as radioPage from "../../app/routes/creator/radio-page.tsx";
import * as news from "../../app/routes/news/index.tsx";

const ORIGIN = "https://ofuse.example";

test.each([
  ["/", "/"],
  ["/SEARCH/", "/search"],
  ["/Kit", "/kit"],
  // This page is no list, so it has one address whatever page is asked for.
  ["/NEWS?page=2", "/news"],
  ["/natsume//", "/natsume"],
  ["/natsume/About?page=1", "/natsume/about"],
])("however a page was linked, it has one canonical address: %s is %s", (asked, path) => {
  const matches = [{ loaderData: { origin: ORIGIN, viewer: null } }];
  const meta = pageMeta({ location: new URL(asked, ORIGIN), matches }, { title: "x" });
  expect(meta).toContainEqual({ tagName: "link", rel: "canonical", href: ORIGIN + path });
  expect(meta).toContainEqual({ property: "og:url", content: ORIGIN + path });
});

describe("the canonical address of a list has its page", () => {
  const creator = { name: "なつめ", link_id: "natsume", external_links: [], bio: "" };
  const person = { creator, share_picture: null };
  const user = creator;
  test.each([
    ["/news", news.meta, {}],
    ["/natsume", posts.meta, { categories: [] }],
    ["/natsume/radio", radio.meta, { radios: [{}] }],
    ["/natsume/radios/1", radioPage.meta, { radio: { title: "夜", user, description: "", status: "finished" } }],
    ["/natsume/plans/1", plan.meta, { plan: { title: "月", amount: 500, description: "" } }],
    ["/natsume/events/1", event.meta, { event: { title: "海", user, lead: "", publish_target_type: "public" } }],
  ])("%s", (path, meta, loaderData) => {
    const matches = [{ loaderData: { origin: ORIGIN, viewer: null } }, { loaderData: person }];
    const asked = (page: string) => {
      const args = { location: new URL(`${path}?page=${page}`, ORIGIN), matches, loaderData };
      return (meta as (args: unknown) => unknown[])(args);
    };
    expect(asked("2")).toContainEqual({ tagName: "link", rel: "canonical", href: `${ORIGIN}${path}?page=2` });
    expect(asked("x")).toContainEqual({ tagName: "link", rel: "canonical", href: ORIGIN + path });
  });
});

describe("the page of a plan", () => {
  const membership_id = "01kaf2m8q3v7x1n5r9t4w6y001";
  const people: Record<string, { user_id: string; link_id: string }> = {
    natsume: { user_id: "n", link_id: "natsume" },
    natsume_before: { user_id: "n", link_id: "natsume" },
    kanade: { user_id: "k", link_id: "kanade" },
  };
  const refusal = (code: string) => ({ ok: false, refusal: { code, status: 404 } });
  const open = (link_id: string, refused = refusal("not_found")) => {
    const context = new RouterContextProvider();
    const answers: Record<string, object> = {
      getMembership: { membership: { membership_id, user_id: "n" } },
      listMembershipEvents: { events: [{}], has_next: false },
      getUser: { user: people.natsume },
    };
    context.set(v4Context, {
      read: async ({ id }: { id: string }) => answers[id],
      send: async () => (people[link_id] ? { ok: true, answer: { user: people[link_id] } } : refused),
      failure: ({ code }: { code: string }) => new Error(code),
    } as never);
    const url = new URL(`/${link_id}/plans/${membership_id}?page=2`, ORIGIN);
    return plan.loader({ url, params: { link_id, membership_id }, context } as never);
  };

  test.each(["kanade", "id_of_nobody"])("moves from the address of %s to its creator's", async (link_id) => {
    const thrown = await open(link_id).catch((response: Response) => response);
    expect(thrown).toMatchObject({ status: 301 });
    expect((thrown as Response).headers.get("location")).toBe(`/natsume/plans/${membership_id}?page=2`);
  });

  test("stays at its creator's address, and says when the API is down", async () => {
    expect(await open("natsume")).toMatchObject({ plan: { membership_id } });
    // The creator's layout redirects a former link_id.
    expect(await open("natsume_before")).toMatchObject({ plan: { membership_id } });
    await expect(open("id_of_nobody", refusal("unavailable"))).rejects.toThrow("unavailable");
  });
});

test("an unlisted page keeps the capitals of its token", () => {
  const matches = [{ loaderData: { origin: ORIGIN, viewer: null } }];
  const location = new URL("/unsubscribe/aBc", ORIGIN);
  const meta = pageMeta({ location, matches }, { title: "x", is_unlisted: true });
  expect(meta).toContainEqual({ tagName: "link", rel: "canonical", href: `${ORIGIN}/unsubscribe/aBc` });
});
