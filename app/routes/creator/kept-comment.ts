import type { RouterContextProvider } from "react-router";
import { id } from "../../../workers/contract/fields.ts";
import { keptForm } from "../../forms/intent.ts";
import type { KeptComment } from "./comments.tsx";

/** Reads the comment that this browser wrote on the post at `path` before signing in. Returns null if there is none. */
export async function keptComment(context: Readonly<RouterContextProvider>, path: string): Promise<KeptComment | null> {
  const form = await keptForm(context, path);
  if (!form) return null;
  const parent_comment_id = id.safeParse(form.get("parent_comment_id")).data ?? null;
  return { message: String(form.get("message") ?? ""), parent_comment_id };
}
