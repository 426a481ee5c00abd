import type * as z from "zod";
import {
  BOUNCES_PATH,
  bouncesAnswer,
  DELIVERIES_PATH,
  type Delivery,
  deliveriesAnswer,
  type HandedMail,
  MAILS_ORIGIN,
  MAILS_PATH,
  NEWSLETTER_CANCELLATIONS_PATH,
  NEWSLETTER_PREVIEWS_PATH,
  NEWSLETTERS_PATH,
  type NewsletterMail,
  type OperatedMails,
  operatedMails,
  RETRIES_PATH,
  type RenderedMail,
  renderedMail,
  SUPPRESSIONS_PATH,
  suppressionList,
} from "../../contract/mails.ts";
import { askWorker } from "../../kernel/ask-worker.ts";
import { Problem } from "../../kernel/problem.ts";

/** The connection to the mails worker, which writes and sends every mail. */
export interface Mails {
  /**
   * Hands mails over. The mails worker takes an id once, so a repeated call sends nothing twice.
   *
   * @throws `unavailable` when the mails worker refuses or does not answer. Hand the same mails over again.
   */
  handOver(mails: readonly HandedMail[]): Promise<void>;
  /** Hands a newsletter over for some of its receivers. Repeatable, and throws as {@link handOver}. */
  handOverNewsletter(newsletter: NewsletterMail): Promise<void>;
  /** Cancels what is not sent yet of newsletters, permanently. Repeatable, and throws as {@link handOver}. */
  cancelNewsletters(content_ids: readonly string[]): Promise<void>;
  /** Returns the mail of a newsletter. Sends nothing. */
  previewNewsletter(newsletter: NewsletterMail): Promise<RenderedMail>;
  /** Returns what became of newsletters, where it has changed since {@link forgetDeliveries}. */
  readDeliveries(): Promise<Delivery[]>;
  /** Says that these numbers are recorded. */
  forgetDeliveries(deliveries: readonly Delivery[]): Promise<void>;
  /** Returns addresses that do not exist, as mails found out, and that {@link forgetBounces} has not had. */
  readBounces(): Promise<string[]>;
  /** Lists mails for operators, newest first. */
  list(query: { state?: string; address?: string; next_page_token?: string; limit: number }): Promise<OperatedMails>;
  /** Lets a failed mail be sent again. Returns false when there is none with this id, or when its words are gone. */
  retry(mail_id: string): Promise<boolean>;
  /** Lists the newest suppressions, or those of one address, for operators. */
  listSuppressed(address: string | undefined): Promise<z.output<typeof suppressionList>>;
  /** Suppresses an address, or ends every suppression of it. */
  setSuppressed(address: string, is_suppressed: boolean): Promise<void>;
  /** Says that these addresses are marked. */
  forgetBounces(addresses: readonly string[]): Promise<void>;
}

/** @param worker the service binding. */
export function openMails(worker: { fetch(url: string, init?: RequestInit): Promise<Response> }): Mails {
  const call = async (method: "GET" | "POST" | "PUT" | "DELETE", path: string, body?: object): Promise<Response> => {
    const headers = { "content-type": "application/json" };
    const answer = await askWorker(worker, `${MAILS_ORIGIN}${path}`, {
      method,
      ...(body && { headers, body: JSON.stringify(body) }),
    });
    // Its validation refuses the same hand-over each time: no outage, so the outbox gives it up.
    if (answer.status === 400) throw new Error(`the mails worker refused ${path}`);
    if (!answer.ok) {
      throw new Problem("unavailable", { cause: new Error(`the mails worker answered ${answer.status}`) });
    }
    return answer;
  };
  return {
    async handOver(mails) {
      await call("POST", MAILS_PATH, { mails });
    },
    async handOverNewsletter(newsletter) {
      await call("POST", NEWSLETTERS_PATH, newsletter);
    },
    async cancelNewsletters(content_ids) {
      await call("POST", NEWSLETTER_CANCELLATIONS_PATH, { content_ids });
    },
    async previewNewsletter(newsletter) {
      return renderedMail.parse(await (await call("POST", NEWSLETTER_PREVIEWS_PATH, newsletter)).json());
    },
    async readDeliveries() {
      return deliveriesAnswer.parse(await (await call("GET", DELIVERIES_PATH)).json()).deliveries;
    },
    async forgetDeliveries(deliveries) {
      await call("DELETE", DELIVERIES_PATH, { deliveries });
    },
    async readBounces() {
      return bouncesAnswer.parse(await (await call("GET", BOUNCES_PATH)).json()).addresses;
    },
    async list(query) {
      const given = Object.entries(query).filter(([, value]) => value !== undefined);
      const asked = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
      return operatedMails.parse(await (await call("GET", `${MAILS_PATH}?${asked}`)).json());
    },
    async retry(mail_id) {
      const { is_queued } = (await (await call("POST", RETRIES_PATH, { mail_id })).json()) as { is_queued: boolean };
      return is_queued;
    },
    async listSuppressed(address) {
      const asked = new URLSearchParams(address === undefined ? {} : { address });
      return suppressionList.parse(await (await call("GET", `${SUPPRESSIONS_PATH}?${asked}`)).json());
    },
    async setSuppressed(address, is_suppressed) {
      await call("PUT", SUPPRESSIONS_PATH, { address, is_suppressed });
    },
    async forgetBounces(addresses) {
      await call("DELETE", BOUNCES_PATH, { addresses });
    },
  };
}
