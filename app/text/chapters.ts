/** A moment of a recording. */
export interface Chapter {
  id: string;
  /** Whole seconds from the beginning of the recording. */
  at_s: number;
  /** The moment as players write it. */
  clock: string;
  title: string;
}

interface Pinned {
  message_id: string;
  message: string;
  pinned_at: string | null;
}

/** Returns the chapters of a recording from what was pinned in the chat, in order. Leaves out moments after its end. */
export function chaptersOf(pinned: readonly Pinned[], started_at: string | null, duration_ms: number): Chapter[] {
  if (started_at === null) return [];
  return pinned
    .flatMap(({ message_id, message, pinned_at }) => {
      const at_ms = pinned_at === null ? duration_ms : Math.max(0, Date.parse(pinned_at) - Date.parse(started_at));
      return at_ms < duration_ms ? [toChapter(message_id, Math.floor(at_ms / 1000), message)] : [];
    })
    .sort((a, b) => a.at_s - b.at_s);
}

const toChapter = (id: string, at_s: number, title: string): Chapter => ({ id, at_s, clock: clockWords(at_s), title });

/** Returns a moment as players write it: 5:07, 1:02:03. */
function clockWords(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const ends = String(seconds % 60).padStart(2, "0");
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${ends}` : `${minutes}:${ends}`;
}
