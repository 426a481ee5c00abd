import * as z from "zod";
import { readText } from "../http/body.ts";
import { log } from "../kernel/log.ts";
import { Problem } from "../kernel/problem.ts";
import { type Mails, recordFailure, suppressAddresses } from "./commands.ts";
import { fromMailbox } from "./rules.ts";
import { fromTag } from "./transports/resend.ts";
import { toAnswer } from "./transports/transport.ts";

/** What Resend reports after it has taken a mail: that it did not arrive, and complaints. */

const MAX_BYTES = 256 * 1024;
/** How old a signed event may be. Source: Standard Webhooks, "Verifying webhook authenticity". */
const TOLERANCE_MS = 5 * 60 * 1000;

const said = z.string().nullish();
/** Why a mail did not arrive. Each event has some of these fields. */
const cause = z.object({ type: said, subType: said, message: said, reason: said });
type Cause = z.output<typeof cause>;

const event = z.object({
  type: z.string(),
  data: z.object({
    to: z.array(z.string()).default([]),
    bounce: cause.optional(),
    failed: cause.optional(),
    suppressed: cause.optional(),
    tags: z.object({ mail: z.string().optional() }).optional(),
  }),
});
type ResendEvent = z.output<typeof event>;

/**
 * Receives an event of Resend: a mail that did not arrive has failed, and a permanent bounce or a complaint suppresses the
 * address. An event that comes again changes nothing.
 * Source: https://resend.com/docs/webhooks/event-types, https://docs.svix.com/receiving/verifying-payloads/how-manual
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
  if (type === "email.complained") return suppressAddresses(mails, addresses, "complaint");
  const failure = causeOf(reported);
  if (!failure) return;
  const { words, codes } = wordsOf(failure);
  const kind = await recordFailure(mails, {
    sending: data.tags?.mail === undefined ? null : fromTag(data.tags.mail),
    answer: toAnswer([type, ...words].join(" ")),
    bounced: type === "email.bounced" && failure.type === "Permanent" ? addresses : [],
  });
  // Bounces are usual. The other events may be about the account, such as its quota or its domain.
  const level = type === "email.bounced" ? "info" : "warn";
  if (kind !== null) log(level, { message: "a sent mail did not arrive", kind, event: type, cause: codes.join(" ") });
}

/** Returns why a mail did not arrive; null for events that do not say so. */
function causeOf({ type, data }: ResendEvent): Partial<Cause> | null {
  if (type === "email.bounced") return data.bounce ?? {};
  if (type === "email.failed") return data.failed ?? {};
  return type === "email.suppressed" ? (data.suppressed ?? {}) : null;
}

/** Returns the words of a cause, and of these the codes, which name no address. */
function wordsOf({ type, subType, reason, message }: Partial<Cause>) {
  const words = [type, subType, reason, message].filter((word) => typeof word === "string");
  return { words, codes: words.filter((word) => /^\w{1,40}$/.test(word)) };
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
