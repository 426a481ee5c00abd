import { beforeAll, describe, expect, test } from "vitest";
import { getBank } from "../../workers/contract/payouts.ts";
import {
  type Browser,
  browser,
  database,
  freshMember,
  type Member,
  network,
  openBrowserAs,
  type Page,
} from "../support/network.ts";
import { ask } from "./support/calls.ts";
import { growOld } from "./support/identity.ts";

const PATH = "/my/settings/bank";
const EDIT = `${PATH}/edit`;
const HERE = `${EDIT}?bank_code=0001&branch_code=210`;

const main = ({ text }: Page) => text.split('<main id="main">')[1]?.split("</main>")[0] ?? "";
const words = (page: Page) =>
  main(page)
    .replace(/<!--.*?-->/g, "")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ");
const links = (page: Page) =>
  [...main(page).matchAll(/href="([^"]*)"/g)].map(([, to = ""]) => to.replaceAll("&amp;", "&"));
/** Returns the fields that the page's form for the account sends. */
function fieldsIn(page: Page): Record<string, string> {
  const [form = ""] = /<form\b[^>]*\bid="bank"[\s\S]*?<\/form>/.exec(page.text) ?? [];
  const inputs = [...form.matchAll(/<input\b[^>]*>/g)].map(([input]) => {
    const attribute = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(input)?.[1] ?? "";
    const is_sent = attribute("type") !== "radio" || /\bchecked\b/.test(input);
    return is_sent ? [attribute("name"), attribute("value")] : [];
  });
  return Object.fromEntries(inputs.filter(([name]) => name));
}

beforeAll(async () => void (await network()));

async function freshCreator(name: string): Promise<{ member: Member; own: Browser }> {
  const member = await freshMember(name);
  await setCreator(member, 1);
  return { member, own: await openBrowserAs(member) };
}

async function setCreator({ user: { user_id } }: Member, is_creator: number): Promise<void> {
  await (await database()).prepare("UPDATE users SET is_creator = ? WHERE user_id = ?").bind(is_creator, user_id).run();
}

/** Opens the form, and sends it with these fields, as a browser without scripts does. */
async function register(own: Browser, fields: Record<string, string>): Promise<Page> {
  const shown = fieldsIn(await own.get(HERE));
  return own.post(HERE, { ...shown, account_type: "futsu", ...fields });
}

const typed = { account_number: "1234", account_holder_kana: "なつめ しょうこ" };

describe("without scripts", () => {
  test("a creator chooses the bank, the branch, and registers the account", async () => {
    const { member, own } = await freshCreator("登録する人");
    const empty = await own.get(PATH);
    expect(words(empty)).toContain("口座はまだ登録されていません");
    expect(links(empty)).toContain(EDIT);
    expect(words(await own.get(EDIT))).toContain("よく使われる銀行 ゆうちょ銀行 9900");
    const banks = await own.get(`${EDIT}?q=${encodeURIComponent("みずほ銀行")}`);
    expect(links(banks)).toContain(`${EDIT}?bank_code=0001`);
    const branches = await own.get(`${EDIT}?bank_code=0001&q=${encodeURIComponent("しぶや")}`);
    expect(words(branches)).toContain("みずほ銀行（0001）");
    expect(links(branches)).toContain(HERE);
    const done = await register(own, typed);
    expect([done.status, done.location]).toEqual([303, PATH]);
    const shown = await own.get(PATH);
    expect(shown.text).toContain("振込先の口座を登録しました");
    for (const part of ["みずほ銀行（0001）", "渋谷（210）", "普通", "****234", "ナツメ シヨウコ"]) {
      expect(words(shown)).toContain(part);
    }
    expect(shown.text).not.toMatch(/0001234|なつめ しょうこ/);
    expect(links(shown)).toEqual(expect.arrayContaining([EDIT, HERE]));
    // The form never contains the registered account.
    expect(fieldsIn(await own.get(HERE))).toMatchObject({ account_number: "", account_holder_kana: "" });
    expect((await ask(getBank, member)).bank_account).toMatchObject({ branch_code: "210" });
  });

  test("a refused form keeps what was typed, with a sentence at each field", async () => {
    const { member, own } = await freshCreator("書きまちがえる人");
    const page = await register(own, { account_number: "12a", account_holder_kana: "山田 花子" });
    expect(page.status).toBe(422);
    expect(fieldsIn(page)).toMatchObject({ account_number: "12a", account_holder_kana: "山田 花子" });
    expect(words(page)).toContain("口座番号は7桁までの数字で入力してください。");
    expect(words(page)).toContain("口座名義に「山田花子」は使えません。");
    expect(main(page).match(/aria-invalid="true"/g)).toHaveLength(2);
    expect(await ask(getBank, member)).toEqual({ bank_account: null });
  });

  test("a search without results says how to search, and takes any words", async () => {
    const { own } = await freshCreator("探す人");
    for (const q of ["ないぎんこう", "<b>%_*", "あ".repeat(300)]) {
      const page = await own.get(`${EDIT}?q=${encodeURIComponent(q)}`);
      expect([page.status, words(page).includes("見つかりません")]).toEqual([200, true]);
      expect(main(page)).not.toContain("<b>%");
    }
  });

  test.each([
    ["a bank that does not exist", "bank_code=9998", EDIT],
    ["a bank that is no code", "bank_code=x", EDIT],
    ["a branch that does not exist", "bank_code=0001&branch_code=999", `${EDIT}?bank_code=0001`],
  ])("an address with %s leads back to the choice", async (_, query, to) => {
    const { own } = await freshCreator("手で書く人");
    const { status, location } = await own.get(`${EDIT}?${query}`);
    expect([status, location]).toEqual([302, to]);
  });
});

