/** Why a broadcast ended. */
export type EndReason =
  /** The broadcaster ended it. */
  | "ended"
  /** A newer page broadcasts this radio. */
  | "superseded"
  /** The radio is finished: by another page, after 180 minutes, or after five minutes without a signal. */
  | "finished"
  /** The server took no chunk: a fault of the recorder. */
  | "refused"
  /** The server does not know the address any more: the radio is finished, or a newer page broadcasts it. */
  | "not_found"
  /** The microphone was removed, or the browser took it away. */
  | "microphone_lost"
  /** No encoder of the browser works. */
  | "encoder_failed";

export type BroadcastState =
  | { kind: "connecting" }
  /** `unsent_s`: the seconds that are not stored on the server yet. */
  | { kind: "on_air"; unsent_s: number }
  /** `lost_s`: the seconds that waited for more than five minutes and are given up. */
  | { kind: "reconnecting"; unsent_s: number; lost_s: number }
  | { kind: "ended"; reason: EndReason; unsent_s: number; lost_s: number };

/** Unsent sound up to this is on its way, and no sign of a slow network. */
const USUAL_UNSENT_S = 3;

const END_WORDS: Readonly<Record<EndReason, string>> = {
  ended: "放送を終えました。",
  superseded: "別の画面で放送を始めたため、この画面の放送を終えました。",
  finished: "このラジオは終了しました。",
  refused: "音声を送れなかったため、放送を終えました。ページを読み込み直すと、続きから放送できます。",
  not_found: "このラジオは終了したか、別の画面で放送しています。",
  microphone_lost: "マイクが使えなくなったため、放送を止めました。マイクを確かめて、もう一度始めてください。",
  encoder_failed: "このブラウザーで音声を変換できなくなり、放送を止めました。",
};

/** Returns the seconds that wait for a slow or lost network; 0 for sound that is only on its way. */
export const delayedSeconds = ({ unsent_s }: { unsent_s: number }): number =>
  unsent_s > USUAL_UNSENT_S ? unsent_s : 0;

/** Returns what the page says after the end. Null when the broadcaster ended it and all sound was sent. */
export function endWords(state: BroadcastState & { kind: "ended" }): string | null {
  const is_whole = state.reason === "ended" && state.lost_s + state.unsent_s === 0;
  return is_whole ? null : broadcastWords(state);
}

/** Returns what the broadcaster's page says about a state. */
export function broadcastWords(state: BroadcastState): string {
  switch (state.kind) {
    case "connecting":
      return "接続しています…";
    case "on_air":
      return delayedSeconds(state) > 0
        ? `放送中です。回線が遅いため、${state.unsent_s}秒分の音声を送信待ちです。`
        : "放送中です。";
    case "reconnecting":
      return `接続し直しています。${state.unsent_s}秒分の音声は、つながりしだい送ります。${lostWords(state.lost_s)}`;
    case "ended":
      return END_WORDS[state.reason] + lostWords(state.lost_s + state.unsent_s);
  }
}

const lostWords = (lost_s: number) => (lost_s > 0 ? `${lost_s}秒分の音声は送れませんでした。` : "");
