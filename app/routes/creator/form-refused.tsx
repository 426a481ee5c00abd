import { Link } from "react-router";
import { FormErrors } from "../../ui/form-errors.tsx";

/** The page for a form that was sent without JavaScript and refused: the reason, and a link back. */
export function FormRefused({ error, back, children }: { error: string | undefined; back: string; children: string }) {
  return (
    <section className="card form">
      <FormErrors errors={error ? [error] : null} answer={error} />
      <p>
        <Link to={back}>{children}</Link>
      </p>
    </section>
  );
}
