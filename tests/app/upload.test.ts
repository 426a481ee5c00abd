import { afterEach, expect, test, vi } from "vitest";
import { uploadFile } from "../../app/browser/upload.ts";

afterEach(() => void vi.unstubAllGlobals());

/** The names of the fields that were sent last, in order. */
let sent: string[] = [];

/** Lets each request end at once with this status and body. `response` is null when the body is no JSON. */
function answerWith(status: number, response: unknown): void {
  class Answered {
    status = status;
    response = response;
    upload = {};
    onloadend = () => {};
    open() {}
    send(form: FormData) {
      sent = [...form.keys()];
      queueMicrotask(() => this.onloadend());
    }
  }
  vi.stubGlobal("XMLHttpRequest", Answered);
}

const film = new File(["bytes"], "film.mp4", { type: "video/mp4" });

test.each([
  ["a page of Cloudflare's that refuses the size", 413, null, /^ファイルが大きすぎて、送れませんでした。/],
  ["our own refusal", 413, { detail: "動画は200MBまでです。" }, /^動画は200MBまでです。$/],
  ["a page that says nothing", 502, null, /^通信が途切れました。/],
])("after %s says why the file was not sent", async (_what, status, response, sentence) => {
  answerWith(status, response);
  await expect(uploadFile(film)).rejects.toThrow(sentence);
});

test("sends its fields before the file", async () => {
  answerWith(201, { media: {} });
  await uploadFile(film, { fields: { owner: "a" } });
  expect(sent).toEqual(["owner", "file"]);
});

test("ends a request that makes no progress for a minute, and tries again", async () => {
  vi.useFakeTimers();
  let requests = 0;
  const shares: number[] = [];
  class Silent {
    status = 0;
    response = null;
    upload: { onprogress?(event: { loaded: number; total: number }): void } = {};
    onloadend = () => {};
    open() {}
    abort() {
      this.onloadend();
    }
    send() {
      if (++requests > 1) return;
      setTimeout(() => this.upload.onprogress?.({ loaded: 1, total: 2 }), 50_000);
    }
  }
  vi.stubGlobal("XMLHttpRequest", Silent);
  const onProgress = (share: number) => void shares.push(share);
  const refused = expect(uploadFile(film, { onProgress })).rejects.toThrow(/^通信が途切れました。/);
  await vi.advanceTimersByTimeAsync(109_000);
  expect({ requests, shares }).toEqual({ requests: 1, shares: [0.5] });
  await vi.advanceTimersByTimeAsync(400_000);
  await refused;
  expect(requests).toBe(3);
  vi.useRealTimers();
});
