import type { ReactNode } from "react";
import { useFetcher } from "react-router";
import { FormErrors } from "./form-errors.tsx";
import { HiddenFields } from "./hidden-fields.tsx";

/**
 * A form with buttons only. A fetcher sends it, so that it does not disturb other forms of the page. Shows errors below
 * the buttons.
 * @param fields hidden fields ({@link HiddenFields}).
 * @param label names the group of the buttons. A named form would be a landmark: one for each row of a list.
 * @param children renders the buttons; its arguments say whether the form is being sent, and whether its last sending was
 * accepted.
 */
export function ButtonForm(props: {
  action?: string;
  fields?: Record<string, string | number | null | undefined>;
  label?: string;
  className?: string;
  children: (is_sending: boolean, is_sent: boolean) => ReactNode;
}) {
  const { action, fields, label, className, children } = props;
  const fetcher = useFetcher<{ error?: string } | null>();
  const error = fetcher.data?.error;
  const is_sending = fetcher.state !== "idle";
  const buttons = children(is_sending, !is_sending && fetcher.data === null);
  return (
    <fetcher.Form method="post" action={action} className={label ? undefined : className}>
      <HiddenFields {...fields} />
      {label ? (
        <fieldset className={className} aria-label={label}>
          {buttons}
        </fieldset>
      ) : (
        buttons
      )}
      <FormErrors errors={error ? [error] : null} answer={fetcher.data} />
    </fetcher.Form>
  );
}
