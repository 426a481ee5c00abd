import type { SubmissionResult } from "@conform-to/react";
import type { ReactNode } from "react";
import { Link, useFetcher } from "react-router";
import { REPORT_DETAIL_GRAPHEMES } from "../../../workers/contract/bounds.ts";
import { Author } from "../../forms/author.tsx";
import type { ReturnedWords } from "../../forms/words.ts";
import { Button } from "../../ui/button.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { Radios } from "../../ui/radios.tsx";
import { WordsField } from "../../ui/words-field.tsx";

/** The reasons for a report. Source: spec section 3, report reasons. */
const reasons = [
  { value: "sexual", label: "性的な内容", note: "年齢にふさわしくない表現、望まない性的な言葉や画像" },
  { value: "fan_fiction", label: "二次創作・権利", note: "著作権などの権利の侵害、無断での転載" },
  { value: "slander", label: "誹謗中傷", note: "だれかを傷つける言葉、いやがらせ、個人情報の書き込み" },
  { value: "others", label: "その他", note: "スパムや詐欺など、上のどれにもあたらないもの" },
];

/** The form for a report: four reasons and a text field. It posts to the page's own address. */
export function ReportForm(props: {
  title: string;
  /** A preview of the reported post, comment or letter. */
  children: ReactNode;
  /** The path of the cancel link. */
  back: string;
  viewer_id: string | null;
  idempotency_key: string;
  result: SubmissionResult | undefined;
  kept: Record<string, string> | null;
}) {
  const { title, children, back, viewer_id, kept } = props;
  const fetcher = useFetcher<ReturnedWords>();
  const result = fetcher.data?.result ?? props.result;
  const idempotency_key = fetcher.data?.idempotency_key || props.idempotency_key;
  const initial = result?.initialValue ?? kept ?? {};
  const is_sending = fetcher.state !== "idle";
  return (
    <section className="card form report">
      <h1 className="page-title">{title}</h1>
      {children}
      <p className="field-hint">
        通報したことは、相手には伝わりません。通報したものはあなたには表示されなくなり、担当者が内容を確認します。
      </p>
      <fetcher.Form method="post" className="form">
        <FormErrors errors={result?.error?.[""]} />
        <input type="hidden" name="idempotency_key" value={idempotency_key} />
        <Author id={viewer_id} />
        <Radios
          id="reason"
          name="reason"
          label="通報の理由"
          choices={reasons}
          initial={String(initial.reason ?? "")}
          errors={result?.error?.reason}
        />
        <WordsField
          id="detail"
          name="detail"
          label="くわしい内容（任意）"
          hint={`${REPORT_DETAIL_GRAPHEMES}文字まで。`}
          max_graphemes={REPORT_DETAIL_GRAPHEMES}
          initial={String(initial.detail ?? "")}
          errors={result?.error?.detail ?? null}
          textarea={{ rows: 4 }}
        />
        <div className="row">
          <Button variant="alert" aria-disabled={is_sending}>
            通報する
          </Button>
          <Link to={back}>やめる</Link>
        </div>
      </fetcher.Form>
    </section>
  );
}
