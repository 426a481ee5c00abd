import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { DraftSaver, type SaveState } from "../../app/post/draft-saver.ts";

/** A posted draft, and a function to answer it. */
interface Posted {
  fields: Record<string, string>;
  answer: (response: Response) => void;
  fail: () => void;
}

let typed = "";
let posted: Posted[] = [];
let states: SaveState[] = [];

const newSaver = () =>
  new DraftSaver({
    url: "/my/posts/drafts/1/save.json",
    read: () => {
      const form = new FormData();
      form.set("body", typed);
      return form;
    },
    onState: (state) => states.push(state),
    onSaved: () => {},
  });
/** Lets pending answers arrive. */
const settleAnswers = () => vi.advanceTimersByTimeAsync(0);
const passMinute = () => vi.advanceTimersByTimeAsync(60_000);
const postedBodies = () => posted.map(({ fields }) => fields.body);

beforeEach(() => {
  [typed, posted, states] = ["", [], []];
  vi.useFakeTimers();
  vi.stubGlobal(
    "fetch",
    (_: string, { body, signal }: { body: FormData; signal: AbortSignal }) =>
      new Promise<Response>((answer, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
        const fields = Object.fromEntries(body) as Record<string, string>;
        posted.push({ fields, answer, fail: () => reject(new TypeError("offline")) });
      }),
  );
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe("the draft saver", () => {
  test("saves once after a pause, however often the form was changed", async () => {
    const draft = newSaver();
    for (typed of ["朝", "朝の", "朝の海"]) draft.touch();
    await passMinute();
    expect(postedBodies()).toEqual(["朝の海"]);
    posted[0]?.answer(Response.json({ revision: 3, saved_at: "2026-11-20T00:00:00.000Z" }));
    await settleAnswers();
    expect(draft.fields).toEqual({ revision: 3 });
    expect(states.map(({ kind }) => kind)).toEqual(["saving", "saved"]);
  });

  test("saves once when the pressed button takes the focus from a field", async () => {
    const draft = newSaver();
    typed = "朝";
    draft.touch();
    draft.saveChanges();
    draft.save();
    posted[0]?.answer(Response.json({ revision: 1 }));
    await passMinute();
    expect(postedBodies()).toEqual(["朝"]);
  });

  test("retries an unanswered save unchanged, and then saves what was typed since", async () => {
    const draft = newSaver();
    typed = "一";
    draft.save();
    typed = "二";
    draft.touch();
    posted[0]?.fail();
    await passMinute();
    expect(postedBodies()).toEqual(["一", "一"]);
    posted[1]?.answer(Response.json({ revision: 1 }));
    await passMinute();
    expect(postedBodies()).toEqual(["一", "一", "二"]);
  });

  test("counts a save as failed that has no answer after half a minute, and sends it again", async () => {
    vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
      const time_limit = new AbortController();
      setTimeout(() => time_limit.abort(), ms);
      return time_limit.signal;
    });
    const draft = newSaver();
    typed = "圏外";
    draft.save();
    await vi.advanceTimersByTimeAsync(29_000);
    expect(draft.is_stuck).toBe(false);
    await vi.advanceTimersByTimeAsync(2000);
    expect(draft.is_stuck).toBe(true);
    await vi.advanceTimersByTimeAsync(5000);
    expect(postedBodies()).toEqual(["圏外", "圏外"]);
  });

  test("saves the present text after a refusal, not the refused one", async () => {
    const draft = newSaver();
    typed = "長すぎる";
    draft.save();
    posted[0]?.answer(Response.json({ code: "validation_failed", detail: "長すぎます。" }, { status: 422 }));
    await settleAnswers();
    expect(states.at(-1)).toMatchObject({ kind: "failed", detail: expect.stringContaining("長すぎます。") });
    await passMinute();
    expect(postedBodies()).toEqual(["長すぎる"]);
    typed = "短い";
    draft.retry();
    expect(postedBodies()).toEqual(["長すぎる", "短い"]);
  });

  test("overwrites another page's draft only when asked to", async () => {
    const draft = newSaver();
    draft.save();
    posted[0]?.answer(Response.json({ code: "draft_conflict" }, { status: 409 }));
    await settleAnswers();
    expect([states.at(-1)?.kind, draft.is_stuck]).toEqual(["conflict", true]);
    draft.save({ overwrites: true });
    expect(posted.map(({ fields }) => fields.do)).toEqual([undefined, "overwrite"]);
    posted[1]?.answer(Response.json({ revision: 2 }));
    await settleAnswers();
    draft.save();
    expect(posted[2]?.fields.do).toBeUndefined();
  });

  test("holds the form until the pending save is answered", async () => {
    const draft = newSaver();
    const sendForm = vi.fn();
    draft.save();
    expect(draft.hold(sendForm)).toBe(false);
    posted[0]?.answer(Response.json({ revision: 1 }));
    await settleAnswers();
    expect(sendForm).toHaveBeenCalledOnce();
    expect(draft.hold(sendForm)).toBe(true);
    draft.touch();
    await passMinute();
    expect(posted).toHaveLength(1);
    draft.resume();
    draft.saveChanges();
    expect(posted).toHaveLength(2);
  });

  test("saves what was typed during a save when the page is closed", () => {
    const draft = newSaver();
    typed = "一";
    draft.save();
    typed = "二";
    draft.touch();
    draft.saveBeforeClosing();
    expect(posted.map(({ fields }) => [fields.body, fields.do])).toEqual([
      ["一", undefined],
      ["二", "overwrite"],
    ]);
  });

  test("saves on closing, and reports nothing any more", async () => {
    const draft = newSaver();
    typed = "さいご";
    draft.touch();
    draft.close();
    expect(postedBodies()).toEqual(["さいご"]);
    const told = states.length;
    posted[0]?.fail();
    await passMinute();
    expect([posted.length, states.length]).toEqual([1, told]);
  });
});
