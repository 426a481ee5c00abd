/** Which backups of a folder are kept, and what is deleted of it. */
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { readManifest } from "../../scripts/archive.ts";
import { addBackup } from "../../scripts/backup.ts";
import { chooseKept, nameOfMoment, parseKeepRule, thinOut } from "../../scripts/backup-series.ts";
import { readArguments as readPruneArguments, sendOffSite } from "../../scripts/off-site.ts";
import { Refusal, toWriteRefusal } from "../../scripts/refusal.ts";
import { runStep } from "../../scripts/steps.ts";

const nameOf = (iso: string) => nameOfMoment(new Date(iso));
const good = (name: string) => ({ name, is_good: true });
const keep = (names: string[], rule: string, bad: string[] = []) =>
  [...chooseKept([...names.map(good), ...bad.map((name) => ({ name, is_good: false }))], parseKeepRule(rule))].sort();

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ofuse-series-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

describe("a rule of backups", () => {
  test("keeps the newest of each of the latest days, weeks and months that have one", () => {
    const nightly = Array.from({ length: 400 }, (_, day) =>
      nameOf(new Date(Date.UTC(2026, 10, 25 - day, 18, 30)).toISOString()),
    );
    const kept = keep(nightly, "7d,4w,12m").map((name) => name.slice(0, 10));
    const days = ["2026-11-19", "2026-11-20", "2026-11-21", "2026-11-22", "2026-11-23", "2026-11-24", "2026-11-25"];
    const months = ["2025-12-31", "2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30", "2026-05-31"];
    const later = ["2026-06-30", "2026-07-31", "2026-08-31", "2026-09-30", "2026-10-31"];
    // Weeks end on Sunday: 8, 15 and 22 November.
    expect(kept).toEqual([...months, ...later, "2026-11-08", "2026-11-15", ...days]);
    expect(keep([nameOf("2026-11-25T01:00:00Z"), nameOf("2026-11-25T23:00:00Z")], "1d")).toEqual([
      "2026-11-25T23-00-00Z",
    ]);
  });

  test("keeps old backups when none was made for long, and the last good one whatever came after it", () => {
    expect(keep([nameOf("2025-01-01T00:00:00Z"), nameOf("2025-03-01T00:00:00Z")], "2d")).toHaveLength(2);
    const last_good = nameOf("2026-10-01T00:00:00Z");
    const bad = [nameOf("2026-11-24T00:00:00Z"), nameOf("2026-11-25T00:00:00Z")];
    expect(keep([last_good], "1d", bad)).toEqual([last_good, bad[1]]);
    expect(keep([nameOf("2026-11-25T01:00:00Z")], "1d", [nameOf("2026-11-25T02:00:00Z")])).toHaveLength(2);
  });

  test.each(["", "7", "d", "0d", "7d;4w", "7x"])("is refused as %j", (rule) => {
    expect(() => parseKeepRule(rule)).toThrow("7d,4w,12m");
  });
});

test("thinning deletes what the rule does not keep and what kills left, and nothing else", () => {
  const put = (name: string, manifest: string | null) => {
    mkdirSync(join(folder, name, "blobs"), { recursive: true });
    if (manifest !== null) writeFileSync(join(folder, name, "manifest.json"), manifest);
    return name;
  };
  const databases = { api: {}, identity: {} };
  const whole = JSON.stringify({ format: 2, taken_at: "2026-11-01T10:00:00.000Z", databases, missing_objects: [] });
  const old = put(nameOf("2026-11-01T10:00:00Z"), whole);
  const left = put(`${nameOf("2026-11-02T10:00:00Z")}.part`, null);
  const last_good = put(nameOf("2026-11-24T10:00:00Z"), whole);
  const damaged = put(nameOf("2026-11-25T10:00:00Z"), "{");
  const running = put(`${nameOf("2026-11-25T11:00:00Z")}.part`, null);
  put("notes", whole);
  const upgrades = ["before-api-0001_first", "before-api-0002_second"].map((name) => put(name, whole));
  for (const [at, made_at] of ["2025-11-24T10:00:00Z", "2025-11-26T10:00:00Z"].entries())
    utimesSync(join(folder, upgrades[at] ?? ""), new Date(made_at), new Date(made_at));
  const deleted = thinOut(folder, parseKeepRule("1d"), new Date("2026-11-25T12:00:00Z"));
  expect(deleted).toEqual([old, left, upgrades[0]]);
  expect(readdirSync(folder).sort()).toEqual([last_good, damaged, running, upgrades[1], "notes"]);
});

