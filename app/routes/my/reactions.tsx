import type { SubmissionResult } from "@conform-to/react";
import { Form, redirect, useNavigation } from "react-router";
import { REACTION_GRAPHEMES } from "../../../workers/contract/bounds.ts";
import { getReactions, type Reactions, updateReactions } from "../../../workers/contract/reactions.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { Author } from "../../forms/author.tsx";
import { forgetIntent, keptForm } from "../../forms/intent.ts";
import { readForm, typedFields } from "../../forms/read-form.ts";
import { useStayingForm } from "../../forms/use-staying-form.ts";
import { refuseWords, returnWords, wordsOf } from "../../forms/words.ts";
import { v4Context } from "../../request/context.ts";
import { setFlash } from "../../request/flash.ts";
import { viewerContext } from "../../session/context.ts";
import { isReady } from "../../site/features.ts";
import { Button } from "../../ui/button.tsx";
import { TextAreaField } from "../../ui/field.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { sendFromBrowser } from "../../v4/send-from-browser.ts";
import { reactionsForm } from "../operation-forms.server.ts";
import type { Route } from "./+types/reactions.ts";
import { SettingsPage } from "./settings/settings-page.tsx";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "リアクション", is_unlisted: true });

const PATH = "/my/settings/reactions";

type Written = Record<keyof Reactions, string>;

export async function loader({ context }: Route.LoaderArgs) {
  const { reactions } = await context.get(v4Context).read(getReactions, {});
  const kept = await keptForm(context, PATH);
  const saved = Object.entries(reactions).map(([name, message]) => [name, message ?? ""]);
  return {
    viewer_id: context.get(viewerContext)?.profile?.user_id ?? null,
    written: { ...Object.fromEntries(saved), ...(kept && typedFields(kept, reactionsForm)) } as Written,
    idempotency_key: crypto.randomUUID(),
  };
}

export async function action({ request, context }: Route.ActionArgs) {
  const words = wordsOf(await request.formData(), PATH);
  const read = readForm(words.form, reactionsForm);
  if (!read.value) return returnWords(words, read.toResult(), 422);
  const { idempotency_key } = words;
  const sent = await context.get(v4Context).send(updateReactions, { body: read.value, idempotency_key });
  if (!sent.ok) return refuseWords(context, words, read, sent.refusal);
  forgetIntent(context, "form");
  setFlash(context, "settings_saved");
  return redirect(PATH, 303);
}

export const clientAction = ({ request, serverAction }: Route.ClientActionArgs) =>
  sendFromBrowser(request, serverAction);

export default function ReactionSettings({ loaderData, actionData }: Route.ComponentProps) {
  const { viewer_id, written } = loaderData;
  const lastResult = actionData?.result as SubmissionResult<string[]> | undefined;
  const [form, fields] = useStayingForm<Written>({
    id: "reactions",
    lastResult,
    defaultValue: written,
  });
  const is_sending = useNavigation().state === "submitting";
  const hint = `${REACTION_GRAPHEMES}文字まで。空欄のときは何も返しません。`;
  return (
    <SettingsPage title="リアクション">
      <p className="lead">応援が届いたとき、送ってくれた人にその場で表示するお礼の言葉です。</p>
      <Form method="post" id={form.id} className="card form reactions" noValidate>
        <FormErrors errors={form.errors} />
        <input type="hidden" name="idempotency_key" value={actionData?.idempotency_key || loaderData.idempotency_key} />
        <Author id={viewer_id} verb="保存" />
        <TextAreaField
          field={fields.free_ofuse_message}
          label="無料のofuseへのお礼"
          hint={hint}
          max_graphemes={REACTION_GRAPHEMES}
          textarea={{ rows: 3 }}
        />
        <TextAreaField
          field={fields.paid_ofuse_message}
          label={isReady("paid_ofuses") ? "有料のofuseへのお礼" : "有料のofuseへのお礼（有料のofuseは準備中）"}
          hint={hint}
          max_graphemes={REACTION_GRAPHEMES}
          textarea={{ rows: 3 }}
        />
        <TextAreaField
          field={fields.subscription_message}
          label="メンバーになった人へのお礼"
          hint={hint}
          max_graphemes={REACTION_GRAPHEMES}
          textarea={{ rows: 3 }}
        />
        <Button aria-disabled={is_sending}>保存する</Button>
      </Form>
    </SettingsPage>
  );
}
