import type { ReactNode } from "react";
import { useFetcher } from "react-router";
import { FormErrors } from "./form-errors.tsx";
import { HiddenFields } from "./hidden-fields.tsx";

/**
 * A form with buttons only. A fetcher sends it, so that it does not disturb other forms of the page. Shows errors below
 * the buttons.
 * @param fields hidden fields ({@link HiddenFields}).
 * @param children renders the buttons; its argument says whether the form is being sent.
 */
export function ButtonForm(props: {
  action?: string;
  fields?: Record<string, string | number | null | undefined>;
  label?: string;
  className?: string;
  children: (is_sending: boolean) => ReactNode;
}) {
  const { action, fields, label, className, children } = props;
  const fetcher = useFetcher<{ error?: string } | null>();
  const error = fetcher.data?.error;
  return (
    <fetcher.Form method="post" action={action} className={className} aria-label={label}>
      <HiddenFields {...fields} />
      {children(fetcher.state !== "idle")}
      <FormErrors errors={error ? [error] : null} answer={fetcher.data} />
    </fetcher.Form>
  );
}
