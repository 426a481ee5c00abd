import { beforeAll, describe, expect, test } from "vitest";
import { type Browser, browser, database, freshMember, network, type Page } from "../support/network.ts";
import { waitUntil } from "../support/wait.ts";
import { growOld, haveLinked, loseAddress, mailedCode, signedIn } from "./support/identity.ts";
import { linkIn, mailsTo } from "./support/outbox.ts";

const main = ({ text }: Page) => text.split('<main id="main">')[1]?.split("</main>")[0] ?? "";
const words = (page: Page) => main(page).replace(/<[^>]*>/g, "");
const address = () => `${crypto.randomUUID()}@example.com`;

beforeAll(async () => void (await network()));

const PASSWORD = "another horse battery";

/** The fields that each page accepts to change something. */
const changes: [path: string, fields: Record<string, string>][] = [
  ["/my/settings/email", { new_email: "new@example.com" }],
  ["/my/settings/password", { password: PASSWORD, password_again: PASSWORD }],
  ["/my/settings/providers", { operation: "unlink", provider_id: "google.com" }],
  ["/my/settings/providers", { operation: "link", provider_id: "google.com" }],
  ["/my/settings/factors", { operation: "remove", id: "factor" }],
  ["/my/settings/factors/totp", { operation: "start" }],
  ["/my/settings/factors/phone", { operation: "send", phone_number: "090-1234-5678" }],
  ["/my/settings/factors/recovery-codes", { operation: "make" }],
];

