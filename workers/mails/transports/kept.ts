import type { Transport } from "./transport.ts";

/** The end of a demo: mails stay in the table, and /dev/outbox shows them. */
export const keptTransport: Transport = {
  send: async () => ({ kind: "sent", answer: "kept" }),
  close() {},
};
