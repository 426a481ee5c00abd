import { withoutImage } from "./values.ts";

/**
 * The desk a post is written at: saves the form as a draft while it is being written. Loaded once the page is alive.
 *
 * What is on its way is sent again until it is answered, and only then what was typed since: so an answer that got lost
 * never looks like somebody else's save.
 */

export type SaveState =
  | { kind: "idle" | "saving" | "conflict" | "signed_out" }
  | { kind: "saved"; saved_at: string }
  | { kind: "failed"; detail: string };

export interface Desk {
  /** Something changed that no field tells of. */
  touch(): void;
  save(): void;
  /** Saves over what another page saved. */
  overwrite(): void;
  /** The form is about to be sent. False: not yet, a save is on its way; the button is pressed again when it has arrived. */
  holdFor(submitter: HTMLElement | null): boolean;
  /** The form came back. */
  goOn(): void;
  close(): void;
}

const PAUSE_MS = 2000;
const RETRY_MS = [5000, 15_000, 30_000, 60_000];
/** What a browser sends from a page that is going away. Source: Fetch, "keepalive": 64 kB with all that is on its way. */
const KEEPALIVE_BYTES = 60_000;
const UNSENT = "下書きを保存できませんでした。内容はこの画面に残っています。";

export function openDesk(
  form: HTMLFormElement,
  { draft_id, path, onState }: { draft_id: string; path: string; onState: (state: SaveState) => void },
): Desk {
  const url = `/my/posts/drafts/${draft_id}/save.json`;
  let is_open = true;
  let is_held = false;
  let is_dirty = false;
  let is_on_its_way = false;
  let is_stuck = false;
  let is_overwriting = false;
  /** What was sent and not answered yet. */
  let unanswered: FormData | null = null;
  let failures = 0;
  /** As the last save left it: the field says what the page was opened with. */
  let revision: number | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waiting: HTMLElement | null = null;

  const later = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(send, ms);
  };
  const touch = () => {
    is_dirty = true;
    if (!is_held) later(PAUSE_MS);
  };
  const written = () => {
    form.dispatchEvent(new Event("write-down"));
    const body = new FormData(form);
    for (const [name, value] of [...body]) if (typeof value !== "string") body.delete(name);
    return body;
  };
  const show = (state: SaveState) => {
    is_stuck = state.kind === "failed" || state.kind === "signed_out" || state.kind === "conflict";
    if (is_open) onState(state);
  };

  async function send() {
    clearTimeout(timer);
    if (is_on_its_way || is_held || !(is_dirty || unanswered)) return;
    is_on_its_way = true;
    if (!unanswered) {
      unanswered = written();
      is_dirty = false;
    }
    const body = unanswered;
    if (is_overwriting) body.set("do", "overwrite");
    if (!is_stuck) show({ kind: "saving" });
    try {
      const response = await fetch(url, { method: "POST", body, keepalive: sizeOf(body) < KEEPALIVE_BYTES });
      await take(response);
    } catch {
      fail(UNSENT);
    } finally {
      is_on_its_way = false;
    }
    const button = waiting;
    waiting = null;
    if (button && is_open) form.requestSubmit(button);
    else if (is_dirty && !is_stuck) later(PAUSE_MS);
  }

  async function take(response: Response) {
    const answer = (await response.json().catch(() => ({}))) as Answered;
    if (response.ok) {
      revision = answer.revision ?? revision;
      if (!new URL(location.href).searchParams.has("draft_id")) history.replaceState(history.state, "", path);
      unanswered = null;
      is_overwriting = false;
      failures = 0;
      show({ kind: "saved", saved_at: answer.saved_at ?? new Date().toISOString() });
      return;
    }
    // It was judged: what is typed now is sent next.
    if (response.status < 500) {
      unanswered = null;
      is_dirty = true;
    }
    if (response.status === 401) show({ kind: "signed_out" });
    else if (answer.code === "draft_conflict") show({ kind: "conflict" });
    else fail(answer.detail ? `${UNSENT}${answer.detail}` : UNSENT, response.status >= 500 || response.status === 429);
  }

  function fail(detail: string, is_passing = true) {
    show({ kind: "failed", detail });
    if (is_passing && is_open) later(RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)] as number);
  }

  const again = () => {
    if (is_stuck && document.visibilityState === "visible" && !form.querySelector(".post-conflict")) send();
  };
  const now = () => {
    if (is_dirty && !is_stuck) send();
  };
  /** The last chance: what was typed since the save that is on its way goes after it. */
  const leave = () => {
    if (!is_dirty || is_stuck || is_held) return;
    if (!is_on_its_way) return void send();
    const body = written();
    body.set("do", "overwrite");
    is_dirty = false;
    fetch(url, { method: "POST", body, keepalive: sizeOf(body) < KEEPALIVE_BYTES }).catch(() => {
      is_dirty = true;
    });
  };
  const onHidden = () => (document.visibilityState === "hidden" ? now() : again());
  const ask = (event: BeforeUnloadEvent) => {
    if (is_stuck && !is_held) event.preventDefault();
  };
  const insert = (event: Event) => {
    if (event.defaultPrevented) return;
    const field = form.elements.namedItem("body") as HTMLTextAreaElement;
    const at = field.selectionStart ?? field.value.length;
    const before = field.value.slice(0, at).replace(/\n*$/, (ends) => (at - ends.length > 0 ? "\n\n" : ""));
    field.value = `${before}${(event as CustomEvent<string>).detail}\n\n${field.value.slice(at).replace(/^\n+/, "")}`;
    field.focus();
    touch();
  };
  const remove = (event: Event) => {
    form.dispatchEvent(new Event("write-down"));
    const field = form.elements.namedItem("body") as HTMLTextAreaElement;
    field.value = withoutImage(field.value, (event as CustomEvent<string>).detail);
    field.dispatchEvent(new Event("set"));
    touch();
  };
  const tell = ({ formData }: FormDataEvent) => {
    if (revision !== null) formData.set("revision", String(revision));
  };
  const listeners: [EventTarget, string, (event: never) => void][] = [
    [form, "input", touch],
    [form, "change", touch],
    [form, "focusout", now],
    [form, "formdata", tell],
    [form, "insert-mark", insert],
    [form, "remove-image", remove],
    [document, "visibilitychange", onHidden],
    [window, "pagehide", leave],
    [window, "online", again],
    [window, "focus", again],
    [window, "beforeunload", ask],
  ];
  for (const [target, name, listener] of listeners) target.addEventListener(name, listener as EventListener);

  return {
    touch,
    save() {
      is_dirty = true;
      send();
    },
    overwrite() {
      is_overwriting = true;
      is_dirty = true;
      send();
    },
    holdFor(submitter) {
      if (is_on_its_way) {
        waiting = submitter;
        return false;
      }
      form.dispatchEvent(new Event("write-down"));
      is_held = true;
      clearTimeout(timer);
      return true;
    },
    goOn() {
      is_held = false;
      unanswered = null;
      is_dirty = true;
    },
    close() {
      if (is_dirty && !is_held && !is_stuck) send();
      is_open = false;
      clearTimeout(timer);
      for (const [target, name, listener] of listeners) target.removeEventListener(name, listener as EventListener);
    },
  };
}

interface Answered {
  revision?: number;
  saved_at?: string;
  code?: string;
  detail?: string;
}

/** Bytes of a form as it is sent, near enough. */
function sizeOf(body: FormData): number {
  let characters = 0;
  for (const [name, value] of body) characters += 200 + name.length + 3 * String(value).length;
  return characters;
}
