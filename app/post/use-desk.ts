import { type FormEvent, type RefObject, useEffect, useRef, useState } from "react";
import { focusFirstError } from "../ui/form-errors.tsx";
import type { Desk, DeskAddress } from "./desk.ts";
import type { SaveState } from "./draft-saver.ts";

/**
 * Saves the form of a post or newsletter while it is being written. Starts after hydration.
 * @param answer the action's answer. Each answer shows the form again.
 */
export function useDesk(
  form: RefObject<HTMLFormElement | null>,
  { url, path, answer }: DeskAddress & { answer: unknown },
) {
  const desk = useRef<Desk>(null);
  const [state, setState] = useState<SaveState>({ kind: "idle" });
  /** The writer chose to continue without the files that are still being uploaded. */
  const drops_uploads = useRef(false);
  useEffect(() => {
    let is_gone = false;
    import("./desk.ts").then(({ openDesk }) => {
      if (is_gone || !form.current) return;
      desk.current = openDesk(form.current, { url, path, onState: setState });
    });
    return () => {
      is_gone = true;
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

const isUploading = (form: HTMLFormElement | null) => form?.querySelector(".upload-list progress") != null;
