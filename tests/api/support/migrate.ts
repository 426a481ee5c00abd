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
// data. A database with work of the file before still under way is not always emptied.
const TRIES = 5;
for (let tries = 0; tries === 0 || (tries < TRIES && !(await areEmpty())); tries++) await reset();
await Promise.all(
  databases.map(([database, statements]) => database.batch(statements.map((statement) => database.prepare(statement)))),
);
