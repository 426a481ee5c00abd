import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type FieldState, followMaintenance, isChanged } from "../../app/browser/maintenance.ts";
import { keepWatch } from "../../app/browser/maintenance-clock.ts";
import { keptOf } from "../../app/forms/kept.ts";
import { isOpenUnderMaintenance, isTakenUnderMaintenance } from "../../app/middleware/open-pages.ts";
import { isOpenToOperators } from "../../app/middleware/operators-way.ts";
import { SessionKeys } from "../../app/session/session.ts";
import { endText, startText } from "../../app/shell/maintenance-banner.tsx";
import { FACTOR_COOKIE } from "../../app/sign-in/second-factor.ts";
import { type MaintenanceRecord, POLL_MS, RECOMPUTE_MS, readingAt } from "../../workers/contract/maintenance-status.ts";

test("exactly the spec's pages stay open, however their paths are spelt", () => {
  const open = ["/", "/terms", "/transactions", "/usecases", "/404", "/terms/", "/TERMS", "/%74erms", "/robots.txt"];
  open.push("/.well-known/security.txt", "/.well-known/change-password");
  expect(open.filter((path) => !isOpenUnderMaintenance(path))).toEqual([]);
  const closed = ["/natsume", "/login", "/signup", "/my/box", "/terms/x", "/search", "/maintenance", "/news", "/kit"];
  expect(closed.filter(isOpenUnderMaintenance)).toEqual([]);
  const forms = ["/theme", "/", "/404", "/login", "/logout", "/natsume/ofuse", "/theme/x", "/my/settings"];
  expect(forms.filter(isTakenUnderMaintenance)).toEqual(["/theme", "/logout"]);
});

test("the second factor is open only to a sign-in that leads to the operators' pages", async () => {
  const keys = new SessionKeys("one:0123456789abcdef0123456789abcdef");
  const ask = async (to: string | null) => {
    const sealed = to && (await keys.encrypt(JSON.stringify({ to, purpose: "sign_in" }), FACTOR_COOKIE, 60));
    const headers = { cookie: `${FACTOR_COOKIE}=${sealed ?? "forged"}` };
    return isOpenToOperators(new Request("http://localhost/login/factor", { headers }), keys);
  };
  expect(await Promise.all(["/operator", "/operator/acts"].map(ask))).toEqual([true, true]);
  expect(await Promise.all(["/my/box", "/operators", null].map(ask))).toEqual([false, false, false]);
});

describe("the banner's times", () => {
  test("are in Japanese time: M/D HH:mm, and HH:mm for the end", () => {
    expect(startText("2026-12-01T08:00:00.000Z")).toBe("12/1 17:00");
    expect(startText("2026-11-30T15:05:00.000Z"), "midnight is 00").toBe("12/1 00:05");
    expect(endText("2026-12-01T11:00:00.000Z")).toBe("20:00");
    expect(endText("2026-12-01T17:30:00.000Z"), "the end is after midnight").toBe("02:30");
  });
});

describe("a form that is returned", () => {
  const formOf = (entries: [string, string | File][]) => {
    const data = new FormData();
    for (const [name, value] of entries) data.append(name, value as string);
    return data;
  };

  test("shows every field with words, and keeps the rest hidden", () => {
    const kept = keptOf(
      formOf([
        ["title", "hello"],
        ["body", "一行目\n二行目"],
        ["tag", "夜の音楽"],
        ["tag", "朝の音楽"],
        ["comment", ""],
        ["visibility", "fans"],
        ["is_public", "on"],
        ["author", "01hzzzzzzzzzzzzzzzzzzzzzzz"],
        ["idempotency_key", "57ab6e9c-0a2b-4ad1-8a52-6f4a90c1a001"],
        ["to", "/natsume?page=2"],
        ["operation", "follow"],
      ]),
      "/my/posts/new",
    );
    expect(kept.words).toEqual([
      ["title", "hello"],
      ["body", "一行目\n二行目"],
      ["tag", "夜の音楽"],
      ["tag", "朝の音楽"],
    ]);
    expect(kept.others.map(([name]) => name)).toEqual([
      "comment",
      "visibility",
      "is_public",
      "author",
      "idempotency_key",
      "to",
      "operation",
    ]);
    expect(kept).toMatchObject({ action: "/my/posts/new", is_whole: true });
  });

  test("never returns a secret or a file, and then cannot be resubmitted as it is", () => {
    const login = keptOf(
      formOf([
        ["email", "hana@example.jp"],
        ["password", "絶対に秘密の言葉"],
        ["new_password_again", "絶対に秘密の言葉"],
      ]),
      "/login",
    );
    expect(JSON.stringify(login)).not.toContain("秘密");
    expect(login).toMatchObject({ words: [["email", "hana@example.jp"]], others: [], is_whole: false });
    const upload = keptOf(formOf([["image", new File(["x"], "私.png")]]), "/my/posts/new");
    expect(upload).toMatchObject({ words: [], others: [], is_whole: false });
    expect(keptOf(formOf([["image", new File([], "")]]), "/").is_whole, "an unused file field").toBe(true);
  });
});

