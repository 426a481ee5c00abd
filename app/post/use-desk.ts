import { type FormEvent, type RefObject, useEffect, useRef, useState } from "react";
import { focusFirstError } from "../ui/form-errors.tsx";
import { announceUnsent } from "../v4/unsent.ts";
import type { Desk, DeskAddress } from "./desk.ts";
import type { SaveState } from "./draft-saver.ts";

const IDLE: SaveState = { kind: "idle" };
const NOT_BY_ITSELF = "自動保存できません。「下書き保存」を押してください。";
const LOAD_AGAIN_MS = 10_000;

/**
 * Saves the form of a post or newsletter while it is being written. Starts after hydration. Until the script that saves has
 * loaded, the page asks before it loses typed words.
 * @param answer the action's answer. Each answer shows the form again.
 */
export function useDesk(
  form: RefObject<HTMLFormElement | null>,
  { url, path, answer }: DeskAddress & { answer: unknown },
) {
  const desk = useRef<Desk>(null);
  const [state, setState] = useState<SaveState>(IDLE);
  /** The writer chose to continue without the files that are still being uploaded. */
  const drops_uploads = useRef(false);
  useEffect(() => {
    let is_gone = false;
    let timer: ReturnType<typeof setTimeout>;
    const askBeforeLeaving = (event: BeforeUnloadEvent) => {
      if (hasNewWords(form.current)) event.preventDefault();
    };
    const loadDesk = () =>
      import("./desk.ts").then(
        ({ openDesk }) => {
          removeEventListener("beforeunload", askBeforeLeaving);
          if (is_gone || !form.current) return;
          desk.current = openDesk(form.current, { url, path, onState: setState, announce: announceUnsent });
          setState(IDLE);
          if (hasNewWords(form.current)) desk.current.touch();
        },
        // The request was lost, or the script was deleted after a deployment.
        () => {
          if (is_gone) return;
          setState({ kind: "failed", detail: NOT_BY_ITSELF });
          timer = setTimeout(loadDesk, LOAD_AGAIN_MS);
        },
      );
    addEventListener("beforeunload", askBeforeLeaving);
    loadDesk();
    return () => {
      is_gone = true;
      clearTimeout(timer);
      removeEventListener("beforeunload", askBeforeLeaving);
      desk.current?.close();
      desk.current = null;
    };
  }, [form, url, path]);
  useEffect(() => {
    drops_uploads.current = false;
    if (!answer) return;
    desk.current?.goOn();
    focusFirstError(form.current);
  }, [form, answer]);

  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    const { submitter } = event.nativeEvent as SubmitEvent;
    if (desk.current?.saves_itself && submitter?.getAttribute("value") === "save") {
      event.preventDefault();
      desk.current.save();
      return;
    }
    if (isUploading(form.current)) drops_uploads.current ||= confirm(ASK_TO_DROP_UPLOADS);
    const may_send = drops_uploads.current || !isUploading(form.current);
    if (!may_send || desk.current?.holdFor(submitter) === false) event.preventDefault();
  };
  return { desk, state, onSubmit };
}

const ASK_TO_DROP_UPLOADS = "まだ送信中のファイルがあります。そのファイルを除いて進みますか？";

/** Whether a text field differs from what the page came with. */
function hasNewWords(form: HTMLFormElement | null): boolean {
  form?.dispatchEvent(new Event("write-down"));
  const fields = form?.querySelectorAll<HTMLInputElement>("textarea, input") ?? [];
  return [...fields].some(({ value, defaultValue }) => value !== defaultValue.replace(/\r\n?/g, "\n"));
}

const isUploading = (form: HTMLFormElement | null) => form?.querySelector(".upload-list progress") != null;
