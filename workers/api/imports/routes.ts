import * as contract from "../../contract/imports.ts";
import { Problem } from "../../kernel/problem.ts";
import { bindEndpoint, uploadEndpoint } from "../http/endpoint.ts";
import { receiveFile } from "../http/receive-file.ts";
import { memberId } from "../http/request-context.ts";
import { createImport, deleteImport, startImport } from "./commands.ts";
import { findImport, listImportItems, listImports } from "./queries.ts";

export const importRoutes = [
  uploadEndpoint(contract.createImport, async (request, context, services) => {
    // Refuses visitors before it reads the file.
    memberId(context);
    const { made, is_replayed } = await createImport(
      context,
      services,
      await receiveFile(request, contract.createImport),
    );
    return { answer: { import: made }, is_replayed };
  }),
  bindEndpoint(contract.listImports, async (_input, context) => ({
    imports: await listImports(context, memberId(context)),
  })),
  bindEndpoint(contract.getImport, async ({ params, query }, context) => {
    const [found, listed] = await Promise.all([
      findImport(context, memberId(context), params.import_id),
      listImportItems(context, params.import_id, query),
    ]);
    if (!found) throw new Problem("not_found");
    return { import: found, ...listed };
  }),
  bindEndpoint(contract.startImport, ({ params, body }, context) => startImport(context, params.import_id, body)),
  bindEndpoint(contract.deleteImport, ({ params }, context) => deleteImport(context, params.import_id)),
];
