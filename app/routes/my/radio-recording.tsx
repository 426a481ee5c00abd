import { data, Form, Link, redirect } from "react-router";
import { errorCatalogue } from "../../../workers/contract/errors.ts";
import { putRadioRecording } from "../../../workers/contract/radios.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { refuseAuthor } from "../../forms/authorship.ts";
import { receiveOwnUploads } from "../../forms/receive-own-uploads.ts";
import { v4Context } from "../../request/context.ts";
import { setFlash } from "../../request/flash.ts";
import { PausedNotice } from "../../request/paused-notice.tsx";
import { Button } from "../../ui/button.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { HiddenFields } from "../../ui/hidden-fields.tsx";
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
    if (not_theirs) return data({ error: not_theirs.detail }, not_theirs.status);
    const [refusal] = refused;
    if (refusal) return data({ error: refusal.refusal.detail }, refusal.refusal.status);
    const radio = await readOwnRadio(v4, params.radio_id);
    const file = media.find(({ kind }) => kind === "audio");
    if (!file) return data({ error: "音声のファイルを選んでください。" }, 422);
    if (radio.recording_state === "completed" && form.get("replaces") !== "on") {
      return data({ error: "いまの録音と入れ替えるときは、チェックを入れてください。" }, 422);
    }
    const sent = await v4.send(putRadioRecording, { params, body: { media_id: file.media_id } });
    if (!sent.ok) return data({ error: sent.refusal.detail }, sent.refusal.status);
    setFlash(context, "recording_uploaded");
    return redirect(onAirPath(params.radio_id), 303);
  } catch (error) {
    if (!(error instanceof UnreadableForm)) throw error;
    const { status, detail } = errorCatalogue.bad_request;
    return data({ error: detail }, status);
  }
}

export default function RadioRecordingPage({ loaderData, actionData }: Route.ComponentProps) {
  const { radio_id, title, has_recording } = loaderData;
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
        <FormErrors errors={actionData?.error ? [actionData.error] : null} answer={actionData} />
        <p>編集した音声や、別の機器で録った音声を、このラジオの録音として聴いてもらえます。</p>
        {has_recording && (
          <label className="check">
            <input type="checkbox" name="replaces" required />
            <span>いまの録音を削除して、入れ替えます（元に戻せません）</span>
          </label>
        )}
        <div className="field">
          <label htmlFor="recording-file">音声のファイル</label>
          <input id="recording-file" type="file" name="recording" accept="audio/*" required />
          <p className="field-hint">
            MP3・M4A・AAC・Ogg・WAV・FLAC・WebM、200MBまで。送信には時間がかかることがあります。
          </p>
        </div>
        <div className="form-buttons">
          <Button>この音声を録音にする</Button>
        </div>
      </Form>
    </>
  );
}
