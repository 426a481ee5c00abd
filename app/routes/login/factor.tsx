import { useForm } from "@conform-to/react";
import { data, Link, redirect } from "react-router";
import * as z from "zod";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { readForm } from "../../forms/read-form.ts";
import { edgeContext } from "../../request/context.ts";
import { setFlash } from "../../request/flash.ts";
import { identityContext } from "../../session/context.ts";
import type { Handle } from "../../shell/layout.ts";
import { besideField } from "../../sign-in/ask-provider.ts";
import { trySignIn } from "../../sign-in/finish-sign-in.ts";
import { type OwnSentences, type Refused, refusalOf } from "../../sign-in/refusals.ts";
import { type AskedFactor, type PendingFactor, pendingFactor } from "../../sign-in/second-factor.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { InputField } from "../../ui/field.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import type { Route } from "./+types/factor.ts";
import { backOf } from "./back.ts";
import { CodeField } from "./code-field.tsx";
import { DemoOutbox } from "./demo-outbox.tsx";
import { RecaptchaField } from "./recaptcha-field.tsx";
import { NO_SMS } from "./sentences.ts";
import { oneTimeCode, recoveryCode } from "./typed.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "二段階認証", is_unlisted: true });

/** The page has no navigation, so that nothing distracts from the form. */
export const handle: Handle = { layout: "plain" };

const codeForm = z.object({ code: oneTimeCode });
const recoveryForm = z.object({ code: recoveryCode });

const RECOVERY = "recovery";

/** Returns the factor that the page asks for: the query's `way` is an index into the factors, or `recovery`. */
function wayOf(url: URL, { factors, sent }: PendingFactor): AskedFactor | typeof RECOVERY {
  const wanted = url.searchParams.get("way");
  if (wanted === RECOVERY) return RECOVERY;
  const by_default = factors.find(({ factor_id }) => factor_id === sent?.factor_id) ?? factors[0];
  return factors[Number(wanted ?? Number.NaN)] ?? by_default ?? RECOVERY;
}

export async function loader({ url, context }: Route.LoaderArgs) {
  const pending = await pendingFactor.read(context);
  if (!pending) throw redirect("/login");
  const { is_demo } = context.get(edgeContext);
  const { recaptcha } = context.get(identityContext);
  const way = wayOf(url, pending);
  const others = pending.factors
    .map((factor, index) => ({ ...factor, path: `/login/factor?way=${index}` }))
    .filter((factor) => way === RECOVERY || factor.factor_id !== way.factor_id);
  return {
    way,
    others,
    // Do not offer recovery codes with Firebase, which has none.
    may_recover: recaptcha === null && way !== RECOVERY,
    is_sent: way !== RECOVERY && pending.sent?.factor_id === way.factor_id,
    back: backOf(pending),
    is_demo,
    recaptcha,
  };
}

const WRONG_RECOVERY_CODE = { status: 422, message: "リカバリーコードが正しくないか、使用済みです。" };
/** Shown after the pending sign-in expired, or after five wrong codes. */
const OVER = {
  status: 410,
  message: "時間が経ったか、まちがったコードが続いたため、ログインをはじめからやり直してください。",
};

/**
 * Whether the second factor cannot be tried again after this refusal. The person then has to sign in from the start.
 */
const isOver = ({ status }: Refused) => status === 410 || status === 429;

export async function action({ request, url, context }: Route.ActionArgs) {
  const form = await request.formData();
  const pending = await pendingFactor.read(context);
  if (!pending) {
    setFlash(context, "sign_in_expired");
    return redirect("/login", 303);
  }
  const way = wayOf(url, pending);
  const { toolkit } = context.get(identityContext);
  const { pending_credential, sent } = pending;
  const read = readForm(form, way === RECOVERY ? recoveryForm : codeForm, ["code"]);
  const refuse = (refused: Refused) => {
    const is_over = isOver(refused) && refused.code !== "SESSION_EXPIRED" && refused.code !== "CODE_EXPIRED";
    if (is_over) pendingFactor.forget(context);
    return data({ result: read.toResult(besideField("code", refused)), is_over }, refused.status);
  };
  if (form.get("operation") === "send" && way !== RECOVERY) {
    try {
      const { factor_id } = way;
      const token = String(form.get("recaptcha_token") || "") || undefined;
      const session_info = await toolkit.startFactorSignIn(pending_credential, factor_id, token);
      await pendingFactor.keep(context, { ...pending, sent: { factor_id, session_info } });
      return redirect(`/login/factor?way=${pending.factors.indexOf(way)}`, 303);
    } catch (error) {
      return refuse(refusalOf(context, error, { OUTAGE: NO_SMS }));
    }
  }
  if (!read.value) return data({ result: read.toResult(), is_over: false }, 422);
  const { code } = read.value;
  const attempt = async () => {
    const session_info = way !== RECOVERY && sent?.factor_id === way.factor_id ? sent.session_info : undefined;
    const tokens =
      way === RECOVERY
        ? await toolkit.recover(pending_credential, code)
        : await toolkit.finishFactorSignIn(pending_credential, way.factor_id, code, session_info);
    return { kind: "signed_in" as const, tokens };
  };
  const own: OwnSentences = {
    INVALID_MFA_PENDING_CREDENTIAL: OVER,
    ...(way === RECOVERY ? { INVALID_CODE: WRONG_RECOVERY_CODE } : {}),
  };
  const finished = await trySignIn(context, attempt, pending, own);
  if (!(finished instanceof Response)) return refuse(finished);
  if (way === RECOVERY) setFlash(context, "recovered");
  return finished;
}

