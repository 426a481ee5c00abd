import { data, Form, Link, redirect } from "react-router";
import { CATEGORIES_OF_A_CREATOR, CATEGORY_GRAPHEMES } from "../../../workers/contract/bounds.ts";
import {
  createEventCategory,
  deleteEventCategory,
  listOwnEventCategories,
  updateEventCategory,
} from "../../../workers/contract/events.ts";
import { v4Context } from "../../middleware/context.ts";
import { setFlash } from "../../session/flash.ts";
import { pageMeta } from "../../shell/page-meta.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Dialog, DialogButton } from "../../ui/dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import type { Route } from "./+types/categories.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "カテゴリー", is_unlisted: true });

const PATH = "/my/posts/categories";

export async function loader({ context }: Route.LoaderArgs) {
  const query = { "expand[]": "events_count" } as const;
  const { event_categories } = await context.get(v4Context).read(listOwnEventCategories, { query });
  return { categories: event_categories, idempotency_key: crypto.randomUUID() };
}

/** Each category is a form of its own, and so is the new one. `do` is the button. */
export async function action({ request, context }: Route.ActionArgs) {
  const form = await request.formData();
  const v4 = context.get(v4Context);
  const event_category_id = String(form.get("event_category_id") ?? "");
  const title = String(form.get("title") ?? "");
  const [operation, place] = String(form.get("do") ?? "").split(":");
  const idempotency_key = String(form.get("idempotency_key") || crypto.randomUUID());
  const params = { event_category_id };
  const send = () => {
    if (!event_category_id) return v4.send(createEventCategory, { body: { title }, idempotency_key });
    if (operation === "delete") return v4.send(deleteEventCategory, { params });
    if (operation === "move") return v4.send(updateEventCategory, { params, body: { position: Number(place) } });
    return v4.send(updateEventCategory, { params, body: { title } });
  };
  const sent = await send();
  if (!sent.ok) {
    const { detail, fields, status } = sent.refusal;
    const error = fields.title?.join(" ") ?? detail;
    return data({ error, event_category_id, title }, status);
  }
  if (operation !== "move") setFlash(context, operation === "delete" ? "category_deleted" : "category_saved");
  return redirect(PATH, 303);
}

export default function Categories({ loaderData, actionData }: Route.ComponentProps) {
  const { categories, idempotency_key } = loaderData;
  const errorOf = (id: string) => (actionData?.event_category_id === id ? actionData.error : null);
  const error = errorOf("");
  return (
    <>
      <p className="back">
        <Link to="/my/posts">投稿の一覧へ戻る</Link>
      </p>
      <h1 className="page-title">カテゴリー</h1>
      <p className="lead">投稿を分けて、読みたい人が見つけやすくします。あなたのページには、この順に並びます。</p>
      <Form method="post" action={PATH} className="card category-new" key={idempotency_key}>
        <input type="hidden" name="idempotency_key" value={idempotency_key} />
        <div className="field">
          <label htmlFor="new-category">新しいカテゴリー</label>
          <input
            id="new-category"
            name="title"
            className="control"
            autoComplete="off"
            placeholder={`${CATEGORY_GRAPHEMES}文字まで`}
            defaultValue={error ? actionData?.title : ""}
            aria-invalid={error ? true : undefined}
            aria-describedby={error ? "new-category-error" : undefined}
          />
          {error && (
            <p className="field-error" id="new-category-error" role="alert">
              {error}
            </p>
          )}
        </div>
        <Button>追加する</Button>
      </Form>
      {categories.length === 0 ? (
        <EmptyState title="まだカテゴリーがありません">
          <p>「制作日記」「お知らせ」のように、{CATEGORIES_OF_A_CREATOR}個までつくれます。</p>
        </EmptyState>
      ) : (
        <ol className="rows category-rows">
          {categories.map(({ event_category_id, title, events_count }, index) => {
            const field = `category-${event_category_id}`;
            const wrong = errorOf(event_category_id);
            return (
              <li key={event_category_id} className="card">
                <Form method="post" action={PATH} className="category-row">
                  {/* What the Enter key presses. */}
                  <button type="submit" className="visually-hidden" tabIndex={-1} aria-hidden="true">
                    名前を変える
                  </button>
                  <input type="hidden" name="event_category_id" value={event_category_id} />
                  <div className="field">
                    <label htmlFor={field}>
                      名前<span className="field-hint">（公開中の投稿 {events_count ?? 0}件）</span>
                    </label>
                    <input
                      id={field}
                      name="title"
                      className="control"
                      autoComplete="off"
                      defaultValue={wrong ? actionData?.title : title}
                      aria-invalid={wrong ? true : undefined}
                      aria-describedby={wrong ? `${field}-error` : undefined}
                    />
                    {wrong && (
                      <p className="field-error" id={`${field}-error`} role="alert">
                        {wrong}
                      </p>
                    )}
                  </div>
                  <div className="post-row-buttons">
                    <Button variant="gray-outline" size="sm" aria-label={`「${title}」の名前を変える`}>
                      名前を変える
                    </Button>
                    {index > 0 && (
                      <Button
                        name="do"
                        value={`move:${index - 1}`}
                        variant="gray-outline"
                        size="sm"
                        aria-label={`「${title}」を上へ`}
                      >
                        ↑
                      </Button>
                    )}
                    {index < categories.length - 1 && (
                      <Button
                        name="do"
                        value={`move:${index + 1}`}
                        variant="gray-outline"
                        size="sm"
                        aria-label={`「${title}」を下へ`}
                      >
                        ↓
                      </Button>
                    )}
                    <DialogButton
                      dialog={`delete-${event_category_id}`}
                      command="show-modal"
                      className={buttonClass({ variant: "gray-outline", size: "sm" })}
                      aria-label={`「${title}」を削除`}
                    >
                      削除
                    </DialogButton>
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
                </Form>
              </li>
            );
          })}
        </ol>
      )}
    </>
  );
}
