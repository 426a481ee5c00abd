import { type FormEvent, useEffect, useRef, useState } from "react";
import { Form, useRevalidator, useSubmit } from "react-router";
import { groupDigits } from "../../../workers/contract/group-digits.ts";
import type { RadioBroadcast } from "../../../workers/contract/radios.ts";
import { broadcastAudioDeviceId } from "../../browser/radio-keys.ts";
import { useStored } from "../../browser/use-stored.ts";
import type { MicrophoneChoice } from "../../radio/microphone.ts";
import { PausedNotice } from "../../request/paused-notice.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Dialog, DialogButton } from "../../ui/dialog.tsx";
import { HiddenFields } from "../../ui/hidden-fields.tsx";
import { useHydrated } from "../../ui/hydrated.ts";
import { CaptionPanel } from "./caption-form.tsx";
import { Elapsed } from "./elapsed.tsx";
import { soundPath } from "./radio-path.ts";
import { type Broadcasting, useBroadcast } from "./use-broadcast.ts";

/** How often the page asks how many people listen. */
const LISTENERS_MS = 15_000;
const END_DIALOG = "end-radio";

interface Properties {
  radio_id: string;
  is_on_air: boolean;
  /** Whether people are notified of the start. Nobody is of a radio for the holders of its URL. */
  notifies: boolean;
  elapsed_s: number;
  listeners_count: number | null;
  /** Gets the words about the end of the broadcast, and null at the next start. They outlive this panel. */
  onEnd: (words: string | null) => void;
}

/** Puts a radio on air and continues it, from the microphone of this device. */
export function OnAirPanel({ radio_id, is_on_air, notifies, elapsed_s, onEnd, ...initial }: Properties) {
  const is_hydrated = useHydrated();
  const { revalidate } = useRevalidator();
  const meter = useRef<HTMLMeterElement>(null);
  const broadcast = useBroadcast(radio_id, meter, () => void revalidate(), onEnd);
  const [device_id, setDeviceId] = useStored(broadcastAudioDeviceId);
  const [keeps_background, setKeepsBackground] = useState(false);
  const listeners_count = useListeners(radio_id, is_on_air, initial.listeners_count, () => void revalidate());
  const { shown } = broadcast;
  const begin = (event: FormEvent) => {
    event.preventDefault();
    void broadcast.start({ device_id: device_id || null, keeps_background });
  };
  const is_sending = shown.phase === "live" || shown.phase === "ending";
  return (
    <section className="card form on-air" aria-labelledby="on-air-title">
      <h2 className="section-title" id="on-air-title">
        {is_on_air ? "放送中" : "放送を始める"}
      </h2>
      {is_on_air && (
        <dl className="on-air-facts">
          <div>
            <dt>経過時間</dt>
            <dd>
              <Elapsed elapsed_s={elapsed_s} />
            </dd>
          </div>
          <div>
            <dt>聴いている人</dt>
            <dd>{listeners_count === null ? "―" : `${groupDigits(listeners_count)}人`}</dd>
          </div>
        </dl>
      )}
      {is_sending ? (
        <Live shown={shown} meter={meter} onMute={broadcast.setMuted} />
      ) : (
        <Form method="post" className="form" onSubmit={begin}>
          <HiddenFields />
          {shown.phase === "idle" && shown.error && (
            <p className="form-error" role="alert">
              {shown.error}
            </p>
          )}
          {!is_on_air && <PausedNotice feature="broadcasts" />}
          <p>{is_on_air ? NOT_HERE : beforeStart(notifies)}</p>
          <noscript>
            <p className="notice">{NEEDS_SCRIPT}</p>
          </noscript>
          <div className="form-buttons" inert={is_on_air && !is_hydrated}>
            <Button name="do" value="start" aria-disabled={shown.phase === "opening"}>
              {shown.phase === "opening" ? "準備しています…" : is_on_air ? "放送を続ける" : "放送を始める"}
            </Button>
          </div>
        </Form>
      )}
      <MicrophoneSettings
        is_inert={!is_hydrated}
        microphones={broadcast.microphones}
        device_id={device_id ?? ""}
        keeps_background={keeps_background}
        onOpen={() => void broadcast.listMicrophones()}
        onDevice={(device_id) => {
          setDeviceId(device_id);
          void broadcast.changeMicrophone({ device_id: device_id || null, keeps_background });
        }}
        onBackground={(keeps_background) => {
          setKeepsBackground(keeps_background);
          void broadcast.changeMicrophone({ device_id: device_id || null, keeps_background });
        }}
      />
      {is_on_air && <CaptionPanel radio_id={radio_id} />}
      {is_on_air && (
        <EndRadio
          end={broadcast.end}
          isLive={broadcast.isLive}
          delayed_s={shown.phase === "live" || shown.phase === "ending" ? shown.delayed_s : 0}
        />
      )}
    </section>
  );
}

const beforeStart = (notifies: boolean) =>
  `ボタンを押すと、ブラウザーがマイクの使用を確認します。許可すると放送が始まります。${notifies ? "聴ける人にお知らせが届きます。" : "お知らせは届かないので、聴いてほしい人にURLを知らせてください。"}放送は180分までです。音声が5分届かないと、自動的に終わります。`;
const NOT_HERE = "この画面からは、音声を送っていません。続けるときは、下のボタンを押してください。";
const LEAVING = "放送中です。このページを離れると、音声が届かなくなります。離れますか？";
const NEEDS_SCRIPT =
  "マイクの音声を届けるには、JavaScriptが必要です。ブラウザーの設定で有効にしてください。放送の開始と終了、内容の編集は、このままできます。音声が5分届かないと、放送は自動的に終わります。";

