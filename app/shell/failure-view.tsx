import { Form, Link, useLocation } from "react-router";
import { SEARCHED_UNITS } from "../../workers/contract/bounds.ts";
import { type Failure, type Kept, NO_CONNECTION_STATUS } from "../v4/failure.ts";
import { failureWords } from "./failure-words.ts";
import { KeptForm } from "./kept-form.tsx";

/** An error page. Also shows the text of a form that was sent, so that the person can send it again. */
export function FailureView(props: { status: number; failure: Partial<Failure> | null; kept: Kept | null }) {
  const { status, failure, kept } = props;
  const { title, text } = failureWords(status, failure?.detail);
  return (
    <div className="page page-narrow failure">
      {status !== NO_CONNECTION_STATUS && <p className="failure-status">{status}</p>}
      <h1>{title}</h1>
      <p>{text}</p>
      {status === 404 && <SearchInstead />}
      {kept && <KeptForm kept={kept} />}
      <p className="failure-links">
        <Link to="/" className="button button-gray-outline">
          トップへ戻る
        </Link>
      </p>
      {status >= 500 && failure?.request_id && <p className="failure-id">お問い合わせ番号：{failure.request_id}</p>}
    </div>
  );
}

/** Links to a search for the creator whose name the address may have misspelt. */
function SearchInstead() {
  return (
    <Form action="/search" role="search" className="failure-search">
      <label htmlFor="failure-keyword">クリエイターを検索</label>
      <input
        id="failure-keyword"
        type="search"
        name="keyword"
        className="control"
        defaultValue={soughtName(useLocation().pathname)}
        maxLength={SEARCHED_UNITS}
      />
      <button type="submit" className="button">
        検索
      </button>
    </Form>
  );
}

const CREATOR_PATH = /^\/@?(?!404$)([\p{L}\p{N}_ー-]{2,50})(\/(about|events|ofuse|plans|radio)\b.*)?$/u;

/**
 * Extracts a name from the address of a missing creator page: `/natsumee`, `/@natsumee`, or a page below. Returns "" if
 * the address has none.
 */
export function soughtName(path: string): string {
  try {
    return CREATOR_PATH.exec(decodeURI(path))?.[1] ?? "";
  } catch {
    return "";
  }
}
