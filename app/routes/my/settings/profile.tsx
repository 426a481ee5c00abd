import type { SubmissionResult } from "@conform-to/react";
import { lazy, Suspense, useState } from "react";
import { data, Form, Link, type RouterContextProvider, redirect, useNavigation } from "react-router";
import { BIO_GRAPHEMES, GENRES_OF_A_PERSON, NAME_GRAPHEMES } from "../../../../workers/contract/bounds.ts";
import { groupDigits } from "../../../../workers/contract/group-digits.ts";
import { type CreatorAccount, getCreatorAccount } from "../../../../workers/contract/payouts.ts";
import { listExternalSites, listGenres } from "../../../../workers/contract/references.ts";
import {
  getProfile,
  type Profile,
  updateExternalLinks,
  updateGenres,
  updateProfile,
} from "../../../../workers/contract/users.ts";
import { pageMeta } from "../../../crawlers/page-meta.ts";
import { Author } from "../../../forms/author.tsx";
import { forgetIntent, keptForm } from "../../../forms/intent.ts";
import { type ReadForm, readForm } from "../../../forms/read-form.ts";
import { useStayingForm } from "../../../forms/use-staying-form.ts";
import { refuseWords, returnWords, type Words, wordsOf } from "../../../forms/words.ts";
import { notUploaded } from "../../../post/post-action.ts";
import { v4Context } from "../../../request/context.ts";
import { setFlash } from "../../../request/flash.ts";
import { viewerContext } from "../../../session/context.ts";
import { useTakesMoney } from "../../../site/money.tsx";
import { Banner } from "../../../ui/banner.tsx";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { InputField, TextAreaField } from "../../../ui/field.tsx";
import { FieldErrors, FormErrors, useMendable } from "../../../ui/form-errors.tsx";
import type { Refusal } from "../../../v4/client.ts";
import { sendFromBrowser } from "../../../v4/send-from-browser.ts";
import { isRegistrationDone } from "../earnings/payout-state.ts";
import type { Route } from "./+types/profile.ts";
import { LinkRows } from "./link-rows.tsx";
import { contentErrors, fieldsByRow, parseSeenLinks, profileSchema } from "./profile-schema.server.ts";
import {
  genreIdsOf,
  type LinkRow,
  linkRowsOf,
  linksOf,
  OVERWRITE_LINKS,
  PROFILE_PATH as PATH,
  PICTURES,
  type Written,
  withRows,
  writtenOf,
} from "./profile-values.ts";
import { SettingsPage } from "./settings-page.tsx";

/**
 * The browser loads its script after hydration, and the server renders it. It has no text: when the answer to a form comes
 * before the script, React renders it again with the values of before.
 */
const PictureChoice = lazy(() =>
  import("./picture-choice.tsx")
    .then((loaded) => ({ default: loaded.PictureChoice }))
    .catch(() => ({ default: () => <p>読み込めませんでした。</p> })),
);

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "プロフィール", is_unlisted: true });

export async function loader({ context }: Route.LoaderArgs) {
  const v4 = context.get(v4Context);
  const [{ user }, { external_sites }, { genres }, monetized] = await Promise.all([
    v4.read(getProfile, {}),
    v4.read(listExternalSites, {}),
    v4.read(listGenres, {}),
    v4.part(getCreatorAccount, {}),
  ]);
  const { user_id, email, link_id, is_creator } = user;
  // Prefer text typed before a sign-in or an upload to the stored profile.
  const kept = await keptForm(context, PATH);
  const written = kept ? { ...(isWhole(kept) ? {} : writtenOf(user)), ...textsOf(kept) } : writtenOf(user);
  const should_verify_email = context.get(viewerContext)?.session.shouldVerifyEmail ?? false;
  const monetization = is_creator ? monetizationOf(monetized?.creator_account) : "登録する";
  return { user_id, email, link_id, is_creator, monetization, written, external_sites, genres, should_verify_email };
}

/** Says how far a creator's registration for monetization is. `undefined` if the API did not say. */
function monetizationOf(account: CreatorAccount | null | undefined): string {
  if (account === undefined || isRegistrationDone(account)) return "登録済み（内容を見る）";
  if (account?.identity_verification === "unverified") return "本人確認のやり直しが必要です";
  if (account?.is_bank_refused) return "振込先の口座の登録し直しが必要です";
  return "振込を受け取る手続きの途中です（続きへ）";
}

