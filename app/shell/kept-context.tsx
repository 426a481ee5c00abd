import { createContext, useContext } from "react";
import { useLocation } from "react-router";
import type { Kept } from "../v4/failure.ts";

/**
 * The text of a form whose answer is an error page. It is not part of any loader's data, because then every page that
 * answers a form would contain the text twice. The server reads it from the request, the browser from {@link KeptData}.
 */
export const KeptContext = createContext<Kept | null>(null);

const DATA_ID = "kept-words";

/** Returns the kept text, or null after a client-side navigation. */
export function useKept(): Kept | null {
  const kept = useContext(KeptContext);
  // React Router uses the key "default" for the location of the document load.
  return useLocation().key === "default" ? kept : null;
}

/** Writes the kept text into the error page, so that hydration renders the same as the server. */
export function KeptData({ kept }: { kept: Kept }) {
  const json = JSON.stringify(kept).replace(/</g, "\\u003c");
  // biome-ignore lint/security/noDangerouslySetInnerHtml: JSON without `<` cannot end its element, and nothing runs it.
  return <script type="application/json" id={DATA_ID} dangerouslySetInnerHTML={{ __html: json }} />;
}

/** Reads in the browser what {@link KeptData} wrote. Returns null on all other pages. */
export function readKeptData(): Kept | null {
  return JSON.parse(document.getElementById(DATA_ID)?.textContent ?? "null");
}
