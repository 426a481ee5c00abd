import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

/** `workerd`: code of the API inside a worker with a real D1. `node`: whole workers from outside, and the tree itself. */
// Nobody asks identity anything in these tests, nor sends pictures.
const nobody = () => new Response(null, { status: 404 });

export default defineConfig({
  test: {
    projects: [
      {
        plugins: [
          cloudflareTest(async () => ({
            wrangler: { configPath: "./workers/api/wrangler.toml" },
            miniflare: {
              bindings: {
                ENVIRONMENT: "local",
                PROJECT_ID: "demo-ofuse",
                MEDIA_KEY: "media-key-of-the-tests-0000000000001",
                SEARCH_MIGRATIONS: await readD1Migrations("./workers/api/search/migrations"),
                TEST_MIGRATIONS: await readD1Migrations("./workers/api/storage/migrations"),
              },
              serviceBindings: { IDENTITY: nobody, PICTURES: nobody },
            },
          })),
        ],
        test: {
          name: "workerd",
          sequence: { groupOrder: 0 },
          include: ["tests/{kernel,contract,api,web}/**/*.test.ts"],
          setupFiles: ["tests/api/support/migrate.ts"],
        },
      },
      {
        test: {
          name: "node",
          sequence: { groupOrder: 1 },
          include: ["tests/{architecture,identity,network,app,verifier,scripts,share-images}/**/*.test.ts"],
          globalSetup: ["tests/support/build.ts"],
          isolate: false,
          maxWorkers: 2,
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
