import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { aacModule } from "./scripts/aac-module.ts";
import { bankList } from "./scripts/bank-list.ts";
import { makeServersCheap } from "./tests/support/fast-environment.ts";
import { statementsOfSchema } from "./tests/support/schema.ts";

makeServersCheap();

/**
 * The slowest files, slowest first. They start early, so that no slow file is left to one core while the other is idle.
 */
const LONGEST = [
  "model/money",
  "subscriptions",
  "subscriptions-changes",
  "subscriptions-ending",
  "paid-letters",
  "publishing-clock",
  "search-answers",
  "publishing-model",
  "properties",
  "permissions",
  "leaks",
  "hostile-files",
  "backup",
  "authentication",
  "visitor-pages",
  "outage",
  "smtp",
  "hostile-web",
  "hostile-api",
  "data-folder",
  "pre-hijacking",
  "idempotency",
  "full-disk",
  "session-renewal",
  "connections",
  "maintenance",
];

/**
 * Runs one project after the other, each from its slowest file. Mixed, each project would end the other's shared worker
 * at every turn.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification) => {
      const rank = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return rank < 0 ? LONGEST.length : rank;
    };
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => b.project.name.localeCompare(a.project.name) || rankOf(a) - rankOf(b));
  }
}

// Stands in for identity, mails, pictures and radio, which no test of this project calls.
const nobody = () => new Response(null, { status: 404 });

/**
 * Both projects have one worker more than a small machine has cores, because a test often waits: for a database, a process or a
 * clock. With two more, their starts cost what the waiting saved. Workers keep started servers from file to file. A test takes
 * seconds at most. The limits end a test that hangs, and leave room for a machine with eight times more work than cores.
 * `maxConcurrency` lets all tests of outage.test.ts that wait for the web worker's time limit wait at the same time.
 */
const SHARED = { isolate: false, maxWorkers: 3, maxConcurrency: 10, testTimeout: 120_000, hookTimeout: 120_000 };

/**
 * `workerd`: the API's code inside a worker with a real D1. `node`: whole workers from outside, and the source tree
 * itself.
 */
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // Workers inside the tests log each request.
    onConsoleLog: (line) => !/"message":"(request|the clock ran)"/.test(line),
    projects: [
      {
        plugins: [
          bankList(),
          cloudflareTest(async () => ({
            wrangler: { configPath: "./workers/api/wrangler.toml" },
            miniflare: {
              // The payment gateway runs inside the tests: tests/api/support/gateway.ts.
              d1Databases: { GATEWAY_DB: "gateway" },
              bindings: {
                ENVIRONMENT: "local",
                PROJECT_ID: "demo-ofuse",
                BANK_KEYS: "k1:bank-key-of-the-tests-00000000000001",
                MEDIA_KEY: "media-key-of-the-tests-0000000000001",
                OPERATOR_KEY: "operator-key-of-the-tests-00000000001",
                FC_RUNS: process.env.FC_RUNS ?? "",
                NEWSLETTER_RACERS: process.env.NEWSLETTER_RACERS ?? "",
                SCHEMAS: {
                  api: statementsOfSchema("api"),
                  search: statementsOfSchema("search"),
                  gateway: statementsOfSchema("gateway"),
                },
                SEARCH_MIGRATIONS: await readD1Migrations("./workers/api/search/migrations"),
                TEST_MIGRATIONS: await readD1Migrations("./workers/api/storage/migrations"),
              },
              serviceBindings: { IDENTITY: nobody, MAILS: nobody, PICTURES: nobody, RADIO: nobody },
            },
          })),
        ],
        test: {
          ...SHARED,
          sequence: { groupOrder: 0 },
          name: "workerd",
          // workerd gets each of these libraries as one file. It would fetch them module by module, stripe in 218 requests.
          deps: {
            optimizer: {
              ssr: { enabled: true, include: ["stripe", "zod", "kysely", "jose", "htmlparser2", "fast-check"] },
            },
          },
          include: ["tests/{kernel,contract,http,api,web}/**/*.test.ts"],
          setupFiles: ["tests/api/support/migrate.ts"],
        },
      },
      {
        // The demo world registers bank accounts.
        plugins: [bankList(), aacModule()],
        test: {
          ...SHARED,
          sequence: { groupOrder: 1 },
          name: "node",
          // The mails worker trusts the SMTP server of its tests. Miniflare reads this when it is loaded.
          env: { NODE_EXTRA_CA_CERTS: new URL("./tests/mails/certificate.pem", import.meta.url).pathname },
          include: [
            "tests/{architecture,identity,gateway,mails,model,network,radio,app,verifier,scripts,share-images,pictures}/**/*.test.ts",
          ],
          globalSetup: ["tests/support/build.ts"],
          setupFiles: ["tests/support/own-connections.ts"],
        },
      },
    ],
  },
});
