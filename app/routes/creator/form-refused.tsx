import { Link } from "react-router";

/** Seen only where a form was sent without JavaScript and refused: why, and the way back. */
export function FormRefused({ error, back, children }: { error: string | undefined; back: string; children: string }) {
  return (
    <section className="card form">
      <p className="form-error" role="alert">
        {error}
      </p>
      <p>
        <Link to={back}>{children}</Link>
      </p>
    </section>
  );
}
