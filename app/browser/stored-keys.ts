import { isTheme, type Theme } from "./themes.ts";
import { isTimelineFilter, type TimelineFilter } from "./timeline-filter.ts";

/** How a stored value is written as text. `read` returns undefined for an invalid text. */
interface Kind<Value> {
  initial: Value;
  read(text: string): Value | undefined;
  write(value: Value): string;
}

/**
 * One key of localStorage or sessionStorage. Reading and writing never throw: without storage, every key has its
 * default.
 */
export interface Stored<Value> {
  readonly name: string;
  readonly initial: Value;
  /**
   * Returns the stored value or the default. Returns the same object while the stored text is the same, as React
   * requires.
   */
  read(): Value;
  write(value: Value): void;
  /** Reads the stored value and removes it. */
  take(): Value;
  /** Calls the listener after each change of the key, also from other tabs. Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void;
}

/* All keys that this site stores in a browser, with type, default and format; those of radio are in radio-keys.ts, and
   that of the registration for monetization is in its route. Source: spec section 3, Browser-stored keys; `monitoringSession`,
   `unsentWords` and `sentKeys` are our own. Each key is a constant made by side-effect-free functions, so that tree shaking
   removes the keys that the visitors' script does not use. */

/**
 * The maximum length of a stored list. A longer list loses its oldest entries, because browsers give a site about 5 MB
 * in total.
 */
const MAX_LIST = 1000;

const isString = (value: unknown): value is string => typeof value === "string";

// @__NO_SIDE_EFFECTS__
function jsonKind<Value>(initial: Value, isValue: (value: unknown) => value is Value): Kind<Value> {
  return {
    initial,
    read(text) {
      const value: unknown = JSON.parse(text);
      return isValue(value) ? value : undefined;
    },
    write: (value) => JSON.stringify(value),
  };
}

export const wordKind: Kind<string | null> = {
  initial: null,
  read: (text) => text || undefined,
  write: (value) => value ?? "",
};
export const flagKind = jsonKind(false, (value) => typeof value === "boolean");
export const listKind: Kind<readonly string[]> = {
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

/** The state of a monitoring session: whether it is sampled, and how many events it has sent. */
export interface MonitoringSession {
  is_sampled: boolean;
  /** The time of the last event, in milliseconds since 1970. */
  ends_at: number;
  events: number;
}
function isMonitoringSession(value: unknown): value is MonitoringSession {
  const { is_sampled, ends_at, events } = (value ?? {}) as Partial<MonitoringSession>;
  return typeof is_sampled === "boolean" && Number.isFinite(ends_at) && Number.isFinite(events);
}

/** Text that a member typed into forms in this tab and has not sent, by form. */
export interface UnsentWords {
  /** The member who typed the text. Other members must not see it. */
  author: string;
  forms: Record<string, Record<string, string>>;
}
function isUnsentWords(value: unknown): value is UnsentWords {
  const { author, forms } = (value ?? {}) as Partial<UnsentWords>;
  return isString(author) && typeof forms === "object" && forms !== null;
}

/**
 * The idempotency keys of forms that were sent and not answered, by account and form. `is_again` after a second sending: the
 * first one may have been accepted.
 */
export type SentKeys = Record<string, { key: string; sent_ms: number; is_again?: boolean }>;
function isSentKeys(value: unknown): value is SentKeys {
  const isSent = (sent: Partial<SentKeys[string]> | null) => isString(sent?.key) && Number.isFinite(sent.sent_ms);
  return typeof value === "object" && value !== null && Object.values(value).every(isSent);
}

/** Returns the storage. It is a function, because even accessing `localStorage` can throw. */
export const localStore = () => localStorage;
export const sessionStore = () => sessionStorage;

// @__NO_SIDE_EFFECTS__
export function storedKey<Value>(store: () => Storage, name: string, kind: Kind<Value>): Stored<Value> {
  const listeners = new Set<() => void>();
  let known: { text: string; value: Value } | undefined;
  const notifyListeners = () => {
    for (const listener of listeners) listener();
  };
  const notifyOfOtherTab = ({ key }: StorageEvent) => {
    // The browser sends a null key when the whole storage was cleared.
    if (key === name || key === null) notifyListeners();
  };
  const readValue = () => {
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
    read: readValue,
    write(value) {
      try {
        store().setItem(name, kind.write(value));
      } catch {
        // The storage is unavailable or full: continue without storing.
      }
      notifyListeners();
    },
    take() {
      const value = readValue();
      try {
        store().removeItem(name);
      } catch {}
      return value;
    },
    subscribe(listener) {
      listeners.add(listener);
      addEventListener("storage", notifyOfOtherTab);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) removeEventListener("storage", notifyOfOtherTab);
      };
    },
  };
}

export const lastViewCreatorId = storedKey(localStore, "lastViewCreatorId", wordKind);
/**
 * Which part of the drawer is open. If null, the drawer shows the fans' and the creators' part; a fan can close the
 * creators' part.
 */
export const sideMenuRole = storedKey(localStore, "sideMenuRole", oneOf<SideMenuRole | null>(null, isRole));
export const tappedTutorials = storedKey(localStore, "tappedTutorials", listKind);
export const likedOfuses = storedKey(localStore, "like-letter", listKind);
export const likedEvents = storedKey(localStore, "like-event", listKind);
export const likedEventComments = storedKey(localStore, "like-event-comment", listKind);
export const eventVisitId = storedKey(localStore, "eventVisitId", wordKind);
export const timelineSettings = storedKey(
  localStore,
  "timelineSettings",
  jsonKind<TimelineSettings>({ filter: "all" }, isTimelineSettings),
);
export const hasAboutFanLetterOpened = storedKey(localStore, "hasAboutFanLetterOpened", flagKind);
export const hidePaidCommentBanner = storedKey(localStore, "hidePaidCommentBanner", flagKind);
/** The chosen theme. Null if no theme was ever chosen in this browser. */
export const theme = storedKey(localStore, "theme", oneOf<Theme | null>(null, isTheme));
export const showRegisterCompleteModal = storedKey(
  sessionStore,
  "showRegisterCompleteModal",
  oneOf<SideMenuRole | null>(null, isRole),
);
export const monitoringSession = storedKey(
  sessionStore,
  "monitoringSession",
  jsonKind<MonitoringSession | null>(null, isMonitoringSession),
);
export const unsentWords = storedKey(sessionStore, "unsentWords", jsonKind<UnsentWords | null>(null, isUnsentWords));
export const sentKeys = storedKey(sessionStore, "sentKeys", jsonKind<SentKeys>({}, isSentKeys));
