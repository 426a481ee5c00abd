/** A source that is not open after this time is refused. */
const OPEN_TIMEOUT_MS = 5000;
/** What was played stays this long, and is then removed. */
const PLAYED_S = 30;

/** iPhones have only this kind of media source (since iOS 17.1). TypeScript does not know it yet. */
interface ManagedMediaSource extends MediaSource {
  /** Whether the browser wants more data now. */
  readonly streaming: boolean;
}

type MediaSourceClass = typeof MediaSource;
const findClass = (): MediaSourceClass | undefined => {
  const { MediaSource, ManagedMediaSource } = globalThis as {
    MediaSource?: MediaSourceClass;
    ManagedMediaSource?: MediaSourceClass;
  };
  return MediaSource ?? ManagedMediaSource;
};

/** Thrown when the browser knows the type but does not let a script fill its audio element. */
export class BufferRefused extends Error {}

/** A buffer of an audio element, filled by a script. */
export interface MediaBuffer {
  /** Whether the browser wants more data now. */
  isHungry(): boolean;
  append(bytes: ArrayBuffer): Promise<void>;
  /** Removes what was played some time ago. */
  trim(): Promise<void>;
  /** Plays to the end of what is there, and then ends. */
  end(): void;
}

/** Returns the type as this browser spells it; null when it cannot play it by a script. */
export function findPlayableType(mime_type: string): string | null {
  // Safari knows Opus in MP4 only with a capital letter.
  const spellings = [mime_type, mime_type.replace('"opus"', '"Opus"')];
  return spellings.find((type) => findClass()?.isTypeSupported(type)) ?? null;
}

/**
 * Connects a buffer to the audio element.
 *
 * @throws {BufferRefused}
 */
export async function openMediaBuffer(audio: HTMLAudioElement, type: string): Promise<MediaBuffer> {
  const Source = findClass();
  if (!Source) throw new BufferRefused("the browser has no media source");
  const source = new Source();
  // A managed source opens only without remote playback, or with another source for it. WebKit pull request 13694.
  if (isManaged(source)) audio.disableRemotePlayback = true;
  const address = URL.createObjectURL(source);
  const opened = new Promise<void>((open, fail) => {
    const refuse = () => fail(new BufferRefused("the media source did not open"));
    const timer = setTimeout(refuse, OPEN_TIMEOUT_MS);
    audio.addEventListener("error", refuse, { once: true });
    const accept = () => {
      clearTimeout(timer);
      audio.removeEventListener("error", refuse);
      open();
    };
    source.addEventListener("sourceopen", accept, { once: true });
  });
  audio.src = address;
  await opened.finally(() => URL.revokeObjectURL(address));
  source.duration = Number.POSITIVE_INFINITY;
  const buffer = source.addSourceBuffer(type);
  const change = (act: () => void) =>
    new Promise<void>((done, fail) => {
      buffer.onupdateend = () => done();
      buffer.onerror = () => fail(new Error("the buffer failed"));
      act();
    });
  return {
    isHungry: () => !isManaged(source) || source.streaming,
    append: (bytes) => change(() => buffer.appendBuffer(bytes)),
    async trim() {
      const end_s = audio.currentTime - PLAYED_S;
      const { buffered } = buffer;
      if (buffered.length > 0 && buffered.start(0) < end_s - 10) await change(() => buffer.remove(0, end_s));
    },
    end() {
      if (source.readyState === "open") source.endOfStream();
    },
  };
}

const isManaged = (source: MediaSource): source is ManagedMediaSource => "streaming" in source;