describe.each([...changes, ["/my/settings/sessions", { operation: "end_all" }] as (typeof changes)[number]])(
  "%s %j",
  (path, fields) => {
    test("requires a sign-in, and returns to the page afterwards", async () => {
      const visitor = await browser();
      expect((await visitor.get(path)).location).toBe(`/login?${new URLSearchParams({ to: path })}`);
      expect((await visitor.post(path, fields)).location).toBe(`/login?${new URLSearchParams({ to: path })}`);
    });

    test("refuses cross-site posts", async () => {
      const member = await signedIn(await freshMember("よその人に押された人"));
      const { status } = await member.send(path, {
        method: "POST",
        body: new URLSearchParams(fields),
        headers: { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
      });
      expect(status).toBe(403);
    });
  },
);

test.each(changes)("%s %j asks a member who signed in long ago to sign in again", async (path, fields) => {
  const member = await freshMember("久しぶりの人");
  const own = await signedIn(member);
  await growOld(member, own);
  const { status, location } = await own.post(path, fields);
  expect([status, location]).toEqual([303, `/login/confirm?${new URLSearchParams({ to: path })}`]);
});

describe("the address", () => {
  test("changes only when the link mailed to the new address is opened", async () => {
    const member = await freshMember("引っ越す人");
    const own = await signedIn(member);
    expect(words(await own.get("/my/settings/email"))).toContain(`${member.email} 確認済み`);
    const new_email = address();
    const { status, location } = await own.post("/my/settings/email", { new_email });
    expect([status, location]).toEqual([303, "/my/settings/email?sent"]);
    const page = words(await own.get("/my/settings/email?sent"));
    expect(page).toContain("確認メールを送りました");
    expect(page).toContain(member.email);
    expect(await mailedCode(new_email)).not.toBeNull();
  });

  test("of another account gets the same answer, and no mailed link", async () => {
    const own = await signedIn(await freshMember("人のアドレスを書く人"));
    const taken = await freshMember("先にいる人");
    const before = await mailedCode(taken.email);
    const { status, location } = await own.post("/my/settings/email", { new_email: taken.email });
    expect([status, location]).toEqual([303, "/my/settings/email?sent"]);
    expect(await mailedCode(taken.email)).toBe(before);
  });

  test.each(["", "だめ", "a@b", `${"長".repeat(300)}@example.com`])(
    "'%s' is refused, and returned with the reason",
    async (typed) => {
      const own = await signedIn(await freshMember("書きまちがえる人"));
      const page = await own.post("/my/settings/email", { new_email: typed });
      expect(page.status).toBe(422);
      expect(main(page)).toMatch(/aria-invalid="true"/);
      expect(main(page)).toMatch(typed === "" ? /name="new_email"/ : new RegExp(`value="${typed}"`));
    },
  );

  test("is kept on its page when its sign-in is too old", async () => {
    const member = await freshMember("ゆっくり書く人");
    const own = await signedIn(member);
    await growOld(member, own);
    await own.post("/my/settings/email", { new_email: "slow@example.com", author: member.user.user_id });
    expect(main(await own.get("/my/settings/email"))).toContain('value="slow@example.com"');
  });
});

describe("an account without an address", () => {
  test("gets one from a mailed link, and continues to the requested page", async () => {
    const member = await freshMember("電話で来た人");
    const own = await signedIn(member);
    await loseAddress(member);
    own.cookies.delete("soziIdAuth");
    const path = "/signup/register_email?to=%2Fnatsume";
    const asked = await own.get(path);
    expect(words(asked)).toContain("メールアドレスの登録");
    const new_email = address();
    const sent = await own.post(path, { operation: "change", new_email });
    expect(sent.location).toBe("/signup/register_email?to=%2Fnatsume&sent=new");
    const early = await own.post(sent.location ?? "", { operation: "check" });
    expect([early.status, words(early).includes("まだ済んでいません")]).toEqual([409, true]);
    const oob_code = (await mailedCode(new_email)) ?? "";
    const link = `/signup/action?mode=verifyAndChangeEmail&oobCode=${oob_code}`;
    // On the telephone, which has no sign-in.
    expect((await (await browser()).post(link, { oob_code })).status).toBe(403);
    await own.post(link, { oob_code });
    const done = await own.post(sent.location ?? "", { operation: "check" });
    expect(done.location).toMatch(/^\/natsume$|^\/login/);
  });

  test("can leave without one, after exporting its data", async () => {
    const member = await freshMember("アドレスのないまま去る人");
    const own = await signedIn(member);
    await loseAddress(member);
    await (await database()).prepare("UPDATE users SET email = NULL WHERE user_id = ?").bind(member.user.user_id).run();
    own.cookies.delete("soziIdAuth");
    expect((await own.get("/my/settings/email")).location).toBe("/signup/registration");
    const address_page = main(await own.get("/signup/register_email?to=%2F"));
    expect(address_page).toContain('href="/my/settings/leave"');
    const page = main(await own.get("/my/settings/leave"));
    // No link leads to the registration again, except the one back to it.
    const links = [...page.matchAll(/href="([^"#]*)/g)].map(([, href]) => href);
    expect(links).toEqual([
      "/signup/registration",
      "/signup/privacy?to=%2Fmy%2Fsettings%2Fleave",
      "/my/settings/export",
    ]);
    const file = await own.get("/my/settings/export");
    expect([file.status, JSON.parse(file.text).exported_at]).toEqual([200, expect.any(String)]);
    const left = await own.post("/my/settings/leave", { confirmation: "退会する" });
    expect([left.status, left.location]).toEqual([303, "/goodbye"]);
    const row = (await database()).prepare("SELECT link_id FROM users WHERE user_id = ?").bind(member.user.user_id);
    expect(await row.first("link_id")).toMatch(/^left-/);
  });

  test("cannot open the pages for leaving and export before it is registered", async () => {
    const newcomer = await browser();
    await newcomer.signIn("fan_new");
    for (const path of ["/my/settings/leave", "/my/settings/export"]) {
      expect((await newcomer.get(path)).location).toBe("/signup/registration");
    }
  });

  test("confirms the identity first, then gets one, and no other redirect interferes", async () => {
    const member = await freshMember("届かなくなった人");
    const own = await signedIn(member);
    const bounced = (await database()).prepare("UPDATE users SET email_invalid = 1 WHERE user_id = ?");
    await bounced.bind(member.user.user_id).run();
    await growOld(member, own);
    const path = "/signup/register_email?to=%2Fnatsume";
    const new_email = address();
    const asked = await own.post(path, { operation: "change", new_email });
    expect(asked.location).toBe(`/login/confirm?${new URLSearchParams({ to: path })}`);
    // The page that asks for a sign-in redirects nowhere else meanwhile.
    expect((await own.get(asked.location ?? "")).status).toBe(200);
    const proven = await own.post("/login/confirm", { password: member.password, to: path });
    expect(proven.location).toBe(path);
    expect(main(await own.get(path))).toContain(`value="${new_email}"`);
    expect((await own.post(path, { operation: "change", new_email })).location).toMatch(/sent=new$/);
    // The mail's link contains the page to continue with.
    const link = linkIn((await mailsTo(new_email))[0] ?? { channel: "mail", recipient: "", text: "" });
    expect((await own.post(link)).location).toMatch(/^(\/login\?to=%2F|\/)natsume$/);
  });

  test("has no password until it has an address", async () => {
    const member = await freshMember("電話だけの人");
    const own = await signedIn(member);
    await loseAddress(member);
    const page = words(await own.get("/my/settings/password"));
    expect(page).toContain("先にメールアドレスの確認が必要です");
    const refused = await own.post("/my/settings/password", { password: PASSWORD, password_again: PASSWORD });
    expect(refused.status).toBe(422);
  });
});

describe("the password", () => {
  test("changes, and signs every other browser out", async () => {
    const member = await freshMember("パスワードを変える人");
    const [own, other] = [await signedIn(member), await signedIn(member)];
    const { status, location } = await own.post("/my/settings/password", {
      password: PASSWORD,
      password_again: PASSWORD,
    });
    expect([status, location]).toEqual([303, "/my/settings/password"]);
    expect((await own.get("/my/settings/password")).status).toBe(200);
    expect((await other.get("/my/settings/email")).location).not.toBeNull();
    await waitUntil(async () => expect((await other.get("/my/settings/email")).location).toMatch(/^\/login/));
    expect((await (await browser()).signIn(member)).status).toBe(401);
    expect((await (await browser()).signIn({ ...member, password: PASSWORD })).status).toBe(303);
  });

  test("that is too short is refused beside its field, and not returned", async () => {
    const page = await (await signedIn(await freshMember("短い人"))).post("/my/settings/password", {
      password: "short12",
      password_again: "short12",
    });
    expect(page.status).toBe(422);
    expect(words(page)).toContain("パスワードは8文字以上で入力してください");
    expect(page.text).not.toContain("short12");
  });

  test("stays unchanged if it is typed differently the second time", async () => {
    const member = await freshMember("打ち間違える人");
    const page = await (await signedIn(member)).post("/my/settings/password", {
      password: PASSWORD,
      password_again: `${PASSWORD}x`,
    });
    expect(page.status).toBe(422);
    expect(words(page)).toContain("新しいパスワードと一致しません");
    expect(page.text).not.toContain(PASSWORD);
    expect((await (await browser()).signIn(member)).status).toBe(303);
  });
});

describe("the sign-in methods", () => {
  const rowOf = (page: Page, name: string) =>
    main(page)
      .match(/<li class="card row">.*?<\/li>/gs)
      ?.find((row) => row.includes(`<b>${name}</b>`)) ?? "";

  test("are listed, and the last one cannot be removed", async () => {
    const own = await signedIn(await freshMember("ひとつだけの人"));
    const page = await own.get("/my/settings/providers");
    expect(rowOf(page, "メールアドレスとパスワード")).toContain("解除できません");
    for (const name of ["電話番号", "Google", "Apple", "X", "LINE"]) expect(rowOf(page, name)).toContain("追加する");
    const refused = await own.post("/my/settings/providers", { operation: "unlink", provider_id: "password" });
    expect(refused.status).toBe(422);
    expect(words(refused)).toContain("ログイン方法がこれだけのため、解除できません");
  });

  test("can be removed while another is left", async () => {
    const member = await freshMember("ふたつある人");
    await haveLinked(member, "google.com");
    const own = await signedIn(member);
    expect(rowOf(await own.get("/my/settings/providers"), "Google")).toContain("解除する");
    const { location } = await own.post("/my/settings/providers", { operation: "unlink", provider_id: "google.com" });
    expect(location).toBe("/my/settings/providers");
    expect(rowOf(await own.get("/my/settings/providers"), "Google")).toContain("追加する");
  });

  test("offer a password by its name to an account that removed it", async () => {
    const member = await freshMember("パスワードをやめた人");
    await haveLinked(member, "google.com");
    const own = await signedIn(member);
    await own.post("/my/settings/providers", { operation: "unlink", provider_id: "password" });
    expect(rowOf(await own.get("/my/settings/providers"), "メールアドレスとパスワード")).toContain("追加する");
  });

  test("are added at another provider, to which the page's policy allows its form to redirect", async () => {
    const own = await signedIn(await freshMember("つなぐ人"));
    const { status, location } = await own.post("/my/settings/providers", {
      operation: "link",
      provider_id: "google.com",
    });
    expect(status).toBe(303);
    expect(location).toMatch(/state=/);
    const { headers } = await own.get("/my/settings/providers");
    expect(headers.get("content-security-policy")).toMatch(/form-action [^;]*https:\/\/accounts\.google\.com/);
  });

  test.each([{}, { operation: "unlink" }, { operation: "link", provider_id: "evil.example" }])(
    "refuse an unknown form: %j",
    async (fields) => {
      const own = await signedIn(await freshMember("でたらめを送る人"));
      expect((await own.post("/my/settings/providers", fields as Record<string, string>)).status).toBe(400);
    },
  );
});

describe("the list of signed-in browsers", () => {
  const IPHONE =
    "Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Mobile/15E148 Safari/604.1";
  const rows = (page: Page) => main(page).match(/<li class="card row">.*?<\/li>/gs) ?? [];
  const idOf = (row: string | undefined) => /name="id" value="([^"]+)"/.exec(row ?? "")?.[1] ?? "";
  const isOut = (someone: Browser) =>
    waitUntil(async () => expect((await someone.get("/my/settings/email")).location).toMatch(/^\/login/));

  test("names each browser, this one first, and ends one at a time", async () => {
    const member = await freshMember("端末の多い人");
    const own = await signedIn(member);
    const phone = await browser();
    await phone.send("/login", {
      method: "POST",
      body: new URLSearchParams({ email: member.email, password: member.password, to: "/" }),
      headers: { ...phone.sameOrigin(), "user-agent": IPHONE },
    });
    const listed = rows(await own.get("/my/settings/sessions"));
    expect(listed[0]).toContain("この端末");
    expect(idOf(listed[0])).toBe("");
    const row = listed.find((each) => each.includes("iPhoneのSafari"));
    const { location } = await own.post("/my/settings/sessions", { operation: "end", id: idOf(row) });
    expect(location).toBe("/my/settings/sessions");
    await isOut(phone);
    expect((await own.get("/my/settings/sessions")).status).toBe(200);
  });

  test("does not end another member's browser", async () => {
    const [member, stranger] = [await freshMember("本人"), await freshMember("他人")];
    const [own, second, theirs] = [await signedIn(member), await signedIn(member), await signedIn(stranger)];
    const id = idOf(rows(await own.get("/my/settings/sessions"))[1]);
    expect(id).not.toBe("");
    await theirs.post("/my/settings/sessions", { operation: "end", id });
    expect((await second.get("/my/settings/email")).status).toBe(200);
  });

  test("ends all at once, including this one", async () => {
    const member = await freshMember("端末をなくした人");
    const [own, other] = [await signedIn(member), await signedIn(member)];
    const { status, location } = await own.post("/my/settings/sessions", { operation: "end_all" });
    expect([status, location]).toEqual([303, "/"]);
    expect([...own.cookies.keys()]).not.toContain("soziIdAuth");
    expect((await own.get("/")).text).toContain("すべての端末からログアウトしました");
    await isOut(other);
  });
});

test("every link of the settings menu opens", async () => {
  const own = await signedIn(await freshMember("見てまわる人"));
  const ways = [...main(await own.get("/my/settings/email")).matchAll(/href="(\/my\/settings[^"]*)"/g)].map(
    ([, to]) => to,
  );
  expect(ways.length).toBeGreaterThan(7);
  for (const way of ways) expect([way, (await own.get(way ?? "")).status]).toEqual([way, 200]);
});
