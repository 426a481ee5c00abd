import { createElement, type FunctionComponent } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { createRoutesStub, RouterContextProvider } from "react-router";
import { describe, expect, test } from "vitest";
import { Pictures } from "../../app/post/pictures.tsx";
import { jarContext, v4Context } from "../../app/request/context.ts";
import RequestPayout, * as payout from "../../app/routes/my/earnings/payout.tsx";
import EditPlan, * as editPlan from "../../app/routes/my/edit-plan.tsx";
import BankSettings, * as bank from "../../app/routes/my/settings/bank.tsx";
import EmailSettings from "../../app/routes/my/settings/email.tsx";
import Factors from "../../app/routes/my/settings/factors.tsx";
import ImportPage, * as imports from "../../app/routes/my/settings/import.tsx";
import ImportReport, * as importReport from "../../app/routes/my/settings/import-report.tsx";
import LinkIdSettings, * as linkId from "../../app/routes/my/settings/link-id.tsx";
import NotificationSettings, * as notifications from "../../app/routes/my/settings/notifications.tsx";
import Payments, * as payments from "../../app/routes/my/settings/payments.tsx";
import ProfileSettings, * as profile from "../../app/routes/my/settings/profile.tsx";
import { viewerContext } from "../../app/session/context.ts";
import type { V4 } from "../../app/v4/client.ts";
import { errorCatalogue } from "../../workers/contract/errors.ts";
import { importItemKind } from "../../workers/contract/imports.ts";
import type { Operation } from "../../workers/contract/operation.ts";
import { newId } from "../../workers/kernel/ids.ts";

/** What the settings and the earnings answer to forms, and show afterwards, without a server. */

const refuse = (code: keyof typeof errorCatalogue, fields = {}) => {
  const { status, detail } = errorCatalogue[code];
  return { refusal: { status, detail, code, fields, needs_sign_in: status === 401, retry_after_s: null } };
};

/** Returns a request's context on an API that gives these answers. Notes the bodies of the calls by their operation. */
function contextOn(answers: Record<string, object>, cookies: Record<string, string> = {}) {
  const sent: Record<string, unknown> = {};
  const read = async ({ id }: Operation, input: { body?: unknown }) => {
    sent[id] = input.body;
    return answers[id] ?? {};
  };
  const send = async (operation: Operation, input: object) => {
    const answer = await read(operation, input);
    return "refusal" in answer ? { ok: false, ...answer } : { ok: true, answer };
  };
  const context = new RouterContextProvider();
  context.set(v4Context, { read, part: read, send } as unknown as V4);
  context.set(jarContext, { read: (name: string) => cookies[name] ?? null, set: () => {}, clear: () => {} } as never);
  context.set(viewerContext, { session: { id: "a" }, registration: "complete", profile: { user_id: "u" } } as never);
  return { context, sent };
}

interface Answer {
  status?: number;
  headers?: Headers;
  data?: never;
  init?: { status: number } | null;
}

type Page = { action: (args: never) => Promise<unknown> };

/** Sends a form as a browser without JavaScript does. Returns its answer, also a thrown one. */
async function submit(
  { action }: Page,
  context: RouterContextProvider,
  path: string,
  body: URLSearchParams | FormData,
) {
  const url = new URL(path, "https://ofuse.example");
  const request = new Request(url, { method: "POST", body });
  return (await action({ request, url, params: {}, context } as never).catch((thrown) => thrown)) as Answer;
}

function render(Component: FunctionComponent<never>, props: object): string {
  const Shown = () => createElement(Component as FunctionComponent, props);
  const Stub = createRoutesStub([{ id: "root", path: "/", loader: () => ({}), Component: Shown }]);
  const root = { viewer: { account_id: "a" }, takes_money: true, paused_features: [] };
  return renderToStaticMarkup(createElement(Stub, { hydrationData: { loaderData: { root } } }));
}

