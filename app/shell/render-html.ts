import type { ReactNode } from "react";
import { renderToPipeableStream } from "react-dom/server.bun";
import { causesOf, log } from "../../workers/kernel/log.ts";
import { NOTE_SENT_FORMS } from "../forms/sent-early.ts";

interface Rendering {
  nonce: string | undefined;
  /** Aborted when the client leaves. That ends the rendering, and is no error. */
  signal: AbortSignal;
  request_id: string;
}

/**
 * Renders to a string. React's build for Bun writes strings. Its other builds encode every string of the page
 * separately, which takes a tenth of a page's CPU. The only function of Bun in it is the hash of `useActionState`, which
 * no page of ours uses.
 */
export function renderHtml(page: ReactNode, { nonce, signal, request_id }: Rendering): Promise<string> {
  return new Promise((resolve, reject) => {
    const parts: unknown[] = [];
    // React uses no more of a stream than this.
    const destination = {
      write: (part: unknown) => parts.push(part) > 0,
      end: () => resolve(parts.join("")),
      destroy: reject,
      on: () => {},
    } as unknown as NodeJS.WritableStream;
    const { pipe, abort } = renderToPipeableStream(page, {
      nonce,
      bootstrapScriptContent: nonce && NOTE_SENT_FORMS,
      progressiveChunkSize: 1e9,
      onAllReady: () => void pipe(destination),
      onShellError: reject,
      onError: (error) => {
        if (signal.aborted) return;
        log("error", { message: "rendering failed", request_id, stack: stackOf(error), causes: causesOf(error) });
      },
    });
    if (signal.aborted) abort(signal.reason);
    signal.addEventListener("abort", () => abort(signal.reason), { once: true });
  });
}

export function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
