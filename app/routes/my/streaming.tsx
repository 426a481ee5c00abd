import { data, Form, redirect, useNavigation, useRouteLoaderData } from "react-router";
import { groupDigits } from "../../../workers/contract/group-digits.ts";
import { OVERLAY_PATH } from "../../../workers/contract/overlay-names.ts";
import {
  getStreaming,
  type OverlaySettings,
  sendTestOfuse,
  updateStreaming,
  updateTimelineToken,
} from "../../../workers/contract/streaming.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { forgetIntent, keptForm } from "../../forms/intent.ts";
import { readForm, typedFields } from "../../forms/read-form.ts";
import { refuseWords, returnWords, wordsOf } from "../../forms/words.ts";
import { v4Context } from "../../request/context.ts";
import { setFlash } from "../../request/flash.ts";
import type { loader as rootLoader } from "../../root.tsx";
import { viewerContext } from "../../session/context.ts";
import { Button } from "../../ui/button.tsx";
import { ButtonForm } from "../../ui/button-form.tsx";
import { CopyField } from "../../ui/copy-field.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { HiddenFields } from "../../ui/hidden-fields.tsx";
import { sendFromBrowser } from "../../v4/send-from-browser.ts";
import { overlayForm } from "../operation-forms.server.ts";
import type { Route } from "./+types/streaming.ts";
import { settingSections, streamingWords, type WrittenSettings } from "./overlay-fields.server.ts";
import { OverlayForm, type StreamingAnswer } from "./overlay-form.tsx";

const PATH = "/my/streaming";
/** The amounts of the buttons that send a test letter, in yen. */
const TEST_AMOUNTS = [0, 550, 5000];

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "その他のツール", is_unlisted: true });

export async function loader({ context }: Route.LoaderArgs) {
  const v4 = context.get(v4Context);
  const [streaming, kept] = await Promise.all([v4.read(getStreaming, {}), keptForm(context, PATH)]);
  const { settings, ...rest } = streaming;
  return {
    ...rest,
    words: streamingWords,
    sections: settingSections(settings, streaming.goal),
    stamp_ids: kept ? kept.getAll("stamp_ids").map(String) : settings.stamp_ids,
    // A box that is not ticked is missing from the kept form.
    written: kept ? { ...blankOf(settings), ...typedFields(kept, overlayForm) } : writtenOf(settings),
    viewer_id: context.get(viewerContext)?.profile?.user_id ?? null,
    idempotency_key: crypto.randomUUID(),
  };
}

/** Returns the settings as the fields of the form have them. */
function writtenOf({ stamp_ids: _, ng_words, ...settings }: OverlaySettings): WrittenSettings {
  const fields = Object.entries(settings).map(([name, value]) => [
    name,
    typeof value === "boolean" ? (value ? "on" : "") : String(value ?? ""),
  ]);
  return { ...Object.fromEntries(fields), ng_words: ng_words.join("\n") };
}

const blankOf = (settings: OverlaySettings) =>
  Object.fromEntries(Object.keys(writtenOf(settings)).map((name) => [name, ""])) as WrittenSettings;

/** Makes an address, sends a test letter, or saves the settings, as the pressed button says. */
export async function action({ request, context }: Route.ActionArgs) {
  const form = await request.formData();
  const v4 = context.get(v4Context);
  if (form.get("do") === "make") {
    const sent = await v4.send(updateTimelineToken, {});
    if (!sent.ok) return data({ error: sent.refusal.detail }, sent.refusal.status);
    return data({ overlay_path: sent.answer.token && `${OVERLAY_PATH}${sent.answer.token}` });
  }
  if (form.get("do") === "test") {
    const body = { amount: Number(form.get("amount")), stamp_id: "cheer" as const };
    const sent = await v4.send(sendTestOfuse, { body });
    if (!sent.ok) return data({ error: sent.refusal.detail }, sent.refusal.status);
    setFlash(context, "test_ofuse_sent");
    return redirect(PATH, 303);
  }
  const words = wordsOf(form, PATH);
  const read = readForm(words.form, overlayForm);
  if (!read.value) return returnWords(words, read.toResult(), 422);
  const { idempotency_key } = words;
  const sent = await v4.send(updateStreaming, { body: read.value, idempotency_key });
  if (!sent.ok) return refuseWords(context, words, read, sent.refusal);
  forgetIntent(context, "form");
  setFlash(context, "settings_saved");
  return redirect(PATH, 303);
}

