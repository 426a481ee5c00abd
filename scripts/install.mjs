/**
 * Installs the dependencies when they are missing or older than the lockfile, and lets Miniflare start faster. Prints
 * nothing otherwise.
 *
 * Plain JavaScript for Node 18 and newer, because it runs before the Node that the other scripts need is installed.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stamp = join(root, "node_modules", ".install-stamp");

function lockHash() {
  return createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
}

if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== lockHash()) {
  console.log("Installing dependencies (this takes about half a minute) ...");
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  // Not `npm ci`: it fails with a lockfile from a registry that lacks the builds for other platforms.
  const install = spawnSync(npm, ["install", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (install.status !== 0) {
    console.error(install.stdout ?? "", install.stderr ?? "");
    console.error(
      `npm install failed (${install.error?.message ?? `exit ${install.status}`}). Nothing else was started. Check the network and try again.`,
    );
    process.exit(1);
  }
  // npm may have rewritten the lockfile, so the stamp is of the present one.
  writeFileSync(stamp, lockHash());
}

/**
 * Changes one line of Miniflare. It writes workerd's configuration, 22 MB, into a buffer that grows by what is needed at
 * the moment, and copies all of it each time. A buffer that doubles saves up to half of a start. Without the line (another
 * version) the start is only slower, and tests/scripts/install.test.ts fails.
 */
const miniflare = join(root, "node_modules/miniflare/dist/src/index.js");
const code = readFileSync(miniflare, "utf8");
const doubling = code.replace(
  "s.buffer = new ArrayBuffer(srcBuffer.byteLength + minSize);",
  "s.buffer = new ArrayBuffer(srcBuffer.byteLength + Math.max(minSize, srcBuffer.byteLength));",
);
if (doubling !== code) writeFileSync(miniflare, doubling);
