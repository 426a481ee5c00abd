import { data, redirect } from "react-router";
import { askProvider, ownSession } from "../../../session/ask-provider.ts";
import { begunFactorPhone, readBegun } from "../../../session/begun.ts";
import { setFlash } from "../../../session/flash.ts";
import { readablePhoneNumber } from "../../../session/phone-number.ts";
import { requireRecentSignIn } from "../../../session/recent-sign-in.ts";
import { afterEnrolment, FACTORS_PATH } from "../../../session/recovery-codes.ts";
import { openSession } from "../../../session/sign-in.ts";
import { pageMeta } from "../../../shell/page-meta.ts";
import type { Route } from "./+types/factor-phone.ts";
import { PhoneSteps } from "./phone-steps.tsx";
import { beside, readCode, readNumber, TOO_LATE } from "./read-phone-step.ts";
import { SettingsPage } from "./settings-page.tsx";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "SMSの設定", is_unlisted: true });

const PATH = "/my/settings/factors/phone";

export async function loader({ url, context }: Route.LoaderArgs) {
  await requireRecentSignIn(context, url);
  const begun = await readBegun(context, begunFactorPhone);
  return { asked_number: begun && readablePhoneNumber(begun.phone_number) };
}

export async function action({ request, url, context }: Route.ActionArgs) {
  const form = await request.formData();
  await requireRecentSignIn(context, url);
  if (form.get("operation") === "finish") return finish(context, url, form);
  begunFactorPhone.forget(context);
  return form.get("operation") === "send" ? send(context, url, form) : redirect(PATH, 303);
}

type Context = Route.ActionArgs["context"];

async function send(context: Context, url: URL, form: FormData) {
  const read = readNumber(form);
  if (!read.value) return data({ result: read.refused() }, 422);
  const { phone_number } = read.value;
  const asked = await askProvider(context, url, (toolkit, id_token) =>
    toolkit.startPhoneEnrollment(id_token, phone_number),
  );
  if (!asked.ok) return data({ result: read.refused(beside("phone_number", asked)) }, asked.status);
  await begunFactorPhone.keep(context, { user_id: ownSession(context).id, phone_number, session_info: asked.answer });
  return redirect(PATH, 303);
}

async function finish(context: Context, url: URL, form: FormData) {
  const read = readCode(form);
  if (!read.value) return data({ result: read.refused() }, 422);
  const begun = await readBegun(context, begunFactorPhone);
  if (!begun) return data({ result: read.refused(TOO_LATE) }, 410);
  const display_name = readablePhoneNumber(begun.phone_number).slice(-4).padStart(8, "*");
  const enrolment = { session_info: begun.session_info, code: read.value.code, display_name };
  const asked = await askProvider(context, url, async (toolkit, id_token) =>
    openSession(context, await toolkit.finishEnrollment(id_token, "phone", enrolment)),
  );
  if (!asked.ok) return data({ result: read.refused(beside("code", asked)) }, asked.status);
  begunFactorPhone.forget(context);
  setFlash(context, "factor_added");
  return redirect(await afterEnrolment(context, asked.answer), 303);
}

export default function FactorPhone({ loaderData, actionData }: Route.ComponentProps) {
  return (
    <SettingsPage title="SMSの設定">
      <PhoneSteps
        path={PATH}
        back={FACTORS_PATH}
        asked_number={loaderData.asked_number}
        result={actionData?.result}
        hint="ログインのたびに、この番号にSMSでコードをお送りします。設定すると、この端末のほかは、すべてログアウトします。"
        finish="設定を完了する"
      />
    </SettingsPage>
  );
}
