import { beforeAll, expect, test } from "vitest";
import { createEvent } from "../../workers/contract/events.ts";
import { createMembership } from "../../workers/contract/memberships.ts";
import { createRadio } from "../../workers/contract/radios.ts";
import { type Browser, browser, freshCreator, freshMember, type Member, type Page } from "../support/network.ts";
import { ask } from "./support/calls.ts";

const main = ({ text }: Page) => text.split('<main id="main">')[1]?.split("</main>")[0] ?? "";
const words = (page: Page) => main(page).replace(/<[^>]*>/g, "");
const editPathIn = (page: Page, title: string) =>
  new RegExp(`href="(/my/memberships/\\w{26}/edit)"[^>]*>${title}<`).exec(page.text)?.[1] ?? "";

let creator: Member;
let own: Browser;
beforeAll(async () => {
  creator = await freshCreator("プランをつくる人");
  own = await browser();
  await own.signIn(creator);
});

test("a creator makes a draft, opens it and closes it, without script", async () => {
  expect(words(await own.get("/my/memberships"))).toContain("まだプランがありません");
  const plan = { title: "窓辺の席", description: "月に一枚、壁紙を届けます。", amount: "500" };
  expect((await own.post("/my/memberships/new", { ...plan, do: "save" })).location).toBe("/my/memberships");
  const list = await own.get("/my/memberships");
  expect(words(list)).toContain("プランを保存しました");
  expect(words(list)).toContain("下書き");
  expect((await own.get(`/${creator.user.link_id}/plans`)).text).not.toContain("窓辺の席");

  const path = editPathIn(list, "窓辺の席");
  expect((await own.get(path)).text).toContain('value="500"');
  // No button of the form, but a property that every object has.
  await own.post(path, { ...plan, do: "constructor" });
  expect(words(await own.get("/my/memberships"))).toContain("プランを保存しました");
  await own.post(path, { ...plan, amount: "700", do: "open" });
  expect(words(await own.get("/my/memberships"))).toContain("プランの募集を始めました");
  expect(words(await own.get(`/${creator.user.link_id}/plans`))).toContain("700円（税込）");
  // The price can no longer be typed.
  expect((await own.get(path)).text).not.toContain('name="amount"');

  await own.post(path, { title: "窓辺の席", description: "", do: "close" });
  expect(words(await own.get("/my/memberships"))).toContain("募集終了");
  expect((await own.get(`/${creator.user.link_id}/plans`)).text).not.toContain("月に一枚");
});

test("a refused plan keeps its words, with each error beside its field", async () => {
  const typed = { title: "", description: "消えない説明", amount: "五百円", do: "open" };
  const page = await own.post("/my/memberships/new", typed);
  expect(page.status).toBe(422);
  expect(words(page)).toContain("プランの名前を入力してください。");
  expect(words(page)).toContain("月額は、数字だけで入力してください。");
  expect(words(page)).toContain("消えない説明");
  expect(main(page)).toContain('value="五百円"');
});

test.each(["0", "-1", "1.5", "1e3", "11001", "9007199254740992", "百円", "1,00", "$500", ""])(
  "the price %j is refused beside its field",
  async (amount) => {
    const page = await own.post("/my/memberships/new", { title: "席", description: "", amount, do: "open" });
    expect(page.status).toBe(422);
    expect(/id="plan-amount-error"[^>]*>(?:<[^>]*>)*(月額[^<]+)/.exec(page.text)?.[1]).toMatch(/入力してください。$/);
    expect((await own.get("/my/memberships")).text).not.toContain(">席<");
  },
);

test("a price sent for a plan that was opened meanwhile is refused, and the words stay", async () => {
  await own.post("/my/memberships/new", { title: "値段の席", description: "", amount: "300", do: "open" });
  const path = editPathIn(await own.get("/my/memberships"), "値段の席");
  const page = await own.post(path, { title: "値段の席", description: "書き足した説明", amount: "400", do: "save" });
  expect(page.status).toBe(409);
  expect(words(page)).toContain("一度でも募集したプランの月額は変えられません。");
  expect(words(page)).toContain("書き足した説明");
});

