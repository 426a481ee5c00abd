import { Form, Link, redirect } from "react-router";
import { errorCatalogue } from "../../../../workers/contract/errors.ts";
import { createImport, listImports } from "../../../../workers/contract/imports.ts";
import { textOf } from "../../../../workers/contract/multipart.ts";
import { pageMeta } from "../../../crawlers/page-meta.ts";
import { refuseAuthor } from "../../../forms/authorship.ts";
import { v4Context } from "../../../request/context.ts";
import { PausedNotice } from "../../../request/paused-notice.tsx";
import { viewerContext } from "../../../session/context.ts";
import { Button } from "../../../ui/button.tsx";
import { DateTime } from "../../../ui/date-time.tsx";
import { FormErrors } from "../../../ui/form-errors.tsx";
import { HiddenFields } from "../../../ui/hidden-fields.tsx";
import { OWNER_FIELD } from "../../../ui/owner-field.ts";
import { FileField, formErrorOf, refuseFile } from "../../../uploads/file-field.tsx";
import { partsOf, UnreadableForm } from "../../../uploads/receive.ts";
import type { Route } from "./+types/import.ts";
import { IMPORT_PATH, importPath, KIND_WORDS, STATUS_WORDS } from "./import-words.ts";
import { SettingsPage } from "./settings-page.tsx";

const TITLE = "データの取り込み";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: TITLE, is_unlisted: true });

export async function loader({ context }: Route.LoaderArgs) {
  return context.get(v4Context).read(listImports, {});
}

/** Passes the chosen file on to the API while it arrives, and shows what an import would create. */
export async function action({ request, context }: Route.ActionArgs) {
  if (!context.get(viewerContext)) throw redirect(IMPORT_PATH, 303);
  try {
    for await (const { name, file_name, body } of partsOf(request)) {
      // The form sends its account before the file.
      if (name === OWNER_FIELD) {
        const not_theirs = refuseAuthor(context, new Map([[OWNER_FIELD, await textOf(body, MAX_OWNER)]]));
        if (not_theirs) return refuseFile(not_theirs);
      }
      if (name !== "file" || !file_name) continue;
      const sent = await context.get(v4Context).upload(createImport, { name: file_name, body });
      if (!sent.ok) {
        return refuseFile(sent.refusal, sent.refusal.status === 422 ? "file" : null);
      }
      return redirect(importPath(sent.answer.import.import_id), 303);
    }
    return refuseFile(errorCatalogue.file_missing, "file");
  } catch (error) {
    if (!(error instanceof UnreadableForm)) throw error;
    return refuseFile(errorCatalogue.bad_request);
  }
}

/** Longer than any account's id. */
const MAX_OWNER = 200;

const sources = [
  [
    "ofuseのアーカイブ（ZIP）",
    "投稿、画像・音声・動画、カテゴリー、プラン、プロフィール、ニュースレター（下書き）、ラジオと録音。「データの保存」で受け取ったファイルです。1つ200MBまでで、大きいときは分けて受け取れます。手紙、コメント、メンバー、売上は、ほかの方の言葉やお金の記録なので、取り込めません。",
  ],
  ["GhostのJSON", "投稿とタグ。画像はもとの場所へのリンクになります。16MBまで。"],
  ["WordPressのXML、RSS、Atom", "投稿とカテゴリー。画像はもとの場所へのリンクになります。16MBまで。"],
  [
    "メンバーのCSV（UTF-8）",
    "プランの名前と月額、人数だけを読み取り、プランの下書きを作ります。お名前やメールアドレスは保存せず、メールも送りません。",
  ],
] as const;

export default function ImportPage({ loaderData, actionData }: Route.ComponentProps) {
  const { imports } = loaderData;
  return (
    <SettingsPage title={TITLE}>
      <Form
        method="post"
        action={IMPORT_PATH}
        encType="multipart/form-data"
        reloadDocument
        className="card form"
        aria-label={TITLE}
      >
        <HiddenFields />
        <PausedNotice feature="uploads" />
        <FormErrors errors={formErrorOf(actionData)} answer={actionData} />
        <p>
          ほかのサービスやアーカイブから、投稿を取り込めます。ファイルを送ると、まず何が取り込まれるかをお見せします。確認するまで、何も作られません。
        </p>
        <FileField
          id="import-file"
          label="ファイル"
          hint="種類は中身からわかります。送信には時間がかかることがあります。"
          refusal={actionData}
          input={{ name: "file", accept: ".zip,.json,.xml,.rss,.atom,.csv", required: true }}
        />
        <div className="form-buttons">
          <Button>ファイルを送って確認する</Button>
        </div>
      </Form>
      <section className="card form">
        <h2 className="section-title">取り込めるファイル</h2>
        <ul className="plain-notes">
          {sources.map(([name, note]) => (
            <li key={name}>
              <strong>{name}</strong>
              <br />
              {note}
            </li>
          ))}
        </ul>
      </section>
      {imports.length > 0 && (
        <section>
          <h2 className="section-title">これまでの取り込み</h2>
          <ul className="rows">
            {imports.map(({ import_id, kind, file_name, status, created_at, counts }) => (
              <li key={import_id} className="card row">
                <Link to={importPath(import_id)} className="row-text">
                  <strong className="row-title">{file_name || KIND_WORDS[kind]}</strong>
                  <span className="row-note">
                    {KIND_WORDS[kind]}・{STATUS_WORDS[status]}
                    {status === "completed" && `・投稿${counts.post.done}件`}・
                    <DateTime iso={created_at} format="date" />
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        </section>
      )}
    </SettingsPage>
  );
}
