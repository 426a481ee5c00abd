import { Toaster, toast } from "sonner";

/** Source: spec sections 4 and 9, Toasts: 4000 ms, 356 px, gap 14 px, 3 visible, bottom-center, Alt+T. */
export default function Toasts() {
  return (
    <Toaster
      position="bottom-center"
      duration={4000}
      visibleToasts={3}
      gap={14}
      hotkey={["altKey", "KeyT"]}
      style={{ "--width": "356px" } as React.CSSProperties}
    />
  );
}

export function showToast(message: string): void {
  toast(message);
}
