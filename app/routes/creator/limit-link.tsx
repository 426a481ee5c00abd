import { Link } from "react-router";
import { LIMIT_PATH } from "../my/subscription-words.ts";

/** Leads from a payment that the monthly limit refused to the limit. */
export function LimitLink({ code }: { code: string | null | undefined }) {
  if (code !== "spending_limit_reached" && code !== "minor_limit_reached") return null;
  return (
    <p className="field-hint">
      <Link to={LIMIT_PATH}>1か月の上限額を確認する</Link>
    </p>
  );
}