/** Returns how many people listen. Calls `onEnd` when the radio was finished elsewhere. */
function useListeners(radio_id: string, is_on_air: boolean, initial: number | null, onEnd: () => void) {
  const [count, setCount] = useState(initial);
  const tellEnd = useRef(onEnd);
  useEffect(() => {
    tellEnd.current = onEnd;
  });
  useEffect(() => {
    if (!is_on_air) return;
    const ask = async () => {
      const answer = await fetch(soundPath(radio_id))
        .then((response) => (response.ok ? response.json<Pick<RadioBroadcast, "status" | "listeners_count">>() : null))
        .catch(() => null);
      if (!answer) return;
      setCount(answer.listeners_count);
      if (answer.status === "finished") tellEnd.current();
    };
    void ask();
    const timer = setInterval(() => document.visibilityState === "visible" && void ask(), LISTENERS_MS);
    return () => clearInterval(timer);
  }, [radio_id, is_on_air]);
  return count;
}

/** What a page that sends sound shows: the state of the network, the level, and the button that mutes. */
function Live(props: {
  shown: Broadcasting;
  meter: React.RefObject<HTMLMeterElement | null>;
  onMute: (is_muted: boolean) => void;
}) {
  const { shown, meter, onMute } = props;
  const is_muted = shown.phase === "live" && shown.is_muted;
  return (
    <>
      <p role="status" className={shown.phase === "live" && shown.state === "reconnecting" ? "notice" : undefined}>
        {shown.phase === "live" ? shown.words : "最後の音声を送っています…"}
      </p>
      {shown.phase === "live" && !shown.has_aac && (
        <p className="notice">
          音声をすべての形式に変換できないため、JavaScriptを使わずに聴いている方には音が届きません。電波の良い場所でページを読み込み直して放送を続けると、届くことがあります。
        </p>
      )}
      <div className="on-air-level" data-leaving={LEAVING}>
        <meter ref={meter} min={0} max={1} aria-label="マイクの音量" />
        <Button
          type="button"
          variant={is_muted ? "alert" : "gray-outline"}
          aria-pressed={is_muted}
          aria-disabled={shown.phase !== "live"}
          onClick={() => onMute(!is_muted)}
        >
          ミュート
        </Button>
      </div>
      {is_muted && <p className="row-note">ミュート中です。リスナーには無音が届きます。</p>}
    </>
  );
}

/** Chooses the microphone. A change applies at once. Needs a script: invisible before, so that nothing moves. */
function MicrophoneSettings(props: {
  is_inert: boolean;
  microphones: readonly MicrophoneChoice[];
  device_id: string;
  keeps_background: boolean;
  onOpen: () => void;
  onDevice: (device_id: string) => void;
  onBackground: (keeps_background: boolean) => void;
}) {
  const { microphones, device_id, keeps_background } = props;
  const is_known = microphones.some((microphone) => microphone.device_id === device_id);
  return (
    <details inert={props.is_inert} onToggle={({ currentTarget }) => currentTarget.open && props.onOpen()}>
      <summary>マイクの設定</summary>
      <div className="form">
        <div className="field">
          <label htmlFor="microphone">マイク</label>
          <select
            id="microphone"
            className="control"
            value={is_known ? device_id : ""}
            onChange={({ currentTarget }) => props.onDevice(currentTarget.value)}
          >
            <option value="">自動で選ぶ</option>
            {microphones.map((microphone, index) => (
              <option key={microphone.device_id} value={microphone.device_id}>
                {microphone.label || `マイク${index + 1}`}
              </option>
            ))}
          </select>
          <p className="field-hint">マイクの名前は、使用を許可したあとに表示されます。</p>
        </div>
        <label className="check">
          <input
            type="checkbox"
            checked={keeps_background}
            onChange={({ currentTarget }) => props.onBackground(currentTarget.checked)}
          />
          <span>BGMや楽器の音も届ける（雑音を減らす処理を切る）</span>
        </label>
        <p className="row-note">
          <a href="/licenses.txt" target="_blank" rel="noopener">
            使っているソフトウェアのライセンス
          </a>
        </p>
      </div>
    </details>
  );
}

/** Ends the radio, after a confirmation. The sound that is on its way is sent first. */
export function EndRadio(props: { end: () => Promise<void>; isLive: () => boolean; delayed_s: number }) {
  const { end, isLive, delayed_s } = props;
  const submit = useSubmit();
  const [is_ending, setEnding] = useState(false);
  const endFirst = async (event: FormEvent<HTMLFormElement>) => {
    if (!isLive()) return;
    event.preventDefault();
    setEnding(true);
    await end();
    await submit({ do: "finish" }, { method: "post" });
    setEnding(false);
  };
  return (
    <>
      <DialogButton dialog={END_DIALOG} command="show-modal" className={buttonClass({ variant: "gray-outline" })}>
        放送を終える
      </DialogButton>
      <Dialog
        id={END_DIALOG}
        title="放送を終えますか？"
        actions={
          <Form method="post" onSubmit={endFirst}>
            <HiddenFields />
            <Button name="do" value="finish" variant="alert" aria-disabled={is_ending}>
              {is_ending ? "送信しています…" : "終える"}
            </Button>
          </Form>
        }
      >
        {/* A screen reader announces that sound is not sent, not each second of it. */}
        <div role="status">
          {delayed_s > 0 && (
            <p className="notice">
              {is_ending
                ? "残りの音声を送っています…"
                : "まだ送れていない音声があります。いま終えると、聴いている人と録音に届かないことがあります。"}
              <span aria-hidden="true">{`（${delayed_s}秒分）`}</span>
            </p>
          )}
        </div>
        <p>終えた放送は、再開できません。録音は、しばらくするとこの画面で聴けるようになります。</p>
      </Dialog>
    </>
  );
}
