import { data, Form, Link, redirect } from "react-router";
import { IMPORT_DAYS } from "../../../../workers/contract/bounds.ts";
import { id } from "../../../../workers/contract/fields.ts";
import {
  deleteImport,
  getImport,
  type Import,
  type ImportItem,
  startImport,
} from "../../../../workers/contract/imports.ts";
import { pageMeta } from "../../../crawlers/page-meta.ts";
import { v4Context } from "../../../request/context.ts";
import { setFlash } from "../../../request/flash.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { ButtonForm } from "../../../ui/button-form.tsx";
import { FormErrors } from "../../../ui/form-errors.tsx";
import { HiddenFields } from "../../../ui/hidden-fields.tsx";
import { Pager } from "../../../ui/pager.tsx";
import { pageNumber, refuseEmptyPage } from "../../../v4/page-number.ts";
import type { Route } from "./+types/import-report.ts";
import { IMPORT_PATH, ITEM_WORDS, importPath, KIND_WORDS, STATE_WORDS } from "./import-words.ts";
import { SettingsPage } from "./settings-page.tsx";

const TITLE = "取り込みの確認";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: TITLE, is_unlisted: true });

const PAGE_SIZE = 50;

export async function loader({ params, url, context }: Route.LoaderArgs) {
  const import_id = id.safeParse(params.import_id);
  if (!import_id.success) throw data(null, { status: 404 });
  const page = pageNumber(url);
  const query = { page_number: page, page_size: PAGE_SIZE };
  const found = await context.get(v4Context).read(getImport, { params: { import_id: import_id.data }, query });
  refuseEmptyPage(page, found.items);
  return { ...found, page };
}

/** Starts the import, or forgets it. */
export async function action({ request, params, context }: Route.ActionArgs) {
  const import_id = id.safeParse(params.import_id);
  if (!import_id.success) throw data(null, { status: 404 });
  const form = await request.formData();
  const v4 = context.get(v4Context);
  const of = { params: { import_id: import_id.data } };
  const act = form.get("do");
  if (act === "delete" || act === "stop") {
    // The import may have finished since the page was opened.
    const found = act === "stop" ? await v4.send(getImport, { ...of, query: { page_size: 1 } }) : null;
    const is_stopped = act === "stop" && !(found?.ok && found.answer.import.status === "completed");
    const sent = await v4.send(deleteImport, of);
    // The button was pressed twice.
    if (!sent.ok && sent.refusal.code !== "not_found") return data({ error: sent.refusal.detail }, sent.refusal.status);
    setFlash(context, is_stopped ? "import_stopped" : "import_deleted");
    return redirect(IMPORT_PATH, 303);
  }
  const body = {
    restores_status: form.get("restores_status") === "on",
    overwrites_profile: form.get("overwrites_profile") === "on",
  };
  const sent = await v4.send(startImport, { ...of, body });
  if (!sent.ok) return data({ error: sent.refusal.detail }, sent.refusal.status);
  setFlash(context, "import_started");
  return redirect(importPath(import_id.data), 303);
}

export default function ImportReport({ loaderData, actionData }: Route.ComponentProps) {
  const { import: shown, items, page, has_next } = loaderData;
  const path = importPath(shown.import_id);
  return (
    <SettingsPage title={TITLE}>
      <p className="back">
        <Link to={IMPORT_PATH}>データの取り込みへ戻る</Link>
      </p>
      <section className="card form">
        <h2 className="section-title">{shown.file_name || KIND_WORDS[shown.kind]}</h2>
        <Summary shown={shown} />
        <FormErrors errors={actionData?.error ? [actionData.error] : null} answer={actionData} />
        {shown.status === "ready" && <StartForm shown={shown} path={path} />}
        {shown.status === "importing" && (
          <div>
            <ButtonLink to={path} variant="primary-outline" reloadDocument>
              いまの様子を見る
            </ButtonLink>
          </div>
        )}
        {shown.status === "completed" && shown.counts.post.done > 0 && (
          <div>
            <ButtonLink to="/my/posts?status=is_private" variant="primary-outline">
              自分の投稿を見る
            </ButtonLink>
          </div>
        )}
        {shown.status === "completed" && shown.counts.newsletter.done > 0 && (
          <div>
            <ButtonLink to="/my/news_letters" variant="primary-outline">
              ニュースレターを見る
            </ButtonLink>
          </div>
        )}
        {shown.status === "completed" && shown.counts.radio.done > 0 && (
          <div>
            <ButtonLink to="/my/radio" variant="primary-outline">
              ラジオを見る
            </ButtonLink>
          </div>
        )}
        <ButtonForm
          action={path}
          fields={{ do: shown.status === "completed" ? "delete" : "stop" }}
          label="この取り込みの記録"
        >
          {(is_sending) => (
            <Button variant="gray-outline" size="sm" aria-disabled={is_sending}>
              {shown.status === "completed" ? "記録を消す" : "取り込みをやめる"}
            </Button>
          )}
        </ButtonForm>
        <p className="field-hint">
          {`ファイルは取り込みが終わると、記録は${IMPORT_DAYS}日たつと消えます。取り込んだものは残ります。`}
        </p>
      </section>
      {items.length > 0 && (
        <section>
          <h2 className="section-title">{shown.status === "ready" ? "取り込まれるもの" : "取り込みの結果"}</h2>
          <ul className="rows">
            {items.map((item) => (
              <ItemRow key={item.position} item={item} />
            ))}
          </ul>
        </section>
      )}
      <Pager page={page} has_next={has_next} hrefOf={(number) => (number > 1 ? `${path}?page=${number}` : path)} />
    </SettingsPage>
  );
}

