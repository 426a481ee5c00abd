import { data, redirect } from "react-router";
import { askProvider, ownSession } from "../../../session/ask-provider.ts";
import { begunPhone, readBegun } from "../../../session/begun.ts";
import { setFlash } from "../../../session/flash.ts";
import { readablePhoneNumber } from "../../../session/phone-number.ts";
import { requireRecentSignIn } from "../../../session/recent-sign-in.ts";
import { openSession } from "../../../session/sign-in.ts";
import { pageMeta } from "../../../shell/page-meta.ts";
import type { Route } from "./+types/link-phone.ts";
import { PhoneSteps } from "./phone-steps.tsx";
import { beside, readCode, readNumber, TOO_LATE } from "./read-phone-step.ts";
import { SettingsPage } from "./settings-page.tsx";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "電話番号の追加", is_unlisted: true });

const PATH = "/my/settings/providers/phone";

export async function loader({ url, context }: Route.LoaderArgs) {
  await requireRecentSignIn(context, url);
  const begun = await readBegun(context, begunPhone);
  return { asked_number: begun && readablePhoneNumber(begun.phone_number) };
}

export async function action({ request, url, context }: Route.ActionArgs) {
  const form = await request.formData();
  await requireRecentSignIn(context, url);
  if (form.get("operation") === "finish") return finish(context, url, form);
  begunPhone.forget(context);
  return form.get("operation") === "send" ? send(context, url, form) : redirect(PATH, 303);
}

type Context = Route.ActionArgs["context"];

async function send(context: Context, url: URL, form: FormData) {
  const read = readNumber(form);
  if (!read.value) return data({ result: read.refused() }, 422);
  const { phone_number } = read.value;
  const asked = await askProvider(context, url, (toolkit) => toolkit.sendVerificationCode(phone_number));
  if (!asked.ok) return data({ result: read.refused(beside("phone_number", asked)) }, asked.status);
  await begunPhone.keep(context, { user_id: ownSession(context).id, phone_number, session_info: asked.answer });
  return redirect(PATH, 303);
}

async function finish(context: Context, url: URL, form: FormData) {
  const read = readCode(form);
  if (!read.value) return data({ result: read.refused() }, 422);
  const begun = await readBegun(context, begunPhone);
  if (!begun) return data({ result: read.refused(TOO_LATE) }, 410);
  const { code } = read.value;
  const asked = await askProvider(context, url, async (toolkit, id_token) => {
    const answer = await toolkit.signInWithPhoneNumber(begun.session_info, code, id_token);
    // Who is signed in already is asked for no second factor.
    return answer.kind === "signed_in" ? openSession(context, answer.tokens) : null;
  });
  if (!asked.ok) return data({ result: read.refused(beside("code", asked)) }, asked.status);
  begunPhone.forget(context);
  setFlash(context, "provider_linked");
  return redirect("/my/settings/providers", 303);
}

export default function LinkPhone({ loaderData, actionData }: Route.ComponentProps) {
  return (
    <SettingsPage title="電話番号の追加">
      <PhoneSteps
        path={PATH}
        back="/my/settings/providers"
        asked_number={loaderData.asked_number}
        result={actionData?.result}
        hint="SMSで届くコードで、ログインできるようになります。"
        finish="追加する"
      />
    </SettingsPage>
  );
}
