import { useRef, useState } from "react";

/** The state of a field with a copy button. `said` announces the result to screen readers. */
export function useCopied<Field extends HTMLInputElement | HTMLTextAreaElement = HTMLInputElement>(text: string) {
  const field = useRef<Field>(null);
  const [said, setSaid] = useState("");
  const copyText = async () => {
    field.current?.select();
    try {
      await navigator.clipboard.writeText(text);
      setSaid("コピーしました");
    } catch {
      setSaid("コピーできませんでした。選ばれている文字をコピーしてください。");
    }
  };
  return { field, said, copy: copyText };
}
