import * as z from "zod";
import { groupDigits } from "../../../workers/contract/group-digits.ts";
import * as fixed from "../../../workers/contract/limits.ts";
import { toNormalForm } from "../../../workers/contract/normal-form.ts";
import { changeLimit, listLimits } from "../../../workers/contract/operator.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { readForm } from "../../forms/read-form.ts";
import { v4Context } from "../../request/context.ts";
import { Badge } from "../../ui/badge.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { yenText } from "../../ui/yen.tsx";
import type { Route } from "./+types/limits.ts";
import { ConfirmedAct, LineField, NoteField } from "./act-form.tsx";
import { Fact, FactList, Note } from "./list.tsx";
import { admitOperator, finishAct, openForms, refuseAct, sendAct } from "./operator-page.ts";
import { LIMITS } from "./operator-words.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "上限", is_unlisted: true });

const PATH = "/operator/limits";

export async function loader({ context }: Route.LoaderArgs) {
  const forms = await openForms(context, PATH);
  return { forms, ...(await context.get(v4Context).read(listLimits, {})) };
}

/** The field `act` names the limit. An empty value is the standard one. */
const limitForm = z.object({
  act: changeLimit.params.shape.name,
  value: z
    .string()
    .transform((typed) => toNormalForm(typed, "NFKC").trim())
    .refine((typed) => /^[1-9]\d{0,8}$/.test(typed), "1以上の数を入力してください。")
    .transform(Number)
    .nullable()
    .default(null),
  reason: changeLimit.body.shape.reason,
});

export async function action({ request, url, context }: Route.ActionArgs) {
  await admitOperator(context);
  const form = await request.formData();
  const read = readForm(form, limitForm);
  if (!read.value) return refuseAct(form, read);
  const { act: name, ...body } = read.value;
  const sent = await sendAct(context, url, form, changeLimit, { params: { name }, body });
  if (!sent.ok) return refuseAct(form, read, sent.refusal);
  return finishAct(context, PATH, body.value === null ? "limit_standard" : "limit_changed");
}

const countText = (count: number) => `${groupDigits(count)}回`;

export default function Limits({ loaderData, actionData }: Route.ComponentProps) {
  const { forms, limits } = loaderData;
  return (
    <>
      <h1 className="page-title">上限</h1>
      <p className="lead">
        次の操作から、新しい値を使います。操作をまったく止めるときは「機能の休止」を使ってください。
      </p>
      {limits.map(({ name, value, standard, max, change }) => (
        <ConfirmedAct
          key={name}
          act={name}
          title={
            <>
              {LIMITS[name]} <b>{countText(value)}</b>{" "}
              {change && <Badge tone="new">{`標準は${countText(standard)}`}</Badge>}
            </>
          }
          what={
            change ? (
              <>
                <DateTime iso={change.changed_at} />、{change.operator}：{change.reason}
              </>
            ) : (
              "標準の値です。"
            )
          }
          button="変更する"
          forms={forms}
          answer={actionData}
        >
          {(fields) => (
            <>
              <LineField
                act={name}
                name="value"
                label="新しい値"
                hint={`1から${groupDigits(max)}まで。空のときは、標準の${groupDigits(standard)}に戻します。`}
                fields={fields}
                input={{ inputMode: "numeric", maxLength: 9 }}
              />
              <NoteField act={name} name="reason" label="理由" hint="操作の記録に残ります。" fields={fields} />
            </>
          )}
        </ConfirmedAct>
      ))}
      <section className="card form">
        <h2 className="section-title">ここでは変えられないもの</h2>
        <Note>
          規約や表示に書いてある数、法律による数、お金の計算に使う数です。変えるときは、表示といっしょにコードを変えます。
        </Note>
        <FactList>
          <Fact name="1人に送れる無料のofuse（1日）">{fixed.FREE_OFUSES_A_DAY}通</Fact>
          <Fact name="有料のofuseの金額">
            {yenText(fixed.PAID_OFUSE_MIN_YEN)}〜{yenText(fixed.PAID_OFUSE_MAX_YEN)}
          </Fact>
          <Fact name="プランの月額">
            {yenText(fixed.PLAN_MIN_YEN)}〜{yenText(fixed.PLAN_MAX_YEN)}
          </Fact>
          <Fact name="未成年の方の上限（1か月）">
            {fixed.MINOR_LIMITS.map(({ until_age, yen }) => `${until_age}歳未満 ${yenText(yen)}`).join("、")}
          </Fact>
          <Fact name="手数料">{fixed.PLATFORM_FEE_PERCENT}%</Fact>
          <Fact name="振込の最低額と手数料">
            {yenText(fixed.PAYOUT_MIN_YEN)}、{yenText(fixed.PAYOUT_FEE_YEN)}
          </Fact>
          <Fact name="新しいアカウントとみなす日数">{fixed.YOUNG_ACCOUNT_DAYS}日</Fact>
          <Fact name="1つのIPアドレスからの登録（1時間）">認証サービスの設定 SIGN_UPS_PER_ADDRESS_HOUR</Fact>
        </FactList>
      </section>
    </>
  );
}
