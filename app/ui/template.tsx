import { useEffect } from "react";

/**
 * A text to copy, and its name for screen readers: a click selects all of it, and with JavaScript a button copies it. app/site/markdown.server.ts
 * renders the same markup.
 */
export function Template({ name, text }: { name: string; text: string }) {
  return (
    <div className="template">
      <pre>{text}</pre>
      <button type="button" className="copy" data-copy="" aria-live="polite">
        <span className="visually-hidden">{name}を</span>コピー
      </button>
    </div>
  );
}

/** Activates the copy buttons on a member's page. The visitors' script does the same on visitors' pages. */
export function useCopyButtons(): void {
  useEffect(() => {
    import("../browser/copy-templates.ts").catch(() => {});
  }, []);
}