function Summary({ shown: { status, counts } }: { shown: Import }) {
  const kinds = (["post", "newsletter", "radio", "file", "category", "plan", "profile"] as const).filter((kind) =>
    Object.values(counts[kind]).some((number) => number > 0),
  );
  const lead = {
    ready: "確認すると、次のものを取り込みます。まだ何も作られていません。",
    importing: "取り込んでいます。このページを閉じても続きます。",
    completed: "取り込みが終わりました。",
  }[status];
  if (kinds.length === 0) return <p>このファイルには、取り込めるものがありません。</p>;
  return (
    <>
      <p>{lead}</p>
      <dl className="facts">
        {kinds.map((kind) => {
          const { planned, done, skipped, refused } = counts[kind];
          const parts = [
            planned > 0 && `これから${planned}件`,
            done > 0 && `取り込み済み${done}件`,
            skipped > 0 && `すでにある${skipped}件`,
            refused > 0 && `取り込めない${refused}件`,
          ].filter(Boolean);
          return (
            <div key={kind}>
              <dt>{ITEM_WORDS[kind]}</dt>
              <dd>{parts.join("、")}</dd>
            </div>
          );
        })}
      </dl>
    </>
  );
}

function StartForm({ shown: { kind, counts }, path }: { shown: Import; path: string }) {
  const is_empty = Object.values(counts).every(({ planned }) => planned === 0);
  if (is_empty) return <p className="field-hint">これから取り込むものはありません。</p>;
  return (
    <Form method="post" action={path} className="form" aria-label="取り込みを始める">
      <HiddenFields />
      {kind === "archive" && counts.post.planned + counts.radio.planned > 0 && (
        <label className="check">
          <input type="checkbox" name="restores_status" />
          <span>公開の状態も戻す（公開していた投稿とラジオは、すぐに公開されます。お知らせは届きません）</span>
        </label>
      )}
      {counts.profile.planned > 0 && (
        <label className="check">
          <input type="checkbox" name="overwrites_profile" />
          <span>プロフィールも上書きする（チェックしないと、空のところだけに入れます）</span>
        </label>
      )}
      {kind !== "members" && <p className="field-hint">投稿は非公開で取り込みます。日付はそのまま残ります。</p>}
      {counts.newsletter.planned > 0 && (
        <p className="field-hint">ニュースレターは下書きで取り込みます。メールもお知らせも届きません。</p>
      )}
      {counts.radio.planned > 0 && (
        <p className="field-hint">
          ラジオは、公開の状態を戻さなければ、自分だけが聴けるように取り込みます。録音はアップロードした音声になり、保存できる容量に含まれます。
        </p>
      )}
      {kind === "members" && (
        <p className="field-hint">
          プランは下書きで作ります。メンバーの方には、募集を始めてから、いまのサービスのお知らせなどで加入のページをお伝えください。
        </p>
      )}
      <div>
        <Button>取り込みを始める</Button>
      </div>
    </Form>
  );
}

function ItemRow({ item: { kind, title, state, reason, event_id, radio_id } }: { item: ImportItem }) {
  const made = event_id ? `/my/posts/${event_id}/edit` : radio_id && `/my/radio/${radio_id}`;
  return (
    <li className="card row">
      <span className="row-text">
        <span className="row-title">{made && state === "done" ? <Link to={made}>{title}</Link> : title}</span>
        <span className="row-note">
          {ITEM_WORDS[kind]}
          {reason && `・${reason}`}
        </span>
      </span>
      <Badge>{STATE_WORDS[state]}</Badge>
    </li>
  );
}
