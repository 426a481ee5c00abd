import { Link } from "react-router";
import type { Radio, RadioBroadcast } from "../../../workers/contract/radios.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { ButtonForm } from "../../ui/button-form.tsx";
import { Dialog, DialogButton } from "../../ui/dialog.tsx";
import { RADIO_AUDIENCES } from "../radio-words.ts";
import { clockWords } from "./elapsed.tsx";
import { editPath, onAirPath, recordingPath } from "./radio-path.ts";

const DELETE_DIALOG = "delete-recording";

/** The recording of a finished radio, for its owner: to hear, to keep, to hide, and to delete. */
export function OwnRecording({ radio, broadcast }: { radio: Radio; broadcast: RadioBroadcast | null }) {
  // The read of the broadcast may have found a recording that came late.
  const state = broadcast?.recording_state ?? radio.recording_state;
  return (
    <section className="card form" aria-labelledby="recording-title">
      <h2 className="section-title" id="recording-title">
        録音
      </h2>
      {state === "completed" && broadcast?.recording ? (
        <Completed radio={radio} recording={broadcast.recording} />
      ) : (
        <p role="status">{STATES[state]}</p>
      )}
      {state === "failed" && <DeleteRecording />}
      {state !== "processing" && (
        <p>
          <Link to={recordingPath(radio.radio_id)}>
            {state === "completed" ? "音声ファイルと入れ替える" : "音声ファイルを録音にする"}
          </Link>
        </p>
      )}
    </section>
  );
}

const STATES = {
  none: "この放送の録音はありません。",
  processing: "録音を用意しています。できあがるまで、しばらくお待ちください。",
  completed: "録音を読み込めませんでした。ページを読み込み直してください。",
  failed: "録音を用意できませんでした。",
} as const;

function Completed({ radio, recording }: { radio: Radio; recording: NonNullable<RadioBroadcast["recording"]> }) {
  const { radio_id, recording_publish_target_type: audience } = radio;
  const megabytes = Math.max(0.1, recording.bytes / 1_000_000).toFixed(1);
  return (
    <>
      {/* biome-ignore lint/a11y/useMediaCaption: a creator's own voice, which only the creator hears here. */}
      <audio controls preload="metadata" src={recording.path} className="own-recording" />
      <p className="row-note">
        長さ {clockWords(recording.duration_ms / 1000)}、大きさ {megabytes}MB
      </p>
      <p>
        {audience === "none"
          ? "この録音を聴けるのは、あなただけです。"
          : `この録音を聴ける人：${RADIO_AUDIENCES[audience]}`}
      </p>
      <div className="form-buttons">
        <a
          className={buttonClass({ variant: "primary-outline", size: "sm" })}
          href={`${recording.path}${recording.path.includes("?") ? "&" : "?"}download`}
        >
          ダウンロード
        </a>
        {audience === "none" ? (
          <Link to={editPath(radio_id)} className={buttonClass({ variant: "gray-outline", size: "sm" })}>
            聴ける人を選ぶ
          </Link>
        ) : (
          <ButtonForm action={onAirPath(radio_id)} fields={{ do: "hide_recording" }}>
            {(is_sending) => (
              <Button variant="gray-outline" size="sm" aria-disabled={is_sending}>
                自分だけにする
              </Button>
            )}
          </ButtonForm>
        )}
        <DeleteRecording />
      </div>
    </>
  );
}

function DeleteRecording() {
  return (
    <>
      <DialogButton
        dialog={DELETE_DIALOG}
        command="show-modal"
        className={buttonClass({ variant: "gray-outline", size: "sm" })}
      >
        録音を削除
      </DialogButton>
      <Dialog
        id={DELETE_DIALOG}
        title="録音を削除しますか？"
        actions={
          <ButtonForm fields={{ do: "delete_recording" }}>
            {(is_sending) => (
              <Button variant="alert" aria-disabled={is_sending}>
                削除する
              </Button>
            )}
          </ButtonForm>
        }
      >
        <p>録音だけを削除します。ラジオとコメントは残ります。元に戻せません。</p>
      </Dialog>
    </>
  );
}
