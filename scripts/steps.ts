/** Runs tools quietly: prints one line per tool, and a tool's output only when it fails. */
import { spawn } from "node:child_process";
import { delimiter, join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");

export interface StepResult {
  name: string;
  passed: boolean;
  seconds: number;
  output: string;
}

/** Returns the environment of a tool: without colours, and with the repository's own tools first on PATH. */
function toolEnvironment(extra: Record<string, string>): NodeJS.ProcessEnv {
  const { FORCE_COLOR: _, ...inherited } = process.env;
  const path = [join(root, "node_modules", ".bin"), process.env.PATH ?? ""].join(delimiter);
  return { ...inherited, ...extra, PATH: path };
}

/**
 * Runs a command of the repository to its end.
 *
 * @param live also prints the output while the command runs.
 * @param cwd the repository, or a copy of it.
 */
export async function runStep(
  name: string,
  command: string,
  args: string[],
  { env = {}, live = false, cwd = root }: { env?: Record<string, string>; live?: boolean; cwd?: string } = {},
): Promise<StepResult> {
  const began_at = performance.now();
  const child = spawn(command, args, {
    cwd,
    env: toolEnvironment(env),
    stdio: ["ignore", "pipe", "pipe"],
    shell: process.platform === "win32",
  });
  let output = "";
  for (const [stream, shown] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ] as const) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (live) shown.write(text);
    });
  }
  const passed = await new Promise<boolean>((done) => {
    child.on("error", (error) => {
      output += `${error.message}\n`;
      done(false);
    });
    child.on("close", (code) => done(code === 0));
  });
  return { name, passed, seconds: (performance.now() - began_at) / 1000, output };
}

/** Prints one line for a step, and its output when it failed. */
export function reportStep({ name, passed, seconds, output }: StepResult): void {
  console.log(`${passed ? "ok  " : "FAIL"}  ${name.padEnd(16)} ${seconds.toFixed(1).padStart(6)} s`);
  if (!passed) console.log(output.trimEnd());
}
