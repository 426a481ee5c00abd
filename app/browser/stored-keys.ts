import { isTheme, type Theme } from "./themes.ts";
import { isTimelineFilter, type TimelineFilter } from "./timeline-filter.ts";

/** How a value is written as text; `read` gives undefined for a text that is none of its kind. */
interface Kind<Value> {
  initial: Value;
  read(text: string): Value | undefined;
  write(value: Value): string;
}

/** One key of the browser's storage. Nothing here throws: a browser that keeps nothing has every key at its default. */
export interface Stored<Value> {
  readonly name: string;
  readonly initial: Value;
  /** The value kept, or the default; the same object as long as the text kept is the same. */
  read(): Value;
  write(value: Value): void;
  /** Reads and removes. */
  take(): Value;
  /** Calls back after each write here, and in other tabs; returns how to stop. */
  subscribe(listener: () => void): () => void;
}

/*
 * Every key this site keeps in a browser: its type, its default, how it is read and written. Source: spec section 3,
 * Browser-stored keys; `monitoringSession` and `unsentWords` are ours. Each is a constant of its own, and what makes them is declared free of
 * side effects: the script of visitors' pages carries those it uses and no others.
 */

/** Longer lists lose their oldest: a browser gives a site some 5 MB for everything. */
const MAX_LIST = 1000;

const isString = (value: unknown): value is string => typeof value === "string";

// @__NO_SIDE_EFFECTS__
function json<Value>(initial: Value, isValue: (value: unknown) => value is Value): Kind<Value> {
  return {
    initial,
    read(text) {
      const value: unknown = JSON.parse(text);
      return isValue(value) ? value : undefined;
    },
    write: (value) => JSON.stringify(value),
  };
}

const word: Kind<string | null> = { initial: null, read: (text) => text || undefined, write: (value) => value ?? "" };
const flag = json(false, (value) => typeof value === "boolean");
const list: Kind<readonly string[]> = {
  initial: [],
  read(text) {
    const values: unknown = JSON.parse(text);
    return Array.isArray(values) && values.every(isString) ? values : undefined;
  },
  write: (values) => JSON.stringify(values.slice(-MAX_LIST)),
};

// @__NO_SIDE_EFFECTS__
function oneOf<Value extends string | null>(initial: Value, isValue: (value: unknown) => value is Value): Kind<Value> {
  return { initial, read: (text) => (isValue(text) ? text : undefined), write: (value) => value ?? "" };
}

export type SideMenuRole = "fan" | "creator";
const isRole = (value: unknown): value is SideMenuRole => value === "fan" || value === "creator";

export interface TimelineSettings {
  filter: TimelineFilter;
}
function isTimelineSettings(value: unknown): value is TimelineSettings {
  return isTimelineFilter((value as Partial<TimelineSettings> | null)?.filter);
}

/** What monitoring remembers of this visit: whether it is one of those looked at, and how much it has told. */
export interface MonitoringSession {
  is_sampled: boolean;
  /** Milliseconds since 1970. */
  ends_at: number;
  events: number;
}
function isMonitoringSession(value: unknown): value is MonitoringSession {
  const { is_sampled, ends_at, events } = (value ?? {}) as Partial<MonitoringSession>;
  return typeof is_sampled === "boolean" && Number.isFinite(ends_at) && Number.isFinite(events);
}

/** What a member typed into forms in this tab and has not sent, by the form. */
export interface UnsentWords {
  /** Nobody else is to see it. */
  author: string;
  forms: Record<string, Record<string, string>>;
}
function isUnsentWords(value: unknown): value is UnsentWords {
  const { author, forms } = (value ?? {}) as Partial<UnsentWords>;
  return isString(author) && typeof forms === "object" && forms !== null;
}

/** Asked for each time, as getting at it may throw already. */
const local = () => localStorage;
const session = () => sessionStorage;

// @__NO_SIDE_EFFECTS__
function stored<Value>(store: () => Storage, name: string, kind: Kind<Value>): Stored<Value> {
  const listeners = new Set<() => void>();
  let known: { text: string; value: Value } | undefined;
  const tell = () => {
    for (const listener of listeners) listener();
  };
  const tellOfTabs = ({ key }: StorageEvent) => {
    // Null: everything was removed.
    if (key === name || key === null) tell();
  };
  const read = () => {
    try {
      const text = store().getItem(name);
      if (text === null) return kind.initial;
      if (known?.text !== text) known = { text, value: kind.read(text) ?? kind.initial };
      return known.value;
    } catch {
      return kind.initial;
    }
  };
  return {
    name,
    initial: kind.initial,
    read,
    write(value) {
      try {
        store().setItem(name, kind.write(value));
      } catch {
        // Private windows and full disks: the page goes on without.
      }
      tell();
    },
    take() {
      const value = read();
      try {
        store().removeItem(name);
      } catch {}
      return value;
    },
    subscribe(listener) {
      listeners.add(listener);
      addEventListener("storage", tellOfTabs);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) removeEventListener("storage", tellOfTabs);
      };
    },
  };
}

export const lastViewCreatorId = stored(local, "lastViewCreatorId", word);
/** Null: the drawer shows both parts. A fan closes the creators'. */
export const sideMenuRole = stored(local, "sideMenuRole", oneOf<SideMenuRole | null>(null, isRole));
export const tappedTutorials = stored(local, "tappedTutorials", list);
export const likedOfuses = stored(local, "like-letter", list);
export const likedEvents = stored(local, "like-event", list);
export const likedEventComments = stored(local, "like-event-comment", list);
export const likedRadioComments = stored(local, "like-radio-comment", list);
export const likedRadioRecordings = stored(local, "like-radio-recording", list);
export const eventVisitId = stored(local, "eventVisitId", word);
export const timelineSettings = stored(
  local,
  "timelineSettings",
  json<TimelineSettings>({ filter: "all" }, isTimelineSettings),
);
export const hasAboutFanLetterOpened = stored(local, "hasAboutFanLetterOpened", flag);
export const broadcastAudioDeviceId = stored(local, "broadcastAudioDeviceId", word);
export const chattedRadioIds = stored(local, "chattedRadioIds", list);
export const hidePaidCommentBanner = stored(local, "hidePaidCommentBanner", flag);
/** Null: none was ever chosen here. */
export const theme = stored(local, "theme", oneOf<Theme | null>(null, isTheme));
export const showRegisterCompleteModal = stored(
  session,
  "showRegisterCompleteModal",
  oneOf<SideMenuRole | null>(null, isRole),
);
export const monitoringSession = stored(
  session,
  "monitoringSession",
  json<MonitoringSession | null>(null, isMonitoringSession),
);
export const unsentWords = stored(session, "unsentWords", json<UnsentWords | null>(null, isUnsentWords));