describe("a sign-in that is too old", () => {
  test("asks to prove the person before the form, and not before the choice", async () => {
    const { member, own } = await freshCreator("久しぶりの人");
    await growOld(member, own);
    expect((await own.get(EDIT)).status).toBe(200);
    const { status, location } = await own.get(HERE);
    expect([status, location]).toEqual([303, `/login/confirm?${new URLSearchParams({ to: HERE })}`]);
  });

  test("keeps what was typed, encrypted in the browser and not in the database", async () => {
    const { member, own } = await freshCreator("ゆっくり書く人");
    const shown = fieldsIn(await own.get(HERE));
    await growOld(member, own);
    const sent = await own.post(HERE, { ...shown, ...typed, account_type: "toza" });
    expect(sent.location).toBe(`/login/confirm?${new URLSearchParams({ to: HERE })}`);
    expect([...own.cookies.values()].join()).not.toMatch(/1234,|なつめ/);
    const { results } = await (await database()).prepare("SELECT intent FROM intents").all();
    expect(JSON.stringify(results)).not.toContain("なつめ しょうこ");
    const kept = [...own.cookies].find(([name]) => name.includes("soziIdBank")) ?? ["", ""];
    const again = await openBrowserAs(member);
    again.cookies.set(...kept);
    const back = await again.get(HERE);
    expect(fieldsIn(back)).toMatchObject({ ...typed, account_type: "toza" });
    const stranger = (await freshCreator("別の人")).own;
    stranger.cookies.set(...kept);
    expect((await stranger.get(HERE)).text).not.toContain("なつめ しょうこ");
    // The account is registered once, and the browser forgets it.
    expect((await again.post(HERE, fieldsIn(back))).location).toBe(PATH);
    expect(again.cookies.get(kept[0]) ?? "").toBe("");
  });
});

test("a member without monetization gets a link to its registration", async () => {
  const member = await freshMember("ファンの人");
  const own = await openBrowserAs(member);
  const page = await own.get(PATH);
  expect(links(page)).toContain("/signup/monetize");
  expect(links(page)).not.toContain(EDIT);
  const { status, location } = await own.get(HERE);
  expect([status, location]).toEqual([302, PATH]);
  await setCreator(member, 1);
  const form = fieldsIn(await own.get(HERE));
  await setCreator(member, 0);
  const sent = await own.post(HERE, { ...form, ...typed });
  expect([sent.status, sent.location]).toEqual([302, PATH]);
  expect(await ask(getBank, member)).toEqual({ bank_account: null });
});

test("a form of another account in the same browser is refused, and not shown", async () => {
  const [one, other] = [await freshCreator("ひとりめ"), await freshCreator("ふたりめ")];
  const shown = fieldsIn(await one.own.get(HERE));
  const page = await other.own.post(HERE, { ...shown, ...typed });
  expect([page.status, words(page).includes("別のアカウントでログインしています")]).toEqual([403, true]);
  expect(page.text).not.toContain("なつめ しょうこ");
  expect(await ask(getBank, other.member)).toEqual({ bank_account: null });
});

test("an account that cannot be read asks to register it again", async () => {
  const { member, own } = await freshCreator("読めない人");
  await register(own, typed);
  const statement = (await database()).prepare("UPDATE bank_accounts SET sealed = 'AAAA' WHERE user_id = ?");
  await statement.bind(member.user.user_id).run();
  const page = await own.get(PATH);
  expect([page.status, words(page).includes("もう一度登録してください")]).toEqual([200, true]);
  expect(links(page)).toContain(EDIT);
});

test("ゆうちょ銀行 explains which numbers it takes", async () => {
  const { own } = await freshCreator("ゆうちょの人");
  expect(words(await own.get(`${EDIT}?bank_code=9900`))).toContain("「振込用の店名」を選びます");
  expect(words(await own.get(`${EDIT}?bank_code=9900&branch_code=018`))).toContain("「振込用の口座番号」");
});

test("a visitor is asked to sign in", async () => {
  const visitor = await browser();
  expect((await visitor.get(HERE)).location).toBe(`/login?${new URLSearchParams({ to: HERE })}`);
  expect((await visitor.post(HERE, typed)).location).toBe(`/login?${new URLSearchParams({ to: HERE })}`);
});