/** Returns the tag of the field with this name. */
const tagOf = (html: string, name: string) => new RegExp(`<input[^>]*name="${name}"[^>]*>`).exec(html)?.[0] ?? "";
/** Returns the sentences that describe a tag. */
const describing = (html: string, tag: string) =>
  (/aria-describedby="([^"]*)"/.exec(tag)?.[1] ?? "")
    .split(" ")
    .map((id) => new RegExp(`id="${id}"[^>]*>([^<]*)`).exec(html)?.[1] ?? "");

/** An intent of a form of this account, and the cookie that leads to it. */
const kept = (path: string, fields: Record<string, string>) => ({
  answers: { redeemIntent: { intent: { kind: "form", path, fields: { author: "u", ...fields } } } },
  cookies: { soziIdFormIntent: "id.secret" },
});

describe("the number on invoices", () => {
  const stored = {
    getProfile: { user: { user_id: "u", is_creator: true } },
    getBank: { bank_account: null },
    getCreatorAccount: { creator_account: { steps: [], invoice_number: "T7000012050002" } },
  };
  const path = "/my/settings/bank";
  const typing = (invoice_number: string) => new URLSearchParams({ author: "u", invoice_number });

  test("is tied to its error, and keeps what was typed", async () => {
    const fields = { invoice_number: ["登録番号は、Tと13桁の数字で入力してください。"] };
    const { context } = contextOn({ ...stored, updateCreatorAccount: refuse("bad_request", fields) });
    const { init, data } = await submit(bank, context, path, typing("T123"));
    const loaderData = await bank.loader({ context } as never);
    const html = render(BankSettings, { loaderData, actionData: data });
    const tag = tagOf(html, "invoice_number");
    expect([init?.status, tag]).toEqual([400, expect.stringContaining('value="T123"')]);
    expect(tag).toContain('aria-invalid="true"');
    expect(tag).toContain("autofocus");
    expect(describing(html, tag)).toContain(fields.invoice_number[0]);
  });

  test.each(["T 7000 0120 50002", "Ｔ－７０００－０１２０－５０００２", "t7000012050002"])(
    "is taken as it is pasted: %s",
    async (typed) => {
      const { context, sent } = contextOn(stored);
      expect((await submit(bank, context, path, typing(typed))).status).toBe(303);
      expect(sent.updateCreatorAccount).toEqual({ invoice_number: "T7000012050002" });
      const html = render(BankSettings, { loaderData: await bank.loader({ context } as never) });
      expect(Number(/maxLength="(\d+)"/i.exec(tagOf(html, "invoice_number"))?.[1])).toBeGreaterThanOrEqual(
        typed.length,
      );
    },
  );

  test("comes back after a sign-in as it was typed", async () => {
    const { context, sent } = contextOn({
      ...stored,
      updateCreatorAccount: refuse("token_invalid"),
      createIntent: { intent_id: "i", secret: "s" },
    });
    const answer = await submit(bank, context, path, typing("T1234567890123"));
    expect(answer.headers?.get("location")).toMatch(/^\/login\?/);
    const intent = sent.createIntent as { fields: Record<string, string> };
    const { answers, cookies } = kept(path, intent.fields);
    const loaderData = await bank.loader({ context: contextOn({ ...stored, ...answers }, cookies).context } as never);
    expect(tagOf(render(BankSettings, { loaderData }), "invoice_number")).toContain('value="T1234567890123"');
  });
});

