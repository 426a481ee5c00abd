import * as contract from "../../contract/blocks.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { memberId } from "../http/request-context.ts";
import { createBlock, deleteBlock } from "./commands.ts";
import { listBlocks } from "./queries.ts";

export const blockRoutes = [
  bindEndpoint(contract.createBlock, ({ body }, context) => createBlock(context, body.blocking_id)),
  bindEndpoint(contract.listBlocks, ({ query }, context) => listBlocks(context, memberId(context), query)),
  bindEndpoint(contract.deleteBlock, ({ params }, context) => deleteBlock(context, params.blocking_id)),
];
