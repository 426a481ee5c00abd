import { Suspense, useEffect, useState } from "react";
import { data, Link, redirect, redirectDocument, useRevalidator } from "react-router";
import {
  deleteRadioRecording,
  finishRadio,
  getRadioBroadcast,
  type Radio,
  startRadio,
  updateRadio,
} from "../../../workers/contract/radios.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { EditIcon } from "../../post/icons.tsx";
import { v4Context } from "../../request/context.ts";
import { type FlashCode, setFlash } from "../../request/flash.ts";
import { loginPath } from "../../request/to.ts";
import { closeSession } from "../../session/current-session.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import type { Sent } from "../../v4/client.ts";
import { RadioChat } from "../creator/lazy-radio-chat.tsx";
import { loadChat } from "../creator/load-chat.ts";
import { radioPath } from "../creator/radio-path.ts";
import { RADIO_AUDIENCES, RADIO_STATES } from "../radio-words.ts";
import type { Route } from "./+types/on-air.ts";
import { OnAirPanel } from "./on-air-panel.tsx";
import { OwnRecording } from "./own-recording.tsx";
import { bodyOf, readOwnRadio } from "./radio-action.ts";
import { isMicrophoneDocument } from "./radio-microphone.ts";
import { editPath, onAirPath, RADIO_PATH } from "./radio-path.ts";

export const meta: Route.MetaFunction = (args) =>
  pageMeta(args, { title: args.loaderData ? `${args.loaderData.radio.title} - 放送` : "放送", is_unlisted: true });

export async function loader({ url, params, context }: Route.LoaderArgs) {
  const v4 = context.get(v4Context);
  const radio = await readOwnRadio(v4, params.radio_id);
  const [part, chat] = await Promise.all([
    v4.part(getRadioBroadcast, { params: { radio_id: radio.radio_id } }),
    radio.status === "on_air" ? loadChat(context, radio, url) : null,
  ]);
  const { started_at } = radio;
  return {
    radio,
    chat,
    idempotency_key: crypto.randomUUID(),
    broadcast: part?.broadcast ?? null,
    elapsed_s: started_at ? Math.max(0, Math.round((Date.now() - Date.parse(started_at)) / 1000)) : 0,
  };
}

/** Only a document that was loaded at this page may use the microphone (Permissions-Policy). */
export const clientLoader = ({ request, serverLoader }: Route.ClientLoaderArgs) => {
  if (!isMicrophoneDocument) throw redirectDocument(new URL(request.url).pathname);
  return serverLoader();
};

/** The button that was pressed: start, finish, hide the recording, or delete it. */
export async function action({ request, params, context }: Route.ActionArgs) {
  const v4 = context.get(v4Context);
  const { radio_id } = params;
  const answer = async (sent: Sent<unknown>, said: FlashCode, wanted?: Radio["status"]) => {
    const here = onAirPath(radio_id);
    // The button was pressed twice, or the clock has finished the radio meanwhile.
    const is_done =
      !sent.ok &&
      sent.refusal.code === "radio_transition_refused" &&
      wanted !== undefined &&
      (await readOwnRadio(v4, radio_id)).status === wanted;
    if (sent.ok || is_done) {
      setFlash(context, said);
      return redirect(here, 303);
    }
    if (!sent.refusal.needs_sign_in) return data({ error: sent.refusal.detail }, sent.refusal.status);
    closeSession(context);
    return redirect(loginPath(here), 303);
  };
  switch ((await request.formData()).get("do")) {
    case "start":
      return answer(await v4.send(startRadio, { params }), "radio_started", "on_air");
    case "finish":
      return answer(await v4.send(finishRadio, { params }), "radio_finished", "finished");
    case "delete_recording":
      return answer(await v4.send(deleteRadioRecording, { params }), "recording_deleted");
    case "hide_recording": {
      const body = bodyOf(await readOwnRadio(v4, radio_id));
      const hidden = { ...body, recording_publish_target_type: "none" as const };
      return answer(await v4.send(updateRadio, { params, body: hidden }), "recording_hidden");
    }
    default:
      throw data(null, { status: 400 });
  }
}

export default function OnAir({ loaderData, actionData }: Route.ComponentProps) {
  const { radio, chat, broadcast, elapsed_s } = loaderData;
  const { radio_id, status, starts_at } = radio;
  const { revalidate } = useRevalidator();
  const [end_words, setEndWords] = useState<string | null>(null);
  const is_processing = status === "finished" && radio.recording_state === "processing";
  useEffect(() => {
    if (!is_processing) return;
    const timer = setInterval(revalidate, PROCESSING_MS);
    return () => clearInterval(timer);
  }, [is_processing, revalidate]);
  const path = { link_id: radio.user.link_id, radio_id };
  const { idempotency_key } = loaderData;
  const viewer = { is_own: true, viewer_id: radio.user.user_id, idempotency_key, is_on_air: true };
  const audience = status === "finished" ? radio.recording_publish_target_type : radio.publish_target_type;
  return (
    <>
      <p className="back">
        <Link to={RADIO_PATH}>ラジオの一覧へ戻る</Link>
      </p>
      <h1 className="page-title">{radio.title}</h1>
      <p className="row">
        <span className={status === "on_air" ? "badge badge-new" : "badge"}>{RADIO_STATES[status]}</span>
        <span className="row-note">
          {status === "finished" ? "録音を聴ける人" : "聴ける人"}：{RADIO_AUDIENCES[audience]}
        </span>
        {status === "scheduled" && starts_at && (
          <span className="row-note">
            予定：
            <DateTime iso={starts_at} />
          </span>
        )}
      </p>
      <FormErrors errors={actionData && [actionData.error]} answer={actionData} />
      {end_words && (
        <p className="form-error" role="alert">
          {end_words}
        </p>
      )}
      {status === "finished" ? (
        <OwnRecording radio={radio} broadcast={broadcast} />
      ) : (
        <OnAirPanel
          key={radio_id}
          radio_id={radio_id}
          is_on_air={status === "on_air"}
          notifies={radio.publish_target_type !== "url"}
          elapsed_s={elapsed_s}
          listeners_count={broadcast?.listeners_count ?? null}
          onEnd={setEndWords}
        />
      )}
      <div className="form-buttons">
        <ButtonLink
          to={editPath(radio_id)}
          variant="gray-outline"
          size="sm"
          target={status === "on_air" ? "_blank" : undefined}
        >
          <EditIcon />
          内容を編集
        </ButtonLink>
        <ButtonLink
          to={radioPath(path)}
          variant="gray-outline"
          size="sm"
          target={status === "on_air" ? "_blank" : undefined}
        >
          リスナーのページを見る
        </ButtonLink>
      </div>
      {chat && (
        <Suspense>
          <RadioChat radio={radio} path={radioPath(path)} chat={chat} viewer={viewer} onEnd={revalidate} />
        </Suspense>
      )}
    </>
  );
}

/** How often the page asks whether the recording is complete. */
const PROCESSING_MS = 3000;
