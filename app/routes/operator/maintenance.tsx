import * as z from "zod";
import { clearMaintenance, getMaintenanceRecord, setMaintenance } from "../../../workers/contract/operator.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { readForm } from "../../forms/read-form.ts";
import { v4Context } from "../../request/context.ts";
import { ofTokyo, tokyoTime } from "../../text/tokyo-time.ts";
import { DateTime } from "../../ui/date-time.tsx";
import type { Route } from "./+types/maintenance.ts";
import { ActForm, ConfirmedAct, LineField } from "./act-form.tsx";
import { admitOperator, finishAct, openForms, refuseAct, sendAct } from "./operator-page.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "メンテナンスの予定", is_unlisted: true });

const PATH = "/operator/maintenance";

export async function loader({ context }: Route.LoaderArgs) {
  const forms = await openForms(context, PATH);
  const record = await context.get(v4Context).read(getMaintenanceRecord, {});
  return { forms, record, is_on: isOn(record) };
}

/** Whether pages are closed now. */
function isOn({ started_at, finished_at }: { started_at: string | null; finished_at: string | null }): boolean {
  const now = Date.now();
  if (started_at === null || Date.parse(started_at) > now) return false;
  return finished_at === null || Date.parse(finished_at) > now;
}

const moment = z
  .string("日時を入力してください。")
  .refine((typed) => ofTokyo(typed) !== null, "日時を正しく入力してください。")
  .transform((typed) => ofTokyo(typed) ?? "");
const planForm = z
  .object({ started_at: moment, finished_at: moment.nullable().default(null) })
  .refine(({ started_at, finished_at }) => finished_at === null || finished_at > started_at, {
    path: ["finished_at"],
    message: "終わりは始まりより後にしてください。",
  });

export async function action({ request, url, context }: Route.ActionArgs) {
  await admitOperator(context);
  const form = await request.formData();
  if (form.get("act") === "clear") {
    const is_on = isOn(await context.get(v4Context).read(getMaintenanceRecord, {}));
    const sent = await sendAct(context, url, form, clearMaintenance, {});
    if (sent.ok) return finishAct(context, PATH, is_on ? "maintenance_ended" : "maintenance_cleared");
    return refuseAct(form, readForm(form, z.object({})), sent.refusal);
  }
  const read = readForm(form, planForm);
  if (!read.value) return refuseAct(form, read);
  const sent = await sendAct(context, url, form, setMaintenance, { body: read.value });
  if (!sent.ok) return refuseAct(form, read, sent.refusal);
  return finishAct(context, PATH, "maintenance_planned");
}

export default function Maintenance({ loaderData, actionData }: Route.ComponentProps) {
  const { forms, record, is_on } = loaderData;
  const { started_at, finished_at } = record;
  const shared = { forms, answer: actionData };
  return (
    <>
      <h1 className="page-title">メンテナンスの予定</h1>
      <p className="notice">
        {started_at ? (
          <>
            <DateTime iso={started_at} /> から {finished_at ? <DateTime iso={finished_at} /> : "終えるまで"}
          </>
        ) : (
          "予定はありません。"
        )}
      </p>
      <section className="card form">
        <h2 className="section-title">{started_at ? "予定を変更する" : "予定する"}</h2>
        <p className="field-hint">
          メンテナンスのあいだも、運営のページは運営だけに開きます。ログアウトしているときは /login?to=/operator
          を開き、パスワードと二段階認証でログインしてください。
        </p>
        <ActForm act="plan" button={started_at ? "変更する" : "予定する"} {...shared}>
          {(fields) => (
            <>
              <LineField
                act="plan"
                name="started_at"
                label="始まる日時（日本時間）"
                fields={fields}
                initial={started_at ? tokyoTime(started_at) : ""}
                input={{ type: "datetime-local" }}
              />
              <LineField
                act="plan"
                name="finished_at"
                label="終わる日時（日本時間）"
                hint="空のときは、終えるまで続きます。"
                fields={fields}
                initial={finished_at ? tokyoTime(finished_at) : ""}
                input={{ type: "datetime-local" }}
              />
            </>
          )}
        </ActForm>
      </section>
      {started_at && (
        <ConfirmedAct
          act="clear"
          title={is_on ? "メンテナンスを終える" : "予定を消す"}
          what={is_on ? "1分ほどで、ページがふたたび開きます。" : "予告の表示も、1分以内に消えます。"}
          button={is_on ? "メンテナンスを終える" : "予定を消す"}
          variant="alert"
          {...shared}
        >
          {() => null}
        </ConfirmedAct>
      )}
    </>
  );
}
