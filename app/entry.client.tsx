import { StrictMode, startTransition } from "react";
import { hydrateRoot } from "react-dom/client";
import { HydratedRouter } from "react-router/dom";
import { loadEventParts } from "./routes/creator/event-parts.ts";
import { KeptContext, readKeptData } from "./shell/kept-context.tsx";
import { nextScripts } from "./shell/next-scripts.ts";

// When a newer navigation cancels a request, React Router 8.4 rejects a promise that nobody awaits (`done` of `decode`
// in its turbo-stream). A cancelled request is no error.
window.addEventListener("unhandledrejection", (event) => {
  if (event.reason?.name === "AbortError") event.preventDefault();
});

const scripts = nextScripts({ "routes/creator/event": loadEventParts });

/** Hydrates members' pages. Visitors' pages do not load React. */
startTransition(() => {
  hydrateRoot(
    document,
    <StrictMode>
      <KeptContext value={readKeptData()}>
        <HydratedRouter instrumentations={[scripts]} />
      </KeptContext>
    </StrictMode>,
  );
});
