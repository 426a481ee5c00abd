import type { PutAnswer } from "../../workers/contract/sound-chunks.ts";
import type { SoundNetwork } from "./chunk-sender.ts";

/** A PUT that takes longer is given up, and its chunks are sent again. */
const PUT_TIMEOUT_MS = 20_000;

/** Returns the network between a page and the server at an origin. */
export const networkTo = (origin: string): SoundNetwork => ({
  connect(path, { onMessage, onClose }) {
    const socket = new WebSocket(origin.replace(/^http/, "ws") + path);
    socket.onmessage = ({ data }) => onMessage(String(data));
    socket.onclose = ({ code }) => onClose(code);
    return {
      send: (data) => {
        if (socket.readyState === WebSocket.OPEN) socket.send(data);
      },
      close: () => socket.close(),
    };
  },
  async put(path, body) {
    const response = await fetch(origin + path, { method: "PUT", body, signal: AbortSignal.timeout(PUT_TIMEOUT_MS) });
    const { ok, status, headers } = response;
    // A gateway or a captive network answers for itself, and says nothing about the radio.
    if (!ok && !headers.get("content-type")?.startsWith("application/problem+json")) {
      throw new Error(`something between answered ${status}`);
    }
    return { status, answer: ok ? ((await response.json()) as PutAnswer) : null };
  },
});
