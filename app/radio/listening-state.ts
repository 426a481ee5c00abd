export type ListeningState =
  | { kind: "loading" | "buffering" | "paused" | "reconnecting" | "ended" }
  /** `latency_s`: how long ago it was said, approximately. */
  | { kind: "playing"; latency_s: number }
  /** The browser plays the plain stream by itself, and tells nothing of its latency. */
  | { kind: "plain" };

const WORDS: Readonly<Record<Exclude<ListeningState["kind"], "playing">, string>> = {
  loading: "読み込んでいます…",
  buffering: "音声を待っています…",
  paused: "一時停止中です。再生すると、今の放送に戻ります。",
  reconnecting: "接続し直しています…",
  ended: "放送は終わりました。",
  plain: "放送を再生しています。",
};

/** Returns what the listener's page says about a state. */
export function listeningWords(state: ListeningState): string {
  return state.kind === "playing" ? `放送中（約${state.latency_s}秒遅れ）` : WORDS[state.kind];
}
