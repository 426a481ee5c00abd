import { Form, Link, useLocation } from "react-router";
import { SEARCHED_UNITS } from "../../workers/contract/bounds.ts";
import type { Failure, Kept } from "../v4/failure.ts";
import { KeptForm } from "./kept-form.tsx";

const views: Record<number, { title: string; text: string }> = {
  404: {
    title: "ページが見つかりません",
    text: "削除されたか、URLが変わった可能性があります。リンクが途中で切れていないかもご確認ください。",
  },
  503: {
    title: "ただいま表示できません",
    text: "サーバーが混み合っているようです。少し時間をおいてから、ページを読み直してください。",
  },
};
const unexpected = {
  title: "エラーが発生しました",
  text: "ご迷惑をおかけしています。時間をおいてもう一度お試しください。",
};
const refused = { title: "この操作はできませんでした", text: "前のページに戻って、もう一度お試しください。" };

/** An error page. Also shows the text of a form that was sent, so that the person can send it again. */
export function FailureView(props: { status: number; failure: Partial<Failure> | null; kept: Kept | null }) {
  const { status, failure, kept } = props;
  const view = views[status] ?? (status >= 500 ? unexpected : refused);
  // For status 404 our own sentence is better than the API's. For other statuses the API's sentence is more precise.
  const text = status !== 404 && failure?.detail ? failure.detail : view.text;
  return (
    <div className="page page-narrow failure">
      <p className="failure-status">{status}</p>
      <h1>{view.title}</h1>
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
