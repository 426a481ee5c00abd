import { Link } from "react-router";

/** Links to the newer and the older page. Renders nothing for a single page. `hrefOf` returns the address of a page. */
export function Pager(props: { page: number; has_next: boolean; hrefOf: (page: number) => string }) {
  const { page, has_next, hrefOf } = props;
  if (page === 1 && !has_next) return null;
  return (
    <nav className="pager" aria-label="ページ送り">
      {page > 1 ? (
        <Link to={hrefOf(page - 1)} rel="prev" className="button button-gray-outline">
          前のページ
        </Link>
      ) : (
        <span />
      )}
      <span className="pager-page">{page}ページ目</span>
      {has_next ? (
        <Link to={hrefOf(page + 1)} rel="next" className="button button-gray-outline">
          次のページ
        </Link>
      ) : (
        <span />
      )}
    </nav>
  );
}
