import { data, Form, Link, redirect, redirectDocument } from "react-router";
import * as z from "zod";
import { deleteRefreshToken, endSignIn, listSignIns } from "../../../../workers/contract/identity.ts";
import { pageMeta } from "../../../crawlers/page-meta.ts";
import { forgetIntent } from "../../../forms/intent.ts";
import { setFlash } from "../../../request/flash.ts";
import { closeSession } from "../../../session/current-session.ts";
import { identityCalls } from "../../../session/identity-calls.ts";
import { SCOPE_FIELD, THIS_DEVICE } from "../../../shell/log-out-buttons.tsx";
import { ownSession } from "../../../sign-in/ask-provider.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Button, buttonClass } from "../../../ui/button.tsx";
import { ButtonForm } from "../../../ui/button-form.tsx";
import { DateTime } from "../../../ui/date-time.tsx";
import { Dialog, DialogButton } from "../../../ui/dialog.tsx";
import { FormErrors } from "../../../ui/form-errors.tsx";
import type { Route } from "./+types/sessions.ts";
import { deviceName } from "./device-name.ts";
import { SettingsPage } from "./settings-page.tsx";
import { wayName } from "./way-name.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "ログイン中の端末", is_unlisted: true });

const PATH = "/my/settings/sessions";

export async function loader({ context }: Route.LoaderArgs) {
  const sent = await identityCalls(context, ownSession(context)).send(listSignIns, {});
  if (!sent.ok) return { devices: null };
  const devices = sent.answer.signIns.map(({ signInId, provider, device, isCurrent, signedInAt, lastUsedAt }) => ({
    id: signInId,
    name: deviceName(device),
    way: wayName(provider),
    is_current: isCurrent,
    signed_in_at: signedInAt,
    last_used_at: lastUsedAt,
  }));
  return { devices: devices.toSorted((left, right) => Number(right.is_current) - Number(left.is_current)) };
}

const fields = z.discriminatedUnion("operation", [
  z.object({ operation: z.literal("end"), id: z.string() }),
  z.object({ operation: z.literal("end_all") }),
]);

export async function action({ request, context }: Route.ActionArgs) {
  const form = fields.safeParse(Object.fromEntries(await request.formData()));
  if (!form.success) throw data(null, { status: 400 });
  if (form.data.operation === "end_all") return signOutEverywhere(context);
  const { id } = form.data;
  const sent = await identityCalls(context, ownSession(context)).send(endSignIn, { query: { id } });
  // `not_found`: the device was signed out in the meantime, as the member wants.
  if (!sent.ok && sent.refusal.code !== "not_found") return data({ error: sent.refusal.detail }, sent.refusal.status);
  setFlash(context, "device_signed_out");
  return redirect(PATH, 303);
}

/**
 * Ends all sign-ins of the account and registers the key they share (see "key for global sign-out" in the glossary).
 */
async function signOutEverywhere(context: Route.ActionArgs["context"]) {
  const session = ownSession(context);
  const sent = await identityCalls(context, session).send(deleteRefreshToken, {});
  if (!sent.ok) return data({ error: sent.refusal.detail }, sent.refusal.status);
  closeSession(context);
  forgetIntent(context, "follow");
  forgetIntent(context, "form");
  setFlash(context, "signed_out_everywhere");
  return redirectDocument("/", 303);
}

export default function Sessions({ loaderData, actionData }: Route.ComponentProps) {
  const { devices } = loaderData;
  return (
    <SettingsPage title="ログイン中の端末">
      <FormErrors errors={actionData?.error ? [actionData.error] : undefined} answer={actionData} />
      {devices === null ? (
        <>
          <p className="notice">
            ログイン中の端末の一覧は、いまは表示できません。すべての端末からのログアウトはできます。
          </p>
          <Form method="post" action="/logout">
            <Button name={SCOPE_FIELD} value={THIS_DEVICE} variant="gray-outline">
              この端末だけログアウト
            </Button>
          </Form>
        </>
      ) : (
        <>
          <p className="lead">
            心当たりのない端末があれば、ログアウトして、<Link to="/my/settings/password">パスワードを変更</Link>
            してください。
          </p>
          <ul className="rows">
            {devices.map(({ id, name, way, is_current, signed_in_at, last_used_at }) => (
              <li key={id} className="card row">
                <div className="row-text">
                  <p>
                    <b>{name}</b> {is_current && <Badge tone="new">この端末</Badge>}
                  </p>
                  <p className="row-note">
                    最終利用 <DateTime iso={last_used_at} />
                  </p>
                  <p className="row-note">
                    ログイン <DateTime iso={signed_in_at} />
                    {way && `（${way}）`}
                  </p>
                </div>
                {is_current ? (
                  <Form method="post" action="/logout">
                    <Button name={SCOPE_FIELD} value={THIS_DEVICE} size="sm" variant="gray-outline">
                      この端末だけログアウト
                    </Button>
                  </Form>
                ) : (
                  <ButtonForm action={PATH} fields={{ id }} label={name}>
                    {(is_sending) => (
                      <Button name="operation" value="end" size="sm" variant="gray-outline" aria-disabled={is_sending}>
                        ログアウトする
                      </Button>
                    )}
                  </ButtonForm>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
      <section className="card form">
        <h2 className="section-title">すべての端末からログアウト</h2>
        <p>
          この端末を含む、すべての端末からログアウトします。メニューの「ログアウト」と同じです。端末をなくしたときなどにお使いください。
        </p>
        <p>
          <DialogButton dialog="end-all" command="show-modal" className={buttonClass({ variant: "alert-outline" })}>
            すべての端末からログアウト
          </DialogButton>
        </p>
        <Dialog
          id="end-all"
          title="すべての端末からログアウトしますか？"
          actions={
            <ButtonForm action={PATH}>
              {(is_sending) => (
                <Button name="operation" value="end_all" variant="alert" aria-disabled={is_sending}>
                  ログアウトする
                </Button>
              )}
            </ButtonForm>
          }
        >
          <p>この端末でも、もう一度ログインが必要になります。</p>
        </Dialog>
      </section>
    </SettingsPage>
  );
}
