import { useFetcher } from "react-router";
import { calledOf, senderOf } from "../../people/avatar.tsx";
import { Button } from "../../ui/button.tsx";
import { HiddenFields } from "../../ui/hidden-fields.tsx";

/**
 * The button with which the receiver hides a public letter from their page, or shows it again.
 * @param to the page of the button, to redirect to when JavaScript is off.
 */
export function HideLetterForm(
  props: Parameters<typeof senderOf>[0] & { ofuse_id: string; is_hidden: boolean; to: string },
) {
  const { ofuse_id, is_hidden, to } = props;
  const words = is_hidden ? "ページに戻す" : "ページから外す";
  const fetcher = useFetcher<{ button_error?: string }>();
  const error = fetcher.data?.button_error;
  return (
    <fetcher.Form method="post" action={`/my/box/${ofuse_id}`}>
      <HiddenFields to={to} />
      <Button
        name="operation"
        value={is_hidden ? "show" : "hide"}
        size="sm"
        variant="gray-outline"
        aria-label={`${calledOf(senderOf(props))}のofuseを${words}`}
        aria-disabled={fetcher.state !== "idle"}
      >
        {words}
      </Button>
      {error && (
        <p className="field-error" role="alert">
          {error}
        </p>
      )}
    </fetcher.Form>
  );
}
