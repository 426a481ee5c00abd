import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";

const databases = [
  [env.DB, env.SCHEMAS.api],
  [env.SEARCH, env.SCHEMAS.search],
  [env.GATEWAY_DB, env.SCHEMAS.gateway],
] as const;

async function areEmpty(): Promise<boolean> {
  const counts = databases.map(([database]) =>
    database.prepare("SELECT count(*) FROM sqlite_master WHERE name NOT GLOB '_cf_*'").first<number>("count(*)"),
  );
  return (await Promise.all(counts)).every((count) => count === 0);
}

// Before each file, because files share a workerd: starting one takes longer than most files. They share no stored
// data. A reset has left one of the databases as it was, twice in one run and for a reason we do not know, so it is repeated.
const TRIES = 5;
for (let tries = 0; tries === 0 || (tries < TRIES && !(await areEmpty())); tries++) await reset();
await Promise.all(
  databases.map(([database, statements]) => database.batch(statements.map((statement) => database.prepare(statement)))),
);
