import { createContext, useContext } from "react";
import { useLocation } from "react-router";
import type { Kept } from "../v4/failure.ts";

/**
 * The words of the form that a document answers, for the error page alone. No loader returns them: every page that answers
 * a form would then carry them a second time. The server takes them from the request, the browser from {@link KeptData}.
 */
export const KeptContext = createContext<Kept | null>(null);

const DATA_ID = "kept-words";

/** The words for the page that is shown; null once its reader has moved on inside the app. */
export function useKept(): Kept | null {
  const kept = useContext(KeptContext);
  // React Router gives this key to the location of the document itself.
  return useLocation().key === "default" ? kept : null;
}

/** Writes the words into the error page, so that the browser draws the same page as the server. */
export function KeptData({ kept }: { kept: Kept }) {
  const json = JSON.stringify(kept).replace(/</g, "\\u003c");
  // biome-ignore lint/security/noDangerouslySetInnerHtml: JSON without `<` cannot end its element, and nothing runs it.
  return <script type="application/json" id={DATA_ID} dangerouslySetInnerHTML={{ __html: json }} />;
}

/** Reads in the browser what {@link KeptData} wrote; null on every other page. */
export function readKeptData(): Kept | null {
  return JSON.parse(document.getElementById(DATA_ID)?.textContent ?? "null");
}