const textsOf = (form: FormData): Written =>
  Object.fromEntries([...form].filter((entry): entry is [string, string] => typeof entry[1] === "string"));

/** Returns true if the form was sent completely. Only then does a missing checkbox mean that it is unchecked. */
const isWhole = (form: FormData) => form.has("has_links");

export async function action({ request, context }: Route.ActionArgs) {
  const words = wordsOf(await request.formData(), PATH);
  const { form } = words;
  const rows = linkRowsOf(textsOf(form));
  // Trim pasted URLs for clients that do not: browsers trim URL fields.
  for (const { at, url } of rows) form.set(`link_url_${at}`, url);
  const read = readWhole(form, profileSchema(rows));
  const operation = form.get("operation");
  if (operation && operation !== OVERWRITE_LINKS) return changedForm(form, rows, String(operation));
  const result = read.toResult();
  const unsent = picturesNotUploaded(form);
  if (unsent) return returnWords(words, { ...result, status: "error", error: { ...result.error, ...unsent } }, 422);
  if (!read.value) return returnWords(words, result, 422);
  const refusal = await saveProfile(context, words, read, rows);
  if (refusal) return refusal;
  forgetIntent(context, "form");
  setFlash(context, "settings_saved");
  return redirect(PATH, 303);
}

/**
 * Returns the errors of pictures that were chosen and never uploaded, or null. The field of such a picture has the file's
 * name and no file. Browsers without JavaScript send it.
 */
function picturesNotUploaded(form: FormData): Record<string, string[]> | null {
  const errors = PICTURES.flatMap((name) => {
    const chosen = form.get(`${name}_file`);
    return typeof chosen === "string" && chosen !== "" ? [{ [`${name}_image_id`]: [notUploaded(chosen)] }] : [];
  });
  return errors.length > 0 ? Object.assign({}, ...errors) : null;
}

/** Reads the form. A refusal returns its blank fields too, so that each row keeps its index and its error. */
function readWhole(form: FormData, schema: ReturnType<typeof profileSchema>): ReadForm<typeof schema> {
  const read = readForm(form, schema);
  return { ...read, toResult: (why) => ({ ...read.toResult(why), initialValue: textsOf(form) }) };
}

/** Adds or removes a link or picture in the form without saving the profile. Browsers without JavaScript use it. */
function changedForm(form: FormData, rows: readonly LinkRow[], operation: string) {
  const written = textsOf(form);
  delete written.operation;
  const [, removed] = /^remove_link_(\d{1,3})$/.exec(operation) ?? [];
  const [, picture] = /^remove_(icon|cover)$/.exec(operation) ?? [];
  if (picture) written[`${picture}_image_id`] = "";
  const left = rows.filter(({ at }) => removed === undefined || at !== Number(removed));
  const more = operation === "add_link" ? [{ external_site_id: "website", url: "" }] : [];
  const result: SubmissionResult<string[]> = { initialValue: withRows(written, [...left, ...more]) };
  return data({ result, idempotency_key: "" });
}

/**
 * Sends the changed sections one after the other; each is saved on its own. The links are first, because only the API can
 * refuse their content. Returns the answer to the first refusal, which says what is saved already, or nothing.
 */
