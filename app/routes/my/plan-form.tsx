import type { SubmissionResult } from "@conform-to/react";
import type { ReactNode } from "react";
import { Form, Link, useNavigation } from "react-router";
import { PLAN_DESCRIPTION_GRAPHEMES, PLAN_TITLE_GRAPHEMES } from "../../../workers/contract/bounds.ts";
import { groupDigits } from "../../../workers/contract/group-digits.ts";
import type { OwnMembership } from "../../../workers/contract/memberships.ts";
import { Author } from "../../forms/author.tsx";
import { useStayingForm } from "../../forms/use-staying-form.ts";
import type { ReturnedWords } from "../../forms/words.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Dialog, DialogButton } from "../../ui/dialog.tsx";
import { InputField, TextAreaField } from "../../ui/field.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { Price } from "../../ui/price.tsx";
import { PLANS_PATH, picturePath, stateOf } from "./plan-state.ts";

export type WrittenPlan = { title: string; description: string; amount: string; members_limit: string };
export const NO_PLAN: WrittenPlan = { title: "", description: "", amount: "", members_limit: "" };

/** The form of a new plan, or of `plan`. The pressed button's `do` says what happens: save, open, close or delete. */
export function PlanForm(props: {
  title: string;
  plan: OwnMembership | null;
  viewer_id: string | null;
  written: WrittenPlan;
  idempotency_key: string;
  answer: ReturnedWords | undefined;
  /** Why an opened plan keeps its price, and how its members get to another one. */
  price_note?: string;
}) {
  const { title, plan, viewer_id, written, answer, price_note } = props;
  const lastResult = answer?.result as SubmissionResult<string[]> | undefined;
  const [form, fields] = useStayingForm<WrittenPlan>({ id: "plan", lastResult, defaultValue: written });
  const is_sending = useNavigation().state === "submitting";
  const state = plan ? stateOf(plan) : "draft";
  return (
    <>
      <p className="back">
        <Link to={PLANS_PATH}>プランの一覧へ戻る</Link>
      </p>
      <h1 className="page-title">{title}</h1>
      <Form method="post" id={form.id} className="card form" noValidate>
        {/* The form's first button, which the Enter key presses. */}
        <button type="submit" name="do" value="save" className="visually-hidden" tabIndex={-1} aria-hidden="true">
          保存する
        </button>
        <FormErrors errors={form.errors} />
        <input type="hidden" name="idempotency_key" value={answer?.idempotency_key || props.idempotency_key} />
        <Author id={viewer_id} verb="保存" />
        <InputField
          field={fields.title}
          label="プランの名前"
          type="text"
          hint={`${PLAN_TITLE_GRAPHEMES}文字まで。`}
          input={{ autoComplete: "off" }}
        />
        <TextAreaField
          field={fields.description}
          label="プランの説明（任意）"
          hint="加入すると何が読めるか、どのくらいの間隔で届くかを書くと伝わります。"
          max_graphemes={PLAN_DESCRIPTION_GRAPHEMES}
          textarea={{ rows: 6 }}
        />
        {plan && state !== "draft" ? (
          <div>
            月額 <Price amount={plan.amount} />
            <p className="field-hint">{price_note}</p>
          </div>
        ) : (
          <InputField
            field={fields.amount}
            label="月額（円、税込）"
            type="text"
            hint="100円から10,000円まで。募集を始めたあとは変えられません。"
            input={{ inputMode: "numeric", autoComplete: "off" }}
          />
        )}
        <InputField
          field={fields.members_limit}
          label="定員（人、任意）"
          type="text"
          hint="空欄なら、何人でも加入できます。いまのメンバーより少なくしても、すでに加入している人はそのまま続けられます。"
          input={{ inputMode: "numeric", autoComplete: "off" }}
        />
        {plan && (
          <p>
            <Link to={picturePath(plan.membership_id)}>
              {plan.image ? "プランの画像を変える" : "プランの画像をつける"}
            </Link>
          </p>
        )}
        <div className="form-buttons">
          <StateButtons state={state} plan={plan} is_sending={is_sending} />
        </div>
        {state === "open" && (
          <p className="field-hint">
            募集を止めると、新しく加入できなくなります。
            <EndOfMembers plan={plan} />
          </p>
        )}
        {plan && !plan.is_deletable && (
          <p className="field-hint">
            加入した人がいるプランと、限定の投稿やニュースレターがあるプランは、削除できません。募集を止めることはできます。
          </p>
        )}
        {plan?.is_deletable && (
          <div>
            <DangerDialog
              name="delete"
              button="このプランを削除"
              title="このプランを削除しますか？"
              act="削除する"
              is_sending={is_sending}
            >
              <p>「{plan.title}」を削除します。元に戻せません。</p>
            </DangerDialog>
          </div>
        )}
      </Form>
    </>
  );
}

/** The effect of closing a plan on its members. */
function EndOfMembers({ plan }: { plan: OwnMembership | null }) {
  if (!plan || plan.members_count === 0) return null;
  return `いまのメンバー${groupDigits(plan.members_count)}人も、次回の更新はなく、期間の終わりで終了します。`;
}

function StateButtons(props: { state: ReturnType<typeof stateOf>; plan: OwnMembership | null; is_sending: boolean }) {
  const { state, plan, is_sending } = props;
  if (state === "open") {
    return (
      <>
        <Button name="do" value="save" aria-disabled={is_sending}>
          保存する
        </Button>
        <DangerDialog
          name="close"
          button="募集を止める"
          title="このプランの募集を止めますか？"
          act="募集を止める"
          is_sending={is_sending}
        >
          <p>
            新しく加入できなくなります。
            <EndOfMembers plan={plan} />
            お支払い済みの期間は、これまでどおり読めます。
          </p>
          {plan && plan.members_count > 0 && (
            <p>
              メンバーにはお知らせが届きます。あとで募集を再開しても、メンバーの加入は自動では続きません。再開のお知らせを受け取ったメンバーが、期間の終わりまでに更新を続けることを選ぶと続きます。
            </p>
          )}
        </DangerDialog>
      </>
    );
  }
  return (
    <>
      <Button name="do" value="open" aria-disabled={is_sending}>
        {state === "draft" ? "募集を始める" : "募集を再開する"}
      </Button>
      <Button name="do" value="save" variant="gray-outline" aria-disabled={is_sending}>
        {state === "draft" ? "下書き保存" : "保存する"}
      </Button>
    </>
  );
}

/** A button that asks before it acts. */
function DangerDialog(props: {
  name: string;
  button: string;
  title: string;
  act: string;
  is_sending: boolean;
  children: ReactNode;
}) {
  const { name, button, title, act, is_sending, children } = props;
  return (
    <>
      <DialogButton
        dialog={`${name}-plan`}
        command="show-modal"
        className={buttonClass({ variant: "gray-outline", size: "sm" })}
      >
        {button}
      </DialogButton>
      <Dialog
        id={`${name}-plan`}
        title={title}
        actions={
          <Button name="do" value={name} variant="alert" aria-disabled={is_sending}>
            {act}
          </Button>
        }
      >
        {children}
      </Dialog>
    </>
  );
}
