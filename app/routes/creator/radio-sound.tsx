import { useEffect, useRef, useState } from "react";
import { groupDigits } from "../../../workers/contract/group-digits.ts";
import type { Radio, RadioSound } from "../../../workers/contract/radios.ts";
import type { LiveAttribute } from "../../radio/listening-page.ts";
import type { Chapter } from "../../text/chapters.ts";
import { buttonClass } from "../../ui/button.tsx";
import { RADIO_AUDIENCES } from "../radio-words.ts";
import { useCreator } from "./creator.ts";

const SPEEDS = [0.75, 1, 1.25, 1.5, 2];

/**
 * The sound of a radio on air, or its recording. It plays without a script. app/radio/listening-page.ts adds the rest,
 * here for members, and in app/visitor/later.ts for visitors.
 *
 * Each load of the page's data brings new addresses. The first ones stay, so that a comment does not stop the sound. Give
 * it a key for each radio and state.
 */
export function RadioSoundSection(props: {
  radio: Radio;
  sound: RadioSound | null;
  /** Whether the broadcast has ended since `radio` was loaded. */
  is_over: boolean;
  path: string;
  chapters: readonly Chapter[];
}) {
  const { radio, sound, is_over, path, chapters } = props;
  const { is_own } = useCreator();
  const section = useRef<HTMLElement>(null);
  const [kept, keepSound] = useState(sound);
  if (!addressOf(kept) && addressOf(sound)) keepSound(sound);
  const address = addressOf(kept);
  useEffect(() => (address && section.current ? startSound(section.current) : undefined), [address]);
  return (
    <section
      ref={section}
      className="radio-sound"
      aria-label={radio.status === "on_air" ? "放送を聴く" : "録音を聴く"}
      // The owner is no listener.
      data-listen={is_own ? "" : `${path}/listen`}
      data-live={kept?.live ? JSON.stringify(attributeOf(radio, kept.live)) : undefined}
    >
      {radio.status === "on_air" ? (
        <Live
          radio={radio}
          live={kept?.live ?? null}
          listeners={sound?.listeners_count ?? null}
          is_over={is_over}
          path={path}
        />
      ) : (
        <Recording recording={kept?.recording ?? null} chapters={chapters} />
      )}
    </section>
  );
}

/** Loads and starts the script of the sound. Apart, because the scripts before hydration have a limit. */
function startSound(section: HTMLElement): () => void {
  let stop: (() => void) | null = () => {};
  Promise.all([import("../../radio/listening-page.ts"), import("../../browser/page-shown.ts")])
    .then(([{ startRadioSound }, { countVisit }]) => {
      if (stop) stop = startRadioSound(section, countVisit);
    })
    .catch(() => {});
  return () => {
    stop?.();
    stop = null;
  };
}

const addressOf = (sound: RadioSound | null) => sound?.live?.hls ?? sound?.recording?.path;

const attributeOf = (radio: Radio, sources: LiveAttribute["sources"]): LiveAttribute => ({
  sources,
  radio: { title: radio.title, artist: radio.user.name, artwork: radio.image?.medium_url ?? null },
});

/**
 * Without a script the endless stream comes first: it is one request, so it plays on a network of 80 kbit/s, where HLS
 * with two requests in two seconds cannot. With a script HLS does, which `<audio>` plays until the player is loaded:
 * thousands may press at once, and caches have its files.
 */
function Live(props: {
  radio: Radio;
  live: RadioSound["live"];
  listeners: number | null;
  is_over: boolean;
  path: string;
}) {
  const { radio, live, listeners, is_over, path } = props;
  return (
    <>
      {live ? (
        // biome-ignore lint/a11y/useMediaCaption: nobody has written down yet what is being said.
        <audio controls preload="none" aria-label="放送">
          <source src={live.progressive} type="audio/aac" media="(scripting: none)" />
          <source src={live.hls} type="application/vnd.apple.mpegurl" />
          <source src={live.progressive} type="audio/aac" />
        </audio>
      ) : is_over ? null : (
        <p>いま、音声につながりません。少し待ってから、読み込み直してください。</p>
      )}
      <p className="radio-state" role="status" data-state />
      {is_over ? (
        <RecordingToCome radio={radio} path={path} />
      ) : (
        <p className="field-hint">
          {listeners ? `いま${groupDigits(listeners)}人が聴いています。` : ""}
          音が止まったときは、<a href={path}>読み込み直す</a>と今の放送に戻ります。
          {live && (
            <noscript>
              この形で聴けないときは、<a href={live.hls}>別の形式（HLS）の音声</a>をお試しください。
            </noscript>
          )}
        </p>
      )}
    </>
  );
}

/** The way to the recording of a broadcast that has just ended, if listeners get one. */
function RecordingToCome({ radio, path }: { radio: Radio; path: string }) {
  const audience = radio.recording_publish_target_type;
  if (audience === "none") return null;
  const note = audience === "public" ? "" : `（${RADIO_AUDIENCES[audience]}）`;
  return (
    <p className="field-hint">
      録音{note}を用意しています。少し待ってから、<a href={path}>読み込み直す</a>と聴けます。
    </p>
  );
}

function Recording(props: { recording: RadioSound["recording"]; chapters: readonly Chapter[] }) {
  const { recording, chapters } = props;
  if (!recording) return <p>いま、録音につながりません。少し待ってから、読み込み直してください。</p>;
  return (
    <>
      {/* biome-ignore lint/a11y/useMediaCaption: the transcript is below, where the creator wrote one. */}
      <audio controls preload="none" src={recording.path} aria-label="録音" />
      <p className="field-hint">録音の長さ：{durationWords(recording.duration_ms)}</p>
      {/* Hidden until the script has started. */}
      <fieldset className="radio-speeds" data-speeds hidden aria-label="再生の速さ">
        {SPEEDS.map((speed) => (
          <button
            key={speed}
            type="button"
            className={buttonClass({ variant: "gray-outline", size: "sm" })}
            value={speed}
            aria-pressed={speed === 1}
          >
            {speed}倍
          </button>
        ))}
      </fieldset>
      <Chapters path={recording.path} chapters={chapters} />
    </>
  );
}

/** Without a script, a link plays the recording from there in the browser's own player (W3C Media Fragments). */
function Chapters({ path, chapters }: { path: string; chapters: readonly Chapter[] }) {
  if (chapters.length === 0) return null;
  return (
    <>
      <h2 className="section-title">チャプター</h2>
      <ol className="radio-chapters">
        {chapters.map(({ id, at_s, clock, title }) => (
          <li key={id}>
            <a href={`${path}#t=${at_s}`} data-at={at_s}>
              {clock}
            </a>
            <span>{title}</span>
          </li>
        ))}
      </ol>
    </>
  );
}

/** Returns a length in words: 1時間2分3秒. */
function durationWords(duration_ms: number): string {
  const seconds = Math.round(duration_ms / 1000);
  const parts: [number, string][] = [
    [Math.floor(seconds / 3600), "時間"],
    [Math.floor(seconds / 60) % 60, "分"],
    [seconds % 60, "秒"],
  ];
  return parts.map(([value, unit]) => (value > 0 ? `${value}${unit}` : "")).join("") || "0秒";
}