export default function Factor({ loaderData, actionData }: Route.ComponentProps) {
  const { way, others, may_recover, back } = loaderData;
  if (actionData?.is_over) {
    return (
      <div className="page page-narrow">
        <h1 className="page-title">二段階認証</h1>
        <FormErrors errors={actionData.result.error?.[""]} />
        <ButtonLink to={back.path} is_block>
          はじめからやり直す
        </ButtonLink>
      </div>
    );
  }
  return (
    <div className="page page-narrow">
      <h1 className="page-title">二段階認証</h1>
      <Challenge key={way === RECOVERY ? way : way.factor_id} {...loaderData} result={actionData?.result} />
      {(others.length > 0 || may_recover) && (
        <section className="form-aside">
          <h2 className="visually-hidden">ほかの方法</h2>
          <ul className="form">
            {others.map(({ factor_id, kind, label, path }) => (
              <li key={factor_id}>
                <Link to={path}>{kind === "totp" ? `${label}のコードを使う` : `${label}にSMSでコードを送る`}</Link>
              </li>
            ))}
            {may_recover && (
              <li>
                <Link to="/login/factor?way=recovery">リカバリーコードを使う</Link>
              </li>
            )}
          </ul>
        </section>
      )}
      <p className="form-aside">
        <Link to={back.path}>{back.words}</Link>
      </p>
      <p className="form-aside field-hint">
        どの方法も使えないときは、<Link to="/help#lost-factors">ヘルプ</Link>をご覧ください。
      </p>
    </div>
  );
}

type ChallengeProps = Pick<Route.ComponentProps["loaderData"], "way" | "is_sent" | "is_demo" | "recaptcha"> & {
  result: Parameters<typeof useForm>[0]["lastResult"];
};

function Challenge({ way, is_sent, is_demo, recaptcha, result }: ChallengeProps) {
  const [form, fields] = useForm<{ code: string }>({ id: "factor", lastResult: result as never });
  if (way === RECOVERY) {
    return (
      <form method="post" id={form.id} className="card form" noValidate>
        <p>二段階認証を設定したときに保存した、リカバリーコードを1つ入力してください。</p>
        <FormErrors errors={form.errors} />
        <InputField
          field={fields.code}
          label="リカバリーコード"
          type="text"
          hint="1つのコードは1回だけ使えます。"
          input={{ autoComplete: "off", autoCapitalize: "none", spellCheck: false, autoFocus: true }}
        />
        <Button size="lg" is_block>
          続ける
        </Button>
      </form>
    );
  }
  if (way.kind === "phone" && !is_sent) {
    return (
      <form method="post" className="card form">
        <p>
          <b>{way.label}</b> に、SMSで6桁のコードをお送りします。
        </p>
        <FormErrors errors={form.errors} />
        <input type="hidden" name="operation" value="send" />
        <RecaptchaField recaptcha={recaptcha} />
        <Button size="lg" is_block>
          コードを送る
        </Button>
      </form>
    );
  }
  return (
    <>
      <form method="post" id={form.id} className="card form" noValidate>
        <p>
          {way.kind === "totp" ? (
            <>
              <b>{way.label}</b> に表示されている6桁のコードを入力してください。
            </>
          ) : (
            <>
              <b>{way.label}</b> に送った6桁のコードを入力してください。
            </>
          )}
        </p>
        <FormErrors errors={form.errors} />
        <CodeField field={fields.code} label="6桁のコード" is_first />
        <Button size="lg" is_block>
          続ける
        </Button>
      </form>
      {way.kind === "phone" && (
        <>
          <DemoOutbox is_demo={is_demo} what="SMS" />
          <form method="post" className="form-aside">
            <input type="hidden" name="operation" value="send" />
            <RecaptchaField recaptcha={recaptcha} />
            <button type="submit" className="link-button">
              コードを送り直す
            </button>
          </form>
        </>
      )}
    </>
  );
}
