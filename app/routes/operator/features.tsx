import * as z from "zod";
import { listFeatures, setFeaturePaused } from "../../../workers/contract/operator.ts";
import { PAUSED_ADVICE, PAUSED_WORDS } from "../../../workers/contract/paused-features.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { readForm } from "../../forms/read-form.ts";
import { v4Context } from "../../request/context.ts";
import { Badge } from "../../ui/badge.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import type { Route } from "./+types/features.ts";
import { ConfirmedAct, NoteField } from "./act-form.tsx";
import { Note } from "./list.tsx";
import { admitOperator, finishAct, openForms, refuseAct, sendAct } from "./operator-page.ts";
import { FEATURES } from "./operator-words.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "機能の休止", is_unlisted: true });

const PATH = "/operator/features";

export async function loader({ context }: Route.LoaderArgs) {
  const forms = await openForms(context, PATH);
  return { forms, ...(await context.get(v4Context).read(listFeatures, {})) };
}

/** The field `act` names the feature, with `resume:` before it to switch it on again. */
const featureForm = z.object({
  act: z
    .string()
    .transform((act) => act.replace(/^resume:/, ""))
    .pipe(setFeaturePaused.params.shape.feature),
  reason: setFeaturePaused.body.shape.reason,
});

export async function action({ request, url, context }: Route.ActionArgs) {
  await admitOperator(context);
  const form = await request.formData();
  const read = readForm(form, featureForm);
  if (!read.value) return refuseAct(form, read);
  const { act: feature, reason } = read.value;
  const is_paused = form.get("act") === feature;
  const sent = await sendAct(context, url, form, setFeaturePaused, {
    params: { feature },
    body: { is_paused, reason },
  });
  if (!sent.ok) return refuseAct(form, read, sent.refusal);
  return finishAct(context, PATH, is_paused ? "feature_paused" : "feature_resumed");
}

export default function Features({ loaderData, actionData }: Route.ComponentProps) {
  const { forms, features } = loaderData;
  const shared = { forms, answer: actionData };
  return (
    <>
      <h1 className="page-title">機能の休止</h1>
      <p className="lead">
        新しく始めることだけを止めます。始まっているもの（決済の通知、更新のお支払い、返金、振込、取り込み、放送）は続きます。
      </p>
      {features.map(({ feature, pause }) => {
        const { name, what } = FEATURES[feature];
        const act = pause ? `resume:${feature}` : feature;
        return (
          <section key={feature} className="card form">
            <h2 className="section-title">
              {name} <Badge tone={pause ? "new" : "quiet"}>{pause ? "休止中" : "動いています"}</Badge>
            </h2>
            <p>{what}</p>
            {pause && (
              <div>
                <Note>
                  <DateTime iso={pause.paused_at} /> から、{pause.operator}
                </Note>
                <Note>{pause.reason}</Note>
              </div>
            )}
            <ConfirmedAct
              key={act}
              act={act}
              title={`${name}を${pause ? "再開する" : "休止する"}`}
              what={
                pause
                  ? "すぐに受け付けを再開します。ログイン中の人のページの表示は、数分おくれて消えることがあります。"
                  : `利用者には「${PAUSED_WORDS[feature]}${PAUSED_ADVICE[feature]}」と表示します。`
              }
              button={pause ? "再開する" : "休止する"}
              variant={pause ? "primary" : "alert"}
              {...shared}
            >
              {(fields) => (
                <NoteField act={act} name="reason" label="理由" hint="操作の記録に残ります。" fields={fields} />
              )}
            </ConfirmedAct>
          </section>
        );
      })}
    </>
  );
}
