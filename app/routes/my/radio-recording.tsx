import { Form, Link, redirect } from "react-router";
import { errorCatalogue } from "../../../workers/contract/errors.ts";
import { putRadioRecording } from "../../../workers/contract/radios.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { refuseAuthor } from "../../forms/authorship.ts";
import { receiveOwnUploads } from "../../forms/receive-own-uploads.ts";
import { v4Context } from "../../request/context.ts";
import { setFlash } from "../../request/flash.ts";
import { PausedNotice } from "../../request/paused-notice.tsx";
import { Button } from "../../ui/button.tsx";
import { FieldErrors, FormErrors } from "../../ui/form-errors.tsx";
import { HiddenFields } from "../../ui/hidden-fields.tsx";
import { FileField, formErrorOf, refuseFile } from "../../uploads/file-field.tsx";
import { UnreadableForm } from "../../uploads/receive.ts";
import type { Route } from "./+types/radio-recording.ts";
import { readOwnRadio } from "./radio-action.ts";
import { onAirPath, recordingPath } from "./radio-path.ts";

const TITLE = "音声ファイルを録音にする";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: TITLE, is_unlisted: true });

export async function loader({ params, context }: Route.LoaderArgs) {
  const { radio_id, title, status, recording_state } = await readOwnRadio(context.get(v4Context), params.radio_id);
  if (status !== "finished") throw redirect(onAirPath(radio_id));
  return { radio_id, title, has_recording: recording_state === "completed" };
}

/** Uploads the chosen file, and makes it the recording. Replaces a recording only when the checkbox says so. */
export async function action({ request, params, context }: Route.ActionArgs) {
  const v4 = context.get(v4Context);
  try {
    const { form, media, refused } = await receiveOwnUploads(request, context);
    const not_theirs = refuseAuthor(context, form);
    if (not_theirs) return refuseFile(not_theirs);
    const [refusal] = refused;
    if (refusal) return refuseFile(refusal.refusal, "recording");
    const radio = await readOwnRadio(v4, params.radio_id);
    const file = media.find(({ kind }) => kind === "audio");
    if (!file) return refuseFile({ detail: "音声のファイルを選んでください。", status: 422 }, "recording");
    if (radio.recording_state === "completed" && form.get("replaces") !== "on") {
      return refuseFile(
        { detail: "いまの録音と入れ替えるときは、チェックを入れてください。", status: 422 },
        "replaces",
      );
    }
    const sent = await v4.send(putRadioRecording, { params, body: { media_id: file.media_id } });
    if (!sent.ok) return refuseFile(sent.refusal, sent.refusal.status === 422 ? "recording" : null);
    setFlash(context, "recording_uploaded");
    return redirect(onAirPath(params.radio_id), 303);
  } catch (error) {
    if (!(error instanceof UnreadableForm)) throw error;
    return refuseFile(errorCatalogue.bad_request);
  }
}

export default function RadioRecordingPage({ loaderData, actionData }: Route.ComponentProps) {
  const { radio_id, title, has_recording } = loaderData;
  const replaces_error = actionData?.field === "replaces" ? actionData.error : null;
  return (
    <>
      <p className="back">
        <Link to={onAirPath(radio_id)}>「{title}」へ戻る</Link>
      </p>
      <h1 className="page-title">{TITLE}</h1>
      <PausedNotice feature="uploads" />
      <Form
        method="post"
        action={recordingPath(radio_id)}
        encType="multipart/form-data"
        reloadDocument
        className="card form"
      >
        <HiddenFields />
        <FormErrors errors={formErrorOf(actionData)} answer={actionData} />
        <p>編集した音声や、別の機器で録った音声を、このラジオの録音として聴いてもらえます。</p>
        {has_recording && (
          <div className="field">
            <label className="check">
              <input
                type="checkbox"
                name="replaces"
                required
                aria-invalid={replaces_error ? true : undefined}
                aria-describedby={replaces_error ? "replaces-error" : undefined}
              />
              <span>いまの録音を削除して、入れ替えます（元に戻せません）</span>
            </label>
            <FieldErrors errors={replaces_error ? [replaces_error] : null} id="replaces-error" />
          </div>
        )}
        <FileField
          id="recording-file"
          label="音声のファイル"
          hint="MP3・M4A・AAC・Ogg・WAV・FLAC・WebM、200MBまで。送信には時間がかかることがあります。Apple Podcastsなど、多くのポッドキャストアプリで聴けるのはMP3とM4Aです。"
          refusal={actionData}
          input={{ name: "recording", accept: "audio/*", required: true }}
        />
        <div className="form-buttons">
          <Button>この音声を録音にする</Button>
        </div>
      </Form>
    </>
  );
}
