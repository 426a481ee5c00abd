import { data, Form, Link, redirect } from "react-router";
import { SEARCHED_UNITS } from "../../../workers/contract/bounds.ts";
import { groupDigits } from "../../../workers/contract/group-digits.ts";
import { listGenres } from "../../../workers/contract/references.ts";
import { searchUsers } from "../../../workers/contract/search.ts";
import { recommendUsers, type User } from "../../../workers/contract/users.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { Avatar } from "../../people/avatar.tsx";
import { incompleteContext, v4Context } from "../../request/context.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Pager } from "../../ui/pager.tsx";
import { pageNumber, refuseEmptyPage } from "../../v4/page-number.ts";
import type { Route } from "./+types/search.ts";
import {
  describeSought,
  isAnythingSought,
  readSought,
  SEARCHED_PATH,
  SOUGHT,
  type Sought,
  searchPath,
  widerSearches,
} from "./sought.ts";

export const meta: Route.MetaFunction = (args) => {
  const { loaderData } = args;
  if (!loaderData) return pageMeta(args, undefined);
  const { title, is_search } = loaderData;
  return pageMeta(args, {
    title: is_search ? `${title}の検索結果` : "クリエイターを探す",
    description:
      "名前や自己紹介の言葉、ジャンルから、応援したいクリエイターを探せます。イラスト、音楽、小説、声の活動など、さまざまな創作をしている人がいます。",
    is_unlisted: is_search,
  });
};

const PAGE_SIZE = 20;
const SUGGESTED = 6;

export async function loader({ url, context }: Route.LoaderArgs) {
  const sought = readSought(url);
  const is_search = isAnythingSought(sought);
  // A form submits its empty fields too. `keyword` is in the address only if it was typed. Source: spec section 2.
  if (!is_search && SOUGHT.some((name) => url.searchParams.has(name))) throw redirect(SEARCHED_PATH);
  const page = is_search ? pageNumber(url) : 1;
  const v4 = context.get(v4Context);
  const [listed, sent] = await Promise.all([
    v4.send(listGenres, {}),
    is_search
      ? v4.send(searchUsers, { query: { ...givenParameters(sought), limit: PAGE_SIZE, page_number: page } })
      : null,
  ]);
  // The page is incomplete without the genres, so it must not be cached for other visitors.
  if (!listed.ok) context.set(incompleteContext, true);
  const genres = listed.ok ? listed.answer.genres : [];
  const found = sent?.ok ? sent.answer : null;
  if (found) refuseEmptyPage(page, found.users);
  const suggested =
    found && found.users.length > 0 ? null : await v4.send(recommendUsers, { query: { limit: SUGGESTED } });
  // A page without a search consists of the genres and suggestions. If the suggestions fail, show the error.
  const refusal =
    sent?.ok === false ? sent.refusal : is_search || !suggested || suggested.ok ? null : suggested.refusal;
  const genre = genres.find(({ genre_id }) => genre_id === sought.genre_id)?.name;
  return data(
    {
      sought,
      is_search,
      page,
      genres,
      title: describeSought(sought, genre ?? sought.genre_id),
      users: found?.users ?? [],
      has_next: found?.has_next ?? false,
      suggested: suggested?.ok ? suggested.answer.users : [],
      refusal: refusal && { detail: refusal.detail, fields: refusal.fields },
    },
    { status: refusal?.status ?? 200 },
  );
}

/** Returns only the search parameters that the address has. */
function givenParameters(sought: Sought): Partial<Sought> {
  return Object.fromEntries(Object.entries(sought).filter(([, value]) => value !== ""));
}

export default function Search({ loaderData }: Route.ComponentProps) {
  const { is_search, users, refusal, suggested, genres, title } = loaderData;
  return (
    <div className="page">
      <h1 className="page-title search-title">クリエイターを探す</h1>
      <SearchForm {...loaderData} />
      {!is_search && <GenreLinks genres={genres} />}
      <section id="results" aria-labelledby="results-title">
        {refusal ? (
          <div className="form-error" role="alert">
            <h2 id="results-title" className="visually-hidden">
              検索できませんでした
            </h2>
            {refusal.detail}
          </div>
        ) : is_search ? (
          <>
            <h2 id="results-title" className="section-title">
              {title}の検索結果
            </h2>
            {users.length > 0 ? <Found {...loaderData} /> : <NobodyFound {...loaderData} />}
          </>
        ) : (
          <>
            <h2 id="results-title" className="section-title">
              人気のクリエイター
            </h2>
            <Creators users={suggested} genres={genres} />
          </>
        )}
      </section>
      {is_search && !refusal && users.length === 0 && (
        <>
          <GenreLinks genres={genres} />
          {suggested.length > 0 && (
            <section aria-labelledby="suggested-title">
              <h2 id="suggested-title" className="section-title">
                人気のクリエイター
              </h2>
              <Creators users={suggested} genres={genres} />
            </section>
          )}
        </>
      )}
    </div>
  );
}

