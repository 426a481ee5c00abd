import type { ReactNode } from "react";
import { data, Link, redirect, useFetcher } from "react-router";
import { CATEGORIES_OF_A_CREATOR, CATEGORY_GRAPHEMES } from "../../../workers/contract/bounds.ts";
import {
  createEventCategory,
  deleteEventCategory,
  listOwnEventCategories,
  updateEventCategory,
} from "../../../workers/contract/events.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { Author } from "../../forms/author.tsx";
import { forgetIntent, keptForm } from "../../forms/intent.ts";
import { readForm } from "../../forms/read-form.ts";
import { v4Context } from "../../request/context.ts";
import { setFlash } from "../../request/flash.ts";
import { viewerContext } from "../../session/context.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Dialog, DialogButton } from "../../ui/dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FieldErrors, useMendable } from "../../ui/form-errors.tsx";
import type { Refusal } from "../../v4/client.ts";
import { categoryForm } from "../operation-forms.server.ts";
import type { Route } from "./+types/categories.ts";
import { Moved } from "./moved.tsx";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "カテゴリー", is_unlisted: true });

const PATH = "/my/posts/categories";
const RENAMED_GONE = "このカテゴリーは、すでに削除されています。新しいカテゴリーとして追加できます。";

export async function loader({ context }: Route.LoaderArgs) {
  const query = { "expand[]": "events_count" } as const;
  const { event_categories } = await context.get(v4Context).read(listOwnEventCategories, { query });
  const kept = await keptForm(context, PATH);
  return {
    categories: event_categories,
    kept: kept && {
      event_category_id: String(kept.get("event_category_id") ?? ""),
      title: String(kept.get("title") ?? ""),
    },
    viewer_id: context.get(viewerContext)?.profile?.user_id ?? null,
    idempotency_key: crypto.randomUUID(),
  };
}

/**
 * Handles all forms of the page: each category has its own form, and so has the new category. The field `do` names the
 * pressed button.
 */
export async function action({ request, context }: Route.ActionArgs) {
  const form = await request.formData();
  const v4 = context.get(v4Context);
  const read = readForm(form, categoryForm);
  const event_category_id = String(form.get("event_category_id") ?? "");
  const [operation, place] = String(form.get("do") ?? "").split(":");
  const idempotency_key = String(form.get("idempotency_key") || crypto.randomUUID());
  const params = { event_category_id };
  const refuseCategory = (status: number, why?: string | Refusal, id = event_category_id) =>
    data({ result: read.toResult(why), event_category_id: id }, status);
  const sendChange = () => {
    if (event_category_id && operation === "delete") return v4.send(deleteEventCategory, { params });
    if (event_category_id && operation === "move") {
      return v4.send(updateEventCategory, { params, body: { position: Number(place) } });
    }
    if (!read.value) return null;
    if (event_category_id) return v4.send(updateEventCategory, { params, body: read.value });
    return v4.send(createEventCategory, { body: read.value, idempotency_key });
  };
  const sent = await sendChange();
  if (!sent) return refuseCategory(422);
  // The button was pressed twice, or the category was deleted elsewhere: the page is loaded again without it.
  const is_gone = !sent.ok && Boolean(operation) && sent.refusal.code === "not_found";
  if (!sent.ok && !is_gone) {
    const { code, status } = sent.refusal;
    // The category was deleted meanwhile. The page without scripts has no form for it, so the new one shows the name.
    if (code === "not_found" && !operation) return refuseCategory(status, RENAMED_GONE, "");
    return refuseCategory(status, sent.refusal);
  }
  forgetIntent(context, "form");
  if (is_gone) setFlash(context, "category_gone");
  else if (operation !== "move") setFlash(context, operation === "delete" ? "category_deleted" : "category_saved");
  return redirect(PATH, 303);
}

type Answer = Route.ComponentProps["actionData"];

