import * as contract from "../../contract/blocks.ts";
import { endpoint } from "../http/endpoint.ts";
import { memberId } from "../http/request-context.ts";
import { createBlock, deleteBlock } from "./commands.ts";
import { listBlocks } from "./queries.ts";

export const blockRoutes = [
  endpoint(contract.createBlock, ({ body }, context) => createBlock(context, body.blocking_id)),
  endpoint(contract.listBlocks, ({ query }, context) => listBlocks(context, memberId(context), query)),
  endpoint(contract.deleteBlock, ({ params }, context) => deleteBlock(context, params.blocking_id)),
];
