import * as contract from "../../contract/drafts.ts";
import { Problem } from "../../kernel/problem.ts";
import { endpoint } from "../http/endpoint.ts";
import { memberId } from "../http/request-context.ts";
import { deleteDraft, saveDraft } from "./commands.ts";
import { listDrafts, openDraft } from "./queries.ts";

export const draftRoutes = [
  endpoint(contract.listDrafts, async ({ query }, context) => ({
    drafts: await listDrafts(context, memberId(context), query),
  })),
  endpoint(contract.getDraft, async ({ params }, context) => {
    const draft = await openDraft(context, memberId(context), params.draft_id);
    if (!draft) throw new Problem("not_found");
    return { draft };
  }),
  endpoint(contract.saveDraft, async ({ params, body }, context) => ({
    draft: await saveDraft(context, params.draft_id, body),
  })),
  endpoint(contract.deleteDraft, ({ params }, context) => deleteDraft(context, params.draft_id)),
];