test("the choices of notifications come back after a sign-in as they were made", async () => {
  const stored = {
    getNotificationSettings: { page: ["followed"], mail: [], push: [], push_public_key: "key", mail_language: "ja" },
  };
  const path = "/my/settings/notifications";
  const { context, sent } = contextOn({
    ...stored,
    updateNotificationSettings: refuse("token_invalid"),
    createIntent: { intent_id: "i", secret: "s" },
  });
  const chosen = [
    ["page", "liked"],
    ["page", "new_event_comment"],
    ["push", "liked"],
  ];
  const answer = await submit(
    notifications,
    context,
    path,
    new URLSearchParams([...chosen, ["has_push", "yes"], ["mail_language", "en"]]),
  );
  expect(answer.headers?.get("location")).toMatch(/^\/login\?/);
  const { answers, cookies } = kept(path, (sent.createIntent as { fields: Record<string, string> }).fields);
  const back = contextOn({ ...stored, ...answers }, cookies).context;
  const loaderData = await notifications.loader({ context: back } as never);
  const html = render(NotificationSettings, { loaderData });
  const checked = [...html.matchAll(/<input type="checkbox"[^>]*>/g)]
    .map(([tag]) => [/name="(\w+)"/.exec(tag)?.[1], /value="(\w+)"/.exec(tag)?.[1], tag.includes(" checked")])
    .filter(([, , is_checked]) => is_checked);
  expect(checked.map(([channel, topic]) => [channel, topic])).toEqual([chosen[0], chosen[2], chosen[1]]);
  expect(html).toMatch(/<option value="en"[^>]* selected/);
});

describe("the limit of a month", () => {
  const spending = { monthly_limit: 500, next_limit: null, minor_limit: null, paid: 0, pending: 0, renewals: 0 };
  const stored = {
    getPaymentMethods: { payment_methods: [] },
    getSpending: { spending },
    listPayments: { payments: [], pending: [], has_next: false },
    listSubscriptions: { subscriptions: [] },
  };
  const path = "/my/settings/payments";
  const show = async ({ answers, cookies }: ReturnType<typeof kept>) => {
    const { context } = contextOn({ ...stored, ...answers }, cookies);
    const url = new URL(path, "https://ofuse.example");
    return tagOf(render(Payments, { loaderData: await payments.loader({ url, context } as never) }), "monthly_limit");
  };

  test("comes back after a sign-in as it was typed, also when it was emptied", async () => {
    expect(await show(kept(path, { do: "limit", monthly_limit: "1234" }))).toContain('value="1234"');
    expect(await show(kept(path, { do: "limit", monthly_limit: "" }))).toContain('value=""');
    expect(await show(kept("/another", { monthly_limit: "1234" }))).toContain('value="500"');
  });

  test("is kept when the session has ended, and the person is asked to sign in", async () => {
    const { context, sent } = contextOn({
      updateSpending: refuse("token_invalid"),
      createIntent: { intent_id: "i", secret: "s" },
    });
    const body = new URLSearchParams({ author: "u", do: "limit", monthly_limit: "1234" });
    expect((await submit(payments, context, path, body)).headers?.get("location")).toMatch(/^\/login\?/);
    expect(sent.createIntent).toMatchObject({ path, fields: { monthly_limit: "1234" } });
  });
});

