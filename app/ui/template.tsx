import { useEffect } from "react";

/**
 * A text to be pasted elsewhere: selected as a whole by a click, and copied by a button where a script runs.
 * app/site/markdown.server.ts writes the same markup.
 */
export function Template({ text }: { text: string }) {
  return (
    <div className="template">
      <pre>{text}</pre>
      <button type="button" className="copy" data-copy="" aria-live="polite">
        コピー
      </button>
    </div>
  );
}

/** Lets the copy buttons of a member's page work; a visitor's script does it by itself. */
export function useCopyButtons(): void {
  useEffect(() => {
    import("../browser/copy-templates.ts").catch(() => {});
  }, []);
}
