import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";

// Before each file, because files share a workerd: starting one takes longer than most files. They share no stored
// data.
await reset();
for (const [database, statements] of [
  [env.DB, env.SCHEMAS.api],
  [env.SEARCH, env.SCHEMAS.search],
  [env.GATEWAY_DB, env.SCHEMAS.gateway],
] as const) {
  await database.batch(statements.map((statement) => database.prepare(statement)));
}
