import { Link, redirect } from "react-router";
import { createChatMessage } from "../../../workers/contract/radio-chat.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { forgetIntent } from "../../forms/intent.ts";
import { readForm } from "../../forms/read-form.ts";
import { refuseWords, returnWords, signInWithWords, wordsOfSharedPage } from "../../forms/words.ts";
import { viewerContext } from "../../session/context.ts";
import { v4OfRadio } from "../../session/radio-keys.ts";
import { FormErrors } from "../../ui/form-errors.tsx";
import { sendFromBrowser } from "../../v4/send-from-browser.ts";
import { stayOnPage } from "../../v4/stay-on-page.ts";
import { FROM_ON_AIR } from "../my/radio-path.ts";
import { chatMessageForm } from "../operation-forms.server.ts";
import type { Route } from "./+types/write-chat.ts";
import { chatPlace } from "./chat-place.ts";
import { useCreator } from "./creator.ts";
import { isRefused, showRefused } from "./form-address.ts";
import { ChatForm } from "./radio-chat.tsx";
import { radioPath } from "./radio-path.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "チャットで発言する", is_unlisted: true });

/** This address only accepts forms. A GET redirects to the chat. */
export const loader = ({ params: { link_id, radio_id }, context }: Route.LoaderArgs) =>
  isRefused(context, { link_id, radio_id }) ? null : redirect(radioPath({ link_id, radio_id }, 1, "chat"));

export async function action({ request, params, context }: Route.ActionArgs) {
  const form = await request.formData();
  const read = readForm(form, chatMessageForm);
  const path = radioPath(params);
  const words = { ...wordsOfSharedPage(form, path), action: `${path}/chat`, place: "#chat" };
  showRefused(context);
  if (!context.get(viewerContext)) return signInWithWords(context, words, read);
  if (!read.value) return returnWords(words, read.toResult(), 422);
  const sent = await v4OfRadio(context, params.radio_id).send(createChatMessage, {
    params: { radio_id: params.radio_id },
    body: read.value,
    idempotency_key: words.idempotency_key,
  });
  if (!sent.ok) return refuseWords(context, words, read, sent.refusal);
  forgetIntent(context, "form");
  return redirect(chatPlace(form, params), 303);
}

export const clientAction = ({ request, serverAction }: Route.ClientActionArgs) =>
  sendFromBrowser(request, () => stayOnPage(serverAction));

/** The page for a message that was sent without JavaScript and refused. */
export default function ChatMessageRefused({ actionData, params }: Route.ComponentProps) {
  const { viewer_id, idempotency_key } = useCreator();
  const path = radioPath(params);
  const result = actionData?.result;
  return (
    <section className="card form comments-card">
      <h1 className="section-title">
        <Link to={`${path}#chat`}>ラジオ</Link>のチャット
      </h1>
      <FormErrors errors={result?.error?.[""]} />
      <ChatForm
        path={path}
        radio_id={params.radio_id}
        viewer_id={viewer_id}
        idempotency_key={actionData?.idempotency_key ?? idempotency_key}
        initial={String(result?.initialValue?.message ?? "")}
        errors={result?.error?.message ?? null}
        is_on_air={result?.initialValue?.from === FROM_ON_AIR.from}
      />
      <p>
        <Link to={`${path}#chat`}>送信せずにチャットへ戻る</Link>
      </p>
    </section>
  );
}