async function saveProfile(
  context: Readonly<RouterContextProvider>,
  words: Words,
  read: ReadForm<ReturnType<typeof profileSchema>>,
  rows: readonly LinkRow[],
) {
  const v4 = context.get(v4Context);
  const { form } = words;
  const before = await v4.send(getProfile, {});
  if (!before.ok) return refuseWords(context, words, read, before.refusal);
  const { user } = before.answer;
  // `readForm` drops empty fields; here an empty field deletes the stored text.
  const { name = "", bio = "" } = (read.value ?? {}) as { name?: string; bio?: string };
  const genre_ids = genreIdsOf(textsOf(form)).sort();
  const errors = contentErrors({ name: name === user.name ? null : name, genre_ids });
  if (errors) return returnWords(words, { ...read.toResult(), status: "error", error: errors }, 422);
  const saved: string[] = [];
  const refuse = (refusal: Refusal, fields = refusal.fields) =>
    refuseWords(context, words, withSaved(read, saved), { ...refusal, fields });
  const links = changedLinks(form, rows, user);
  if (links) {
    const answer = await v4.send(updateExternalLinks, { body: links });
    if (!answer.ok) {
      const { code, detail, fields } = answer.refusal;
      const sent = rows.filter(({ url }) => url !== "");
      return refuse(answer.refusal, code === CONFLICT ? { seen_links: [detail] } : fieldsByRow(fields, sent));
    }
    saved.push("外部リンク");
  }
  if (form.has("genre_ids") && JSON.stringify(genre_ids) !== JSON.stringify(user.genre_ids)) {
    const answer = await v4.send(updateGenres, { body: { genre_ids } });
    if (!answer.ok) return refuse(answer.refusal);
    saved.push("ジャンル");
  }
  // A form without this section changes nothing: pages that fans opened in an older version have none.
  const free = form.has("has_free_ofuses") ? { accepts_free_ofuses: form.has("accepts_free_ofuses") } : {};
  const profile = { name, bio, ...free, ...changedPictures(form, user) };
  const sent = await v4.send(updateProfile, { body: profile, idempotency_key: words.idempotency_key });
  return sent.ok ? null : refuse(sent.refusal);
}

/** Adds what is saved already to the errors of a refused form. */
function withSaved<Schema extends ReturnType<typeof profileSchema>>(read: ReadForm<Schema>, saved: readonly string[]) {
  if (saved.length === 0) return read;
  const sentence = `${saved.join("と")}は保存しました。ほかの変更は、まだ保存していません。`;
  const toResult: typeof read.toResult = (why) => {
    const result = read.toResult(why);
    return { ...result, error: { ...result.error, "": [sentence, ...(result.error?.[""] ?? [])] } };
  };
  return { ...read, toResult };
}

const CONFLICT = "external_links_conflict";

/**
 * Returns the links to send, or null when their writer has not changed them: another page may have. They are sent with
 * the links that the form began with, unless the writer has chosen to overwrite what another page saved.
 */
function changedLinks(form: FormData, rows: readonly LinkRow[], { external_links: stored }: Profile) {
  const external_links = linksOf(rows);
  const text = JSON.stringify(external_links);
  if (!form.has("has_links") || text === JSON.stringify(stored)) return null;
  const seen = form.get("operation") === OVERWRITE_LINKS ? null : parseSeenLinks(form);
  if (!seen) return { external_links };
  return text === JSON.stringify(seen) ? null : { external_links, seen_external_links: seen };
}

function changedPictures(form: FormData, user: Profile): Record<string, string | null> {
  return Object.fromEntries(
    PICTURES.flatMap((name) => {
      const chosen = form.get(`${name}_image_id`);
      if (typeof chosen !== "string" || chosen === (user[`${name}_image`]?.image_id ?? "")) return [];
      return [[`${name}_image_id`, chosen || null]];
    }),
  );
}

export const clientAction = ({ request, serverAction }: Route.ClientActionArgs) =>
  sendFromBrowser(request, serverAction);

