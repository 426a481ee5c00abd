/**
 * `npm run deploy`: deploys mails, identity, pictures, radio, api, share-images and web, in this order. A worker's migrations
 * run before the worker is deployed. Stops at the first failure and prints the state of each step. With `--dry-run` nothing
 * leaves this machine. See docs/operations.md.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { isBuildCurrent } from "./build.ts";
import {
  configRefusals,
  type DeployedWorker,
  describeWorker,
  readDeployment,
  readDeploySettings,
  writeDeployment,
} from "./deploy-config.ts";
import { applyMigrations, type RemoteDatabase, type RunWrangler } from "./deploy-migrations.ts";
import { Refusal } from "./refusal.ts";
import { contractBreaches, currentContract, readReleasedContract, releaseContract } from "./released-contract.ts";
import { reportStep, runStep } from "./steps.ts";

const usage = `deploy [--dry-run] [--outdir <folder>] [--secrets-file <file>]
  --dry-run        bundle and check every worker, send nothing
  --outdir         where the dry run puts the bundles
  --secrets-file   JSON of secrets by name: needed the first time, when there is no worker to give them to`;

/** The migrations of one database. A dry run only prints them, because it must work without the account. */
interface MigrationsStep {
  worker: string;
  what: "migrations";
  database: RemoteDatabase;
}

/** The deployment of one worker, with wrangler's arguments. */
interface WorkerStep {
  worker: string;
  what: "worker";
  args: string[];
  /** The arguments for a dry run, which must work without the account. */
  dry_args: string[];
}

/** One step of a deployment. */
export type DeployStep = MigrationsStep | WorkerStep;

/** CI makes wrangler ask no questions, and no usage data are sent. */
const wranglerEnvironment = { CI: "1", WRANGLER_SEND_METRICS: "false", WRANGLER_HIDE_BANNER: "true", NO_COLOR: "1" };

const runWrangler: RunWrangler = (name, args) => runStep(name, "wrangler", args, { env: wranglerEnvironment });

/**
 * Returns the steps of a deployment, in order. `folder` takes the bundles of a dry run, and the secrets of a first
 * deployment.
 */
export function deploySteps(
  deployment: readonly DeployedWorker[],
  { message, folder, has_secrets }: { message: string; folder: string; has_secrets: boolean },
): DeployStep[] {
  return deployment.flatMap(({ config, path }): DeployStep[] => {
    const { name: worker } = config;
    const runDeploy = ["deploy", "--config", path];
    const secrets =
      has_secrets && config.secrets?.required?.length ? ["--secrets-file", secretsFile(folder, worker)] : [];
    return [
      ...config.d1_databases.map(({ database_name, migrations_dir }) => ({
        worker,
        what: "migrations" as const,
        database: { name: database_name, config: path, folder: resolve(dirname(path), migrations_dir) },
      })),
      {
        worker,
        what: "worker",
        args: [...runDeploy, "--message", message, ...secrets],
        dry_args: [...runDeploy, "--dry-run", "--outdir", join(folder, worker)],
      },
    ];
  });
}

function secretsFile(folder: string, worker: string): string {
  return join(folder, `${worker}.secrets.json`);
}

/** Describes the state after the step at `failed_at` failed, and how to continue or go back. */
export function describeFailure(steps: readonly DeployStep[], failed_at: number): string {
  const nameSteps = (some: readonly DeployStep[]) =>
    some.map(({ worker, what }) => `${worker} ${what}`).join(", ") || "nothing";
  const done = steps.slice(0, failed_at);
  const failed = steps.slice(failed_at, failed_at + 1);
  const replaced = done.filter(({ what }) => what === "worker").map(({ worker }) => worker);
  return [
    `Done:       ${nameSteps(done)}.`,
    `Failed:     ${nameSteps(failed)}. What it had not finished is not done; a migration that fails is taken back.`,
    `Not begun:  ${nameSteps(steps.slice(failed_at + 1))}.`,
    "The other workers keep their old version, which works with the new ones: contract and schema are only added to.",
    "To resume:  mend the cause and run npm run deploy again; what is done is done again without harm.",
    ...replaced.toReversed().map((worker) => `To go back: npx wrangler rollback --name ${worker}`),
    ...(replaced.length > 0
      ? [
          "            Cloudflare refuses this across a Durable Object migration. Then deploy the older code forward:",
          '            docs/operations.md, "Going back".',
        ]
      : []),
    "Migrations stay; the old version works with them.",
  ].join("\n");
}

/** Deploys a worker, or only bundles it in a dry run. Prints the result and returns whether it passed. */
async function deployWorker({ worker, args, dry_args }: WorkerStep, dry_run: boolean, run: RunWrangler) {
  const step = await run(`${worker} worker`, dry_run ? dry_args : args);
  reportStep(step);
  const size = /Total Upload: .*/.exec(step.output)?.[0];
  if (step.passed && size) console.log(`      ${size}`);
  return step.passed;
}

