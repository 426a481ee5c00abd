import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";

// Before each file: the files share a workerd, whose start takes longer than most of them, and nothing that is stored.
await reset();
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
await applyD1Migrations(env.SEARCH, env.SEARCH_MIGRATIONS);