export const clientAction = ({ request, serverAction }: Route.ClientActionArgs) =>
  sendFromBrowser(request, serverAction);

export default function Streaming({ loaderData, actionData }: Route.ComponentProps) {
  const { token_created_at, open_overlays, words, written, stamp_ids, goal } = loaderData;
  const answer = actionData as StreamingAnswer | undefined;
  return (
    <>
      <h1 className="page-title">その他のツール</h1>
      <p className="lead">{words.lead}</p>
      <Address made_at={token_created_at} words={words} answer={answer} />
      <section className="card form" aria-labelledby="try">
        <h2 className="section-title" id="try">
          試してみる
        </h2>
        <p>{words.test}</p>
        {token_created_at === null ? (
          <p className="field-hint">{words.without_address}</p>
        ) : (
          <ButtonForm label="試しのofuse" className="form-buttons" fields={{ do: "test" }}>
            {(is_sending) =>
              TEST_AMOUNTS.map((amount) => (
                <Button
                  key={amount}
                  name="amount"
                  value={amount}
                  variant="gray-outline"
                  size="sm"
                  aria-disabled={is_sending}
                >
                  {amount === 0 ? "無料" : `${groupDigits(amount)}円`}のofuse
                </Button>
              ))
            }
          </ButtonForm>
        )}
      </section>
      <section className="card form" aria-labelledby="open">
        <h2 className="section-title" id="open">
          いま開いている画面
        </h2>
        {open_overlays.length === 0 ? (
          <p className="field-hint">{words.none_open}</p>
        ) : (
          <ul className="overlay-list">
            {open_overlays.map(({ kind, opened_at }) => (
              <li key={`${kind} ${opened_at}`}>
                <span>{kind === "timeline" ? "タイムライン" : "配信画面"}</span>
                <span className="row-note">
                  <DateTime iso={opened_at} />
                  から
                </span>
              </li>
            ))}
          </ul>
        )}
      </section>
      <section className="card form" aria-labelledby="preview">
        <h2 className="section-title" id="preview">
          見本
        </h2>
        <iframe
          key={JSON.stringify([written, stamp_ids, goal])}
          className="overlay-preview"
          src="/my/streaming/preview"
          title="いまの設定での見えかた"
        />
        <p className="field-hint">{words.preview}</p>
      </section>
      <OverlayForm {...loaderData} answer={answer} />
    </>
  );
}

/** The address: to make, to copy just after that, and to make again. */
function Address(props: { made_at: string | null; words: typeof streamingWords; answer: StreamingAnswer | undefined }) {
  const { made_at, words, answer } = props;
  const root = useRouteLoaderData<typeof rootLoader>("root");
  const is_sending = useNavigation().state !== "idle";
  const overlay_path = answer?.overlay_path ?? null;
  const address = `${root?.origin ?? ""}${overlay_path}`;
  return (
    <section className="card form" aria-labelledby="address">
      <h2 className="section-title" id="address">
        配信画面のアドレス
      </h2>
      <Form method="post" className="form" aria-label="配信画面のアドレス">
        <HiddenFields />
        <FormErrors errors={answer?.error ? [answer.error] : null} answer={answer} />
        {overlay_path !== null ? (
          <>
            <CopyField id="overlay-address" label="OBSに入れるアドレス" address={address} />
            <CopyField id="timeline-address" label="タイムラインのアドレス" address={`${address}/timeline`} />
            <p>{words.secret}</p>
          </>
        ) : (
          made_at !== null && (
            <p>
              <DateTime iso={made_at} />
              {words.made}
            </p>
          )
        )}
        <div className="form-buttons">
          <Button
            name="do"
            value="make"
            variant={made_at === null ? "primary" : "gray-outline"}
            aria-disabled={is_sending}
          >
            {made_at === null ? "アドレスを作る" : "アドレスを作り直す"}
          </Button>
        </div>
        {made_at !== null && <p className="field-hint">{words.replaced}</p>}
      </Form>
      <h3 className="section-title">OBSへの入れかた</h3>
      <ol className="steps">
        {words.steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <p className="field-hint">{words.timeline}</p>
    </section>
  );
}
