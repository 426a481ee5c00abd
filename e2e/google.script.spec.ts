import { SESSION_COOKIE, type Session, SessionKeys } from "../app/session/session.ts";
import {
  answerForAccounts,
  answerForRecaptcha,
  type Check,
  Firestore,
  type Google,
  startGoogle,
} from "./support/google.ts";
import { expect, test as one, type Person } from "./support/test.ts";

interface Fixtures {
  /** A new browser with an imitated Google. */
  guest: Person & { check: Check; firestore: Firestore };
}

/** Tests features that exist only on a site whose accounts are at Firebase. They use Firebase's SDK. */
const test = one.extend<Fixtures, { google: Google }>({
  google: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures wanted from this pattern.
    async ({}, use) => {
      const google = await startGoogle();
      await use(google);
      google.stop();
    },
    { scope: "worker" },
  ],
  overrides: [
    async ({ google }, use) => use({ SIGN_OUT_WATCH: "firestore", IDENTITY_TOOLKIT_URL: google.toolkit_url }),
    { scope: "worker" },
  ],
  guest: async ({ someone, google, network }, use) => {
    const person = await someone();
    await answerForAccounts(person.page, google);
    const check = await answerForRecaptcha(person.page);
    const firestore = new Firestore({ project_id: "demo-ofuse", api_key: network.secrets.IDENTITY_API_KEY });
    await firestore.answerFor(person.page);
    await use(Object.assign(person, { check, firestore }));
  },
});

test.beforeEach(({ google, network }) => {
  google.accounts = network.url;
  google.shown.length = 0;
});

const OFTEN = { intervals: [50] };
const PRESS = { name: "コードを受け取る" };

test("a form that sends a text message waits for reCAPTCHA, checks again on a second press, and sends each token once", async ({
  guest: { page, check },
  google,
}) => {
  const solved = Promise.withResolvers<boolean>();
  // The person closes the puzzle the first time.
  check.solve = async () => check.asked > 1 && solved.promise;
  await page.goto("/login/phone");
  const [number, button] = [page.getByLabel("電話番号"), page.getByRole("button", PRESS)];
  await number.fill("090-1111-2222");
  for (const times of [1, 2, 3]) {
    await button.click();
    await expect.poll(() => check.asked, OFTEN).toBe(times);
  }
  expect(google.shown).toEqual([]);
  // 204 keeps the page as it is. The back button does the same.
  await page.route("/login/phone", (route) => route.fulfill({ status: 204 }), { times: 1 });
  const sent = page.waitForRequest("/login/phone");
  solved.resolve(true);
  const [token] = new URLSearchParams((await sent).postData() ?? "").getAll("recaptcha_token");
  expect(check.tokens).toContain(token);

  await button.click();
  await expect(page).toHaveURL(/\/login\/phone\/code$/);
  expect(google.shown).toHaveLength(1);
  expect(google.shown).not.toContain(token);
  expect(check.tokens).toEqual(expect.arrayContaining(google.shown));
});

test("without reCAPTCHA the form is still sent, and the page says what is missing", async ({
  openEmptyPage,
  network,
  google,
}) => {
  // The script logs failures to the console.
  const page = await openEmptyPage({ baseURL: network.url, locale: "ja-JP" });
  await page.route(/^https:/, (route) => route.abort());
  await page.goto("/login/phone");
  await page.getByLabel("電話番号").fill("090-1111-4444");
  await page.getByRole("button", PRESS).click();
  await expect(page.getByText("自動送信でないことを確認できませんでした")).toBeVisible();
  await expect(page.getByLabel("電話番号")).toHaveValue("090-1111-4444");
  expect(google.shown).toEqual([""]);
  await page.context().close();
});

test("a member who goes back to type another number is checked again", async ({ guest, google }) => {
  const { page, check } = guest;
  await guest.openAs("fan_hana", "/my/settings/factors/phone");
  for (const number of ["090-1111-5555", "090-1111-6666"]) {
    await page.getByLabel("電話番号").fill(number);
    await guest.isAlive();
    await page.getByRole("button", PRESS).click();
    await expect(page.getByText(number)).toBeVisible();
    await guest.isAlive();
    await page.getByRole("button", { name: "番号を入力し直す" }).click();
  }
  await expect(page.getByLabel("電話番号")).toBeVisible();
  expect(google.shown).toEqual(check.tokens);
  expect(check.tokens).toHaveLength(2);
});

test.describe("a member's page", () => {
  test("watches its sign-in's document, once, and is signed out when the document is written", async ({
    guest,
    network,
  }) => {
    const { page, firestore } = guest;
    await guest.openAs("fan_hana", "/my/box");
    const { id, token, keyForGlobalSignOut: key } = await sessionOf(guest, network.secrets.SESSION_KEYS);
    const path = `users/${id}/keys_for_global_sign_out/${key}`;
    await expect.poll(() => firestore.watched, OFTEN).toEqual([path]);
    // The browser keeps the page for the back button, and shows it again.
    await page.evaluate(() => {
      for (const type of ["pagehide", "pageshow"]) dispatchEvent(new PageTransitionEvent(type, { persisted: true }));
    });
    await expect.poll(() => [firestore.asked, firestore.watched], OFTEN).toEqual([2, [path]]);
    await expect(page).toHaveURL(/\/my\/box$/);

    await fetch(`${network.url}/v2/general/auth/key-for-global-sign-out`, {
      method: "PUT",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ key }),
    });
    firestore.write(path);
    await expect(page).toHaveURL(/\/login\?to=%2Fmy%2Fbox$/);
    await expect(page.getByText("ほかの端末での操作により、ログアウトしました")).toBeVisible();
  });

  test("refreshes an expired token, and tries again when it may not read the document", async ({ guest }) => {
    const { page, firestore } = guest;
    firestore.refusals.push("UNAUTHENTICATED", "PERMISSION_DENIED");
    const renewed = page.waitForResponse("https://securetoken.googleapis.com/v1/token?*");
    await guest.openAs("fan_taro", "/my/box");
    expect((await renewed).status()).toBe(200);
    await expect.poll(() => firestore.watched, OFTEN).toHaveLength(1);
    expect(firestore.asked).toBe(3);
    await expect(page).toHaveURL(/\/my\/box$/);
  });
});

async function sessionOf({ page }: Person, keys: string): Promise<Session> {
  const cookies = await page.context().cookies();
  const cookie = cookies.find(({ name }) => name === SESSION_COOKIE)?.value ?? "";
  const session = await new SessionKeys(keys).open(cookie);
  if (!session || session === "expired") throw new Error("there is no session");
  return session;
}
