/** The life of a radio over the real network. tests/api/radios*.test.ts has its states and its visibility in full. */
import { beforeAll, describe, expect, test } from "vitest";
import { listNotifications } from "../../workers/contract/notifications.ts";
import {
  createRadio,
  createRadioComment,
  deleteRadio,
  deleteRadioComment,
  finishRadio,
  getRadio,
  likeRadioComment,
  likeRadioRecording,
  listenToRadio,
  listOwnRadios,
  listRadioComments,
  listUserRadios,
  startRadio,
  URL_KEY_HEADER,
  updateRadio,
} from "../../workers/contract/radios.ts";
import { follow } from "../../workers/contract/relationships.ts";
import { reportRadioComment } from "../../workers/contract/reports.ts";
import { database, freshMember, type Member, tick } from "../support/network.ts";
import { ask, refused } from "./support/calls.ts";

let owner: Member;
let fan: Member;
beforeAll(async () => {
  [owner, fan] = await Promise.all([freshMember("話す人"), freshMember("聴く人")]);
  await ask(follow, { token: fan.token, body: { following_id: owner.user.user_id } });
});

const body = { title: "夜ふかし缶詰", description: "眠れない夜に。", publish_target_type: "fans" as const };

describe("a radio for followers", () => {
  test("is announced, heard, commented on, finished and deleted", async () => {
    const { token } = owner;
    const recording = { recording_publish_target_type: "public" as const };
    const made = await ask(createRadio, { token, body: { ...body, ...recording } });
    expect(made).toMatchObject({ url_key: null, radio: { status: "scheduled", is_locked: false } });
    const params = { radio_id: made.radio.radio_id };
    const listOfUser = { params: { user_id: owner.user.user_id } };
    await refused(getRadio, "not_found", { params });
    expect((await ask(listUserRadios, listOfUser)).radios).toEqual([]);
    expect((await ask(listUserRadios, { ...listOfUser, token: fan.token })).radios).toHaveLength(1);

    await ask(updateRadio, { token, params, body: { ...body, ...recording, title: "生放送" } });
    await refused(startRadio, "not_found", { token: fan.token, params });
    await ask(startRadio, { token, params });
    expect((await ask(listOwnRadios, { token, query: { status: "on_air" } })).radios).toMatchObject([
      { title: "生放送" },
    ]);
    const teaser = (await ask(getRadio, { params })).radio;
    expect(teaser).toMatchObject({ title: "生放送", is_locked: true, description: null });
    await refused(listRadioComments, "not_found", { params });
    await tick();
    const { notifications } = await ask(listNotifications, { token: fan.token });
    expect(notifications.filter(({ type }) => type === "radio_started")).toHaveLength(1);

    const listen = { token: fan.token, params, body: { visit_id: "phone" } };
    expect([await ask(listenToRadio, listen), await ask(listenToRadio, listen)]).toEqual([
      { is_counted: true },
      { is_counted: false },
    ]);
    const said = await ask(createRadioComment, { token: fan.token, params, body: { message: "聴いています" } });
    const comment = { ...params, comment_id: said.comment.comment_id };
    expect((await ask(likeRadioComment, { token, params: comment, body: { is_liked: true } })).likes_count).toBe(1);
    await refused(reportRadioComment, "cannot_report_yourself", {
      token: fan.token,
      params: comment,
      body: { reason: "slander" },
    });

    await ask(finishRadio, { token, params });
    // Everybody may hear the recording, once there is one.
    expect((await ask(listRadioComments, { params })).comments).toMatchObject([{ message: "聴いています" }]);
    await refused(likeRadioRecording, "not_found", { params, body: { is_liked: true } });
    const done = (await database()).prepare("UPDATE radios SET recording_state = 'completed' WHERE radio_id = ?");
    await done.bind(params.radio_id).run();
    expect((await ask(likeRadioRecording, { params, body: { is_liked: true } })).likes_count).toBe(1);
    await ask(deleteRadioComment, { token, params: comment });
    await ask(deleteRadio, { token, params });
    await refused(getRadio, "not_found", { token, params });
  });
});

describe("a radio for people who know its URL", () => {
  test("opens with the key in the header, which the edge passes on", async () => {
    const made = await ask(createRadio, { token: owner.token, body: { ...body, publish_target_type: "url" } });
    const params = { radio_id: made.radio.radio_id };
    await refused(getRadio, "not_found", { params });
    await refused(getRadio, "not_found", { params, headers: { [URL_KEY_HEADER]: "q2Zt0cN5yVd8Rk1LwXo7Bg" } });
    const headers = { [URL_KEY_HEADER]: made.url_key ?? "" };
    expect((await ask(getRadio, { params, headers })).radio.title).toBe("夜ふかし缶詰");
    const said = { token: fan.token, params, body: { message: "鍵で来ました" } };
    await refused(createRadioComment, "not_found", said);
    await ask(createRadioComment, { ...said, headers });
  });
});
