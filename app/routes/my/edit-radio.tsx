import { useNavigation, useRouteLoaderData } from "react-router";
import { deleteRadio, getRadio, type Radio } from "../../../workers/contract/radios.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { keptForm } from "../../forms/intent.ts";
import { readForm, typedFields } from "../../forms/read-form.ts";
import { refuseWords, wordsOf } from "../../forms/words.ts";
import { readOwnPlans } from "../../post/own-plans.ts";
import { v4Context } from "../../request/context.ts";
import type { loader as rootLoader } from "../../root.tsx";
import { viewerContext } from "../../session/context.ts";
import { tokyoTime } from "../../text/tokyo-time.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Dialog, DialogButton } from "../../ui/dialog.tsx";
import { sendFromBrowser } from "../../v4/send-from-browser.ts";
import { editedRadioForm } from "../operation-forms.server.ts";
import type { Route } from "./+types/edit-radio.ts";
import { readCaptions, readOwnRadio, returnToRadios, saveRadio } from "./radio-action.ts";
import { KeyPanel, RadioForm, type WrittenRadio } from "./radio-form.tsx";
import { editPath } from "./radio-path.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "ラジオを編集", is_unlisted: true });

const writtenOf = (radio: Radio): WrittenRadio => ({
  title: radio.title,
  description: radio.description ?? "",
  publish_target_type: radio.publish_target_type,
  recording_publish_target_type: radio.recording_publish_target_type,
  publish_target_membership_id: radio.publish_target_membership_id ?? "",
  starts_at: radio.starts_at ? tokyoTime(radio.starts_at) : "",
  is_chat_on: radio.is_chat_on ? "on" : "",
  transcript: radio.transcript ?? "",
  seen_updated_at: radio.updated_at ?? "",
});

export async function loader({ params, context }: Route.LoaderArgs) {
  const v4 = context.get(v4Context);
  const radio = await readOwnRadio(v4, params.radio_id);
  const kept = await keptForm(context, editPath(radio.radio_id));
  const is_unwritten = radio.status === "finished" && !radio.transcript;
  const captions = is_unwritten ? await readCaptions(v4, radio.radio_id) : "";
  return {
    radio,
    is_from_captions: captions !== "",
    plans: await readOwnPlans(v4, radio.publish_target_membership_id),
    viewer_id: context.get(viewerContext)?.profile?.user_id ?? null,
    written: {
      ...writtenOf(radio),
      ...(captions && { transcript: captions }),
      ...(kept && { is_chat_on: "", ...typedFields(kept, editedRadioForm) }),
    },
    idempotency_key: crypto.randomUUID(),
  };
}

export async function action({ request, params, context }: Route.ActionArgs) {
  const { radio_id } = params;
  const words = wordsOf(await request.formData(), editPath(radio_id));
  const read = readForm(words.form, editedRadioForm);
  const v4 = context.get(v4Context);
  if (words.form.get("do") === "delete") {
    const sent = await v4.send(deleteRadio, { params: { radio_id }, idempotency_key: words.idempotency_key });
    return sent.ok ? returnToRadios(context, "radio_deleted") : refuseWords(context, words, read, sent.refusal);
  }
  const found = await v4.send(getRadio, { params: { radio_id } });
  if (!found.ok) return refuseWords(context, words, read, found.refusal);
  return saveRadio(context, { words, read, radio: found.answer.radio });
}

export const clientAction = ({ request, serverAction }: Route.ClientActionArgs) =>
  sendFromBrowser(request, serverAction);

export default function EditRadio({ loaderData, actionData }: Route.ComponentProps) {
  const root = useRouteLoaderData<typeof rootLoader>("root");
  const keyed = actionData && "key_path" in actionData ? actionData : null;
  const answer = actionData && "result" in actionData ? actionData : undefined;
  return (
    <>
      {keyed && <KeyPanel address={`${root?.origin ?? ""}${keyed.key_path}`} />}
      <RadioForm title="ラジオを編集" {...loaderData} answer={answer}>
        {loaderData.radio.status !== "on_air" && <DeleteRadio title={loaderData.radio.title} />}
      </RadioForm>
    </>
  );
}

function DeleteRadio({ title }: { title: string }) {
  const is_sending = useNavigation().state === "submitting";
  return (
    <div>
      <DialogButton
        dialog="delete-radio"
        command="show-modal"
        className={buttonClass({ variant: "gray-outline", size: "sm" })}
      >
        このラジオを削除
      </DialogButton>
      <Dialog
        id="delete-radio"
        title="このラジオを削除しますか？"
        actions={
          <Button name="do" value="delete" variant="alert" aria-disabled={is_sending}>
            削除する
          </Button>
        }
      >
        <p>「{title}」を、コメントや録音と一緒に削除します。元に戻せません。</p>
      </Dialog>
    </div>
  );
}
