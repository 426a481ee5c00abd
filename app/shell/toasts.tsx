import { Toaster, toast } from "sonner";

/** Source: spec section 3, Enumerations: toast variant. */
export type ToastVariant = "info" | "alert";

/**
 * Source: spec sections 4 and 9, Toasts. Sonner itself lets a toast go after 45 px or at a velocity above 0.11, and pauses
 * while it is pointed at, expanded or out of sight; the rest is said here, so that no new version of it says otherwise.
 */
export default function Toasts() {
  return (
    <Toaster
      position="bottom-center"
      duration={4000}
      visibleToasts={3}
      gap={14}
      hotkey={["altKey", "KeyT"]}
      containerAriaLabel="お知らせ"
      toastOptions={{ unstyled: true }}
      style={{ "--width": "356px" } as React.CSSProperties}
    />
  );
}

/** Tells somebody something in passing. An alert is read out at once, other words when the reader pauses. */
export function showToast(text: string, variant: ToastVariant = "info"): void {
  toast(<span role={variant === "alert" ? "alert" : undefined}>{text}</span>, { className: `toast toast-${variant}` });
}
