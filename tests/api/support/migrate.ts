import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";

// Before each file, because files share a workerd: starting one takes longer than most files. They share no stored
// data.
await reset();
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
await applyD1Migrations(env.SEARCH, env.SEARCH_MIGRATIONS);
await applyD1Migrations(env.GATEWAY_DB, env.GATEWAY_MIGRATIONS);
