import type { ReactNode } from "react";
import { useFetcher } from "react-router";
import { FormErrors } from "./form-errors.tsx";

/**
 * A form of buttons alone. The page stays while it is sent, so that no other form of the page is disturbed; why it was
 * refused stands below the buttons.
 *
 * @param fields what goes along unseen; those that are undefined or null do not.
 * @param children the buttons, told whether the form is on its way.
 */
export function ButtonForm(props: {
  action?: string;
  fields?: Record<string, string | number | null | undefined>;
  label?: string;
  className?: string;
  children: (is_sending: boolean) => ReactNode;
}) {
  const { action, fields = {}, label, className, children } = props;
  const fetcher = useFetcher<{ error?: string } | null>();
  const error = fetcher.data?.error;
  return (
    <fetcher.Form method="post" action={action} className={className} aria-label={label}>
      {Object.entries(fields).map(
        ([name, value]) => value != null && <input key={name} type="hidden" name={name} value={value} />,
      )}
      {children(fetcher.state !== "idle")}
      <FormErrors errors={error ? [error] : null} answer={fetcher.data} />
    </fetcher.Form>
  );
}