describe("the cards", () => {
  const plansOf = (...titles: string[]) => titles.map((title) => ({ subscription_id: title, title }));
  const visa = { payment_method_id: "v", brand: "visa", last4: "4242", exp_month: 1, exp_year: 2030, is_default: true };
  const jcb = { ...visa, payment_method_id: "j", brand: "jcb", last4: "0505" };
  const show = async (payment_methods: object[], subscriptions: { status: string; is_billed: boolean }[] = []) => {
    const spending = { monthly_limit: null, next_limit: null, minor_limit: null, paid: 0, pending: 0, renewals: 0 };
    const { context } = contextOn({
      getPaymentMethods: { payment_methods },
      getSpending: { spending },
      listPayments: { payments: [], pending: [], has_next: false },
    });
    const part = async (_operation: Operation, { query }: { query: { state?: string; page_size: number } }) => {
      const isListed = ({ status, is_billed }: { status: string; is_billed: boolean }) =>
        query.state !== "unpaid" || (status === "past_due" && is_billed);
      return { subscriptions: subscriptions.filter(isListed).slice(0, query.page_size) };
    };
    const { read, send } = context.get(v4Context);
    context.set(v4Context, { read, send, part } as unknown as V4);
    const url = new URL("/my/settings/payments?added=1", "https://ofuse.example");
    return render(Payments, { loaderData: await payments.loader({ url, context } as never) });
  };
  const labelsOf = (html: string) => [...html.matchAll(/aria-label="([^"]*（[^"]*•[^"]*)"/g)].map(([, label]) => label);

  test.each([
    [[], false],
    [[{ ...visa, plans: [] }], true],
  ])("%j are deleted at the gateway: %s", async (payment_methods, is_offered) => {
    expect((await show(payment_methods)).includes('value="portal"')).toBe(is_offered);
  });

  test("name the plans that they pay, and one card can take all plans", async () => {
    const html = await show([
      { ...visa, plans: plansOf("アトリエ会員") },
      { ...jcb, plans: plansOf("音の会", "声の会") },
    ]);
    expect(html.match(/使っているカード/g)).toHaveLength(2);
    expect(html).toContain("有効期限 1/2030・「アトリエ会員」のお支払い");
    expect(html).toContain("有効期限 1/2030・「音の会」「声の会」のお支払い");
    expect(html).toContain("プランのお支払いに使うカードは、Visa •••• 4242とJCB •••• 0505 です。");
    expect(labelsOf(html)).toEqual(["このカードを使う（Visa •••• 4242）", "このカードを使う（JCB •••• 0505）"]);
  });

  test("offer another card, and the one in use again while a payment has failed", async () => {
    const both = [
      { ...visa, plans: plansOf("アトリエ会員") },
      { ...jcb, is_default: false, plans: [] },
    ];
    expect(labelsOf(await show(both))).toEqual(["このカードを使う（JCB •••• 0505）"]);
    const newer = Array.from({ length: 100 }, () => ({ status: "active", is_billed: true }));
    expect(labelsOf(await show(both, [...newer, { status: "past_due", is_billed: true }]))).toEqual([
      "もう一度支払う（Visa •••• 4242）",
      "このカードを使う（JCB •••• 0505）",
    ]);
    expect(labelsOf(await show(both, newer))).toEqual(["このカードを使う（JCB •••• 0505）"]);
  });
});

test("the page of an opened plan says in which order its creator changes the price", async () => {
  const plan = {
    membership_id: "a",
    title: "窓辺の席",
    description: "",
    amount: 500,
    members_limit: null,
    members_count: 2,
  };
  const { context } = contextOn({ listOwnMemberships: { memberships: [{ ...plan, active_state: "active" }] } });
  const loaderData = await editPlan.loader({ params: { membership_id: "a" }, context } as never);
  const html = render(EditPlan, { loaderData });
  expect(html).toContain(
    "新しいプランの募集を先に始め、メンバーがそちらに変更してから、このプランの募集を止めてください。",
  );
});

test("the page of the user id says that feeds follow for some weeks, and what to do about podcast directories", async () => {
  const { context } = contextOn({ getProfile: { user: { user_id: "u", link_id: "natsume" } } });
  const url = new URL("/my/settings/link_id", "https://ofuse.example");
  const html = render(LinkIdSettings, { loaderData: await linkId.loader({ url, context } as never) });
  expect(html).toContain("これまでのアドレスを開いた人は、90日のあいだ");
  expect(html).toContain("ポッドキャストのアプリも、90日のあいだは");
  expect(html).toContain("新しいアドレスを登録し直してください。");
});

test("the page of the address says that a change ends the session of this browser too", () => {
  const loaderData = { user_id: "u", email: "a@mail.example", is_proven: true, written: { new_email: "" } };
  const html = render(EmailSettings, { loaderData });
  expect(html).toContain("この端末を含むすべての端末で、ログインし直す必要があります。");
});

