import { type DragEvent, type InputHTMLAttributes, type ReactNode, useEffect, useRef, useState } from "react";
import { useRouteLoaderData } from "react-router";
import type { Uploaded } from "../browser/upload.ts";
import { PausedNotice } from "../request/paused-notice.tsx";
import { Button, buttonClass } from "../ui/button.tsx";
import { useHydrated } from "../ui/hydrated.ts";
import { OWNER_FIELD } from "../ui/owner-field.ts";
import { Progress } from "../ui/waiting.tsx";

interface Sending {
  key: number;
  file: File;
  /** The progress from 0 to 1. */
  share: number;
  /** The reason why the upload was refused. */
  refusal: string | null;
  /** Whether another attempt may succeed. */
  may_retry: boolean;
}

const UNSENT = "送信できませんでした。通信の状態をご確認のうえ、もう一度お試しください。";

/**
 * Uploads files. Without JavaScript: a file input, and a button that sends the whole form to /my/uploads, a profile's
 * form to /my/uploads/profile, or a newsletter's form to itself. With JavaScript each file is uploaded as soon as it is chosen or dropped, with
 * a progress bar. A failed file stays in the list until it is retried or dismissed.
 */
export function UploadField({
  id,
  label,
  accept,
  notes,
  input_attributes,
  profile_field,
  is_for_newsletter = false,
  refuse,
  onBegun,
  onUploaded,
}: {
  id: string;
  label: string;
  /** The accepted types, as in the `accept` attribute of an input. */
  accept: string;
  /** The hint and the errors, shown below. */
  notes?: ReactNode;
  /** Links the input to the notes, and marks it when they have an error. */
  input_attributes?: Pick<InputHTMLAttributes<HTMLInputElement>, "aria-describedby" | "aria-invalid" | "autoFocus">;
  /** For a profile picture: the name of its field. Without it, the field takes any number of files for a post. */
  profile_field?: string;
  /** True for the pictures of a newsletter, which are public. */
  is_for_newsletter?: boolean;
  /** Checks a file before it is uploaded; `before` are the files in progress. Returns why it is refused, or null. */
  refuse?: (file: File, before: readonly File[]) => string | null;
  onBegun?: (file: File) => void;
  onUploaded: (uploaded: Uploaded, file: File) => void;
}) {
  const is_alive = useHydrated();
  const account_id = useRouteLoaderData<{ viewer: { account_id: string } | null }>("root")?.viewer?.account_id;
  const fields: Record<string, string> = account_id === undefined ? {} : { [OWNER_FIELD]: account_id };
  const input = useRef<HTMLInputElement>(null);
  const [sendings, setSendings] = useState<readonly Sending[]>([]);
  const [is_over, setOver] = useState(false);
  /** The words of a screen reader about the last file. A refusal announces itself. */
  const [said, setSaid] = useState("");
  const count = useRef(0);
  const stops = useRef(new Map<number, AbortController>());
  // Upload the files one after the other, so that they stay in the order in which they were chosen.
  const queue = useRef<Promise<void>>(Promise.resolve());

  const changeSending = (key: number, changed: Partial<Sending>) =>
    setSendings((all) => all.map((each) => (each.key === key ? { ...each, ...changed } : each)));
  const putAway = (key: number) => setSendings((all) => all.filter((each) => each.key !== key));
  const sendFile = (key: number, file: File) => {
    const stopSending = new AbortController();
    stops.current.set(key, stopSending);
    queue.current = queue.current.then(async () => {
      if (stopSending.signal.aborted) return;
      setSaid(`${file.name}を送信しています`);
      try {
        const { uploadFile: upload } = await import("../browser/upload.ts");
        const onProgress = (share: number) => changeSending(key, { share });
        const is_public = profile_field !== undefined || is_for_newsletter;
        onUploaded(await upload(file, { onProgress, signal: stopSending.signal, is_public, fields }), file);
        putAway(key);
        setSaid(`${file.name}を加えました`);
      } catch (error) {
        if (stopSending.signal.aborted) return;
        // A refusal has a status. Without one there was no answer, or the upload script could not be loaded.
        const { status, message } = error as { status?: number; message: string };
        const refusal = status === undefined ? UNSENT : message;
        changeSending(key, { refusal, may_retry: !status || status === 401 || status === 429 || status >= 500 });
      }
    });
  };
  const takeFiles = (files: readonly File[]) => {
    const under_way = sendings.filter(({ refusal }) => refusal === null).map(({ file }) => file);
    const begun = files.map((file, index) => {
      const refusal = refuse?.(file, [...under_way, ...files.slice(0, index)]) ?? null;
      return { key: ++count.current, file, share: 0, refusal, may_retry: false };
    });
    setSendings((all) => [...all, ...begun]);
    for (const { key, file, refusal } of begun) {
      if (refusal !== null) continue;
      onBegun?.(file);
      sendFile(key, file);
    }
  };
  const takeChosen = () => {
    const files = [...(input.current?.files ?? [])];
    // Empty the input. Then choosing the same file again fires an event, and submitting the form does not send the file
    // again.
    if (input.current) input.current.value = "";
    if (files.length > 0) takeFiles(files);
  };
  const stopSending = (key: number) => {
    stops.current.get(key)?.abort(new Error("stopped by the writer"));
    putAway(key);
    input.current?.focus();
  };
  const retrySending = ({ key, file }: Sending) => {
    changeSending(key, { refusal: null, share: 0 });
    sendFile(key, file);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, for files that were chosen before hydration.
  useEffect(takeChosen, []);
  const is_sending = sendings.some(({ refusal }) => refusal === null);
  useEffect(() => {
    if (!is_sending) return;
    const askBeforeUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", askBeforeUnload);
    return () => removeEventListener("beforeunload", askBeforeUnload);
  }, [is_sending]);

  const carriesFiles = (event: DragEvent) => event.dataTransfer.types.includes("Files");
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <PausedNotice feature="uploads" />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: only a larger drop target for the input. */}
      <div
        className={["upload-drop", is_alive && "upload-alive", is_over && "upload-over"].filter(Boolean).join(" ")}
        onDragOver={(event) => {
          if (!carriesFiles(event)) return;
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          if (!carriesFiles(event)) return;
          event.preventDefault();
          setOver(false);
          takeFiles([...event.dataTransfer.files]);
        }}
      >
        <input
          ref={input}
          id={id}
          type="file"
          name={profile_field ?? "file"}
          multiple={profile_field === undefined}
          accept={accept}
          onChange={takeChosen}
          {...input_attributes}
        />
        {is_alive ? (
          <>
            {/* This text covers the input's own button, whose label is in the browser's language. */}
            <span className={buttonClass({ variant: "gray-outline", size: "sm" })} aria-hidden="true">
              端末から選ぶ
            </span>
            <span className="field-hint">選ぶとすぐに送信されます。ここへドラッグしても追加できます。</span>
          </>
        ) : (
          <Button
            formAction={is_for_newsletter ? undefined : profile_field ? "/my/uploads/profile" : "/my/uploads"}
            formEncType="multipart/form-data"
            aria-label={profile_field && `${label}をアップロード`}
            variant="gray-outline"
            size="sm"
          >
            アップロード
          </Button>
        )}
      </div>
      <p className="visually-hidden" role="status">
        {said}
      </p>
      <ul className="upload-list">
        {sendings.map((sending) => {
          const { key, file, share, refusal, may_retry } = sending;
          return (
            <li key={key} className={refusal === null ? undefined : "upload-refused"}>
              <span className="upload-name">{file.name}</span>
              {refusal === null ? (
                <>
                  <span className="upload-state">{share < 1 ? `${Math.floor(share * 100)}%` : "処理しています…"}</span>
                  <Progress label={`${file.name}の送信`} value={share} max={1} />
                </>
              ) : (
                <span className="field-error" role="alert">
                  {refusal}
                </span>
              )}
              <span className="upload-buttons">
                {may_retry && refusal !== null && (
                  <Button
                    type="button"
                    variant="gray-outline"
                    size="sm"
                    aria-label={`${file.name}をもう一度送る`}
                    onClick={() => retrySending(sending)}
                  >
                    もう一度送る
                  </Button>
                )}
                <Button
                  type="button"
                  variant="gray-outline"
                  size="sm"
                  aria-label={refusal === null ? `${file.name}の送信をやめる` : `${file.name}の表示を消す`}
                  onClick={() => stopSending(key)}
                >
                  {refusal === null ? "やめる" : "消す"}
                </Button>
              </span>
            </li>
          );
        })}
      </ul>
      {notes}
    </div>
  );
}
