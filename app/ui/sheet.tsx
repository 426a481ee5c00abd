import type { DialogHTMLAttributes } from "react";
import { DialogButton } from "./dialog.tsx";
import { CloseIcon } from "./icons.tsx";

/** A modal panel that slides in from the side, in full height. */
export function Sheet(props: Omit<DialogHTMLAttributes<HTMLDialogElement>, "className"> & { id: string }) {
  return <dialog className="dialog sheet" closedby="any" {...props} />;
}

/** A close button with an X icon. */
export function CloseButton({ dialog }: { dialog: string }) {
  return (
    <DialogButton dialog={dialog} command="close" className="icon-button" aria-label="閉じる">
      <CloseIcon />
    </DialogButton>
  );
}