describe("a payout", () => {
  const bank_account = { bank_name: "みずほ銀行", branch_name: "丸の内", account_number_last3: "567" };
  const updated_at = "2026-11-20T03:15:00.000Z";
  const stored = {
    getBalance: { balance: { available: 5000 } },
    getCreatorAccount: { creator_account: { steps: ["tos_accepted", "payouts_enabled"] } },
    getBank: { bank_account: { ...bank_account, account_holder_kana: "ハナ", updated_at } },
  };
  const path = "/my/transactions/payout?amount=1234";
  const body = new URLSearchParams({ amount: "1234", seen_bank_updated_at: updated_at });
  const show = async (context: RouterContextProvider, actionData?: object) => {
    const url = new URL(path, "https://ofuse.example");
    return render(RequestPayout, { loaderData: await payout.loader({ url, context } as never), actionData });
  };

  test("names the amount and the bank account of its confirmation", async () => {
    const { context, sent } = contextOn(stored);
    const html = await show(context);
    expect(html).toContain(`action="${path}"`);
    expect(tagOf(html, "seen_bank_updated_at")).toContain(`value="${updated_at}"`);
    expect((await submit(payout, context, path, body)).status).toBe(303);
    expect(sent.createPayout).toEqual({ amount: 1234, seen_bank_updated_at: updated_at });
  });

  test("is confirmed again when the bank account has changed", async () => {
    const { context } = contextOn({ ...stored, createPayout: refuse("bank_account_conflict") });
    const { init, data } = await submit(payout, context, path, body);
    expect(init?.status).toBe(409);
    const html = await show(context, data);
    expect(html).toContain(errorCatalogue.bank_account_conflict.detail);
    expect(html).toContain("この内容で申請する");
  });

  test("returns to its amount after a sign-in", async () => {
    const { context } = contextOn({ ...stored, createPayout: refuse("token_invalid") });
    const { headers } = await submit(payout, context, path, body);
    expect(headers?.get("location")).toBe(`/login?${new URLSearchParams({ to: path })}`);
  });
});

test.each([
  ["ready", "ready", "import_stopped"],
  ["importing", "importing", "import_stopped"],
  ["importing", "completed", "import_deleted"],
  ["completed", "completed", "import_deleted"],
])("the button of an import shown as %s that is %s leads to the message %s", async (shown, status, code) => {
  const import_id = newId(Date.UTC(2026, 10, 22));
  const counts = Object.fromEntries(importItemKind.options.map((kind) => [kind, {}]));
  const html = render(ImportReport, {
    loaderData: { import: { import_id, kind: "ghost", status: shown, file_name: "", counts }, items: [], page: 1 },
  });
  const [, act = ""] = /name="do" value="(\w+)"/.exec(html) ?? [];
  const { context } = contextOn({ getImport: { import: { status } } });
  const set: string[] = [];
  context.set(jarContext, { set: (_: string, value: string) => set.push(value) } as never);
  const request = new Request("https://ofuse.example/", { method: "POST", body: new URLSearchParams({ do: act }) });
  await importReport.action({ request, params: { import_id }, context } as never);
  expect(set).toEqual([code]);
});

describe("a missing file", () => {
  test("has its error at the field of the file to import", async () => {
    const { context } = contextOn({});
    const form = new FormData();
    form.set("file", new File([], ""));
    const { init, data } = await submit(imports, context, "/my/settings/import", form);
    const html = render(ImportPage, { loaderData: { imports: [] }, actionData: data });
    const tag = tagOf(html, "file");
    expect(init?.status).toBe(422);
    expect(tag).toContain('aria-invalid="true"');
    expect(tag).toContain("autofocus");
    expect(describing(html, tag)).toContain(errorCatalogue.file_missing.detail);
  });

  test("of another account is not sent to the API", async () => {
    const { context, sent } = contextOn({});
    const form = new FormData();
    form.set("owner", "b");
    form.set("file", new File(["プラン"], "members.csv"));
    const { init } = await submit(imports, context, "/my/settings/import", form);
    expect([init?.status, sent]).toEqual([403, {}]);
  });

  test("has its error at the field of a post's pictures", () => {
    const nothing = () => {};
    const html = render(Pictures as never, {
      ...{ values: {}, images: [], media: [], kind: "image", errors: { images: ["画像を選んでください。"] } },
      ...{ onChange: nothing, onBegun: nothing, onUploaded: nothing, onInsert: nothing, onRemove: nothing },
    });
    const tag = tagOf(html, "file");
    expect(tag).toContain('aria-invalid="true"');
    expect(tag).toContain("autofocus");
    expect(describing(html, tag)).toContain("画像を選んでください。");
  });
});

