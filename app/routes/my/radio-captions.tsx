import { data, Link, redirect } from "react-router";
import { id } from "../../../workers/contract/fields.ts";
import { createRadioCaption, deleteRadioCaption, listRadioCaptions } from "../../../workers/contract/radio-captions.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { forgetIntent } from "../../forms/intent.ts";
import { readForm } from "../../forms/read-form.ts";
import { refuseWords, returnWords, wordsOf } from "../../forms/words.ts";
import { v4Context } from "../../request/context.ts";
import { loginPath } from "../../request/to.ts";
import { closeSession } from "../../session/current-session.ts";
import { Button } from "../../ui/button.tsx";
import { ButtonForm } from "../../ui/button-form.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { sendFromBrowser } from "../../v4/send-from-browser.ts";
import { stayOnPage } from "../../v4/stay-on-page.ts";
import { captionForm } from "../operation-forms.server.ts";
import type { Route } from "./+types/radio-captions.ts";
import { CaptionForm } from "./caption-form.tsx";
import { readOwnRadio } from "./radio-action.ts";
import { captionsPath, FROM_ON_AIR, isFromOnAir, onAirPath } from "./radio-path.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "字幕", is_unlisted: true });

/** The query parameter with the mark from which older captions are shown. */
const BEFORE = "before";

export async function loader({ url, params, context }: Route.LoaderArgs) {
  const v4 = context.get(v4Context);
  const { radio_id } = params;
  const { title, status } = await readOwnRadio(v4, radio_id);
  const next_page_token = listRadioCaptions.query.shape.next_page_token.safeParse(url.searchParams.get(BEFORE)).data;
  const page = await v4.read(listRadioCaptions, { params: { radio_id }, query: { next_page_token } });
  return { radio_id, title, is_on_air: status === "on_air", captions: page.captions, older: page.next_page_token };
}

export async function action({ request, params, context }: Route.ActionArgs) {
  const { radio_id } = params;
  const here = captionsPath(radio_id);
  const words = wordsOf(await request.formData(), here);
  const back = isFromOnAir(words.form) ? onAirPath(radio_id) : here;
  const read = readForm(words.form, captionForm);
  const v4 = context.get(v4Context);
  const deleted = words.form.get("caption_id");
  if (deleted !== null) {
    const caption_id = id.safeParse(deleted);
    if (!caption_id.success) throw data(null, { status: 400 });
    const sent = await v4.send(deleteRadioCaption, { params: { radio_id, caption_id: caption_id.data } });
    if (sent.ok) return redirect(here, 303);
    if (!sent.refusal.needs_sign_in) return data({ error: sent.refusal.detail }, sent.refusal.status);
    closeSession(context);
    return redirect(loginPath(here), 303);
  }
  if (!read.value) return returnWords(words, read.toResult(), 422);
  const { idempotency_key } = words;
  const sent = await v4.send(createRadioCaption, { params: { radio_id }, body: read.value, idempotency_key });
  if (!sent.ok) return refuseWords(context, words, read, sent.refusal);
  forgetIntent(context, "form");
  return redirect(back, 303);
}

export const clientAction = ({ request, serverAction }: Route.ClientActionArgs) =>
  sendFromBrowser(request, () => stayOnPage(serverAction));

/** The captions of a radio, newest first, for their writer. */
export default function RadioCaptions({ loaderData, actionData }: Route.ComponentProps) {
  const { radio_id, title, is_on_air, captions, older } = loaderData;
  const error = actionData && "error" in actionData ? actionData.error : null;
  const answer = actionData && "result" in actionData ? actionData : undefined;
  return (
    <>
      <p className="back">
        <Link to={onAirPath(radio_id)} reloadDocument>
          「{title}」へ戻る
        </Link>
      </p>
      <h1 className="page-title">字幕</h1>
      <FormErrors errors={error === null ? null : [error]} answer={actionData} />
      <section className="card form" aria-label="字幕を書く">
        {is_on_air ? (
          <CaptionForm
            radio_id={radio_id}
            answer={answer}
            is_on_air={answer?.result.initialValue?.from === FROM_ON_AIR.from}
          />
        ) : (
          <p>字幕は、放送中に書けます。書いた字幕は、放送のあとで文字起こしの下書きになります。</p>
        )}
      </section>
      {captions.length === 0 ? (
        <p className="row-note">まだ字幕はありません。</p>
      ) : (
        <ul className="rows">
          {captions.toReversed().map(({ caption_id, words, created_at }) => (
            <li key={caption_id} className="card letter">
              <p className="letter-message">{words}</p>
              <p className="row">
                <DateTime iso={created_at} />
              </p>
              <ButtonForm fields={{ caption_id }} label={`字幕「${words}」`}>
                {(is_sending) => (
                  <Button variant="gray-outline" size="sm" aria-disabled={is_sending}>
                    削除
                  </Button>
                )}
              </ButtonForm>
            </li>
          ))}
        </ul>
      )}
      {older && (
        <p>
          <Link to={`${captionsPath(radio_id)}?${BEFORE}=${older}`}>前の字幕を見る</Link>
        </p>
      )}
    </>
  );
}
