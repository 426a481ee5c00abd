import { type SubmissionResult, useForm } from "@conform-to/react";
import { Form, Link } from "react-router";
import { Button, buttonClass } from "../../../ui/button.tsx";
import { InputField } from "../../../ui/field.tsx";
import { FormErrors } from "../../../ui/form-errors.tsx";

/** A number, and then the code that was sent to it. `asked_number` is the one a code is on its way to. */
export function PhoneSteps(props: {
  path: string;
  back: string;
  asked_number: string | null;
  result: SubmissionResult<string[]> | undefined;
  hint: string;
  finish: string;
}) {
  const { path, back, asked_number, result, hint, finish } = props;
  const [form, fields] = useForm<{ phone_number: string; code: string }>({ id: "phone", lastResult: result });
  if (asked_number === null) {
    return (
      <Form method="post" action={path} id={form.id} className="card form" noValidate>
        <FormErrors errors={form.errors} />
        <InputField
          key="phone_number"
          field={fields.phone_number}
          label="電話番号"
          type="tel"
          hint={hint}
          input={{ autoComplete: "tel", inputMode: "tel", placeholder: "090-1234-5678" }}
        />
        <div className="row">
          <Button name="operation" value="send">
            コードを送る
          </Button>
          <Link to={back} className={buttonClass({ variant: "gray-outline" })}>
            戻る
          </Link>
        </div>
      </Form>
    );
  }
  return (
    <>
      <Form method="post" action={path} id={form.id} className="card form" noValidate>
        <p role="status">
          <b>{asked_number}</b> にSMSで6桁のコードを送りました。
        </p>
        <FormErrors errors={form.errors} />
        <InputField
          key="code"
          field={fields.code}
          label="6桁のコード"
          type="text"
          input={{ inputMode: "numeric", autoComplete: "one-time-code" }}
        />
        <Button name="operation" value="finish">
          {finish}
        </Button>
      </Form>
      <Form method="post" action={path}>
        <Button name="operation" value="restart" variant="gray-outline">
          番号を入力し直す
        </Button>
      </Form>
    </>
  );
}
