/** Audio files that become recordings, over the real network and by the form without scripts. */
import { parseRssFeed } from "feedsmith";
import { describe, expect, test } from "vitest";
import { NIGHT_MELODY_MS, nightMelody } from "../../scripts/demo/sound.ts";
import {
  createRadio,
  deleteRadioRecording,
  finishRadio,
  getRadio,
  getRadioBroadcast,
  getRadioSound,
  putRadioRecording,
  startRadio,
} from "../../workers/contract/radios.ts";
import { uploadAudio } from "../../workers/contract/uploads.ts";
import { newId } from "../../workers/kernel/ids.ts";
import {
  type Browser,
  browser,
  database,
  freshMember,
  type Member,
  network,
  openBrowserAs,
  tick,
} from "../support/network.ts";
import { waitUntil } from "../support/wait.ts";
import { ask, refused } from "./support/calls.ts";
import { addMedia } from "./support/own-uploads.ts";

/** Larger than a form without files may be. */
const WAV = nightMelody();
const WAV_MS = NIGHT_MELODY_MS;
/** WebM as a browser records it: without a length. */
const WEBM = Buffer.from("1a45dfa3874282847765626d" + "18538067" + "01ffffffffffffff", "hex");

async function finished(owner: Member) {
  const { token } = owner;
  const body = { title: "夜ふかし", publish_target_type: "public", recording_publish_target_type: "public" } as const;
  const { radio } = await ask(createRadio, { token, body });
  const params = { radio_id: radio.radio_id };
  await ask(startRadio, { token, params });
  await ask(finishRadio, { token, params });
  return { token, params, page: `/my/radio/${radio.radio_id}/recording` };
}

const get = async (path: string, headers: Record<string, string> = {}) =>
  fetch((await network()).url + path, { headers });

const fileOf = (bytes: Uint8Array, type: string, name: string) => new File([bytes as BlobPart], name, { type });
function formOf(file: File, fields: Record<string, string> = {}) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append("recording", file);
  return form;
}

const sendForm = (own: Browser, page: string, form: FormData) =>
  own.send(page, { method: "POST", body: form, headers: own.sameOrigin() });

async function upload(token: string, bytes: Uint8Array): Promise<string> {
  const form = new FormData();
  form.append("file", fileOf(bytes, "audio/wav", "sound.wav"));
  const { url } = await network();
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(url + uploadAudio.path, { method: "POST", headers, body: form });
  return ((await answer.json()) as { media: { media_id: string } }).media.media_id;
}

