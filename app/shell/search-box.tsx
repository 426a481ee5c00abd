import { Form, Link } from "react-router";
import { SEARCHED_UNITS } from "../../workers/contract/bounds.ts";
import { SearchIcon } from "./icons.tsx";

/** The creator search. Small screens show a link to the search page instead. Source: spec section 2, Shell. */
export function SearchBox() {
  return (
    <>
      <Form action="/search" role="search" className="search-box">
        <input
          type="search"
          name="keyword"
          className="control"
          placeholder="クリエイター検索"
          aria-label="クリエイター検索"
          maxLength={SEARCHED_UNITS}
          enterKeyHint="search"
        />
        <button type="submit" className="icon-button" aria-label="検索する">
          <SearchIcon />
        </button>
      </Form>
      <Link to="/search" className="icon-button search-link" aria-label="クリエイター検索">
        <SearchIcon />
      </Link>
    </>
  );
}
