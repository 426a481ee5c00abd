export type SaveState =
  | { kind: "idle" | "saving" | "conflict" | "signed_out" }
  | { kind: "saved"; saved_at: string }
  | { kind: "failed"; detail: string }
  /** A post was made of the draft. `path` leads to its form. */
  | { kind: "published"; detail: string; path: string };

const PAUSE_MS = 2000;
const RETRY_MS = [5000, 15_000, 30_000, 60_000];
/** A save without an answer for this long counts as failed, so that the writer learns of it and it is sent again. */
const ANSWER_MS = 30_000;
/**
 * The maximum number of bytes that a browser sends while it closes a page, with a margin. Source: Fetch, "keepalive":
 * 64 kB for all running requests.
 */
const KEEPALIVE_BYTES = 60_000;
const UNSENT = "下書きを保存できませんでした。内容はこの画面に残っています。";
/** Messages for a writer who has left the form. */
const RETRYING =
  "さきほど書いた内容を、まだ下書きに保存できていません。自動で保存し直すので、このタブを閉じないでください。";
const LOST = "さきほど書いた内容の最後の変更を、下書きに保存できませんでした。";

interface SaverOptions {
  /** The address to which drafts are saved. */
  url: string;
  /** Returns the form's current fields. */
  read(): FormData;
  onState(state: SaveState): void;
  onSaved(fields: SavedFields): void;
  /** Gets the message for a writer who has left the form, when its last changes are not saved. */
  onUnsaved(text: string): void;
}

/** The hidden fields of the form that a save has changed, with their new values. */
type SavedFields = Readonly<Record<string, unknown>>;

/**
 * The JSON answer of a `save.json`: `saved_at` and the changed fields, or why the draft was not saved, with the `path` of
 * the form of the post that was made of it.
 */
interface SaveAnswer extends SavedFields {
  saved_at?: string;
  code?: string;
  detail?: string;
  path?: string;
}

/**
 * Saves a form as a draft, one request at a time. After a save without an answer, sends the same save again before
 * newer text. Otherwise the server would mistake our own save, whose answer was lost, for another page's.
 */
export class DraftSaver {
  readonly #options: SaverOptions;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #is_dirty = false;
  #is_saving = false;
  #is_stuck = false;
  #is_held = false;
  #is_closed = false;
  #is_overwriting = false;
  #failures = 0;
  /** The save that was sent and has no answer yet. */
  #unanswered: FormData | null = null;
  /** The unsaved changes of a closed form. */
  #last: FormData | null = null;
  /** The bytes of the running saves that outlive the page. */
  #lasting_bytes = 0;
  /** The number of running saves that the browser cancels when it closes the page. */
  #cancellable = 0;
  /** The last message for a writer who has left the form. */
  #told = "";
  #onIdle: (() => void) | null = null;
  #onEnd = () => {};
  /** The fields that the last save changed. Empty before the first save: until then the form's own fields are right. */
  fields: SavedFields = {};

  constructor(options: SaverOptions) {
    this.#options = options;
  }

