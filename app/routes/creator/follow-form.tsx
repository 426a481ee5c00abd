import { Form, useNavigation } from "react-router";
import type { User } from "../../../workers/contract/users.ts";

/** One button, one meaning with or without JavaScript; with it, the button shows the outcome while it is on its way. */
export function FollowForm({ creator, idempotency_key }: { creator: User; idempotency_key: string | null }) {
  const action = `/${creator.link_id}/follow`;
  const navigation = useNavigation();
  const pending = navigation.formAction === action ? navigation.formData?.get("operation") : null;
  const is_followed = pending ? pending === "follow" : creator.is_followed;
  return (
    <Form method="post" action={action} preventScrollReset>
      {idempotency_key && <input type="hidden" name="idempotency_key" value={idempotency_key} />}
      <button
        type="submit"
        name="operation"
        value={is_followed ? "unfollow" : "follow"}
        className={is_followed ? "button button-gray-outline" : "button"}
      >
        {is_followed ? "フォロー中" : "フォローする"}
      </button>
    </Form>
  );
}