describe("a refused profile", () => {
  const path = "/my/settings";
  const user = { user_id: "u", name: "はな", bio: "", external_links: [], genre_ids: [] };
  const typed = {
    ...{ author: "u", name: "新しい名前", bio: "新しい紹介", genre_ids: "", in_genre_music: "on" },
    ...{ has_links: "yes", link_site_0: "x", link_url_0: "https://x.com/hana", seen_links: "[]" },
  };
  const save = async (fields: object, answers: object = {}) => {
    const { context, sent } = contextOn({ getProfile: { user }, ...answers });
    const { init, data } = await submit(profile, context, path, new URLSearchParams({ ...typed, ...fields }));
    const { error } = (data as unknown as { result: { error: Record<string, string[]> } }).result;
    return { status: init?.status, error, calls: Object.keys(sent).filter((id) => id.startsWith("update")) };
  };

  test("saves nothing for a link of another site", async () => {
    const fields = { "external_links.0.url": ["XのURLを入力してください。"] };
    expect(await save({}, { updateExternalLinks: refuse("external_link_not_usable", fields) })).toEqual({
      status: errorCatalogue.external_link_not_usable.status,
      error: { link_url_0: ["XのURLを入力してください。"] },
      calls: ["updateExternalLinks"],
    });
  });

  test("saves nothing for a name that is the operators', or for too many genres", async () => {
    const genres = Object.fromEntries(
      ["craft", "voice", "game", "photo", "novel"].map((id) => [`in_genre_${id}`, "on"]),
    );
    expect(await save({ name: "公式", ...genres })).toEqual({
      status: 422,
      error: { name: [expect.stringContaining("運営だけが使える言葉")], genre_ids: ["ジャンルは5つまで選べます。"] },
      calls: [],
    });
  });

  test("says which parts were saved before an outage or a refusal", async () => {
    const saved = "外部リンクとジャンルは保存しました。ほかの変更は、まだ保存していません。";
    const outage = await save({}, { updateProfile: refuse("unavailable") });
    expect([outage.status, outage.error]).toEqual([503, { "": [saved, errorCatalogue.unavailable.detail] }]);
    const fields = { icon_image_id: [errorCatalogue.image_not_usable.detail] };
    const gone = await save({ icon_image_id: "gone" }, { updateProfile: refuse("image_not_usable", fields) });
    expect(gone.error).toEqual({ "": [saved], ...fields });
  });
});

test("the links of a profile are part of its form, because an answer would reset a part whose script is missing", () => {
  const html = render(ProfileSettings, {
    loaderData: {
      ...{ user_id: "u", link_id: "hana", is_creator: false, should_verify_email: false },
      ...{ written: { link_url_0: "https://example.jp", link_site_0: "website" }, external_sites: [], genres: [] },
    },
  });
  expect(tagOf(html, "link_url_0")).toContain('value="https://example.jp"');
});

test.each([
  [true, "認証アプリやSMSのコードも確認します"],
  [false, "認証アプリのコードも確認します"],
])("the page of second factors speaks of SMS only where the site sends them: %s", (has_sms, sentence) => {
  const html = render(Factors, { loaderData: { factors: [], has_sms, is_proven: true, codes: null } });
  expect(html).toContain(sentence);
  expect(html.includes("SMS")).toBe(has_sms);
});
