import { RouterContextProvider } from "react-router";
import { afterEach, describe, expect, test, vi } from "vitest";
import { v4Context } from "../../app/request/context.ts";
import { openSound } from "../../app/routes/my/open-sound.ts";
import { action } from "../../app/routes/my/radio-sound.ts";

const RADIO = "01kaf2m8q3v7x1n5r9t4w6y8ze";
const INGEST = { path: "/media/live/token/ingest", epoch: 2 };
const GATEWAY = () => new Response("<h1>502 Bad Gateway</h1>", { status: 502 });
const LOST = () => Promise.reject(new TypeError("network error"));
const CUT = () => new Response('{"pa', { status: 200 });

afterEach(() => vi.unstubAllGlobals());

/** Answers the page's requests in this order. Returns the addresses that it asked. */
function answerWith(...answers: (() => Response | Promise<Response>)[]): string[] {
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (address: string) => {
    asked.push(address);
    return (answers[asked.length - 1] as () => Response | Promise<Response>)();
  });
  return asked;
}

describe("opening the sound of a radio", () => {
  test.each([
    ["lost", LOST],
    ["cut off", CUT],
    ["a gateway's", GATEWAY],
  ])("asks again when the answer is %s", async (_, answer) => {
    const asked = answerWith(answer, () => Response.json(INGEST));
    expect(await openSound(RADIO)).toEqual(INGEST);
    expect(asked).toEqual([`/my/radio/${RADIO}/sound.json`, `/my/radio/${RADIO}/sound.json`]);
  });

  test("says that nobody knows whether the radio has started, when no answer comes", async () => {
    const asked = answerWith(LOST, CUT);
    await expect(openSound(RADIO)).rejects.toThrow(/^放送が始まったか確認できませんでした。/);
    expect(asked).toHaveLength(2);
  });

  test("passes a refusal on, and does not ask again", async () => {
    const detail = "いまは、放送を始められません。";
    const asked = answerWith(() => Response.json({ code: "feature_paused", detail }, { status: 503 }));
    await expect(openSound(RADIO)).rejects.toThrow(detail);
    expect(asked).toHaveLength(1);
  });
});

describe("the address that starts a radio and opens its sound", () => {
  /** Asks the address while the API finds the radio scheduled, and refuses to start it with this code. */
  async function askWhenRefused(code: string): Promise<Response> {
    const answers: Record<string, object> = {
      getRadio: { ok: true, answer: { radio: { status: "scheduled" } } },
      startRadio: { ok: false, refusal: { status: 409, code, detail: "始められません。", needs_sign_in: false } },
      openRadioSound: { ok: true, answer: { ingest: INGEST } },
    };
    const context = new RouterContextProvider();
    context.set(v4Context, { send: async ({ id }: { id: string }) => answers[id] } as never);
    return action({ params: { radio_id: RADIO }, context } as never);
  }

  test("opens the sound when the same press, sent before, has started the radio meanwhile", async () => {
    expect(await (await askWhenRefused("radio_transition_refused")).json()).toEqual(INGEST);
  });

  test("passes any other refusal on", async () => {
    expect((await askWhenRefused("radio_already_on_air")).status).toBe(409);
  });
});
