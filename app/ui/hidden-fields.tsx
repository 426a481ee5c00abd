import { useRouteLoaderData } from "react-router";
import { OWNER_FIELD } from "./owner-field.ts";

/**
 * The hidden fields of a form, and on a member's page its account: the server refuses the form when another account has
 * signed in meanwhile (forms/authorship.ts).
 * @param fields undefined and null are left out.
 */
export function HiddenFields(fields: Record<string, string | number | null | undefined>) {
  const root = useRouteLoaderData<{ viewer: { account_id: string } | null }>("root");
  return Object.entries({ [OWNER_FIELD]: root?.viewer?.account_id, ...fields }).map(
    ([name, value]) => value != null && <input key={name} type="hidden" name={name} value={value} />,
  );
}
