import { beforeAll, describe, expect, test } from "vitest";
import type * as z from "zod";
import * as forms from "../../app/routes/operation-forms.server.ts";
import { listOwnNewsletters } from "../../workers/contract/newsletters.ts";
import { takeDown } from "../../workers/contract/operator.ts";
import { createRadio, startRadio } from "../../workers/contract/radios.ts";
import { follow, listRelationships } from "../../workers/contract/relationships.ts";
import { getProfile } from "../../workers/contract/users.ts";
import { Browser, browser, freshAccount, freshMember, network, openBrowserAs, signIn } from "../support/network.ts";
import { ask, userId } from "./support/calls.ts";
import { fieldsOf } from "./support/forms.ts";
import { insertPost } from "./support/posts.ts";
import { operatorToken } from "./support/tokens.ts";

/** Each of a member's own pages, by its heading. */
const pages: [path: string, heading: string][] = [
  ["/my/posts", "投稿"],
  ["/my/posts/new", "投稿を作る"],
  ["/my/radio", "ラジオ"],
  ["/my/radio/new", "ラジオを作る"],
  ["/my/radio/restrictees", "チャットで制限した相手"],
  ["/my/news_letters", "ニュースレター"],
  ["/my/news_letters/new", "ニュースレターを作る"],
  ["/my/news_letters/received", "届いたニュースレター"],
  ["/my/memberships", "メンバーシップ"],
  ["/my/subscriptions", "加入中のプラン"],
  ["/my/transactions", "売上"],
  ["/my/transactions/payout", "振込の申請"],
  ["/my/transactions/payouts", "振込の一覧"],
  ["/my/stats", "統計"],
  ["/my/share", "シェア"],
  ["/my/share/site", "サイトに置く"],
  ["/my/share/links", "リンクの順番"],
  ["/my/share/card", "ショップカード"],
  ["/my/streaming", "その他のツール"],
  ["/my/settings", "プロフィール"],
  ["/my/settings/email", "メールアドレス"],
  ["/my/settings/password", "パスワード"],
  ["/my/settings/providers", "ログイン方法"],
  ["/my/settings/factors", "二段階認証"],
  ["/my/settings/factors/totp", "認証アプリの設定"],
  ["/my/settings/factors/phone", "SMSの設定"],
  ["/my/settings/factors/recovery-codes", "リカバリーコード"],
  ["/my/settings/sessions", "ログイン中の端末"],
  ["/my/settings/link_id", "ユーザーIDの変更"],
  ["/my/settings/notifications", "お知らせの受け取り方"],
  ["/my/settings/display", "画面の表示"],
  ["/my/settings/podcasts", "ポッドキャスト"],
  ["/my/settings/payments", "お支払い方法"],
  ["/my/settings/bank", "振込先の口座"],
  ["/my/settings/archive", "データの保存"],
  ["/my/settings/import", "データの取り込み"],
  ["/my/settings/leave", "退会"],
  ["/my/followings", "フォロー中"],
  ["/my/members", "フォロワー"],
  ["/signup/monetize", "収益化登録"],
];

let fan: Browser;
let creator: Browser;
beforeAll(async () => {
  [fan, creator] = (await Promise.all([browser(), browser()])) as [Browser, Browser];
  await Promise.all([fan.signIn("fan_taro"), creator.signIn("natsume")]);
});

const main = (text: string) => text.split('<main id="main">')[1]?.split("</main>")[0] ?? "";
const wordsOf = (text: string) => main(text).replace(/<[^>]*>/g, "");

describe.each(pages)("%s", (path, heading) => {
  test("sends a visitor to sign in, and back", async () => {
    const { status, location } = await (await browser()).get(`${path}?page=1`);
    const to = path === "/signup/monetize" ? path : `${path}?page=1`;
    expect([status, location]).toEqual([302, `/login?${new URLSearchParams({ to })}`]);
  });

  test("opens for a fan and for a creator, is not indexed, and has no button without effect", async () => {
    for (const member of [fan, creator]) {
      const { status, text } = await member.get(path);
      expect(status).toBe(200);
      expect(/<h1[^>]*>(.*?)<\/h1>/s.exec(text)?.[1]?.replace(/<[^>]*>/g, "")).toBe(heading);
      expect(text).toContain(`<title>${heading}｜ofuse</title>`);
      expect(text).toContain('<meta name="robots" content="noindex"/>');
      expect(main(text)).not.toMatch(/href="#?"|aria-disabled="true"/);
    }
  });
});