describe("a field of an open page", () => {
  const fieldOf = (state: Partial<FieldState>): FieldState => ({
    type: "text",
    value: "",
    defaultValue: "",
    checked: false,
    defaultChecked: false,
    ...state,
  });
  const optionOf = (selected: boolean, defaultSelected = false) => ({ selected, defaultSelected });
  // As browsers report them: a control without a value of its own has the value "on".
  const untouched: [string, Partial<FieldState>][] = [
    ["a box without a value", { type: "checkbox", value: "on" }],
    ["a box that came ticked", { type: "checkbox", value: "on", checked: true, defaultChecked: true }],
    ["a text that came with the page", { type: "textarea", value: "一行目\n二行目", defaultValue: "一行目\r\n二行目" }],
    [
      "a list without a choice",
      { type: "select-one", value: "a", defaultValue: undefined, options: [optionOf(true), optionOf(false)] },
    ],
    ["a list with the choice it came with", { type: "select-one", options: [optionOf(false), optionOf(true, true)] }],
    ["a button", { type: "submit", value: "", defaultValue: undefined }],
    ["a fieldset", { type: "fieldset", value: undefined, defaultValue: undefined }],
  ];
  const touched: [string, Partial<FieldState>][] = [
    ["a box that was ticked", { type: "checkbox", value: "on", checked: true }],
    ["a box that was cleared", { type: "checkbox", value: "on", defaultChecked: true }],
    ["a text that was typed", { value: "書きかけ" }],
    ["a text that was deleted", { type: "textarea", defaultValue: "前の言葉" }],
    ["a file that was chosen", { type: "file", value: "C:\\fakepath\\a.png" }],
    ["a list with another choice", { type: "select-one", options: [optionOf(false), optionOf(true)] }],
  ];

  test.each(untouched)("is unchanged: %s", (_, state) => expect(isChanged(fieldOf(state))).toBe(false));
  test.each(touched)("holds unsaved input: %s", (_, state) => expect(isChanged(fieldOf(state))).toBe(true));
});

describe("an open page", () => {
  const OPENED = Date.parse("2026-12-01T00:00:00.000Z");
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const passTime = (ms: number) => vi.advanceTimersByTimeAsync(ms);

  function openPage(record: MaintenanceRecord, site: { record: MaintenanceRecord | null; ahead_ms?: number }) {
    vi.setSystemTime(OPENED);
    const told: string[] = [];
    let asked = 0;
    const watch = followMaintenance({
      reading: readingAt(record, Date.now() + (site.ahead_ms ?? 0)),
      changed: ({ status }) => told.push(status),
      ask: async () => {
        asked += 1;
        return site.record && { record: site.record, now_ms: Date.now() + (site.ahead_ms ?? 0) };
      },
    });
    return { told, stop: keepWatch(async () => watch), check: watch.check, asked: () => asked };
  }
  const NONE = { started_at: null, finished_at: null };
  const WINDOW = { started_at: "2026-12-01T00:02:30.000Z", finished_at: "2026-12-01T00:04:30.000Z" };
  const SECOND = 1000;

  test("notices within 60 seconds that maintenance has begun, and that it is over", async () => {
    const { told, asked } = openPage(WINDOW, { record: WINDOW });
    await passTime(179 * SECOND);
    expect([told, asked()]).toEqual([[], 0]);
    await passTime(1 * SECOND);
    expect([told, asked()]).toEqual([["UNDER_MAINTENANCE"], 1]);
    await passTime(120 * SECOND);
    expect(told).toEqual(["UNDER_MAINTENANCE", "NO_MAINTENANCE_SCHEDULED"]);
  });

  test("asks every 300 seconds, and reports a change once", async () => {
    const { told, asked, stop } = openPage(NONE, { record: { ...WINDOW, finished_at: null } });
    await passTime(299 * SECOND);
    expect([told, asked()]).toEqual([[], 0]);
    await passTime(1 * SECOND);
    expect([told, asked()]).toEqual([["UNDER_MAINTENANCE"], 1]);
    await passTime(600 * SECOND);
    expect([told.length, asked()]).toEqual([1, 3]);
    stop();
    await passTime(600 * SECOND);
    expect(asked()).toBe(3);
  });

  test("checks every minute and asks every fifth, whenever its timer fires", async () => {
    const looks: [string, number][] = [];
    const begun = Date.now();
    const noteLook = (look: string) => async () => void looks.push([look, Date.now() - begun]);
    let is_reachable = false;
    const stop = keepWatch(async () => {
      if (!is_reachable) throw new Error("the record is not available yet");
      return { recompute: noteLook("recompute"), check: noteLook("check") };
    });
    await passTime(RECOMPUTE_MS);
    is_reachable = true;
    await passTime(2 * POLL_MS - RECOMPUTE_MS - 1);
    stop();
    await passTime(1);
    const recomputed = Array.from({ length: 8 }, (_, index) => ["recompute", (index + 2) * RECOMPUTE_MS]);
    expect(looks.filter(([look]) => look === "recompute")).toEqual(recomputed);
    expect(looks.filter(([look]) => look === "check")).toEqual([["check", POLL_MS]]);
  });

  test("checks at once on request, and continues from the answer", async () => {
    const { told, asked, check } = openPage(NONE, { record: { ...WINDOW, started_at: "2026-11-30T00:00:00.000Z" } });
    await check();
    expect([told, asked()]).toEqual([["UNDER_MAINTENANCE"], 1]);
    await passTime(300 * SECOND);
    expect(told).toEqual(["UNDER_MAINTENANCE", "NO_MAINTENANCE_SCHEDULED"]);
  });

  test("trusts the site's clock instead of its own, and reports nothing the site does not confirm", async () => {
    const late = openPage(WINDOW, { record: WINDOW, ahead_ms: -3600 * SECOND });
    await passTime(300 * SECOND);
    expect(late.told).toEqual([]);
    const moved = openPage(WINDOW, { record: NONE });
    await passTime(180 * SECOND);
    expect(moved.told, "the operators withdrew the maintenance").toEqual(["NO_MAINTENANCE_SCHEDULED"]);
    const alone = openPage(WINDOW, { record: null });
    await passTime(180 * SECOND);
    expect(alone.told, "without an answer the page stays").toEqual([]);
  });
});