describe("a copy in another place", () => {
  /** Puts a program in the place of rclone that notes its arguments. */
  function installRclone(exit_code: number): () => string[] {
    const noted = join(folder, "noted");
    writeFileSync(join(folder, "rclone"), `#!/bin/sh\necho "$@" >> ${noted}\nexit ${exit_code}\n`);
    chmodSync(join(folder, "rclone"), 0o755);
    vi.stubEnv("PATH", `${folder}${delimiter}${process.env.PATH}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    return () => (existsSync(noted) ? readFileSync(noted, "utf8").trim().split("\n") : []);
  }

  test("gets the blobs into one folder, and the manifest last", async () => {
    const noted = installRclone(0);
    await sendOffSite("/backups/now", "store:ofuse/", "now");
    expect(noted()).toEqual([
      "copy --size-only /backups/now/blobs store:ofuse/blobs",
      "copy --exclude /blobs/** --exclude /manifest.json /backups/now store:ofuse/backups/now",
      "copy --include /manifest.json /backups/now store:ofuse/backups/now",
    ]);
  });

  describe("is pruned", () => {
    const store = () => join(folder, "store");
    const sentBlobs = () => readdirSync(join(store(), "blobs")).sort();
    const prune = (...args: string[]) => runStep("prune", process.execPath, ["scripts/off-site.ts", ...args]);

    /** Puts a program in the place of rclone whose remote place is the folder `store`. */
    function installStore() {
      const program = `#!${process.execPath}
        const { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync } = require("node:fs");
        const [act, ...args] = process.argv.slice(2);
        const local = (place) => place.replace(/^store:ofuse/, ${JSON.stringify(store())});
        const after = (flag) => args[args.indexOf(flag) + 1];
        if (act === "lsf") {
          if (!args.includes("--use-server-modtime") || after("--min-age") !== "7d") process.exit(9);
          for (const name of readdirSync(local(args.at(-1)))) {
            const { size, mtimeMs } = statSync(local(args.at(-1)) + "/" + name);
            if (Date.now() - mtimeMs > 7 * 86400e3) console.log(size + ";" + name);
          }
        } else if (act === "copy") {
          for (const name of readdirSync(local(args.at(-2)))) {
            for (const file of ["SHA256SUMS", "manifest.json"]) {
              const from = local(args.at(-2)) + "/" + name + "/" + file;
              if (existsSync(from)) cpSync(from, args.at(-1) + "/" + name + "/" + file);
            }
          }
        } else if (act === "delete") {
          for (const name of readFileSync(after("--files-from"), "utf8").trim().split("\\n"))
            rmSync(local(args.at(-1)) + "/" + name);
        } else process.exit(9);`;
      writeFileSync(join(folder, "rclone"), program);
      chmodSync(join(folder, "rclone"), 0o755);
      vi.stubEnv("PATH", `${folder}${delimiter}${process.env.PATH}`);
      onTestFinished(() => void vi.unstubAllEnvs());
    }

    function putBlob(name: string, sent_at: Date) {
      mkdirSync(join(store(), "blobs"), { recursive: true });
      writeFileSync(join(store(), "blobs", name), name);
      utimesSync(join(store(), "blobs", name), sent_at, sent_at);
    }

    function putBackup(name: string, blobs: string[], { is_whole = true } = {}) {
      const backup = join(store(), "backups", name);
      mkdirSync(backup, { recursive: true });
      const list = blobs.map((blob) => `${"0".repeat(64)}  blobs/${blob}\n`).join("");
      writeFileSync(join(backup, "SHA256SUMS"), list);
      const sums_sha256 = createHash("sha256").update(list).digest("hex");
      const databases = { api: {}, identity: {} };
      const manifest = { format: 2, taken_at: "2026-11-01T10:00:00.000Z", databases, missing_objects: [], sums_sha256 };
      if (is_whole) writeFileSync(join(backup, "manifest.json"), JSON.stringify(manifest));
    }

    beforeEach(() => {
      installStore();
      const long_ago = new Date("2026-01-01T00:00:00Z");
      for (const name of ["in-old", "in-both", "in-cut-off", "in-none"]) putBlob(name, long_ago);
      putBlob("young", new Date());
      putBackup("2026-01-01T18-30-00Z", ["in-old", "in-both"]);
      putBackup("2026-02-01T18-30-00Z", ["in-both"]);
      putBackup("2026-02-02T18-30-00Z", ["in-cut-off"], { is_whole: false });
    });

    test("of the blobs that no backup there lists, when that is asked for", async () => {
      const named = await prune("store:ofuse/");
      expect(named).toMatchObject({
        passed: true,
        output: expect.stringMatching(/^in-none\n1 of 4 blobs .*2 backups/),
      });
      expect(sentBlobs()).toContain("in-none");
      expect(await prune("store:ofuse", "--delete")).toMatchObject({ passed: true });
      expect(sentBlobs()).toEqual(["in-both", "in-cut-off", "in-old", "young"]);
      // A lifecycle rule has deleted the old backup.
      rmSync(join(store(), "backups", "2026-01-01T18-30-00Z"), { recursive: true });
      expect(await prune("store:ofuse", "--delete")).toMatchObject({ passed: true });
      expect(sentBlobs()).toEqual(["in-both", "in-cut-off", "young"]);
    });

    test("of nothing when a list is changed or missing, or no backup is there", async () => {
      const all = sentBlobs();
      const list = join(store(), "backups", "2026-02-01T18-30-00Z", "SHA256SUMS");
      for (const spoil of [() => writeFileSync(list, ""), () => rmSync(list)]) {
        spoil();
        const refused = await prune("store:ofuse", "--delete");
        expect(refused).toMatchObject({ passed: false, output: expect.stringMatching(/^Missing or changed in /) });
      }
      rmSync(join(store(), "backups"), { recursive: true });
      mkdirSync(join(store(), "backups"));
      const refused = await prune("store:ofuse", "--delete");
      expect(refused).toMatchObject({ passed: false, output: expect.stringContaining("There is no whole backup in") });
      expect(sentBlobs()).toEqual(all);
    });

    test.each([{ args: [] }, { args: ["store:ofuse", "other"] }, { args: ["store:ofuse", "--force"] }])(
      "by no other arguments: $args",
      ({ args }) => {
        expect(() => readPruneArguments(args)).toThrow("backup:prune <remote:path>");
      },
    );
  });

  test("that fails is said, and its manifest is not sent", async () => {
    const noted = installRclone(3);
    await expect(sendOffSite("/backups/now", "store:ofuse", "now")).rejects.toThrow("rclone copy failed (3).");
    expect(noted()).toHaveLength(1);
  });
});

test("a second backup of the same second is refused, and leaves the first one alone", async () => {
  const now = new Date("2026-11-25T18:30:00Z");
  for (const begun of [nameOfMoment(now), `${nameOfMoment(now)}.part`]) {
    const series = join(folder, `series of ${begun}`);
    mkdirSync(join(series, begun), { recursive: true });
    writeFileSync(join(series, begun, "api.sqlite"), "written by the first");
    await expect(addBackup(folder, series, now)).rejects.toThrow(/^Another backup of this second is in /);
    expect(readdirSync(join(series, begun))).toEqual(["api.sqlite"]);
  }
});

test.each(["null", "7", "{}", '{ "format": 2 }', '{ "format": 2, "taken_at": "2026-11-25", "databases": {} }', "{"])(
  "a manifest that holds %s is called damaged",
  (text) => {
    writeFileSync(join(folder, "manifest.json"), text);
    expect(() => readManifest(folder)).toThrow(new Refusal(`${join(folder, "manifest.json")} is damaged.`));
  },
);

test("files that cannot be written are a sentence, and other errors keep their stack", () => {
  const write = (file: string) => {
    try {
      writeFileSync(file, "x");
    } catch (error) {
      return toWriteRefusal("The backup", error);
    }
    return null;
  };
  writeFileSync(join(folder, "file"), "");
  const inside = join(folder, "file", "api.sqlite");
  expect(write(inside)).toEqual(
    new Refusal(`The backup cannot be written: a part of its path is a file (ENOTDIR, ${inside}).`),
  );
  // Every write to this device meets a full disk.
  if (process.platform === "linux") expect(String(write("/dev/full"))).toContain("its disk is full (ENOSPC");
  const database = new DatabaseSync(":memory:");
  database.exec("PRAGMA max_page_count = 2");
  let full: unknown;
  try {
    database.exec("CREATE TABLE rows (text); INSERT INTO rows VALUES (zeroblob(100000))");
  } catch (error) {
    full = error;
  }
  expect(String(toWriteRefusal("The backup", full))).toContain("its disk is full");
  const unexpected = new TypeError("a mistake of ours");
  expect(toWriteRefusal("The backup", unexpected)).toBe(unexpected);
});
