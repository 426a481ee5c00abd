import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { DraftSaver, type SaveState } from "../../app/post/draft-saver.ts";

/** A posted draft, and a function to answer it. */
interface Posted {
  keepalive: boolean;
  fields: Record<string, string>;
  answer: (response: Response) => void;
  fail: () => void;
}

let typed = "";
let posted: Posted[] = [];
let states: SaveState[] = [];
/** The messages for a writer who has left the form. */
let told: string[] = [];
const onSaved = vi.fn();
const onEnd = vi.fn();

const newSaver = () =>
  new DraftSaver({
    url: "/my/posts/drafts/1/save.json",
    read: () => {
      const form = new FormData();
      form.set("body", typed);
      return form;
    },
    onState: (state) => states.push(state),
    onSaved,
    onUnsaved: (text) => told.push(text),
  });
const saved = (revision: number) => Response.json({ revision, saved_at: "2026-11-20T00:00:00.000Z" });
/** Lets pending answers arrive. */
const settleAnswers = () => vi.advanceTimersByTimeAsync(0);
const passMinute = () => vi.advanceTimersByTimeAsync(60_000);
const postedBodies = () => posted.map(({ fields }) => fields.body);

beforeEach(() => {
  [typed, posted, states, told] = ["", [], [], []];
  onSaved.mockClear();
  onEnd.mockClear();
  vi.useFakeTimers();
  vi.stubGlobal(
    "fetch",
    (_: string, { body, signal, keepalive }: { body: FormData; signal: AbortSignal; keepalive: boolean }) =>
      new Promise<Response>((answer, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
        const fields = Object.fromEntries(body) as Record<string, string>;
        posted.push({ keepalive, fields, answer, fail: () => reject(new TypeError("offline")) });
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
    posted[0]?.answer(saved(3));
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
    posted[0]?.answer(saved(1));
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
    posted[1]?.answer(saved(1));
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

  test.each<[string, () => Response]>([
    ["a page of HTML with 200", () => new Response("<h1>Wi-Fi</h1>", { headers: { "content-type": "text/html" } })],
    ["an answer that is cut off", () => new Response('{"revision":1,"saved_a')],
    ["JSON without the fields of a save", () => Response.json({})],
    ["no object", () => Response.json(null)],
    ["a gateway's 502", () => new Response("<h1>Bad Gateway</h1>", { status: 502 })],
    ["a gateway's 403", () => new Response("<h1>Forbidden</h1>", { status: 403 })],
    ["a gateway's 401", () => new Response("", { status: 401 })],
  ])("does not take %s for an answer, and sends the same save again", async (_, foreign) => {
    const draft = newSaver();
    typed = "一";
    draft.save();
    typed = "二";
    draft.touch();
    posted[0]?.answer(foreign());
    await settleAnswers();
    expect([states.at(-1)?.kind, draft.is_stuck, draft.fields]).toEqual(["failed", true, {}]);
    await vi.advanceTimersByTimeAsync(5000);
    expect(postedBodies()).toEqual(["一", "一"]);
    posted[1]?.answer(saved(1));
    await passMinute();
    expect(postedBodies()).toEqual(["一", "一", "二"]);
  });

  test("does not send a text again that is too large for the server", async () => {
    const draft = newSaver();
    typed = "長すぎる";
    draft.save();
    posted[0]?.answer(new Response("<h1>413</h1>", { status: 413 }));
    await passMinute();
    expect([states.at(-1)?.kind, postedBodies()]).toEqual(["failed", ["長すぎる"]]);
    typed = "短い";
    draft.retry();
    expect(postedBodies()).toEqual(["長すぎる", "短い"]);
  });

  test("leads to the post that was made of the draft", async () => {
    const draft = newSaver();
    draft.save();
    const published = {
      code: "draft_published",
      detail: "この投稿は、すでに公開されています。",
      path: "/my/posts/1/edit",
    };
    posted[0]?.answer(Response.json(published, { status: 409 }));
    await settleAnswers();
    const { detail, path } = published;
    expect([states.at(-1), draft.is_stuck]).toEqual([{ kind: "published", detail, path }, true]);
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
    posted[1]?.answer(saved(2));
    await settleAnswers();
    draft.save();
    expect(posted[2]?.fields.do).toBeUndefined();
  });

  test("holds the form until the pending save is answered", async () => {
    const draft = newSaver();
    const sendForm = vi.fn();
    draft.save();
    expect(draft.hold(sendForm)).toBe(false);
    posted[0]?.answer(saved(1));
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

  test("sends an unanswered save once more before the form, whose fields it changes", async () => {
    const draft = newSaver();
    const sendForm = vi.fn(() => draft.hold(sendForm));
    typed = "一";
    draft.save();
    posted[0]?.fail();
    await settleAnswers();
    typed = "二";
    expect(draft.hold(sendForm)).toBe(false);
    posted[1]?.answer(saved(1));
    await settleAnswers();
    expect([postedBodies(), draft.fields]).toEqual([["一", "一"], { revision: 1 }]);
    expect(sendForm.mock.results).toEqual([{ type: "return", value: true }]);
  });

  test("lets the form be sent when the second attempt has no answer either, and repeats the save later", async () => {
    const draft = newSaver();
    const sendForm = vi.fn(() => draft.hold(sendForm));
    typed = "一";
    draft.save();
    posted[0]?.fail();
    await settleAnswers();
    draft.hold(sendForm);
    posted[1]?.fail();
    await passMinute();
    expect(sendForm.mock.results).toEqual([{ type: "return", value: true }]);
    expect(postedBodies()).toEqual(["一", "一"]);
    typed = "二";
    draft.resume();
    draft.save();
    expect(postedBodies()).toEqual(["一", "一", "一"]);
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

  test.each<[string, () => Response, string[]]>([
    ["is answered", () => saved(2), ["一", "二"]],
    ["is answered by a gateway", () => new Response("<h1>Wi-Fi</h1>"), ["一", "二", "二"]],
  ])("knows whether the words of a closed page are saved when the save %s", async (_, answer, bodies) => {
    const draft = newSaver();
    typed = "一";
    draft.save();
    typed = "二";
    draft.touch();
    draft.saveBeforeClosing();
    posted[1]?.answer(answer());
    posted[0]?.answer(saved(1));
    await passMinute();
    draft.saveChanges();
    expect(postedBodies()).toEqual(bodies);
  });

  test("asks before a long text is cut off: while it is typed and while its save runs", async () => {
    const draft = newSaver();
    typed = "長".repeat(25_000);
    expect(draft.is_stuck).toBe(false);
    draft.touch();
    expect(draft.is_stuck).toBe(true);
    draft.saveChanges();
    expect([posted[0]?.keepalive, draft.is_stuck]).toEqual([false, true]);
    // A navigation within the app cancels no save.
    expect(draft.asksToStay()).toBe(false);
    posted[0]?.answer(saved(1));
    await settleAnswers();
    expect(draft.is_stuck).toBe(false);
  });

  test("asks for a short text only after a failed save", async () => {
    const draft = newSaver();
    typed = "短い";
    draft.touch();
    expect(draft.is_stuck).toBe(false);
    draft.saveChanges();
    expect([posted[0]?.keepalive, draft.is_stuck]).toEqual([true, false]);
    posted[0]?.fail();
    await settleAnswers();
    expect([draft.is_stuck, draft.asksToStay()]).toEqual([true, true]);
  });

  test("counts a running save towards what the browser sends after the page is closed", async () => {
    const draft = newSaver();
    typed = "あ".repeat(11_000);
    draft.save();
    expect(draft.is_stuck).toBe(false);
    typed += "い";
    draft.touch();
    expect(draft.is_stuck).toBe(true);
    // The browser would refuse a second save of this size if it had to outlive the page.
    draft.saveBeforeClosing();
    expect(posted.map(({ keepalive }) => keepalive)).toEqual([true, false]);
    posted[0]?.answer(saved(1));
    posted[1]?.answer(saved(2));
    await settleAnswers();
    expect(draft.is_stuck).toBe(false);
    draft.touch();
    expect(draft.is_stuck).toBe(false);
  });

  describe("after the form was left", () => {
    /** Types a text, and leaves the form before it is saved. */
    const leaveWith = (text: string) => {
      const draft = newSaver();
      typed = text;
      draft.touch();
      draft.close(onEnd);
      // The form is gone.
      typed = "";
      return draft;
    };

    test("saves its changes, and changes neither its state nor the address", async () => {
      leaveWith("さいご");
      expect(postedBodies()).toEqual(["さいご"]);
      const shown = states.length;
      expect(onEnd).not.toHaveBeenCalled();
      posted[0]?.answer(saved(1));
      await passMinute();
      expect([posted.length, states.length, onSaved.mock.calls.length, told]).toEqual([1, shown, 0, []]);
      expect(onEnd).toHaveBeenCalledOnce();
    });

    test.each<[string, (save: Posted | undefined) => void]>([
      ["is lost", (save) => save?.fail()],
      ["is an error of the server", (save) => save?.answer(Response.json({ code: "unavailable" }, { status: 503 }))],
      ["is too many requests", (save) => save?.answer(Response.json({ code: "too_many" }, { status: 429 }))],
      ["is a gateway's", (save) => save?.answer(new Response("<h1>Bad Gateway</h1>", { status: 502 }))],
    ])("says once that they are not saved when the answer %s, and sends them again until they are", async (_, fail) => {
      const draft = leaveWith("さいご");
      fail(posted[0]);
      await settleAnswers();
      expect(told).toEqual([expect.stringContaining("まだ下書きに保存できていません")]);
      // Closing the document now would lose them; a navigation within the app would not.
      expect([draft.is_stuck, draft.asksToStay()]).toEqual([true, false]);
      await vi.advanceTimersByTimeAsync(5000);
      fail(posted[1]);
      await passMinute();
      posted[2]?.answer(saved(1));
      await passMinute();
      expect([postedBodies(), told.length, draft.is_stuck]).toEqual([["さいご", "さいご", "さいご"], 1, false]);
      expect(onEnd).toHaveBeenCalledOnce();
    });

    test("sends them at once when the connection is back", async () => {
      const draft = leaveWith("さいご");
      posted[0]?.fail();
      await settleAnswers();
      draft.retry();
      expect(postedBodies()).toEqual(["さいご", "さいご"]);
    });

    test.each([
      [409, "draft_conflict", "別の画面でこの下書きが保存されています。"],
      [401, "unauthenticated", "ログインの有効期限が切れました。"],
      [422, "validation_failed", "長すぎます。"],
    ])("says that they are lost when they are refused with %i", async (status, code, detail) => {
      leaveWith("さいご");
      posted[0]?.answer(Response.json({ code, detail }, { status }));
      await passMinute();
      expect(postedBodies()).toEqual(["さいご"]);
      expect(told).toEqual([expect.stringMatching(`下書きに保存できませんでした。${detail}$`)]);
      expect(onEnd).toHaveBeenCalledOnce();
    });

    test("saves what was typed during a save when that is answered, with the fields that it changed", async () => {
      const draft = newSaver();
      typed = "一";
      draft.save();
      typed = "二";
      draft.touch();
      draft.close(onEnd);
      typed = "";
      posted[0]?.answer(saved(7));
      await settleAnswers();
      expect(posted.map(({ fields }) => [fields.body, fields.revision])).toEqual([
        ["一", undefined],
        ["二", "7"],
      ]);
      expect(onEnd).not.toHaveBeenCalled();
      posted[1]?.answer(saved(8));
      await passMinute();
      expect([posted.length, told, onEnd.mock.calls.length]).toEqual([2, [], 1]);
    });

    test("sends a save again that failed just before, and nothing was asked", async () => {
      const draft = newSaver();
      typed = "一";
      draft.save();
      expect(draft.asksToStay()).toBe(false);
      posted[0]?.fail();
      await settleAnswers();
      draft.close(onEnd);
      expect(postedBodies()).toEqual(["一", "一"]);
      posted[1]?.fail();
      await settleAnswers();
      expect(told).toHaveLength(1);
    });

    test("sends a failed save again although the writer was asked and left all the same", async () => {
      const draft = newSaver();
      typed = "一";
      draft.save();
      posted[0]?.fail();
      await settleAnswers();
      expect(draft.asksToStay()).toBe(true);
      draft.close(onEnd);
      posted[1]?.answer(saved(2));
      await settleAnswers();
      expect([postedBodies(), told, draft.is_stuck]).toEqual([["一", "一"], [], false]);
      expect(onEnd).toHaveBeenCalledOnce();
    });

    test("sends nothing when the form itself was sent", async () => {
      const draft = newSaver();
      typed = "一";
      draft.touch();
      draft.hold(null);
      draft.close(onEnd);
      await passMinute();
      expect([posted, told, onEnd.mock.calls.length]).toEqual([[], [], 1]);
    });
  });
});
