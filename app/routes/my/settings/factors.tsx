import { data, Form, redirect } from "react-router";
import * as z from "zod";
import { countRecoveryCodes } from "../../../../workers/contract/identity.ts";
import { pageMeta } from "../../../crawlers/page-meta.ts";
import { setFlash } from "../../../request/flash.ts";
import { FACTORS_PATH, RECOVERY_CODES_PATH } from "../../../request/to.ts";
import { openSession } from "../../../session/current-session.ts";
import { identityCalls } from "../../../session/identity-calls.ts";
import { askProvider, ownAccount, ownSession } from "../../../sign-in/ask-provider.ts";
import { readablePhoneNumber } from "../../../sign-in/phone-number.ts";
import { requireRecentSignIn } from "../../../sign-in/recent-sign-in.ts";
import { siteContext } from "../../../site/site-context.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Button, ButtonLink, buttonClass } from "../../../ui/button.tsx";
import { ButtonForm } from "../../../ui/button-form.tsx";
import { DateTime } from "../../../ui/date-time.tsx";
import { Dialog, DialogButton } from "../../../ui/dialog.tsx";
import { FormErrors } from "../../../ui/form-errors.tsx";
import { HiddenFields } from "../../../ui/hidden-fields.tsx";
import type { Route } from "./+types/factors.ts";
import { SettingsPage } from "./settings-page.tsx";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "二段階認証", is_unlisted: true });

export async function loader({ url, context }: Route.LoaderArgs) {
  const { mfaInfo = [], emailVerified = false } = await ownAccount(context, url);
  const factors = mfaInfo.map(({ mfaEnrollmentId, displayName, phoneInfo, enrolledAt }) => ({
    id: mfaEnrollmentId,
    is_phone: phoneInfo !== undefined,
    name: phoneInfo ? readablePhoneNumber(phoneInfo) : (displayName ?? "認証アプリ"),
    enrolled_at: enrolledAt ?? null,
  }));
  const has_sms = context.get(siteContext).has_outside_ways;
  return {
    factors,
    has_sms,
    is_proven: emailVerified,
    codes: factors.length > 0 ? await recoveryCodes(context) : null,
  };
}

/** How many recovery codes are left. Null with Firebase, which has none, or if the identity service does not answer. */
async function recoveryCodes(context: Route.LoaderArgs["context"]) {
  const sent = await identityCalls(context, ownSession(context)).send(countRecoveryCodes, {});
  return { left: sent.ok ? sent.answer.count : null };
}

const kindOf = (is_phone: boolean) => (is_phone ? "SMS" : "認証アプリ");

const fields = z.object({ operation: z.literal("remove"), id: z.string().min(1) });

export async function action({ request, url, context }: Route.ActionArgs) {
  const form = fields.safeParse(Object.fromEntries(await request.formData()));
  if (!form.success) throw data(null, { status: 400 });
  await requireRecentSignIn(context, url);
  const asked = await askProvider(context, url, async (toolkit, id_token) =>
    openSession(context, await toolkit.withdrawFactor(id_token, form.data.id)),
  );
  if (!asked.ok) return data({ error: asked.message }, asked.status);
  setFlash(context, "factor_removed");
  return redirect(FACTORS_PATH, 303);
}

export default function Factors({ loaderData, actionData }: Route.ComponentProps) {
  const { factors, has_sms, is_proven, codes } = loaderData;
  const has_app = factors.some(({ is_phone }) => !is_phone);
  return (
    <SettingsPage title="二段階認証">
      <p className="lead">
        ログインのとき、パスワードなどのほかに、{has_sms ? "認証アプリやSMS" : "認証アプリ"}
        のコードも確認します。パスワードを知られても、ほかの人はログインできません。
      </p>
      <FormErrors errors={actionData?.error ? [actionData.error] : undefined} answer={actionData} />
      {factors.length > 0 ? (
        <ul className="rows">
          {factors.map(({ id, is_phone, name, enrolled_at }) => (
            <li key={id} className="card row">
              <div className="row-text">
                <p>
                  <b>{name}</b> {name !== kindOf(is_phone) && <Badge tone="new">{kindOf(is_phone)}</Badge>}
                </p>
                {enrolled_at && (
                  <p className="row-note">
                    <DateTime iso={enrolled_at} format="date" /> に設定
                  </p>
                )}
              </div>
              <DialogButton
                dialog={`remove-${id}`}
                command="show-modal"
                className={buttonClass({ variant: "gray-outline", size: "sm" })}
                aria-label={`${name}を削除`}
              >
                削除
              </DialogButton>
              <Dialog
                id={`remove-${id}`}
                title="本当に削除しますか？"
                actions={
                  <ButtonForm action={FACTORS_PATH} fields={{ id }}>
                    {(is_sending) => (
                      <Button name="operation" value="remove" variant="alert" aria-disabled={is_sending}>
                        削除する
                      </Button>
                    )}
                  </ButtonForm>
                }
              >
                <p>
                  {factors.length === 1
                    ? "二段階認証がオフになり、リカバリーコードも使えなくなります。この端末のほかは、すべてログアウトします。"
                    : `「${name}」では確認できなくなります。この端末のほかは、すべてログアウトします。`}
                </p>
              </Dialog>
            </li>
          ))}
        </ul>
      ) : (
        <p className="notice">二段階認証は、まだ設定されていません。</p>
      )}
      <section className="card form">
        <h2 className="section-title">{factors.length > 0 ? "方法を追加する" : "設定する"}</h2>
        {is_proven ? (
          <div className="row">
            {!has_app && <ButtonLink to="/my/settings/factors/totp">認証アプリを使う</ButtonLink>}
            {has_sms && (
              <ButtonLink to="/my/settings/factors/phone" variant="primary-outline" reloadDocument>
                SMSを使う
              </ButtonLink>
            )}
            {has_app && !has_sms && <p className="row-note">認証アプリを設定済みです。</p>}
          </div>
        ) : (
          <>
            <p>二段階認証を設定するには、先にメールアドレスの確認が必要です。</p>
            <p>
              <ButtonLink to="/my/settings/email">メールアドレスの設定へ</ButtonLink>
            </p>
          </>
        )}
      </section>
      {codes && (
        <section className="card form">
          <h2 className="section-title">リカバリーコード</h2>
          {codes.left === null ? (
            <p>
              リカバリーコードは、いまはご利用いただけません。スマートフォンをなくしたときのために、方法を2つ以上設定しておくことをおすすめします。
            </p>
          ) : (
            <>
              <p>スマートフォンをなくしたときなどに、コードの代わりに1回ずつ使えます。</p>
              <p>
                残り <b>{codes.left}</b> 個
              </p>
              <Form method="post" action={RECOVERY_CODES_PATH}>
                <HiddenFields />
                {codes.left === 0 ? (
                  <Button name="operation" value="make">
                    リカバリーコードを作る
                  </Button>
                ) : (
                  <>
                    <DialogButton
                      dialog="make-codes"
                      command="show-modal"
                      className={buttonClass({ variant: "gray-outline" })}
                    >
                      新しく作り直す
                    </DialogButton>
                    <Dialog
                      id="make-codes"
                      title="リカバリーコードを作り直しますか？"
                      actions={
                        <Button name="operation" value="make">
                          作り直す
                        </Button>
                      }
                    >
                      <p>いままでのコードは、すべて使えなくなります。</p>
                    </Dialog>
                  </>
                )}
              </Form>
            </>
          )}
        </section>
      )}
    </SettingsPage>
  );
}