  /**
   * Whether closing the document now would lose text: the last save failed, or the browser would cancel it, because it is
   * too long.
   */
  get is_stuck(): boolean {
    if (this.#is_held) return false;
    if (this.#is_stuck) return true;
    return this.#is_dirty ? !this.#isLasting(sizeOf(this.#read())) : this.#cancellable > 0;
  }

  /**
   * Whether the page asks before a navigation within the app, which cancels no save: the last save failed. The text of a
   * writer who leaves all the same is still sent.
   */
  asksToStay(): boolean {
    return this.#is_stuck && !this.#is_held && !this.#is_closed;
  }

  /** Saves the form after a pause in typing. */
  touch(): void {
    this.#is_dirty = true;
    if (!this.#is_held) this.#sendAfter(PAUSE_MS);
  }

  /** Saves the form now, unless a running save holds every change. A second save would conflict with another page's. */
  save({ overwrites = false } = {}): void {
    this.#is_overwriting ||= overwrites;
    if (!this.#is_saving || overwrites) this.#is_dirty = true;
    this.#send();
  }

  /** Saves unsaved changes without waiting for the pause. */
  saveChanges(): void {
    if (this.#is_dirty && !this.#is_stuck) this.#send();
  }

  /** Sends a failed save again. */
  retry(): void {
    if (this.#is_stuck) this.#send();
  }

  /**
   * Saves unsaved changes while the page is being closed. If a save is still running, sends a second save, which
   * replaces the first.
   */
  saveBeforeClosing(): void {
    if (!this.#is_dirty || this.#is_stuck || this.#is_held) return;
    if (!this.#is_saving) return void this.#send();
    const body = this.#read();
    body.set("do", "overwrite");
    this.#is_dirty = false;
    this.#post(body)
      .catch(() => ({ answer: {} as SaveAnswer }))
      .then(({ answer }) => {
        this.#is_dirty ||= !answer.saved_at;
      });
  }

  /**
   * Stops saving, because the form is about to be sent. Returns false while a save is running, and calls `onIdle` when
   * it ends. Sends a save without an answer once more before: the form needs the fields that it changes.
   */
  hold(onIdle: (() => void) | null): boolean {
    if (this.#unanswered && onIdle && !this.#onIdle) this.#send();
    if (this.#is_saving) {
      this.#onIdle = onIdle;
      return false;
    }
    this.#is_held = true;
    clearTimeout(this.#timer);
    return true;
  }

  /** Saves again after {@link hold}, because the form was sent and shown again. */
  resume(): void {
    this.#is_held = false;
    this.#is_dirty = true;
  }

  /**
   * Saves unsaved changes, and sends them again until they are saved or refused. Does not read the form again: its editor
   * is gone. Calls `onEnd` when nothing more is sent.
   */
  close(onEnd: () => void): void {
    this.#onEnd = onEnd;
    this.#is_closed = true;
    clearTimeout(this.#timer);
    if (this.#is_dirty && !this.#is_held) this.#last = this.#options.read();
    if (!this.#is_saving) this.#finish();
  }

  /** Sends what a closed form still has. */
  #finish(): void {
    const is_left = this.#unanswered || (this.#last && this.#is_dirty);
    if (is_left && !this.#is_held) this.#send();
    else this.#onEnd();
  }

  /** Returns the fields to save. Those of a closed form get what the saves since then have changed. */
  #read(): FormData {
    if (!this.#last) return this.#options.read();
    const body = new FormData();
    for (const [name, value] of this.#last) body.append(name, value);
    for (const [name, value] of Object.entries(this.fields)) body.set(name, String(value));
    return body;
  }

  #sendAfter(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#send(), ms);
  }

  async #send(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#is_saving || this.#is_held || !(this.#is_dirty || this.#unanswered)) return;
    this.#is_saving = true;
    if (!this.#unanswered) {
      this.#unanswered = this.#read();
      this.#last = null;
      this.#is_dirty = false;
    }
    const body = this.#unanswered;
    if (this.#is_overwriting) body.set("do", "overwrite");
    if (!this.#is_stuck) this.#show({ kind: "saving" });
    try {
      const { status, answer } = await this.#post(body);
      this.#takeAnswer(status, answer);
    } catch {
      this.#fail(UNSENT, true);
    } finally {
      this.#is_saving = false;
    }
    if (this.#is_closed) {
      // A save without an answer has a timer.
      if (!this.#unanswered || this.#is_held) this.#finish();
      return;
    }
    const onIdle = this.#onIdle;
    if (onIdle) onIdle();
    else if (this.#is_dirty && !this.#is_stuck) this.#sendAfter(PAUSE_MS);
    this.#onIdle = null;
  }

  async #post(body: FormData): Promise<{ status: number; answer: SaveAnswer }> {
    const bytes = sizeOf(body);
    const keepalive = this.#isLasting(bytes);
    if (keepalive) this.#lasting_bytes += bytes;
    else this.#cancellable++;
    try {
      const signal = AbortSignal.timeout(ANSWER_MS);
      const response = await fetch(this.#options.url, { method: "POST", body, keepalive, signal });
      return { status: response.status, answer: await readAnswer(response) };
    } finally {
      if (keepalive) this.#lasting_bytes -= bytes;
      else this.#cancellable--;
    }
  }

  /** Whether the browser finishes a save of this size, beside the running ones, when it closes the page. */
  #isLasting(bytes: number): boolean {
    return this.#lasting_bytes + bytes < KEEPALIVE_BYTES;
  }

  #takeAnswer(status: number, answer: SaveAnswer): void {
    const { saved_at, code, detail = "", path, ...fields } = answer;
    if (saved_at) {
      this.fields = { ...this.fields, ...fields };
      // After `close`, the address bar shows another page.
      if (!this.#is_closed) this.#options.onSaved(this.fields);
      this.#unanswered = null;
      this.#is_overwriting = false;
      this.#failures = 0;
      this.#show({ kind: "saved", saved_at });
      return;
    }
    const may_pass = status >= 500 || status === 429;
    // The server refused this text, so do not send it again. The next save sends the text as it is then.
    if (!may_pass) {
      this.#unanswered = null;
      this.#is_dirty = true;
      if (!this.#last) this.#tell(LOST + detail);
    }
    if (status === 401) this.#show({ kind: "signed_out" });
    else if (code?.endsWith("_conflict")) this.#show({ kind: "conflict" });
    else if (path) this.#show({ kind: "published", detail, path });
    else this.#fail(UNSENT + detail, may_pass);
  }

  #fail(detail: string, may_pass: boolean): void {
    this.#show({ kind: "failed", detail });
    if (!may_pass) return;
    this.#tell(RETRYING);
    this.#sendAfter(RETRY_MS[Math.min(this.#failures++, RETRY_MS.length - 1)] as number);
  }

  /** Tells a writer who has left the form. Says the same only once. */
  #tell(text: string): void {
    if (!this.#is_closed || this.#is_held || text === this.#told) return;
    this.#told = text;
    this.#options.onUnsaved(text);
  }

  #show(state: SaveState): void {
    this.#is_stuck = !/^(?:idle|saving|saved)$/.test(state.kind);
    if (!this.#is_closed) this.#options.onState(state);
  }
}

/**
 * Returns the answer of a `save.json`. Throws for any other answer, of any status: it is cut off, or from a gateway, and
 * does not say whether the draft was saved. Only our worker's refusal of a body that is too large is no JSON.
 */
async function readAnswer(response: Response): Promise<SaveAnswer> {
  if (response.status === 413) return {};
  const answer = (await response.json()) as SaveAnswer;
  if (response.ok ? answer.saved_at : answer.code) return answer;
  throw new Error("the answer is not from save.json");
}

/** An upper bound for the size of a form in bytes: UTF-8 takes at most 3 bytes a UTF-16 unit. */
function sizeOf(body: FormData): number {
  let characters = 0;
  for (const [name, value] of body) characters += 200 + name.length + 3 * String(value).length;
  return characters;
}
