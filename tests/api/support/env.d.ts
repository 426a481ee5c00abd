/** The type of `cloudflare:workers` inside the tests: the API worker's bindings and the migrations. */
declare namespace Cloudflare {
  interface Env extends ApiEnv {
    /** How many cases a property test tries; empty for its usual number. */
    FC_RUNS: string;
    /** How many writes race for the limit of newsletters; empty for its usual number. */
    NEWSLETTER_RACERS: string;
    GATEWAY_DB: D1Database;
    /** The statements that make each database. */
    SCHEMAS: Record<"api" | "search" | "gateway", string[]>;
    SEARCH_MIGRATIONS: { name: string; queries: string[] }[];
    TEST_MIGRATIONS: { name: string; queries: string[] }[];
  }
}
