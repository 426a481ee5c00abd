import * as contract from "../../contract/users.ts";
import { endpoint } from "../http/endpoint.ts";
import { memberId } from "../http/request-context.ts";
import { createProfile, updateExternalLinks, updateGenres, updateProfile } from "./commands.ts";
import { getOwnProfile, recommendUsers } from "./queries.ts";

export const userRoutes = [
  endpoint(contract.getProfile, async (_input, context) => ({
    user: await getOwnProfile(context, memberId(context)),
  })),
  endpoint(contract.createProfile, async ({ body }, context) => ({ user: await createProfile(context, body) })),
  endpoint(contract.updateProfile, async ({ body }, context) => ({ user: await updateProfile(context, body) })),
  endpoint(contract.updateExternalLinks, ({ body }, context) => updateExternalLinks(context, body.external_links)),
  endpoint(contract.updateGenres, ({ body }, context) => updateGenres(context, body.genre_ids)),
  endpoint(contract.recommendUsers, async ({ query }, context) => ({
    users: await recommendUsers(context, query.limit),
  })),
];