describe("an uploaded audio file", () => {
  test("becomes the recording by a form, with its own type, length, ranges, download and place in the podcast", async () => {
    const owner = await freshMember("録る人");
    const { token, params, page } = await finished(owner);
    const own = await openBrowserAs(owner);
    expect((await own.get(`/my/radio/${params.radio_id}`)).text).toContain(`href="${page}"`);
    const sent = await sendForm(own, page, formOf(fileOf(WAV, "audio/wav", "edited.wav")));
    expect([sent.status, sent.location]).toEqual([303, `/my/radio/${params.radio_id}`]);

    const path = `/media/${params.radio_id}/recording`;
    const { sound } = await ask(getRadioSound, { params, query: {} });
    expect(sound.recording).toEqual({ path, content_type: "audio/wav", bytes: WAV.length, duration_ms: WAV_MS });
    const part = await get(`${path}?download`, { range: "bytes=100-199" });
    expect([part.status, part.headers.get("content-type"), part.headers.get("content-range")]).toEqual([
      206,
      "audio/wav",
      `bytes 100-199/${WAV.length}`,
    ]);
    expect(part.headers.get("content-disposition")).toContain(`${encodeURIComponent("夜ふかし")}.wav`);
    expect(new Uint8Array(await part.arrayBuffer())).toEqual(Uint8Array.from(WAV.subarray(100, 200)));
    const visitor = await browser();
    const feed = parseRssFeed((await visitor.get(`/${owner.user.link_id}/podcast.xml`)).text);
    expect(feed.items?.[0]?.enclosures).toMatchObject([{ length: WAV.length, type: "audio/wav" }]);

    await ask(deleteRadioRecording, { token, params });
    expect((await get(path)).status).toBe(404);
  });

  test("replaces a recording after a question, and the file of the broadcast is deleted", async () => {
    const owner = await freshMember("録り直す人");
    const { token, params, page } = await finished(owner);
    const bucket = await (await network()).miniflare.getR2Bucket("MEDIA", "ofuse-api");
    const key = `radios/${params.radio_id}.m4a`;
    await bucket.put(key, "the sound of the broadcast");
    await (await database())
      .prepare("UPDATE radios SET recording_state = 'completed', bytes = 26, duration_ms = 900 WHERE radio_id = ?")
      .bind(params.radio_id)
      .run();
    const own = await openBrowserAs(owner);
    const file = fileOf(WAV, "audio/wav", "edited.wav");
    const asked = await sendForm(own, page, formOf(file));
    expect(asked.status).toBe(422);
    expect(asked.text).toContain("いまの録音と入れ替えるときは");
    const former = await get(`/media/${params.radio_id}/recording`);
    expect(await former.text()).toBe("the sound of the broadcast");
    expect((await sendForm(own, page, formOf(file, { replaces: "on" }))).status).toBe(303);
    const answer = await get(`/media/${params.radio_id}/recording`, {
      "if-none-match": former.headers.get("etag") ?? "",
    });
    expect((await answer.arrayBuffer()).byteLength).toBe(WAV.length);
    await waitUntil(async () => {
      await tick();
      expect(await bucket.head(key)).toBeNull();
    });
    const { broadcast } = await ask(getRadioBroadcast, { token, params });
    expect(broadcast.recording).toMatchObject({ bytes: WAV.length, duration_ms: WAV_MS });
  });

  test("is refused by the form with a reason, and the radio stays as it is", async () => {
    const owner = await freshMember("まちがえる人");
    const { token, params, page } = await finished(owner);
    const own = await openBrowserAs(owner);
    for (const [file, words] of [
      [fileOf(WEBM, "audio/webm", "a.webm"), "この音声の長さを読み取れませんでした"],
      [fileOf(new TextEncoder().encode("text"), "audio/mpeg", "a.mp3"), "ファイル"],
      [fileOf(new Uint8Array(), "application/octet-stream", ""), "音声のファイルを選んでください"],
    ] as const) {
      const answer = await sendForm(own, page, formOf(file));
      const [, at_field = ""] = /id="recording-file-error"[^>]*>([^<]*)</.exec(answer.text) ?? [];
      expect([answer.status >= 400, at_field.includes(words)], words).toEqual([true, true]);
    }
    expect((await ask(getRadio, { token, params })).radio.recording_state).toBe("none");
  });
});

describe("putRadioRecording", () => {
  test("takes a file from /v4/audios, and only the caller's own finished audio", async () => {
    const [owner, other] = await Promise.all([freshMember("録る人"), freshMember("ほかの人")]);
    const { token, params } = await finished(owner);
    const media_id = await upload(token, WAV);
    const call = { token, params, body: { media_id } };
    expect(await ask(putRadioRecording, call)).toEqual({
      recording: { content_type: "audio/wav", bytes: WAV.length, duration_ms: WAV_MS },
    });
    // Only the radio's audience may hear it now, at the radio's address.
    expect((await get(`/media/${media_id}/file`)).status).toBe(404);
    expect((await get(`/media/${params.radio_id}/recording`)).status).toBe(200);
    await refused(putRadioRecording, "not_found", { ...call, token: other.token });
    const foreign = [newId(Date.now()), await upload(other.token, WAV), await addMedia(owner.user.user_id, "video")];
    for (const each of foreign) {
      await refused(putRadioRecording, "media_not_usable", { ...call, body: { media_id: each } });
    }
  });

  test("is refused before the end, and while the recording of the broadcast is being written", async () => {
    const owner = await freshMember("急ぐ人");
    const { token, params } = await finished(owner);
    const body = { media_id: await upload(token, WAV) };
    await (await database())
      .prepare("UPDATE radios SET recording_state = 'processing' WHERE radio_id = ?")
      .bind(params.radio_id)
      .run();
    await refused(putRadioRecording, "radio_transition_refused", { token, params, body });
    const { radio } = await ask(createRadio, { token, body: { title: "これから", publish_target_type: "public" } });
    await refused(putRadioRecording, "radio_transition_refused", { token, params: { radio_id: radio.radio_id }, body });
  });
});
