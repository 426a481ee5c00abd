import { data } from "react-router";
import * as z from "zod";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { identityContext } from "../../session/context.ts";
import { Badge } from "../../ui/badge.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import type { Route } from "./+types/outbox.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "送信箱（開発用）", is_unlisted: true });

const mails = z.object({
  mails: z.array(
    z.object({
      mail_id: z.string(),
      channel: z.enum(["mail", "sms"]).default("mail"),
      recipient: z.string(),
      subject: z.string(),
      text: z.string(),
      created_at: z.string(),
    }),
  ),
});

/**
 * Lists the emails and texts that a demo project does not really send. Throws 404 unless the embedded provider runs a
 * `demo-*` project.
 */
export async function loader({ context }: Route.LoaderArgs) {
  const { readMails } = context.get(identityContext);
  if (!readMails) throw data(null, { status: 404 });
  return mails.parse(await (await readMails()).json());
}

export default function Outbox({ loaderData }: Route.ComponentProps) {
  return (
    <div className="page page-reading">
      <h1 className="page-title">送信箱（開発用）</h1>
      {loaderData.mails.length === 0 ? (
        <EmptyState title="送信したメール・SMSはまだありません" />
      ) : (
        <ul className="letter-list">
          {loaderData.mails.map(({ mail_id, channel, recipient, subject, text, created_at }) => (
            <li key={mail_id} className="card mail">
              <p className="row">
                <Badge tone={channel === "sms" ? "new" : "quiet"}>{channel === "sms" ? "SMS" : "メール"}</Badge>
                <DateTime iso={created_at} />
              </p>
              {channel === "mail" && <h2>{subject}</h2>}
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
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
