import { getTextareaProps, type SubmissionResult, useForm } from "@conform-to/react";
import { parseWithZod } from "@conform-to/zod/v4";
import { data, Form, Link, redirect, useNavigation } from "react-router";
import { z } from "zod";
import { id } from "../../../workers/contract/fields.ts";
import { getOfuse, likeOfuse, replyMessage, updateOfuse } from "../../../workers/contract/ofuses.ts";
import { keptContext, v4Context } from "../../middleware/context.ts";
import { setFlash } from "../../session/flash.ts";
import { forgetIntent, formIntent, keptForm, signInToContinue } from "../../session/intent.ts";
import { pageMeta } from "../../shell/title.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { FormErrors, TextAreaField } from "../../ui/field.tsx";
import { Paragraphs } from "../../ui/text.tsx";
import type { Route } from "./+types/letter.ts";

export const meta = () => pageMeta("ofuse");

const replyForm = z.object({ reply: replyMessage });

export async function loader({ url, params, context }: Route.LoaderArgs) {
  if (!id.safeParse(params.ofuse_id).success) throw data(null, { status: 404 });
  const v4 = context.get(v4Context);
  const { ofuse } = await v4.read(getOfuse, { params: { ofuse_id: params.ofuse_id } });
  if (ofuse.type === "received" && !ofuse.is_opened) {
    // Reading is what opens a letter. Should it fail, the letter stays unread and the page is shown all the same.
    await v4.send(updateOfuse, { params: { ofuse_id: ofuse.ofuse_id }, body: { is_opened: true } });
  }
  const kept = await keptForm(context, url.pathname);
  return { ofuse, kept: kept && { reply: String(kept.get("reply") ?? "") }, idempotency_key: crypto.randomUUID() };
}

export async function action({ request, url, params, context }: Route.ActionArgs) {
  const form = await request.formData();
  const path = url.pathname;
  const v4 = context.get(v4Context);
  const { ofuse_id } = params;
  const idempotency_key = String(form.get("idempotency_key") || crypto.randomUUID());
  if (form.get("operation") === "like") {
    const is_liked = form.get("is_liked") === "true";
    const sent = await v4.send(likeOfuse, { params: { ofuse_id }, body: { is_liked }, idempotency_key });
    if (!sent.ok) throw v4.failure(sent.refusal);
    return redirect(path, 303);
  }
  const submission = parseWithZod(form, { schema: replyForm });
  if (submission.status !== "success") return data({ result: submission.reply(), idempotency_key }, 422);
  const sent = await v4.send(updateOfuse, { params: { ofuse_id }, body: submission.value, idempotency_key });
  if (sent.ok) {
    forgetIntent(context);
    setFlash(context, "replied");
    return redirect(path, 303);
  }
  const { code, detail, status, needs_sign_in } = sent.refusal;
  const continued = needs_sign_in ? await signInToContinue(context, path, formIntent(path, form)) : null;
  if (continued) return continued;
  if (code === "not_found") throw v4.failure(sent.refusal);
  if (status >= 500) {
    const hidden = { idempotency_key };
    context.set(keptContext, { action: path, name: "reply", text: submission.value.reply, hidden });
  }
  const key = code === "idempotency_key_reused" ? crypto.randomUUID() : idempotency_key;
  return data({ result: submission.reply({ formErrors: [detail] }), idempotency_key: key }, status);
}

export default function Letter({ loaderData, actionData }: Route.ComponentProps) {
  const { ofuse, kept } = loaderData;
  const key = actionData?.idempotency_key ?? loaderData.idempotency_key;
  const is_received = ofuse.type === "received";
  const other = is_received ? ofuse.sender : ofuse.receiver;
  return (
    <>
      <p className="back">
        <Link to={is_received ? "/my/box" : "/my/box?type=sent"}>レターボックスへ戻る</Link>
      </p>
      <article className="card letter letter-open">
        <p className="byline">
          <Avatar image={other.icon_image} size={48} />
          <Link to={`/${other.link_id}`} className="byline-name">
            {is_received ? other.name : `${other.name}さんへ`}
          </Link>
          <DateTime iso={ofuse.created_at} />
        </p>
        <h1 className="visually-hidden">
          {is_received ? `${other.name}さんからのofuse` : `${other.name}さんへのofuse`}
        </h1>
        <div className="letter-message">
          <Paragraphs text={ofuse.message} />
        </div>
        {is_received ? (
          <LikeForm is_liked={ofuse.is_liked} />
        ) : (
          ofuse.is_liked && <p className="letter-state">♥ {other.name}さんが「いいね」しました</p>
        )}
      </article>
      {ofuse.reply && (
        <section className="card letter letter-reply-card" aria-label="返信">
          <h2 className="section-title">{is_received ? "あなたの返信" : `${other.name}さんの返信`}</h2>
          <div className="letter-message">
            <Paragraphs text={ofuse.reply.message} />
          </div>
          <DateTime iso={ofuse.reply.created_at} />
        </section>
      )}
      {is_received && !ofuse.reply && (
        <ReplyForm key={key} idempotency_key={key} name={other.name} result={actionData?.result} defaultValue={kept} />
      )}
    </>
  );
}

function LikeForm({ is_liked }: { is_liked: boolean }) {
  const navigation = useNavigation();
  const pending = navigation.formData?.get("operation") === "like" ? navigation.formData.get("is_liked") : null;
  const shown = pending ? pending === "true" : is_liked;
  return (
    <Form method="post" preventScrollReset>
      <input type="hidden" name="operation" value="like" />
      <button
        type="submit"
        name="is_liked"
        value={String(!shown)}
        className={shown ? "button like like-on" : "button button-gray-outline like"}
        aria-pressed={shown}
      >
        ♥ いいね
      </button>
    </Form>
  );
}

function ReplyForm(props: {
  idempotency_key: string;
  name: string;
  result: SubmissionResult | undefined;
  defaultValue: { reply: string } | null;
}) {
  const { idempotency_key, name, result, defaultValue } = props;
  const [form, fields] = useForm<{ reply: string }>({ id: "reply", lastResult: result, defaultValue });
  const { key, ...textarea } = getTextareaProps(fields.reply, { ariaAttributes: false });
  return (
    <section className="card">
      <h2 className="section-title">返信する</h2>
      <Form method="post" id={form.id} noValidate className="form">
        <FormErrors errors={form.errors} />
        <input type="hidden" name="idempotency_key" value={idempotency_key} />
        <TextAreaField
          key={key}
          id={textarea.id}
          label="返信"
          errors={fields.reply.errors}
          hint="1,000文字まで。返信は1通だけ送れます。"
          textarea={{ ...textarea, rows: 6, placeholder: `${name}さんへ` }}
        />
        <button type="submit" className="button">
          返信を送る
        </button>
      </Form>
    </section>
  );
}