type Shown = Route.ComponentProps["loaderData"];

function SearchForm({ sought, genres, refusal }: Shown) {
  const errors = refusal?.fields ?? {};
  return (
    // The key resets the form's fields for each new search.
    <Form key={searchPath(sought)} action="/search" className="card search-form" aria-label="検索の条件">
      <TextField
        name="keyword"
        label="キーワード"
        value={sought.keyword}
        errors={errors.keyword}
        placeholder="例：水彩　猫"
      />
      <TextField name="name" label="名前" value={sought.name} errors={errors.name} placeholder="例：なつめ" />
      <div className="field">
        <label htmlFor="search-genre">ジャンル</label>
        <select id="search-genre" name="genre_id" defaultValue={sought.genre_id} className="control">
          <option value="">すべて</option>
          {genres.map(({ genre_id, name }) => (
            <option key={genre_id} value={genre_id}>
              {name}
            </option>
          ))}
        </select>
      </div>
      <Button>検索する</Button>
    </Form>
  );
}

function TextField(props: {
  name: "keyword" | "name";
  label: string;
  value: string;
  errors: string[] | undefined;
  placeholder: string;
}) {
  const { name, label, value, errors, placeholder } = props;
  const id = `search-${name}`;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="search"
        name={name}
        defaultValue={value}
        className="control"
        placeholder={placeholder}
        maxLength={SEARCHED_UNITS}
        enterKeyHint="search"
        aria-invalid={errors ? true : undefined}
        aria-describedby={errors ? `${id}-error` : undefined}
      />
      {errors && (
        <p id={`${id}-error`} className="field-error">
          {errors.join(" ")}
        </p>
      )}
    </div>
  );
}

function Found({ users, genres, page, has_next, sought }: Shown) {
  const before = (page - 1) * PAGE_SIZE;
  return (
    <>
      <p className="search-count">
        {page === 1 && !has_next
          ? `${users.length}人のクリエイターが見つかりました。`
          : `${before + 1}〜${before + users.length}人目を表示しています。`}
      </p>
      <Creators users={users} genres={genres} />
      <Pager page={page} has_next={has_next} hrefOf={(n) => `${searchPath(sought, n)}#results`} />
    </>
  );
}

function Creators({ users, genres }: { users: readonly User[]; genres: Shown["genres"] }) {
  return (
    <ul className="people search-results">
      {users.map((user) => (
        <li key={user.user_id} className="card search-result">
          <Avatar image={user.icon_image} size={48} />
          <div className="person-text">
            <h3 className="person-name">
              <Link to={`/${user.link_id}`} className="card-link">
                <bdi>{user.name}</bdi>
              </Link>
            </h3>
            <p className="search-result-id">
              @{user.link_id}　フォロワー{groupDigits(user.followers_count)}人
              {user.is_followed && <span className="badge badge-quiet">フォロー中</span>}
            </p>
            {user.bio && <p className="person-bio">{user.bio}</p>}
            {user.genre_ids.length > 0 && (
              <p className="search-result-genres">
                {user.genre_ids.map((genre_id) => (
                  <span key={genre_id} className="badge">
                    {genres.find((genre) => genre.genre_id === genre_id)?.name ?? genre_id}
                  </span>
                ))}
              </p>
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}

/** `auto-phrase` takes the end of a sentence and the beginning of the next one for one phrase, so `<br>` parts them. */
function NobodyFound({ sought }: Shown) {
  const wider = widerSearches(sought);
  return (
    <EmptyState title="条件に合うクリエイターは見つかりませんでした">
      <ul className="search-hints">
        <li>
          言葉を短くするか、空白で区切ってみてください。
          <br />
          「水彩画の猫」より「水彩 猫」のほうが見つかりやすくなります。
        </li>
        <li>
          漢字で見つからないときは、ひらがなでもお試しください。
          <br />
          ひらがなとカタカナ、全角と半角は区別しません。
        </li>
        <li>名前の一部や、@で始まるIDでも探せます。</li>
      </ul>
      {wider.length > 0 && (
        <p className="search-wider">
          {wider.map(({ label, sought: next }) => (
            <Link key={label} to={searchPath(next)} className="button button-gray-outline button-sm">
              {label}
            </Link>
          ))}
        </p>
      )}
    </EmptyState>
  );
}

function GenreLinks({ genres }: { genres: Shown["genres"] }) {
  if (genres.length === 0) return null;
  return (
    <nav aria-labelledby="genres-title">
      <h2 id="genres-title" className="section-title">
        ジャンルから探す
      </h2>
      <ul className="search-genres">
        {genres.map(({ genre_id, name }) => (
          <li key={genre_id}>
            <Link to={searchPath({ genre_id })} className="button button-gray-outline button-sm">
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
