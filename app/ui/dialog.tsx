import type { ButtonHTMLAttributes, DialogHTMLAttributes, ReactNode } from "react";
import { buttonClass } from "./button.tsx";
import { CloseIcon } from "./icons.tsx";

/** The dialog a button opens or closes: the platform's own, and by hand where a browser does not know commands yet. */
export function DialogButton(
  props: ButtonHTMLAttributes<HTMLButtonElement> & { dialog: string; command: "show-modal" | "close" },
) {
  const { dialog, command, ...attributes } = props;
  return (
    <button
      type="button"
      command={command}
      commandfor={dialog}
      onClick={() => {
        if ("command" in HTMLButtonElement.prototype) return;
        const target = document.getElementById(dialog) as HTMLDialogElement | null;
        if (command === "close") target?.close();
        else target?.showModal();
      }}
      {...attributes}
    />
  );
}

/** Focuses the button of the menu from which a dialog was opened: the browser alone would focus the menu's item, which is hidden by now. */
function returnFocus(dialog: string): void {
  const menu = document.querySelector(`[popover] [commandfor="${dialog}"]`)?.closest("[popover]");
  document.querySelector<HTMLElement>(`[popovertarget="${menu?.id}"]`)?.focus();
}

/** A question or a notice over the page. It holds the focus, gives it back, and closes by Esc, its button and a click beside it. */
export function Dialog(props: { id: string; title: string; children: ReactNode; actions?: ReactNode }) {
  const { id, title, children, actions } = props;
  return (
    <dialog id={id} className="dialog" aria-labelledby={`${id}-title`} closedby="any" onClose={() => returnFocus(id)}>
      <h2 id={`${id}-title`}>{title}</h2>
      {children}
      <div className="dialog-actions">
        <DialogButton dialog={id} command="close" className={buttonClass({ variant: "gray-outline" })}>
          閉じる
        </DialogButton>
        {actions}
      </div>
    </dialog>
  );
}

/** What slides in from the side, as high as the screen. */
export function Sheet(props: Omit<DialogHTMLAttributes<HTMLDialogElement>, "className"> & { id: string }) {
  return <dialog className="dialog sheet" closedby="any" {...props} />;
}

/** The cross that closes a dialog. */
export function CloseButton({ dialog }: { dialog: string }) {
  return (
    <DialogButton dialog={dialog} command="close" className="icon-button" aria-label="閉じる">
      <CloseIcon />
    </DialogButton>
  );
}