test("a plan is moved and deleted, without script", async () => {
  await own.post("/my/memberships/new", { title: "はじめの席", description: "", amount: "300", do: "save" });
  const path = editPathIn(await own.get("/my/memberships"), "はじめの席");
  const membership_id = path.split("/")[3] ?? "";
  await own.post("/my/memberships", { membership_id, position: "0" });
  const titles = async () =>
    [...main(await own.get("/my/memberships")).matchAll(/\/edit"[^>]*>([^<]*席)</g)].map(([, title]) => title);
  expect((await titles())[0]).toBe("はじめの席");
  expect((await own.post(path, { do: "delete" })).location).toBe("/my/memberships");
  expect(await titles()).not.toContain("はじめの席");
});

test("another creator's plan is a 404, and a member without monetization gets a link to its registration", async () => {
  const path = editPathIn(await own.get("/my/memberships"), "窓辺の席");
  const other = await browser();
  await other.signIn(await freshMember("よその人"));
  expect((await other.get(path)).status).toBe(404);
  expect((await other.post(path, { title: "盗む", description: "", do: "save" })).status).toBe(404);
  expect((await other.get(path.replace("edit", "members"))).status).toBe(404);
  expect((await other.get("/my/memberships/new")).location).toBe("/my/memberships");
  const list = await other.get("/my/memberships");
  expect(words(list)).toContain("収益化登録が必要です");
  expect(main(list)).toContain('href="/signup/monetize"');
});

test("a plan has a page that shows what it opens, for as long as it was ever open", async () => {
  await own.post("/my/memberships/new", {
    title: "ページの席",
    description: "毎週の日記です。",
    amount: "300",
    do: "open",
  });
  const editing = editPathIn(await own.get("/my/memberships"), "ページの席");
  const membership_id = editing.split("/")[3] ?? "";
  await ask(createEvent, {
    token: creator.token,
    body: {
      kind: "blog",
      title: "席だけの日記",
      document: [{ type: "paragraph", content: [{ type: "text", text: "ひみつの本文" }] }],
      status: "published",
      publish_target_type: "memberships",
      publish_target_membership_id: membership_id,
    },
  });
  const path = `/${creator.user.link_id}/plans/${membership_id}`;
  const visitor = await browser();
  const page = await visitor.get(path);
  expect(words(page)).toContain("毎週の日記です。");
  expect(words(page)).toContain("席だけの日記");
  expect(page.text).not.toContain("ひみつの本文");
  expect(page.text).toMatch(/<meta property="og:title" content="ページの席（プランをつくる人さんのプラン）"/);
  for (const other of ["natsume", "id_of_nobody"]) {
    const { status, location } = await visitor.get(`/${other}/plans/${membership_id}?page=1`);
    expect([status, location]).toEqual([301, `${path}?page=1`]);
  }
  expect((await visitor.get(`/${creator.user.link_id}/plans/nothing`)).status).toBe(404);
  await own.post(editing, { title: "ページの席", description: "毎週の日記です。", do: "close" });
  expect(words(await visitor.get(path))).toContain("このプランの募集は終了しました。");
});

test("a refused picture of a plan or radio has its reason beside the field", async () => {
  const { token } = creator;
  const plan = { title: "絵の席", description: "", amount: 500 };
  const radio = { title: "絵のラジオ", publish_target_type: "public" } as const;
  const [{ membership }, made] = await Promise.all([
    ask(createMembership, { token, body: plan }),
    ask(createRadio, { token, body: radio }),
  ]);
  const pages = {
    plan: `/my/memberships/${membership.membership_id}/picture`,
    radio: `/my/radio/${made.radio.radio_id}/picture`,
  };
  for (const [kind, page] of Object.entries(pages)) {
    for (const file of [new File(["text"], "a.png", { type: "image/png" }), new File([], "")]) {
      const body = new FormData();
      body.append("picture", file);
      const refused = await own.send(page, { method: "POST", body, headers: own.sameOrigin() });
      expect([refused.status, refused.text], kind).toEqual([
        422,
        expect.stringMatching(new RegExp(`id="${kind}-picture-error"[^>]*>[^<]*ファイル`)),
      ]);
    }
  }
});
