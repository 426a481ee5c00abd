import { Toaster, toast } from "sonner";

/** The variants of a toast. Source: spec section 3, Enumerations: toast variant. */
export type ToastVariant = "info" | "alert";

/**
 * The toasts. Source: spec sections 4 and 9, Toasts. Sonner's defaults already dismiss a toast after 45 px or at a
 * velocity above 0.11, and pause while it is hovered, expanded or hidden. The other values are set here, so that a new
 * version does not change them.
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

/** Shows a toast. Screen readers announce an alert at once, and an info after what they are reading. */
export function showToast(text: string, variant: ToastVariant = "info"): void {
  toast(<span role={variant === "alert" ? "alert" : undefined}>{text}</span>, { className: `toast toast-${variant}` });
}
