/**
 * Debian's headless shell: the Chromium of the same version without windows. A journey costs a quarter less CPU in it. Playwright
 * installs its own for the same reason; a machine with Debian's Chromium usually has none.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { runStep } from "./steps.ts";

const PACKAGE = "chromium-headless-shell";
/** Where Debian's Chromium has its resources, which the shell shares. */
const RESOURCES = "/usr/lib/chromium";
const cache = resolve(import.meta.dirname, "..", ".cache", "headless-shell");

/**
 * Returns the path of the shell that fits the installed Chromium of Debian. The first call unpacks its package below .cache,
 * without installing anything. Returns undefined on other systems, and when the package cannot be had.
 */
export async function findHeadlessShell(): Promise<string | undefined> {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholder is that of dpkg-query.
  const { passed, output } = await runStep("version", "dpkg-query", ["--show", "--showformat=${Version}", "chromium"]);
  const version = output.trim();
  if (!passed || version === "" || !existsSync(RESOURCES)) return;
  const folder = join(cache, version);
  const shell = join(folder, PACKAGE);
  if (existsSync(shell)) return shell;
  mkdirSync(cache, { recursive: true });
  const unpacked = mkdtempSync(join(cache, "new-"));
  try {
    if (!(await unpackShell(unpacked, version))) return;
    renameSync(join(unpacked, RESOURCES), folder);
    return shell;
  } catch {
    // Another run was first, or the package has changed. The installed Chromium does as well.
    return existsSync(shell) ? shell : undefined;
  } finally {
    rmSync(unpacked, { recursive: true, force: true });
  }
}

/** Downloads the package into a folder and unpacks it there, with links to the resources of Chromium. */
async function unpackShell(folder: string, version: string): Promise<boolean> {
  const patience = ["-o", "Acquire::Retries=0", "-o", "Acquire::http::Timeout=10", "-o", "Acquire::https::Timeout=10"];
  const download = await runStep("download", "apt-get", [...patience, "download", `${PACKAGE}=${version}`], {
    cwd: folder,
  });
  const archive = readdirSync(folder).find((file) => file.endsWith(".deb"));
  if (!download.passed || archive === undefined) return false;
  const unpack = await runStep("unpack", "dpkg-deb", ["--extract", join(folder, archive), folder]);
  if (!unpack.passed) return false;
  const own = join(folder, RESOURCES);
  const present = new Set(readdirSync(own));
  for (const file of readdirSync(RESOURCES))
    if (!present.has(file)) symlinkSync(join(RESOURCES, file), join(own, file));
  return true;
}
