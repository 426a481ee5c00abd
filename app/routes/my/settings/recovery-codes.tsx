import { useState } from "react";
import { data, Form, redirect } from "react-router";
import { pageMeta } from "../../../crawlers/page-meta.ts";
import { FACTORS_PATH, RECOVERY_CODES_PATH } from "../../../request/to.ts";
import { ownSession } from "../../../sign-in/ask-provider.ts";
import { requireRecentSignIn } from "../../../sign-in/recent-sign-in.ts";
import { makeRecoveryCodes } from "../../../sign-in/recovery-codes.ts";
import { newRecoveryCodes, readStarted } from "../../../sign-in/started-flows.ts";
import { Button, ButtonLink, buttonClass } from "../../../ui/button.tsx";
import { FormErrors } from "../../../ui/form-errors.tsx";
import { HiddenFields } from "../../../ui/hidden-fields.tsx";
import { useHydrated } from "../../../ui/hydrated.ts";
import type { Route } from "./+types/recovery-codes.ts";
import { SettingsPage } from "./settings-page.tsx";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "リカバリーコード", is_unlisted: true });

export const loader = async ({ context }: Route.LoaderArgs) => ({
  codes: (await readStarted(context, newRecoveryCodes))?.codes ?? null,
});

export async function action({ request, url, context }: Route.ActionArgs) {
  const operation = (await request.formData()).get("operation");
  if (operation === "kept") {
    newRecoveryCodes.forget(context);
    return redirect(FACTORS_PATH, 303);
  }
  if (operation !== "make") throw data(null, { status: 400 });
  await requireRecentSignIn(context, url);
  const refusal = await makeRecoveryCodes(context, ownSession(context));
  return refusal ? data({ error: refusal.detail }, refusal.status) : redirect(RECOVERY_CODES_PATH, 303);
}

export default function RecoveryCodes({ loaderData, actionData }: Route.ComponentProps) {
  const { codes } = loaderData;
  return (
    <SettingsPage title="リカバリーコード">
      <FormErrors errors={actionData?.error ? [actionData.error] : undefined} answer={actionData} />
      {codes === null ? (
        <section className="card form">
          <p>
            コードを見られるのは、作った直後だけです。控えをなくしたときは、二段階認証のページで作り直してください。
          </p>
          <p>
            <ButtonLink to={FACTORS_PATH}>二段階認証のページへ</ButtonLink>
          </p>
        </section>
      ) : (
        <section className="card form">
          <p>
            スマートフォンをなくしたときなどに、ログインの確認に使えるコードです。1つのコードは1回だけ使えます。
            <b>あとからもう一度表示することはできません。</b>紙に書くか、ファイルを安全な場所に保存してください。
          </p>
          <ol className="recovery-codes">
            {codes.map((code) => (
              <li key={code}>
                <code>{code}</code>
              </li>
            ))}
          </ol>
          <div className="row">
            <a
              href={`${RECOVERY_CODES_PATH}.txt`}
              download="ofuse-recovery-codes.txt"
              className={buttonClass({ variant: "primary-outline" })}
            >
              ファイルに保存
            </a>
            <WithScript codes={codes} />
          </div>
          <Form method="post" action={RECOVERY_CODES_PATH}>
            <HiddenFields />
            <Button name="operation" value="kept">
              控えました
            </Button>
          </Form>
        </section>
      )}
    </SettingsPage>
  );
}

/** Buttons that need JavaScript. They are invisible until hydration, but the page reserves their space. */
function WithScript({ codes }: { codes: string[] }) {
  const [said, setSaid] = useState("");
  const hidden = useHydrated() ? "" : " not-yet";
  const look = buttonClass({ variant: "gray-outline" }) + hidden;
  const copyCodes = () =>
    navigator.clipboard.writeText(codes.join("\n")).then(
      () => setSaid("コピーしました"),
      () => setSaid("コピーできませんでした。ファイルに保存してお使いください。"),
    );
  return (
    <>
      <button type="button" className={look} onClick={copyCodes}>
        コピー
      </button>
      <button type="button" className={look} onClick={() => window.print()}>
        印刷
      </button>
      <span role="status">{said}</span>
    </>
  );
}
