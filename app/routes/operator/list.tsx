import type { ReactNode } from "react";
import { ButtonLink } from "../../ui/button.tsx";

/** A dense list: rows of one card, each with what it is, notes, and its buttons. */
export function OperatorList({ children }: { children: ReactNode }) {
  return <ul className="card operator-list">{children}</ul>;
}

/** A row: its title, notes below it, and buttons beside it. */
export function OperatorRow(props: { title: ReactNode; actions?: ReactNode; children?: ReactNode }) {
  const { title, actions, children } = props;
  return (
    <li className="operator-row">
      <div className="row-text">
        <p>{title}</p>
        {children}
      </div>
      {actions && <div className="row">{actions}</div>}
    </li>
  );
}

export function Note({ children }: { children: ReactNode }) {
  return <p className="row-note">{children}</p>;
}

/** A link to the next page of a list that begins after a row, and one back to its beginning. */
export function NextPage({ first, next }: { first: string | null; next: string | null }) {
  if (first === null && next === null) return null;
  return (
    <nav className="pager" aria-label="ページ送り">
      {first === null ? (
        <span />
      ) : (
        <ButtonLink to={first} variant="gray-outline">
          はじめに戻る
        </ButtonLink>
      )}
      <span />
      {next === null ? (
        <span />
      ) : (
        <ButtonLink to={next} variant="gray-outline" rel="next">
          次のページ
        </ButtonLink>
      )}
    </nav>
  );
}

/** Facts about one thing. */
export function FactList({ children }: { children: ReactNode }) {
  return <dl className="operator-facts">{children}</dl>;
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