test.each(["/my/news_letters", "/my/news_letters/new", "/my/transactions", "/my/stats"])(
  "%s asks a member who is not a creator to register for monetization",
  async (path) => {
    const asked = main((await fan.get(path)).text);
    expect(asked).toContain('href="/signup/monetize"');
    expect(asked).toContain("収益化登録が必要です");
    expect(asked).not.toContain('href="/my/news_letters/new"');
    expect(main((await creator.get(path)).text)).not.toContain("収益化登録");
  },
);

test.each(["days", "nothing", "constructor"])(
  "the earnings open with the refusal %s of a report in the address",
  async (word) => {
    const { status, text } = await creator.get(`/my/transactions?report=${word}`);
    expect([status, wordsOf(text).includes("期間は、始まりの日から")]).toEqual([200, word === "days"]);
  },
);

test("a list without posts tells its owner what will be here, and suggests following to others", async () => {
  const member = await freshMember("まだ書かない人");
  const own = await browser();
  await own.signIn(member);
  const of = async (reader: Browser) => main((await reader.get(`/${member.user.link_id}`)).text);
  expect(await of(own)).toContain("最初の投稿がここに並びます。");
  expect(await of(await browser())).toContain("フォローしておくと");
});

test("only a creator can begin a newsletter; the list shows how many are left this month", async () => {
  const { remaining_count } = await ask(listOwnNewsletters, { token: await signIn("natsume") });
  const rows = async (query: string) => {
    const { text } = await creator.get(`/my/news_letters${query}`);
    expect(wordsOf(text)).toContain(`今月残り ${remaining_count}回`);
    expect(main(text)).toContain('href="/my/news_letters/new"');
    return [...main(text).matchAll(/class="badge[^"]*">([^<]+)/g)].map(([, state]) => state);
  };
  const all = await rows("");
  expect(new Set(all)).toEqual(new Set(["下書き", "配信予約", "配信済み"]));
  for (const [filter, word] of [
    ["published", "配信済み"],
    ["scheduled", "配信予約"],
    ["draft", "下書き"],
  ]) {
    expect(await rows(`?filter=${filter}`)).toEqual(all.filter((state) => state === word));
  }
});

describe("a new post", () => {
  test.each([
    ["blog", "ブログ・文章の投稿"],
    ["image", "画像の投稿"],
    ["video", "動画の投稿"],
  ])("with content_type %s names its kind", async (content_type, heading) => {
    expect(wordsOf((await creator.get(`/my/posts/new?content_type=${content_type}`)).text)).toContain(heading);
  });

  test.each(["", "text", "BLOG"])("with content_type '%s' asks for its kind", async (content_type) => {
    const text = main((await creator.get(`/my/posts/new?content_type=${content_type}`)).text);
    const offered = [...text.matchAll(/content_type=(\w+)"[^>]*>(?:<b>)?([^<]+)/g)].map(([, id, title]) => [id, title]);
    expect(offered).toEqual([
      ["blog", "ブログ・文章"],
      ["image", "画像"],
      ["video", "動画"],
    ]);
  });
});

test("a writer's posts are listed by state, page by page", async () => {
  const rows = async (query: string) =>
    main((await creator.get(`/my/posts${query}`)).text).match(/<li class="card post-row">.*?<\/li>/gs) ?? [];
  const all = await rows("");
  expect(all).toHaveLength(20);
  expect((await rows("?page=2")).length).toBeGreaterThan(0);
  for (const [status, word] of [
    ["is_private", "非公開"],
    ["is_published", "公開中"],
  ]) {
    const some = await rows(`?status=${status}`);
    expect(some.length).toBeGreaterThan(0);
    for (const row of some) expect(row).toMatch(new RegExp(`class="badge[^"]*">${word}<`));
  }
  expect((await creator.get("/my/posts?page=99")).status).toBe(404);
  expect(main((await fan.get("/my/posts")).text)).toContain("まだ投稿がありません");
});

describe("followings", () => {
  test("continue on the next page after the last person of this one, even when somebody is followed meanwhile", async () => {
    const member = await freshMember("たくさんフォローする人");
    const own = new Browser((await network()).url);
    await own.signIn(member);
    const followed = await Promise.all(Array.from({ length: 22 }, (_, n) => freshMember(`相手${n}`)));
    for (const { user } of followed.slice(0, 21))
      await ask(follow, { token: member.token, body: { following_id: user.user_id } });
    const first = main((await own.get("/my/followings")).text);
    const [, next = ""] =
      /<a[^>]*rel="next"[^>]*href="([^"]+)"|href="([^"]+)"[^>]*rel="next"/.exec(first)?.filter(Boolean) ?? [];
    await ask(follow, { token: member.token, body: { following_id: followed[21]?.user.user_id ?? "" } });
    const linksOf = (page: string) => followed.filter(({ user }) => page.includes(`@${user.link_id}<`)).length;
    const second = main((await own.get(next.replaceAll("&amp;", "&"))).text);
    expect([linksOf(first), linksOf(second)]).toEqual([20, 1]);
    expect(linksOf(main((await own.get("/my/followings?page=2")).text))).toBe(2);
  });

  test("are listed, can be unfollowed, and can have their notifications switched off", async () => {
    const member = await freshMember("フォローする人");
    const own = new Browser((await network()).url);
    await own.signIn(member);
    const following_id = await userId("hibiki");
    expect(main((await own.get("/my/followings")).text)).toContain("まだだれもフォローしていません");
    await ask(follow, { token: member.token, body: { following_id } });
    expect(main((await own.get("/my/followings")).text)).toContain("@hibiki");
    const relation = async () => (await ask(listRelationships, { token: member.token })).relationships[0];
    for (const [operation, receives_notifications] of [
      ["news_off", false],
      ["news_on", true],
    ] as const) {
      const { status, location } = await own.post("/my/followings", { following_id, operation });
      expect([status, location]).toEqual([303, "/my/followings"]);
      expect(await relation()).toMatchObject({ receives_notifications });
    }
    const left = await own.post("/my/followings", { following_id, operation: "unfollow" });
    expect([left.status, left.location]).toEqual([303, `/my/followings?left=${following_id}`]);
    expect(await relation()).toBeUndefined();
    const after = main((await own.get(left.location ?? "")).text);
    expect(after).toContain("フォローを解除しました");
    expect(after).toMatch(/action="\/hibiki\/follow".*?フォローする/s);
    const again = { operation: "follow", to: left.location ?? "" };
    expect((await own.post("/hibiki/follow", again)).location).toBe(left.location);
    expect(await relation()).toBeDefined();
    expect(main((await own.get(left.location ?? "")).text)).not.toContain("フォローを解除した人");
    await own.post("/my/followings", { following_id, operation: "unfollow" });
    const gone = await own.post("/my/followings", { following_id, operation: "news_on" });
    expect(gone.status).toBe(404);
    expect(main(gone.text)).toContain('role="alert"');
    for (const fields of [
      {},
      { following_id: "hibiki", operation: "unfollow" },
      { following_id, operation: "follow" },
    ]) {
      expect((await own.post("/my/followings", fields as Record<string, string>)).status).toBe(400);
    }
  });

  test("redirect to the page before when the last one on a page is unfollowed", async () => {
    const { status, location } = await fan.get("/my/followings?page=2&left");
    expect([status, location]).toEqual([302, "/my/followings"]);
    expect((await fan.get("/my/followings?page=2")).status).toBe(404);
  });
});

test("followers are listed, and can be filtered to members of plans", async () => {
  const names = async (query: string) =>
    [...main((await creator.get(`/my/members${query}`)).text).matchAll(/person-name"><bdi>([^<]+)/g)].map(
      ([, name]) => name,
    );
  const all = await names("");
  const joined = await names("?filter=subscribing");
  expect(joined.length).toBeGreaterThan(0);
  expect(joined.length).toBeLessThan(all.length);
  expect(all).toEqual(expect.arrayContaining(joined));
});

test("followings and followers are searched and saved as CSV, and followers are removed, by forms alone", async () => {
  const [artist, fan] = await Promise.all([freshMember("外す作家"), freshMember("+外されるファン")]);
  const [own, other] = await Promise.all([browser(), browser()]);
  await Promise.all([own.signIn(artist), other.signIn(fan)]);
  await ask(follow, { token: fan.token, body: { following_id: artist.user.user_id } });
  expect(wordsOf((await own.get("/my/members?keyword=%E3%81%B5%E3%81%81%E3%82%93")).text)).toContain("+外されるファン");
  // Never a part of the link_id that a fresh member gets.
  const nobody = (await own.get("/my/members?keyword=%E3%81%AB%E3%82%83%E3%82%93")).text;
  expect(wordsOf(nobody)).toContain("「にゃん」は見つかりません");
  const lines = async (who: Browser, path: string) => (await who.get(path)).text.split("\r\n").slice(1, -1);
  expect(await lines(own, "/my/members/list.csv")).toEqual([
    expect.stringMatching(new RegExp(`^'\\+外されるファン,${fan.user.link_id},\\d{4}/`)),
  ]);
  expect(await lines(other, "/my/followings/list.csv")).toEqual([expect.stringMatching(/^外す作家,.*,受け取る$/)]);
  expect(await lines(other, "/my/followings/list.csv?filter=subscribing")).toEqual([]);
  expect((await own.get("/my/members")).text).toContain(`name="follower_id" value="${fan.user.user_id}"`);
  const { status, location } = await own.post("/my/members", { follower_id: fan.user.user_id });
  expect([status, location]).toEqual([303, "/my/members"]);
  expect(main((await own.get("/my/members")).text)).toContain("まだフォロワーはいません");
  expect(main((await other.get("/my/followings")).text)).toContain("まだだれもフォローしていません");
  expect((await own.post("/my/members", { follower_id: "natsume" })).status).toBe(400);
});

describe("settings", () => {
  test("change the name, the bio, and whether free letters are accepted", async () => {
    const member = await freshMember("もとの名前");
    const own = new Browser((await network()).url);
    await own.signIn(member);
    const profile = async () => (await ask(getProfile, { token: member.token })).user;
    const { status, location } = await own.post("/my/settings", { name: "あたらしい名前", bio: "一行目\n二行目" });
    expect([status, location]).toEqual([303, "/my/settings"]);
    expect(await profile()).toMatchObject({ name: "あたらしい名前", bio: "一行目\n二行目", accepts_free_ofuses: true });
    expect(wordsOf((await own.get("/my/settings")).text)).toContain("二行目");
    await own.post("/my/settings", { name: "あたらしい名前", bio: "", has_free_ofuses: "yes" });
    expect(await profile()).toMatchObject({ bio: "", accepts_free_ofuses: false });
    await own.post("/my/settings", {
      name: "あたらしい名前",
      bio: "",
      has_free_ofuses: "yes",
      accepts_free_ofuses: "on",
    });
    expect(await profile()).toMatchObject({ accepts_free_ofuses: true });
  });

  test("typed after the session ended are kept over the sign-in", async () => {
    const member = await freshMember("書いていた人");
    const own = new Browser((await network()).url);
    await own.signIn(member);
    const written = { author: member.user.user_id, name: "書いていた人", bio: "消えては困る自己紹介" };
    const { text } = await own.get("/my/settings");
    expect(fieldsOf(text, "/my/settings") ?? {}).toMatchObject({ author: member.user.user_id });
    own.cookies.clear();
    const { location } = await own.post("/my/settings", written);
    expect(location).toBe("/login?to=%2Fmy%2Fsettings");
    await own.signIn(member, "/my/settings");
    expect(main((await own.get("/my/settings")).text)).toContain("消えては困る自己紹介");
  });

  test("without a name are refused and returned", async () => {
    const { status, text } = await fan.post("/my/settings", { name: " ", bio: "紹介だけ" });
    expect(status).toBe(422);
    expect(main(text)).toContain("表示名を入力してください。");
    expect(main(text)).toContain("紹介だけ");
  });

  test("that are invalid are returned as typed", async () => {
    const { status, text } = await fan.post("/my/settings", { name: "あ".repeat(51), bio: "書きかけの紹介" });
    expect(status).toBe(422);
    expect(main(text)).toContain("あ".repeat(51));
    expect(main(text)).toContain("書きかけの紹介");
    expect(main(text)).toContain("表示名は50文字以内で入力してください");
  });
});

describe("the page of a form has a control for every field of", () => {
  const firstLink = async (member: Browser, page: string, pattern: RegExp) =>
    pattern.exec((await member.get(page)).text)?.[1] ?? "";
  const eventPath = () => firstLink(fan, "/natsume", /href="(\/natsume\/events\/\w{26})"/);
  const newcomer = async () => {
    const member = new Browser((await network()).url);
    await member.signIn(await freshAccount());
    return member;
  };
  /** Adds a letter that natsume has not replied to. */
  const newLetter = async () => {
    await fan.post("/natsume/ofuse", { message: "控えめな手紙", idempotency_key: crypto.randomUUID() });
    return firstLink(creator, "/my/box", /href="(\/my\/box\/\w{26})"/);
  };

  /** Adds a radio of natsume's. */
  const newRadio = async () => {
    const body = { title: "窓辺の声", publish_target_type: "public" as const };
    const { radio } = await ask(createRadio, { token: await signIn("natsume"), body });
    return `/natsume/radios/${radio.radio_id}`;
  };

  const radioId = async () => (await newRadio()).split("/").at(-1) ?? "";
  let on_air: Promise<string> | undefined;
  /** A creator has one radio on air. Returns its id. */
  const radioOnAir = () => {
    on_air ??= (async () => {
      const radio_id = await radioId();
      await ask(startRadio, { token: await signIn("natsume"), params: { radio_id } });
      return radio_id;
    })();
    return on_air;
  };

  /** Takes down a post of a new member. */
  const ownRemoval = async (): Promise<[Browser, string]> => {
    const author = await freshMember("作家");
    const token = await operatorToken();
    const body = { subject_type: "event" as const, subject_id: await insertPost(author) };
    const { removal } = await ask(takeDown, { token, body });
    return [await openBrowserAs(author), `/my/removals/${removal.removal_id}`];
  };

  const pages: [name: string, form: z.ZodObject, open: () => Promise<[Browser, string]>, beside?: string[]][] = [
    ["letterForm", forms.letterForm, async () => [fan, "/natsume/ofuse"]],
    ["paidLetterForm", forms.paidLetterForm, async () => [new Browser((await network()).url), "/natsume/ofuse/paid"]],
    ["paidCommentForm", forms.paidCommentForm, async () => [fan, `${await eventPath()}/paid-comments`]],
    ["letterReplyForm", forms.letterReplyForm, async () => [creator, await newLetter()]],
    // Optional fields: only a form on a later page of comments sends `page`, and only a reply sends `parent_comment_id`.
    ["commentForm", forms.commentForm, async () => [fan, await eventPath()], ["page", "parent_comment_id"]],
    ["receivedCommentForm", forms.receivedCommentForm, async () => [creator, "/my/comments"]],
    ["radioForm", forms.radioForm, async () => [creator, "/my/radio/new"]],
    ["editedRadioForm", forms.editedRadioForm, async () => [creator, `/my/radio/${await radioId()}/edit`]],
    ["chatMessageForm", forms.chatMessageForm, async () => [fan, `/natsume/radios/${await radioOnAir()}`]],
    ["captionForm", forms.captionForm, async () => [creator, `/my/radio/${await radioOnAir()}/captions`]],
    ["chatRoomForm", forms.chatRoomForm, async () => [creator, `/my/radio/${await radioId()}/chat`]],
    ["radioCommentForm", forms.radioCommentForm, async () => [fan, await newRadio()]],
    ["categoryForm", forms.categoryForm, async () => [creator, "/my/posts/categories"]],
    ["planForm", forms.planForm, async () => [creator, "/my/memberships/new"]],
    [
      "openedPlanForm",
      forms.openedPlanForm,
      async () => [creator, await firstLink(creator, "/my/memberships", /href="(\/my\/memberships\/\w{26}\/edit)"/)],
    ],
    ["reportForm", forms.reportForm, async () => [fan, `${await eventPath()}/report`]],
    ["appealForm", forms.appealForm, ownRemoval],
    ["reactionsForm", forms.reactionsForm, async () => [creator, "/my/settings/reactions"]],
    ["overlayForm", forms.overlayForm, async () => [creator, "/my/streaming"]],
    [
      "bankAccountForm",
      forms.bankAccountForm,
      async () => [creator, "/my/settings/bank/edit?bank_code=0001&branch_code=004"],
    ],
    ["registrationForm", forms.registrationForm, async () => [await newcomer(), "/signup/registration"]],
    ["linkIdForm", forms.linkIdForm, async () => [fan, "/my/settings/link_id"]],
    ["profileForm", forms.profileForm, async () => [fan, "/my/settings"]],
  ];

  test.each(pages)("%s", async (_, form, open, beside = []) => {
    const [member, path] = await open();
    const { status, text } = await member.get(path);
    expect(status).toBe(200);
    const shown = [...text.matchAll(/<(?:input|textarea|select)\b[^>]*\bname="([^"]+)"/g)].map(([, field]) => field);
    const wanted = Object.keys(form.shape).filter((field) => !beside.includes(field));
    expect(wanted.filter((field) => !shown.includes(field))).toEqual([]);
  });

  test("the table above has every form's schema", () => {
    const schemas = Object.values(forms).filter((schema) => "shape" in schema);
    expect(new Set(pages.map(([, form]) => form))).toEqual(new Set(schemas));
  });
});
