import { useFetcher, useLocation } from "react-router";
import type { ButtonSize, ButtonVariant } from "../../../workers/contract/interface.ts";
import type { User } from "../../../workers/contract/users.ts";
import { buttonClass } from "../../ui/button.tsx";
import type { action } from "./follow.tsx";

interface FollowFormProps {
  creator: User;
  idempotency_key: string | null;
  /** The variant of the "follow" button. Use an outline next to a solid button. */
  variant?: ButtonVariant;
  size?: ButtonSize;
}

/** A button to follow or unfollow. With JavaScript, the button shows the result before the server answers. */
export function FollowForm({ creator, idempotency_key, variant = "primary", size }: FollowFormProps) {
  const fetcher = useFetcher<typeof action>();
  const { pathname, search } = useLocation();
  const pending = fetcher.formData?.get("operation");
  const is_followed = pending ? pending === "follow" : creator.is_followed;
  return (
    <fetcher.Form method="post" action={`/${creator.link_id}/follow`} aria-label={creator.name}>
      {idempotency_key && <input type="hidden" name="idempotency_key" value={idempotency_key} />}
      <input type="hidden" name="to" value={pathname + search} />
      <button
        type="submit"
        name="operation"
        value={is_followed ? "unfollow" : "follow"}
        className={buttonClass({ variant: is_followed ? "gray-outline" : variant, size })}
      >
        {is_followed ? "フォロー中" : "フォローする"}
      </button>
      {fetcher.data && (
        <p className="field-error" role="alert">
          {fetcher.data.error}
        </p>
      )}
    </fetcher.Form>
  );
}
