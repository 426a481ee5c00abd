import * as contract from "../../contract/drafts.ts";
import { Problem } from "../../kernel/problem.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { memberId } from "../http/request-context.ts";
import { deleteDraft, saveDraft } from "./commands.ts";
import { listDrafts, openDraft } from "./queries.ts";

export const draftRoutes = [
  bindEndpoint(contract.listDrafts, async ({ query }, context) => ({
    drafts: await listDrafts(context, memberId(context), query),
  })),
  bindEndpoint(contract.getDraft, async ({ params }, context) => {
    const draft = await openDraft(context, memberId(context), params.draft_id);
    if (!draft) throw new Problem("not_found");
    return { draft };
  }),
  bindEndpoint(contract.saveDraft, async ({ params, body }, context) => ({
    draft: await saveDraft(context, params.draft_id, body),
  })),
  bindEndpoint(contract.deleteDraft, ({ params }, context) => deleteDraft(context, params.draft_id)),
];
