/**
 * Copies a backup to another place with rclone, which knows S3 and most other stores, and resumes and checks what it sends
 * (docs/decisions/0055). Every backup there shares the folder `blobs`, so that a blob is sent once.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { Refusal } from "./refusal.ts";

/** Runs rclone with the terminal of this process. @throws Refusal when it is not installed, or fails. */
function rclone(args: readonly string[]): Promise<void> {
  const child = spawn("rclone", args, { stdio: ["ignore", "inherit", "inherit"] });
  return new Promise((done, fail) => {
    child.on("error", (error: NodeJS.ErrnoException) => {
      const is_missing = error.code === "ENOENT";
      fail(new Refusal(is_missing ? "rclone is not installed (apt install rclone)." : `rclone: ${error.message}`));
    });
    child.on("close", (code) => {
      if (code === 0) done();
      else fail(new Refusal(`rclone ${args[0]} failed (${code}).`));
    });
  });
}

/**
 * Sends what is missing of a backup to a remote place such as `b2:ofuse-backups`. Sends the manifest last, so that a backup
 * whose sending was cut off is no backup there.
 *
 * @param name the backup's name there.
 * @throws Refusal when rclone is not installed, or fails.
 */
export async function sendOffSite(folder: string, remote: string, name: string): Promise<void> {
  const place = remote.replace(/\/+$/, "");
  // A blob never changes under its name, so its size says whether it is there whole. Its time may be that of a new copy.
  await rclone(["copy", "--size-only", join(folder, "blobs"), `${place}/blobs`]);
  await rclone(["copy", "--exclude", "/blobs/**", "--exclude", "/manifest.json", folder, `${place}/backups/${name}`]);
  await rclone(["copy", "--include", "/manifest.json", folder, `${place}/backups/${name}`]);
}
