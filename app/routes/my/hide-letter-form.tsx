import { useFetcher } from "react-router";
import { Button } from "../../ui/button.tsx";

/**
 * The receiver's button that removes a public letter from their own page, for everybody, or restores it.
 *
 * @param to the page the button is on, to come back to without JavaScript.
 */
export function HideLetterForm({ ofuse_id, is_hidden, to }: { ofuse_id: string; is_hidden: boolean; to: string }) {
  const fetcher = useFetcher<{ button_error?: string }>();
  const error = fetcher.data?.button_error;
  return (
    <fetcher.Form method="post" action={`/my/box/${ofuse_id}`}>
      <input type="hidden" name="to" value={to} />
      <Button
        name="operation"
        value={is_hidden ? "show" : "hide"}
        size="sm"
        variant="gray-outline"
        disabled={fetcher.state !== "idle"}
      >
        {is_hidden ? "ページに戻す" : "ページから外す"}
      </Button>
      {error && (
        <p className="field-error" role="alert">
          {error}
        </p>
      )}
    </fetcher.Form>
  );
}
