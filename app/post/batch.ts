import type * as z from "zod";
import { updateEvents } from "../../workers/contract/events.ts";
import { id } from "../../workers/contract/fields.ts";
import type { FlashCode } from "../request/flash.ts";

type Body = z.output<typeof updateEvents.body>;

/**
 * Reads the form of the page of own posts. `one` is the button of a row (`private:<event_id>`, `discard:<draft_id>`),
 * or `delete` alone for the selected rows. Otherwise `change` applies to the selected rows (`status:private`,
 * `target:memberships:<id>`). On the server only.
 */
export function readBatch(form: FormData): { body: Body } | { draft_id: string } | { error: string } {
  const [done, of] = String(form.get("one") ?? "").split(":");
  const event_ids = of ? [of] : form.getAll("event_ids").map(String);
  if (done === "discard") return id.safeParse(of).success && of ? { draft_id: of } : { error: NOTHING };
  const [what, word = "", membership_id] = done ? [done, done] : String(form.get("change") ?? "").split(":");
  if (!what) return { error: "変更の内容を選んでください。" };
  const asked = {
    published: { change: "status", status: "published" },
    private: { change: "status", status: "private" },
    delete: { change: "delete" },
    status: { change: "status", status: word },
    category: { change: "event_category", event_category_id: word || null },
    target: {
      change: "publish_target",
      publish_target_type: word,
      publish_target_membership_id: membership_id ?? null,
    },
  }[what];
  const read = updateEvents.body.safeParse({ ...asked, event_ids });
  if (read.success) return { body: read.data };
  const issue = read.error.issues.find(({ path }) => path[0] === "event_ids" && path.length === 1);
  return { error: issue?.message ?? NOTHING };
}

const NOTHING = "この変更はできません。ページを読み込み直して、もう一度お試しください。";

export function flashOf(body: Body): FlashCode {
  if (body.change === "delete") return "post_deleted";
  if (body.event_ids.length > 1 || body.change !== "status") return "posts_changed";
  return body.status === "private" ? "post_unpublished" : "post_published";
}
