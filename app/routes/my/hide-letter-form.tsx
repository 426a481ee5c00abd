import { useFetcher } from "react-router";
import { Button } from "../../ui/button.tsx";
import type { action } from "./letter.tsx";

/**
 * Takes a public letter off the receiver's own page, for everybody, or puts it back. Stands at the letter and on the page.
 *
 * @param to where it stands: the page to come back to.
 */
export function HideLetterForm({ ofuse_id, is_hidden, to }: { ofuse_id: string; is_hidden: boolean; to: string }) {
  const fetcher = useFetcher<typeof action>();
  const error = fetcher.data && "button_error" in fetcher.data ? fetcher.data.button_error : null;
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
