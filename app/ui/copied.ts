import { useRef, useState } from "react";

/** A field whose text a button copies; `said` tells how that went, for who cannot see it. */
export function useCopied(text: string) {
  const field = useRef<HTMLInputElement>(null);
  const [said, setSaid] = useState("");
  const copy = async () => {
    field.current?.select();
    try {
      await navigator.clipboard.writeText(text);
      setSaid("コピーしました");
    } catch {
      setSaid("コピーできませんでした。選ばれている文字をコピーしてください。");
    }
  };
  return { field, said, copy };
}
