import type { RadioSummary } from "../../workers/contract/radios.ts";

/** The words of pages for the states and the audiences of radios. */
export const RADIO_STATES = { scheduled: "放送前", on_air: "放送中", finished: "放送済み" } as const;

export const RADIO_AUDIENCES = {
  public: "全員",
  fans: "フォロワー限定",
  memberships: "メンバー限定",
  url: "URLを知っている人",
  none: "自分だけ",
} as const;

/** Returns who may hear a radio now: its broadcast, and from its end on its recording. */
export const audienceOf = (radio: RadioSummary): keyof typeof RADIO_AUDIENCES =>
  radio.status === "finished" ? radio.recording_publish_target_type : radio.publish_target_type;

/** The note of a radio for a limited audience; empty for everybody. */
export function noteOfRadio(radio: RadioSummary): string {
  const audience = audienceOf(radio);
  return audience === "public" ? "" : RADIO_AUDIENCES[audience];
}
