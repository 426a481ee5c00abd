/**
 * Installs the dependencies when they are missing or older than the lockfile, and changes two lines of Miniflare. Prints
 * nothing when there is nothing to do.
 *
 * Plain JavaScript for Node 18 and newer, because it runs before the Node that the other scripts need is installed.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
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
 * Lines of Miniflare that are changed (docs/decisions/0022). Without them (another version, or a service that may not write here)
 * everything works, only slower; tests/scripts/install.test.ts then fails.
 */
const changes = [
  {
    // The configuration for workerd, 22 MB, is written into a buffer. It grew by what was needed at the moment, and was copied each time.
    file: "index.js",
    from: "s.buffer = new ArrayBuffer(srcBuffer.byteLength + minSize);",
    to: "s.buffer = new ArrayBuffer(srcBuffer.byteLength + Math.max(minSize, srcBuffer.byteLength));",
  },
  {
    // A bookmark writes two pages of the database and waits for the disk. Without a change nobody needs one: we use no sessions of D1.
    file: "workers/d1/database.worker.js",
    from: "commitToken = await this.state.storage.getCurrentBookmark();",
    to: 'commitToken = results.some(({ meta }) => meta.changed_db) ? await this.state.storage.getCurrentBookmark() : "";',
  },
];

try {
  for (const { file, from, to } of changes) {
    const path = join(root, "node_modules/miniflare/dist/src", file);
    const code = readFileSync(path, "utf8");
    if (!code.includes(from)) continue;
    // Another process may be reading the file.
    writeFileSync(`${path}.new`, code.replace(from, to));
    renameSync(`${path}.new`, path);
  }
} catch (error) {
  console.warn(
    `The site works slower than it could, because a file of Miniflare could not be changed: ${error.message}`,
  );
}
