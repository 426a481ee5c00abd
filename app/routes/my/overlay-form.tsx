import type { FieldMetadata, SubmissionResult } from "@conform-to/react";
import { Form, useNavigation } from "react-router";
import { Author } from "../../forms/author.tsx";
import { useStayingForm } from "../../forms/use-staying-form.ts";
import { Button } from "../../ui/button.tsx";
import { CheckField, SelectField } from "../../ui/choices.tsx";
import { InputField, TextAreaField } from "../../ui/field.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import type { SettingField, SettingSection, WrittenSettings } from "./overlay-fields.server.ts";

/** The answer of the page's action: of this form, or of a button. */
export interface StreamingAnswer {
  result?: SubmissionResult<string[]>;
  idempotency_key?: string;
  error?: string;
  overlay_path?: string | null;
}

/** All settings of a member's overlays, in one form. */
export function OverlayForm(props: {
  sections: SettingSection[];
  written: WrittenSettings;
  stamp_ids: readonly string[];
  viewer_id: string | null;
  idempotency_key: string;
  answer: StreamingAnswer | undefined;
}) {
  const { sections, written, viewer_id, answer } = props;
  const [form, fields] = useStayingForm<WrittenSettings>({
    id: "overlay",
    lastResult: answer?.result,
    defaultValue: written,
  });
  const is_sending = useNavigation().state === "submitting";
  const typed = answer?.result?.initialValue?.stamp_ids;
  const stamp_ids = answer?.result ? [typed].flat().map(String) : props.stamp_ids;
  return (
    <Form method="post" id={form.id} className="card form" noValidate aria-label="配信画面の設定">
      <FormErrors errors={form.errors} />
      <input type="hidden" name="idempotency_key" value={answer?.idempotency_key || props.idempotency_key} />
      <Author id={viewer_id} verb="保存" />
      {sections.map(({ title, fields: shown }) => (
        <section key={title} className="overlay-fields" aria-label={title}>
          <h2 className="section-title">{title}</h2>
          {shown.map((setting) =>
            setting.kind === "stamps" ? (
              <Stamps key="stamps" {...setting} chosen={stamp_ids} />
            ) : (
              <Setting key={setting.name} setting={setting} field={fields[setting.name]} />
            ),
          )}
        </section>
      ))}
      <Button aria-disabled={is_sending}>{is_sending ? "保存しています…" : "保存する"}</Button>
    </Form>
  );
}

function Setting(props: { setting: Exclude<SettingField, { kind: "stamps" }>; field: FieldMetadata<string> }) {
  const { setting, field } = props;
  const { kind, label, hint } = setting;
  const common = { field, label, hint };
  if (kind === "list") return <SelectField {...common} choices={setting.choices} />;
  if (kind === "check") return <CheckField {...common} />;
  if (kind === "lines") return <TextAreaField {...common} textarea={{ rows: 4 }} />;
  if (kind === "digits") return <InputField {...common} type="text" input={{ inputMode: "numeric" }} />;
  return <InputField {...common} type={kind} />;
}

function Stamps({
  label,
  hint,
  choices,
  chosen,
}: Extract<SettingField, { kind: "stamps" }> & { chosen: readonly string[] }) {
  return (
    <fieldset className="field">
      <legend>{label}</legend>
      <div className="genre-list">
        {choices.map(({ value, label: name }) => (
          <label key={value} className="check">
            <input type="checkbox" name="stamp_ids" value={value} defaultChecked={chosen.includes(value)} />
            <span>{name}</span>
          </label>
        ))}
      </div>
      <p className="field-hint">{hint}</p>
    </fieldset>
  );
}
