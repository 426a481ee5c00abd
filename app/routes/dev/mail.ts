import { data } from "react-router";
import * as z from "zod";
import { identityContext } from "../../session/context.ts";
import type { Route } from "./+types/mail.ts";

const mails = z.object({ mails: z.array(z.object({ mail_id: z.string(), html: z.string() })) });

/** No script, no form, no picture from elsewhere, as in a mailbox. Only the outbox page may frame it. */
const POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'";

/** Returns a mail of a demo as HTML. Throws 404 outside a demo. */
export async function loader({ params, context }: Route.LoaderArgs) {
  const { readOutbox } = context.get(identityContext);
  if (!readOutbox) throw data(null, { status: 404 });
  const { mails: kept } = await readOutbox();
  const mail = mails.parse(await kept.json()).mails.find(({ mail_id }) => mail_id === params.mail_id);
  if (!mail) throw data(null, { status: 404 });
  return new Response(mail.html, {
    headers: { "content-type": "text/html; charset=utf-8", "content-security-policy": POLICY },
  });
}
