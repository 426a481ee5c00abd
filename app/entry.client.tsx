import { StrictMode, startTransition } from "react";
import { hydrateRoot } from "react-dom/client";
import { HydratedRouter } from "react-router/dom";
import { KeptContext, readKeptData } from "./shell/kept-context.tsx";

/** Hydrates members' pages. Visitors' pages do not load React. */
startTransition(() => {
  hydrateRoot(
    document,
    <StrictMode>
      <KeptContext value={readKeptData()}>
        <HydratedRouter />
      </KeptContext>
    </StrictMode>,
  );
});
