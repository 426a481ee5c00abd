import { Fragment } from "react";
import { Form, useFetcher } from "react-router";
import * as z from "zod";
import { id } from "../../../workers/contract/fields.ts";
import { findSubject, giveBack, takeDown } from "../../../workers/contract/operator.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { readForm } from "../../forms/read-form.ts";
import { v4Context } from "../../request/context.ts";
import { Button } from "../../ui/button.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { operatorNote } from "../operation-forms.server.ts";
import type { Route } from "./+types/removals.ts";
import { ConfirmedAct, NoteField } from "./act-form.tsx";
import { Fact, FactList } from "./list.tsx";
import { admitOperator, finishAct, openForms, type RefusedAct, refuseAct, sendAct } from "./operator-page.ts";
import { SUBJECTS } from "./operator-words.ts";
import { SubjectNow } from "./reported-subject.tsx";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "公開の停止と再開", is_unlisted: true });

const PATH = "/operator/removals";
const ADDRESS_LENGTH = 500;

export async function loader({ url, context }: Route.LoaderArgs) {
  const forms = await openForms(context, PATH);
  const address = (url.searchParams.get("address") ?? "").trim().slice(0, ADDRESS_LENGTH);
  const subject_id = idInAddress(address);
  if (!subject_id) return { forms, address, found: null };
  const v4 = context.get(v4Context);
  const found = await v4.send(findSubject, { params: { subject_id } });
  if (!found.ok && found.refusal.code !== "not_found") throw v4.failure(found.refusal);
  return { forms, address, found: found.ok ? { ...found.answer, subject_id } : null };
}

/** Returns the last id in an address: a comment's address begins with its post's. */
function idInAddress(address: string): string | null {
  return address.match(/[0-7][0-9a-hjkmnp-tv-z]{25}/g)?.at(-1) ?? null;
}

const note = operatorNote.nullable().default(null);
const takeDownForm = z.object({ subject_type: takeDown.body.shape.subject_type, subject_id: id, note });
const giveBackForm = z.object({ removal_id: id, note });

export async function action({ request, url, context }: Route.ActionArgs) {
  await admitOperator(context);
  const form = await request.formData();
  const to = url.pathname + url.search;
  if (form.get("act") === "give_back") {
    const read = readForm(form, giveBackForm);
    if (!read.value) return refuseAct(form, read);
    const { removal_id, note } = read.value;
    const sent = await sendAct(context, url, form, giveBack, { params: { removal_id }, body: { note } });
    return sent.ok ? finishAct(context, to, "subject_given_back") : refuseAct(form, read, sent.refusal);
  }
  const read = readForm(form, takeDownForm);
  if (!read.value) return refuseAct(form, read);
  const sent = await sendAct(context, url, form, takeDown, { body: read.value });
  if (!sent.ok) return refuseAct(form, read, sent.refusal);
  return finishAct(context, to, "subject_taken_down");
}

/** The answer to a form whose act is over. The errors of its fields say nothing any more. */
const outdatedAnswer = ({ error }: RefusedAct) =>
  error ?? "ほかの操作が先にあり、この操作は行われませんでした。いまの状態を確かめてください。";

export default function Removals({ loaderData, actionData }: Route.ComponentProps) {
  const { forms, address, found } = loaderData;
  const fetcher_key = `removal ${found?.subject_id}`;
  const shared = { forms, answer: actionData, fetcher_key };
  const refused = useFetcher<RefusedAct>({ key: fetcher_key }).data ?? actionData;
  // Another operator has acted in the meantime, so the refused form is not on the page any more.
  const is_outdated = refused !== undefined && refused.act !== (found?.removal ? "give_back" : "take_down");
  return (
    <>
      <h1 className="page-title">公開の停止と再開</h1>
      <p className="lead">投稿、コメント、手紙を、アドレスまたはIDで探します。</p>
      <Form method="get" className="row list-order">
        <div className="list-choice list-keyword">
          <label htmlFor="address">アドレス</label>
          <input
            type="search"
            id="address"
            name="address"
            className="control"
            maxLength={ADDRESS_LENGTH}
            defaultValue={address}
            key={address}
          />
        </div>
        <Button size="sm" variant="gray-outline">
          探す
        </Button>
      </Form>
      {address && !found && <EmptyState title="見つかりません" />}
      {found && (
        <Fragment key={`${found.subject_id} ${found.removal?.removal_id}`}>
          <section className="card form">
            <h2 className="section-title">
              {SUBJECTS[found.subject_type]}
              {found.owner_link_id ? `（@${found.owner_link_id}）` : "（ゲスト）"}
            </h2>
            {is_outdated && <FormErrors errors={[outdatedAnswer(refused)]} answer={refused} />}
            {found.removal && (
              <FactList>
                <Fact name="停止した日時">
                  <DateTime iso={found.removal.removed_at} />
                </Fact>
                <Fact name="ひとこと">{found.removal.note ?? "（なし）"}</Fact>
              </FactList>
            )}
            <SubjectNow subject={found.subject} />
          </section>
          {found.removal ? (
            <ConfirmedAct
              act="give_back"
              title="公開に戻す"
              what="停止する前の状態に戻し、持ち主にお知らせします。"
              button="公開に戻す"
              fields={{ removal_id: found.removal.removal_id }}
              {...shared}
            >
              {(fields) => (
                <NoteField
                  act="give_back"
                  name="note"
                  label="ひとこと（任意）"
                  hint="持ち主が読みます。"
                  fields={fields}
                />
              )}
            </ConfirmedAct>
          ) : (
            <ConfirmedAct
              act="take_down"
              title="公開を停止する"
              what="持ち主のほかは、リンクを知る人からも見えなくなり、持ち主にお知らせします。待っている通報も、停止として判断します。"
              button="公開を停止する"
              variant="alert"
              fields={{ subject_type: found.subject_type, subject_id: found.subject_id }}
              {...shared}
            >
              {(fields) => (
                <NoteField
                  act="take_down"
                  name="note"
                  label="ひとこと（任意）"
                  hint="持ち主と、通報した人が読みます。だれの名前も書かないでください。"
                  fields={fields}
                />
              )}
            </ConfirmedAct>
          )}
        </Fragment>
      )}
    </>
  );
}