/** Runs the steps up to the first failure. Returns the failed step's index, or null. */
export async function runSteps(
  steps: readonly DeployStep[],
  dry_run: boolean,
  run = runWrangler,
): Promise<number | null> {
  for (const [index, step] of steps.entries()) {
    if (step.what === "worker") {
      if (!(await deployWorker(step, dry_run, run))) return index;
    } else if (dry_run) {
      const { name, folder } = step.database;
      const files = relative(resolve(import.meta.dirname, ".."), folder);
      console.log(
        `skip  ${step.worker} migrations: wrangler d1 execute ${name} --remote --file, for each missing of ${files}`,
      );
    } else if (!(await applyMigrations(step.database, run))) return index;
  }
  return null;
}

export interface DeployState {
  /** The output of `git status --porcelain`. */
  changes: string;
  is_build_current: boolean;
  deployment: readonly DeployedWorker[];
  contract_breaches: readonly string[];
  /**
   * The names of the secrets in the secrets file. Null without such a file: the workers then have their secrets
   * already.
   */
  secrets: readonly string[] | null;
}

/** Returns a sentence for each reason not to deploy; empty when there is none. */
export function refusalsOf(state: DeployState): string[] {
  const { changes, is_build_current, deployment, contract_breaches, secrets } = state;
  const missing = new Set(
    deployment
      .flatMap(({ config }) => config.secrets?.required ?? [])
      .filter((name) => secrets && !secrets.includes(name)),
  );
  return [
    ...(changes.trim() ? [`The working tree has changes that are not committed:\n${changes.trimEnd()}`] : []),
    ...(is_build_current ? [] : ["The build is not of these sources. Run npm run build."]),
    ...deployment.flatMap(({ config }) => configRefusals(config)),
    ...contract_breaches.map((breach) => `The contract is not only added to: ${breach}.`),
    ...[...missing].map((name) => `The secrets file has no ${name}.`),
  ];
}

function runGit(...args: string[]): string {
  return execFileSync("git", args, { encoding: "utf8", cwd: import.meta.dirname });
}

/** Writes a file per worker with the secrets that it requires and no others. wrangler reads each file once. */
export function writeSecrets(
  deployment: readonly DeployedWorker[],
  secrets: Readonly<Record<string, string>>,
  folder: string,
): void {
  for (const { config } of deployment) {
    const required = config.secrets?.required ?? [];
    if (required.length === 0) continue;
    const own = Object.fromEntries(required.map((name) => [name, secrets[name]]));
    writeFileSync(secretsFile(folder, config.name), JSON.stringify(own), { mode: 0o600 });
  }
}

/** Throws a Refusal with the usage for arguments that mean nothing. */
export function readArguments(args: string[]): { "dry-run"?: boolean; outdir?: string; "secrets-file"?: string } {
  try {
    return parseArgs({
      args,
      options: { "dry-run": { type: "boolean" }, outdir: { type: "string" }, "secrets-file": { type: "string" } },
    }).values;
  } catch {
    throw new Refusal(usage);
  }
}

async function deployWorkers(): Promise<void> {
  const { "dry-run": dry_run = false, "secrets-file": secrets_file, outdir } = readArguments(process.argv.slice(2));
  const is_build_current = isBuildCurrent();
  const deployment = is_build_current ? readDeployment(readDeploySettings(process.env)) : [];
  const secrets: Record<string, string> | null = secrets_file ? JSON.parse(readFileSync(secrets_file, "utf8")) : null;
  const refusals = refusalsOf({
    changes: runGit("status", "--porcelain"),
    is_build_current,
    deployment,
    contract_breaches: contractBreaches(readReleasedContract() ?? {}, currentContract()),
    secrets: secrets && Object.keys(secrets),
  });
  for (const worker of deployment) {
    console.log(worker.config.name);
    for (const line of describeWorker(worker)) console.log(`      ${line}`);
  }
  const can_go_on = dry_run ? is_build_current : refusals.length === 0;
  if (!can_go_on) throw new Refusal(refusals.join("\n"));
  for (const refusal of refusals) console.log(`would refuse  ${refusal}`);

  const scratch = mkdtempSync(join(tmpdir(), "ofuse-deploy-"));
  try {
    if (secrets && !dry_run) writeSecrets(deployment, secrets, scratch);
    writeDeployment(deployment);
    const message = runGit("log", "-1", "--format=%h %s").trim();
    const folder = (dry_run && outdir) || scratch;
    const steps = deploySteps(deployment, { message, folder, has_secrets: secrets !== null });
    const failed_at = await runSteps(steps, dry_run);
    if (failed_at !== null) throw new Refusal(describeFailure(steps, failed_at));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  if (!dry_run && releaseContract()) console.log("deploy/released-contract.jsonl is new: commit it.");
}

if (import.meta.main) {
  try {
    await deployWorkers();
  } catch (error) {
    console.error(error instanceof Refusal ? error.message : error);
    process.exitCode = 1;
  }
}