export default function Categories({ loaderData, actionData }: Route.ComponentProps) {
  const { categories, kept, viewer_id, idempotency_key } = loaderData;
  const has_kept = categories.some(({ event_category_id }) => event_category_id === kept?.event_category_id);
  const answerOf = (id: string) => (actionData?.event_category_id === id ? actionData : undefined);
  return (
    <>
      <p className="back">
        <Link to="/my/posts">投稿の一覧へ戻る</Link>
      </p>
      <h1 className="page-title">カテゴリー</h1>
      <p className="lead">投稿を分けて、読みたい人が見つけやすくします。あなたのページには、この順に並びます。</p>
      <NewCategory
        key={categories.length}
        viewer_id={viewer_id}
        idempotency_key={idempotency_key}
        initial={kept && !has_kept ? kept.title : ""}
        answer={answerOf("")}
      />
      {categories.length === 0 ? (
        <EmptyState title="まだカテゴリーがありません">
          <p>「制作日記」「お知らせ」のように、{CATEGORIES_OF_A_CREATOR}個まで作れます。</p>
        </EmptyState>
      ) : (
        <ol className="rows category-rows">
          {categories.map((category, index) => (
            <li key={category.event_category_id} className="card">
              <CategoryForm
                category={category}
                kept_title={kept?.event_category_id === category.event_category_id ? kept.title : null}
                viewer_id={viewer_id}
                place={index + 1}
                up={index > 0 ? index - 1 : null}
                down={index < categories.length - 1 ? index + 1 : null}
                answer={answerOf(category.event_category_id)}
              />
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

/** The title field of a new or an existing category. */
function TitleField(props: { id: string; label: ReactNode; placeholder?: string; initial: string; answer: Answer }) {
  const { id, label, placeholder, initial, answer } = props;
  const result = answer?.result;
  // When the title is taken, the API's error names no field. This form has only one field, so show the error there.
  const [errors, onInput] = useMendable(result?.error?.title ?? result?.error?.[""]);
  return (
    <div className="field" onInput={onInput}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        name="title"
        className="control"
        autoComplete="off"
        placeholder={placeholder}
        defaultValue={result ? String(result.initialValue?.title ?? "") : initial}
        aria-invalid={errors ? true : undefined}
        aria-describedby={errors ? `${id}-error` : undefined}
        // biome-ignore lint/a11y/noAutofocus: after a refused form, the person continues at the field to correct.
        autoFocus={Boolean(errors)}
      />
      <FieldErrors errors={errors} id={`${id}-error`} />
    </div>
  );
}

function NewCategory(props: {
  viewer_id: string | null;
  idempotency_key: string;
  /** The name that was typed before a sign-in. */
  initial: string;
  answer: Answer;
}) {
  const fetcher = useFetcher<typeof action>();
  return (
    <fetcher.Form method="post" action={PATH} className="card category-new">
      <input type="hidden" name="idempotency_key" value={props.idempotency_key} />
      <Author id={props.viewer_id} verb="追加" />
      <TitleField
        id="new-category"
        label="新しいカテゴリー"
        placeholder={`${CATEGORY_GRAPHEMES}文字まで`}
        initial={props.initial}
        answer={fetcher.data ?? props.answer}
      />
      <Button aria-disabled={fetcher.state !== "idle"}>追加する</Button>
    </fetcher.Form>
  );
}

function CategoryForm(props: {
  category: Route.ComponentProps["loaderData"]["categories"][number];
  /** The name that was typed before a sign-in. */
  kept_title: string | null;
  viewer_id: string | null;
  /** The place in the list, counted from 1. */
  place: number;
  /** The new positions for the buttons "up" and "down"; null at that end of the list. */
  up: number | null;
  down: number | null;
  answer: Answer;
}) {
  const { viewer_id, up, down } = props;
  const { event_category_id, title, events_count } = props.category;
  const fetcher = useFetcher<typeof action>();
  const small = { variant: "gray-outline", size: "sm" } as const;
  return (
    <fetcher.Form method="post" action={PATH} className="category-row">
      {/* The form's first button, which the Enter key presses. It renames the category. */}
      <button type="submit" className="visually-hidden" tabIndex={-1} aria-hidden="true">
        名前を変える
      </button>
      <input type="hidden" name="event_category_id" value={event_category_id} />
      <Author id={viewer_id} verb="保存" />
      <TitleField
        id={`category-${event_category_id}`}
        label={
          <>
            名前<span className="field-hint">（公開中の投稿 {events_count ?? 0}件）</span>
          </>
        }
        initial={props.kept_title ?? title}
        answer={fetcher.data ?? props.answer}
      />
      <div className="post-row-buttons">
        <Button {...small} aria-label={`「${title}」の名前を変える`}>
          名前を変える
        </Button>
        {up !== null && (
          <Button {...small} name="do" value={`move:${up}`} data-move="" aria-label={`「${title}」を上へ`}>
            ↑
          </Button>
        )}
        {down !== null && (
          <Button {...small} name="do" value={`move:${down}`} data-move="" aria-label={`「${title}」を下へ`}>
            ↓
          </Button>
        )}
        <DialogButton
          dialog={`delete-${event_category_id}`}
          command="show-modal"
          className={buttonClass(small)}
          aria-label={`「${title}」を削除`}
        >
          削除
        </DialogButton>
        <Moved title={title} place={props.place} />
      </div>
      <Dialog
        id={`delete-${event_category_id}`}
        title="このカテゴリーを削除しますか？"
        actions={
          <Button name="do" value="delete" variant="alert">
            削除する
          </Button>
        }
      >
        <p>「{title}」が消えます。投稿は、カテゴリーなしで残ります。</p>
      </Dialog>
    </fetcher.Form>
  );
}
