import { useForm } from "@conform-to/react";
import { CheckField, RadioCards, SelectField } from "../../ui/choices.tsx";
import { InputField, TextAreaField } from "../../ui/field.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";

const plans = [
  { value: "ouen", label: "応援プラン", note: "制作日誌とラフ画が読めます。" },
  { value: "fukabori", label: "深掘りプラン", note: "メイキングと壁紙もついてきます。" },
];

/** Shows every type of form field, with a hint, an error and a value. */
export default function Fields() {
  const [form, fields] = useForm<Record<"name" | "email" | "message" | "genre" | "notify" | "plan", string>>({
    id: "guide",
    defaultValue: { name: "なつめ", message: "いつも応援しています。", plan: "ouen" },
    lastResult: {
      status: "error",
      initialValue: { name: "なつめ", email: "natsume@", message: "いつも応援しています。", plan: "ouen" },
      error: { "": ["入力内容をご確認ください。"], email: ["メールアドレスの形が正しくありません。"] },
    },
  });
  return (
    <form id={form.id} className="card form" noValidate>
      <h2 className="section-title">入力</h2>
      <FormErrors errors={form.errors} />
      <InputField field={fields.name} label="名前" type="text" hint="50文字まで。あとから変えられます。" />
      <InputField field={fields.email} label="メールアドレス" type="email" />
      <TextAreaField field={fields.message} label="メッセージ" max_graphemes={200} />
      <SelectField
        field={fields.genre}
        label="ジャンル"
        placeholder="選んでください"
        choices={[{ value: "illustration", label: "イラスト" }]}
      />
      <RadioCards field={fields.plan} label="プラン" choices={plans} />
      <CheckField field={fields.notify} label="新しい投稿をメールで受け取る" />
    </form>
  );
}
