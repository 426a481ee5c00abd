import type { ButtonHTMLAttributes, ReactNode } from "react";
import { buttonClass } from "./button.tsx";

/** A button that opens or closes a dialog. Uses HTML's invoker commands, or a script in browsers without them. */
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

/**
 * After a dialog was opened from a menu, focuses the menu's button. The browser would focus the menu item, which is
 * hidden by now.
 */
function returnFocus(dialog: string): void {
  const menu = document.querySelector(`[popover] [commandfor="${dialog}"]`)?.closest("[popover]");
  document.querySelector<HTMLElement>(`[popovertarget="${menu?.id}"]`)?.focus();
}

/** A modal dialog. It traps the focus and restores it; Esc, its button and a click outside close it. */
export function Dialog(props: { id: string; title: string; children: ReactNode; actions?: ReactNode }) {
  const { id, title, children, actions } = props;
  return (
    <dialog
      id={id}
      className="dialog"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      closedby="any"
      onClose={() => returnFocus(id)}
    >
      <h2 id={`${id}-title`}>{title}</h2>
      <div id={`${id}-text`}>{children}</div>
      <div className="dialog-actions">
        <DialogButton dialog={id} command="close" className={buttonClass({ variant: "gray-outline" })}>
          {actions ? "やめる" : "閉じる"}
        </DialogButton>
        {actions}
      </div>
    </dialog>
  );
}
