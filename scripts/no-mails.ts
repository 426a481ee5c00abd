import type { Mails } from "../workers/api/mails/client.ts";

/** Stands in for the mails worker: takes every mail, and sends none. For tests, and for a demo whose mails would be of the past. */
export const noMails: Mails = {
  handOver: async () => {},
  handOverNewsletter: async () => {},
  cancelNewsletters: async () => {},
  previewNewsletter: async () => ({ subject: "", text: "", html: "" }),
  readDeliveries: async () => [],
  forgetDeliveries: async () => {},
  readBounces: async () => [],
  forgetBounces: async () => {},
  list: async () => ({ mails: [], next_page_token: null, count: 0, oldest_at: null }),
  retry: async () => false,
  listSuppressed: async () => ({ counts: [], suppressions: [] }),
  setSuppressed: async () => {},
};
