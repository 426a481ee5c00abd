import * as z from "zod";
import { readText } from "../http/body.ts";
import { Problem } from "../kernel/problem.ts";
import { type Mails, suppressAddresses } from "./commands.ts";
import { recordBounces } from "./newsletters.ts";
import { fromMailbox } from "./rules.ts";

/** What Resend reports after it has taken a mail: addresses that do not exist, and complaints. */

const MAX_BYTES = 256 * 1024;
/** How old a signed event may be. Source: Standard Webhooks, "Verifying webhook authenticity". */
const TOLERANCE_MS = 5 * 60 * 1000;

const event = z.object({
  type: z.string(),
  data: z.object({
    to: z.array(z.string()).default([]),
    bounce: z.object({ type: z.string() }).optional(),
    tags: z.object({ content_id: z.string().optional() }).optional(),
  }),
});

/**
 * Receives an event of Resend: a permanent bounce or a complaint suppresses the address. An event that comes again changes
 * nothing. Source: https://resend.com/docs/webhooks/emails/bounced, https://docs.svix.com/receiving/verifying-payloads/how-manual
 *
 * @param secret `whsec_` and the key in base64. Without one nobody can report anything.
 * @throws `not_found` without a secret, `webhook_signature_invalid`, `payload_too_large`, `bad_request`.
 */
export async function receiveReport(mails: Mails, request: Request, secret: string): Promise<void> {
  if (secret === "") throw new Problem("not_found");
  const text = await readText(request, MAX_BYTES);
  if (!(await isSigned(request.headers, text, secret, mails.now_ms))) throw new Problem("webhook_signature_invalid");
  const { success, data: reported } = event.safeParse(parseJson(text));
  if (!success) throw new Problem("bad_request");
  const { type, data } = reported;
  const addresses = data.to.map(fromMailbox);
  if (type === "email.complained") await suppressAddresses(mails, addresses, "complaint");
  else if (type === "email.bounced" && data.bounce?.type === "Permanent") {
    await recordBounces(mails, addresses, data.tags?.content_id ?? null);
  }
}

async function isSigned(headers: Headers, text: string, secret: string, now_ms: number): Promise<boolean> {
  const [id, sent_at, signatures] = ["svix-id", "svix-timestamp", "svix-signature"].map((name) => headers.get(name));
  if (!id || !sent_at || !signatures) return false;
  if (!(Math.abs(now_ms - Number(sent_at) * 1000) <= TOLERANCE_MS)) return false;
  const key = await crypto.subtle.importKey(
    "raw",
    bytesOf(secret.replace(/^whsec_/, "")),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["verify"],
  );
  const signed = new TextEncoder().encode(`${id}.${sent_at}.${text}`);
  // While a secret is replaced, there is one signature for each.
  for (const signature of signatures.split(" ")) {
    const [version, value = ""] = signature.split(",");
    if (version === "v1" && (await crypto.subtle.verify("HMAC", key, bytesOf(value), signed))) return true;
  }
  return false;
}

/** Returns the bytes of a base64 text; none when it is no base64. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
