import { data } from "react-router";
import * as z from "zod";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { identityContext } from "../../session/context.ts";
import { Badge } from "../../ui/badge.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import type { Route } from "./+types/outbox.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "送信箱（開発用）", is_unlisted: true });

const sent = z.object({
  mail_id: z.string(),
  recipient: z.string(),
  subject: z.string(),
  text: z.string(),
  created_at: z.string(),
});
const mails = z.object({ mails: z.array(sent) });
const messages = z.object({ mails: z.array(sent.extend({ channel: z.string() })) });

/** Lists the mails and text messages that a demo does not really send, newest first. Throws 404 outside a demo. */
export async function loader({ context }: Route.LoaderArgs) {
  const { readOutbox } = context.get(identityContext);
  if (!readOutbox) throw data(null, { status: 404 });
  const outbox = await readOutbox();
  const texted = messages.parse(await outbox.messages.json()).mails.filter(({ channel }) => channel === "sms");
  const listed = [
    ...mails.parse(await outbox.mails.json()).mails.map((mail) => ({ ...mail, is_mail: true })),
    ...texted.map((message) => ({ ...message, is_mail: false })),
  ];
  return { mails: listed.sort((a, b) => b.created_at.localeCompare(a.created_at)) };
}

export default function Outbox({ loaderData }: Route.ComponentProps) {
  return (
    <div className="page page-reading">
      <h1 className="page-title">送信箱（開発用）</h1>
      {loaderData.mails.length === 0 ? (
        <EmptyState title="送信したメール・SMSはまだありません" />
      ) : (
        <ul className="letter-list">
          {loaderData.mails.map(({ mail_id, recipient, subject, text, is_mail, created_at }) => (
            <li key={mail_id} className="card mail">
              <p className="row">
                <Badge tone={is_mail ? "quiet" : "new"}>{is_mail ? "メール" : "SMS"}</Badge>
                <DateTime iso={created_at} />
              </p>
              {is_mail && <h2>{subject}</h2>}
              <p className="field-hint">宛先：{recipient}</p>
              <pre>
                {text.split(/(https?:\/\/\S+)/).map((part, index) =>
                  index % 2 === 1 ? (
                    <a key={part} href={part}>
                      {part}
                    </a>
                  ) : (
                    part
                  ),
                )}
              </pre>
              {is_mail && (
                <details>
                  <summary>HTMLで見る</summary>
                  <iframe
                    className="mail-frame"
                    title={`${subject}（HTML）`}
                    src={`/dev/outbox/${encodeURIComponent(mail_id)}`}
                    sandbox=""
                    loading="lazy"
                  />
                </details>
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
