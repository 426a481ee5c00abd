import { beforeAll, describe, expect, test } from "vitest";
import { getProfile, updateExternalLinks } from "../../workers/contract/users.ts";
import { type Browser, browser, freshMember, type Member, network } from "../support/network.ts";
import { ask, send } from "./support/calls.ts";

const main = (text: string) => text.split('<main id="main">')[1]?.split("</main>")[0] ?? "";

let member: Member;
let own: Browser;
let url: string;
beforeAll(async () => {
  [member, own, { url }] = await Promise.all([freshMember('"なつめ"'), browser(), network()]);
  await own.signIn(member);
});
const open = async (path: string) => {
  const { status, text } = await own.get(path);
  expect([path, status]).toEqual([path, 200]);
  return main(text);
};

describe("the share tools", () => {
  test("give the page's address, its code, places to post, and the picture of its preview", async () => {
    const { link_id } = member.user;
    const text = await open("/my/share");
    expect(text).toMatch(new RegExp(`<input [^>]*readOnly=""[^>]*value="${url}/${link_id}"`, "i"));
    expect(text).toMatch(
      new RegExp(`<img class="qr-code" src="/share-images/${link_id}/qr.svg" alt="[^"]+を開くQRコード"`),
    );
    for (const type of ["svg", "png"]) {
      expect(text).toContain(`href="/share-images/${link_id}/qr.${type}" download="ofuse-${link_id}-qr.${type}"`);
    }
    const page = encodeURIComponent(`${url}/${link_id}`);
    for (const place of ["https://x.com/intent/post?text=", "https://bsky.app/intent/compose?text="]) {
      expect(text).toMatch(new RegExp(`href="${place.replace("?", "\\?")}[^"]*${page}"`));
    }
    expect(text).toContain(`href="https://social-plugins.line.me/lineit/share?url=${page}"`);
    const [, picture = ""] = new RegExp(`<img src="(/share-images/${link_id}/[0-9a-f]{16}\\.png)"`).exec(text) ?? [];
    expect((await own.get(picture)).status).toBe(200);
  });

  test("show the pictures of public posts, and cards for locked ones", async () => {
    const creator = await browser();
    await creator.signIn("natsume");
    const { text } = await creator.get("/my/share");
    const pictures = [...main(text).matchAll(/<img src="([^"]+)"/g)].map(([, src = ""]) => src);
    expect(pictures).toHaveLength(4);
    for (const src of pictures) expect(src).toMatch(/^\/(?:share-images\/natsume\/|media\/\w+\/medium$)/);
  });

  test("lead to a server of Misskey or Mastodon by a link, and to no other address", async () => {
    const asked = async (server: string) => open(`/my/share?${new URLSearchParams({ server })}`);
    const good = await asked("https://mstdn.example/");
    expect(good).toMatch(
      /href="https:\/\/mstdn\.example\/share\?text=[^"]+" target="_blank" rel="noopener noreferrer"/,
    );
    expect(good).toContain('value="https://mstdn.example/"');
    const bad = await asked('127.0.0.1/"><script>');
    expect(bad).toContain("サーバーの名前を「mstdn.jp」のように入力してください。");
    expect(bad).toContain('value="127.0.0.1/&quot;&gt;&lt;script&gt;"');
    expect(bad).not.toMatch(/href="https:\/\/127/);
  });

  test("give code for other sites whose addresses exist", async () => {
    const { link_id } = member.user;
    const text = (await open("/my/share/site"))
      .replaceAll("&amp;", "&")
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">");
    const addresses = new Set([...text.matchAll(/https?:\/\/[^\s"&()[\]<>]+/g)].map(([address]) => address));
    expect(addresses.size).toBe(9);
    for (const address of addresses) {
      expect(address.startsWith(`${url}/`)).toBe(true);
      const { status, headers } = await fetch(address);
      expect([address, status]).toEqual([address, 200]);
      if (address.endsWith(".svg")) {
        expect(Object.fromEntries(headers)).toMatchObject({
          "cache-control": "public, max-age=604800",
          "content-type": "image/svg+xml",
          "cross-origin-resource-policy": "cross-origin",
        });
      }
    }
    expect(addresses).toContain(`${url}/${link_id}/embed`);
  });

  test("print ten cards, of which a screen reader reads one", async () => {
    const text = await open("/my/share/card");
    expect(text.match(/class="shop-card"/g)).toHaveLength(10);
    expect(text.match(/class="shop-card" aria-hidden="true"/g)).toHaveLength(9);
    expect(text).toContain(`${url.replace("http://", "")}/${member.user.link_id}`);
  });
});

describe("the order of links", () => {
  const PATH = "/my/share/links";
  const linkOf = (name: string) => ({ external_site_id: "website", url: `https://${name}.example/` });
  const order = async () =>
    (await ask(getProfile, { token: member.token })).user.external_links.map(({ url }) => new URL(url).hostname[0]);

  test("is empty at first, and changes by buttons alone", async () => {
    expect(await open(PATH)).toContain('href="/my/settings#links"');
    const body = { external_links: ["a", "b", "c"].map(linkOf) };
    await ask(updateExternalLinks, { token: member.token, body });
    const buttons = [...(await open(PATH)).matchAll(/<button [^>]*value="(\d)"[^>]* name="to"/g)].map(([, to]) => to);
    expect(buttons).toEqual(["1", "0", "2", "1"]);
    const move = async (name: string, to: number) => {
      const { status, location } = await own.post(PATH, { ...linkOf(name), to: String(to) });
      expect([status, location]).toEqual([303, PATH]);
      return order();
    };
    expect(await move("c", 1)).toEqual(["a", "c", "b"]);
    expect(await move("c", 1), "a second press").toEqual(["a", "c", "b"]);
    expect(await move("a", 99)).toEqual(["c", "b", "a"]);
    expect(await move("gone", 0), "a link that was removed").toEqual(["c", "b", "a"]);
  });

  test("never loses a link that another tab adds at the same moment", async () => {
    const begin = ["a", "b", "c"].map(linkOf);
    for (const name of ["d", "e", "f", "g"]) {
      await ask(updateExternalLinks, { token: member.token, body: { external_links: begin } });
      const body = { external_links: [...begin, linkOf(name)], seen_external_links: begin };
      const [moved, added] = await Promise.all([
        own.post(PATH, { ...linkOf("c"), to: "0" }),
        send(updateExternalLinks, { token: member.token, body }),
      ]);
      expect([303, 409]).toContain(moved.status);
      if (moved.status === 409) expect(moved.text).toContain("別の画面で変更されています");
      if (added.status === 200) expect(await order()).toContain(name);
      else expect(await order()).toEqual(["c", "a", "b"]);
    }
  });

  test("is refused from a form that no page of ours has", async () => {
    const before = await order();
    for (const fields of [{}, linkOf("a"), { ...linkOf("a"), to: "-1" }, { ...linkOf("a"), to: "x" }]) {
      expect((await own.post(PATH, fields as Record<string, string>)).status).toBe(400);
    }
    expect(await order()).toEqual(before);
  });
});
