import { StrictMode, startTransition } from "react";
import { hydrateRoot } from "react-dom/client";
import { HydratedRouter } from "react-router/dom";
import { KeptContext, readKeptData } from "./shell/kept-context.tsx";

/** Runs for members only: visitors' pages load no script. */
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