export default function ProfileSettings({ loaderData, actionData }: Route.ComponentProps) {
  const { user_id, link_id, is_creator, monetization, written } = loaderData;
  const { external_sites, genres, should_verify_email } = loaderData;
  const takes_money = useTakesMoney();
  const lastResult = actionData?.result as SubmissionResult<string[]> | undefined;
  const [form, fields] = useStayingForm<Written>({ id: "settings", lastResult, defaultValue: written });
  // The form's initial values. Later changes are in the fields themselves.
  const [begun, setBegun] = useState(() => ({ ...((lastResult?.initialValue as Written | undefined) ?? written) }));
  const [times_begun, setTimesBegun] = useState(0);
  const beginWith = (fields: Written) => {
    setBegun(fields);
    setTimesBegun((times) => times + 1);
  };
  const [icon_refused, cover_refused] = PICTURES.map((name) => {
    const refused = begun[`${name}_refused`];
    return refused === undefined ? undefined : [refused];
  });
  const errorsOf = (name: string) => lastResult?.error?.[name] ?? undefined;
  const [genre_errors, mendGenres] = useMendable(errorsOf("genre_ids"));
  const is_sending = useNavigation().state === "submitting";
  return (
    <SettingsPage title="プロフィール">
      {should_verify_email && (
        <Banner>
          メールアドレスの確認が、まだ済んでいません。<Link to="/my/settings/email">確認メールを受け取る</Link>
        </Banner>
      )}
      <Form method="post" action={PATH} id={form.id} className="form" noValidate>
        {/* The form's first button, which the Enter key presses: it saves and uploads no file. */}
        <button type="submit" className="visually-hidden" tabIndex={-1} aria-hidden="true">
          保存する
        </button>
        <Author id={user_id} verb="保存" onBack={beginWith} />
        <section className="card form">
          <h2 className="section-title">表示名と自己紹介</h2>
          <FormErrors errors={form.errors} />
          <InputField
            field={fields.name as never}
            label="表示名"
            type="text"
            hint={`${NAME_GRAPHEMES}文字まで。`}
            input={{ autoComplete: "nickname" }}
          />
          <TextAreaField
            field={fields.bio as never}
            label="自己紹介"
            hint={`${groupDigits(BIO_GRAPHEMES)}文字まで。`}
            max_graphemes={BIO_GRAPHEMES}
          />
        </section>
        <section className="card form" id="pictures">
          <h2 className="section-title">画像</h2>
          <Suspense>
            <PictureChoice
              key={`icon ${times_begun}`}
              name="icon"
              label="アイコン"
              hint="正方形で400ピクセル以上の画像がきれいに見えます。"
              image_id={begun.icon_image_id ?? ""}
              refusal={icon_refused ?? errorsOf("icon_image_id")}
            />
            <PictureChoice
              key={`cover ${times_begun}`}
              name="cover"
              label="カバー画像"
              hint="ページの上に横長（3：1くらい）で表示します。"
              image_id={begun.cover_image_id ?? ""}
              refusal={cover_refused ?? errorsOf("cover_image_id")}
            />
          </Suspense>
        </section>
        <section className="card form" id="links">
          <h2 className="section-title">外部リンク</h2>
          <LinkRows
            key={times_begun}
            rows={linkRowsOf(begun)}
            seen={begun.seen_links ?? ""}
            stored={written.seen_links ?? ""}
            sites={external_sites}
            errorsOf={errorsOf}
          />
        </section>
        <fieldset className="card form" id="genres" onInput={mendGenres}>
          <legend className="section-title">ジャンル</legend>
          <input type="hidden" name="genre_ids" value="" />
          <p className="field-hint">
            {`${GENRES_OF_A_PERSON}つまで選べます。${is_creator ? "" : "クリエイターとして登録すると、"}検索で見つけてもらうときに使います。`}
          </p>
          <div className="genre-list">
            {genres.map(({ genre_id, name }) => (
              <label key={genre_id} className="check">
                <input type="checkbox" name={`in_genre_${genre_id}`} defaultChecked={`in_genre_${genre_id}` in begun} />
                {name}
              </label>
            ))}
          </div>
          <FieldErrors errors={genre_errors} />
        </fieldset>
        <section className="card form">
          <h2 className="section-title">無料のofuse</h2>
          <input type="hidden" name="has_free_ofuses" value="yes" />
          <label className="check">
            <input type="checkbox" name="accepts_free_ofuses" defaultChecked={"accepts_free_ofuses" in begun} />
            無料のofuseを受け取る
          </label>
        </section>
        <div className="settings-save sticky-bar">
          <Button aria-disabled={is_sending}>保存する</Button>
        </div>
      </Form>
      <section className="card form">
        <h2 className="section-title">アカウント</h2>
        <dl className="facts">
          <div>
            <dt>ユーザーID</dt>
            <dd className="fact-line">
              <Link to={`/${link_id}`} className="account-address">
                @{link_id}
              </Link>
              <ButtonLink to="/my/settings/link_id" variant="gray-outline" size="sm">
                変更する
              </ButtonLink>
            </dd>
          </div>
          <div>
            <dt>収益化登録</dt>
            <dd>
              {is_creator || takes_money ? (
                <Link to="/signup/monetize">{monetization}</Link>
              ) : (
                "このサイトではいま登録できません"
              )}
            </dd>
          </div>
          <div>
            <dt>データの控え</dt>
            <dd className="fact-line">
              投稿や手紙など、あなたのデータをまとめて保存できます。
              <ButtonLink to="/my/settings/archive" variant="gray-outline" size="sm">
                保存する
              </ButtonLink>
            </dd>
          </div>
        </dl>
      </section>
    </SettingsPage>
  );
}
