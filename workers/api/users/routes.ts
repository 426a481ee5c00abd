import * as contract from "../../contract/users.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { memberId } from "../http/request-context.ts";
import { createProfile, updateExternalLinks, updateGenres, updateProfile } from "./commands.ts";
import { getOwnProfile, recommendUsers } from "./queries.ts";

export const userRoutes = [
  bindEndpoint(contract.getProfile, async (_input, context) => ({
    user: await getOwnProfile(context, memberId(context)),
  })),
  bindEndpoint(contract.createProfile, async ({ body }, context) => ({ user: await createProfile(context, body) })),
  bindEndpoint(contract.updateProfile, async ({ body }, context) => ({ user: await updateProfile(context, body) })),
  bindEndpoint(contract.updateExternalLinks, ({ body }, context) => updateExternalLinks(context, body)),
  bindEndpoint(contract.updateGenres, ({ body }, context) => updateGenres(context, body.genre_ids)),
  bindEndpoint(contract.recommendUsers, async ({ query }, context) => ({
    users: await recommendUsers(context, query.limit),
  })),
];
