/**
 * Simulates a full disk on one machine: the kernel refuses workerd's writes past the first 32 KiB of a file
 * (RLIMIT_FSIZE), and later allows them again. The local D1 writes with every query, so reading fails as well.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { blobsFolder } from "../../scripts/data-folder.ts";
import { startNetwork } from "../../scripts/network.ts";
import { workerdsOf } from "../../scripts/processes.ts";
import { uploadAudio } from "../../workers/contract/uploads.ts";
import { Browser, demoToken, layDemoWorld, type Network } from "../support/network.ts";
import { waitUntil } from "../support/wait.ts";
import { INSIDES, JAPANESE } from "./support/calls.ts";
import { fieldsOf } from "./support/forms.ts";

const can_limit = process.platform === "linux" && existsProgram("prlimit");

function existsProgram(name: string): boolean {
  return (process.env.PATH ?? "").split(":").some((folder) => {
    return statSync(join(folder, name), { throwIfNoEntry: false })?.isFile() ?? false;
  });
}

describe.skipIf(!can_limit)("when the disk is full", () => {
  const place = mkdtempSync(join(tmpdir(), "ofuse-full-disk-"));
  const data_dir = join(place, "data");
  let network: Network;
  /** The workerds of other files' networks. The limit would kill them. */
  let others: Set<number>;

  /** Limits the size up to which files can be written. */
  function limit(bytes: number | "unlimited"): void {
    const { workerds } = JSON.parse(readFileSync(join(data_dir, "runner.json"), "utf8")) as {
      workerds: { pid: number }[];
    };
    // The list has every workerd of this process.
    const own = workerds.filter(({ pid }) => !others.has(pid));
    for (const { pid } of own) execFileSync("prlimit", [`--pid=${pid}`, `--fsize=${bytes}:unlimited`]);
  }

  beforeAll(async () => {
    // Past the limit the kernel sends SIGXFSZ, which would end workerd. A real full disk only fails the write.
    const platform = `@cloudflare/workerd-linux-${process.arch === "x64" ? "64" : process.arch}`;
    const workerd = createRequire(import.meta.resolve("miniflare")).resolve(`${platform}/bin/workerd`);
    const wrapper = join(place, "workerd");
    writeFileSync(wrapper, `#!/bin/sh\ntrap '' XFSZ\nexec '${workerd}' "$@"\n`, { mode: 0o755 });
    await layDemoWorld(data_dir);
    others = new Set(workerdsOf().map(({ pid }) => pid));
    vi.stubEnv("MINIFLARE_WORKERD_PATH", wrapper);
    network = await startNetwork({ data_dir, is_prepared: true }).finally(() => vi.unstubAllEnvs());
  });
  afterAll(async () => {
    await network.stop();
    rmSync(place, { recursive: true, force: true });
  });

  test("unsaved words are never acknowledged, the page says so, and they can be sent when there is room", async () => {
    const path = "/natsume/ofuse";
    const fan = new Browser(network.url);
    await fan.signIn("fan_taro", path);
    const letter = (message: string) => ({ message, is_public: "on", idempotency_key: crypto.randomUUID() });
    const before = letter("場所があるうちの手紙");
    expect((await fan.post(path, before)).status).toBe(303);

    const logged = vi.spyOn(console, "error").mockReturnValue();
    limit(32 * 1024);
    const written = letter("場所がないときの手紙\n二行目も");
    const refused = await fan.post(path, written);
    const visited = await new Browser(network.url).get(path);
    const statuses: number[] = [];
    for (let time = 0; time < 10; time++)
      statuses.push((await fan.post("/natsume/follow", { operation: "follow" })).status);
    limit("unlimited");
    expect(logged).toHaveBeenCalled();
    logged.mockRestore();

    expect(refused.status).toBeGreaterThanOrEqual(500);
    expect(refused.text).toContain("時間をおいてもう一度お試しください。");
    expect(refused.text).not.toMatch(INSIDES);
    // Reading writes nothing, so everybody reads on.
    expect(visited.status).toBe(200);
    expect(visited.text).toContain("場所があるうちの手紙");
    expect(visited.text).not.toContain("場所がないときの手紙");
    for (const status of statuses) expect(status).toBeGreaterThanOrEqual(500);

    const kept = fieldsOf(refused.text, path);
    expect({ ...kept, message: kept?.message?.replaceAll("\r\n", "\n") }).toMatchObject(written);
    for (let time = 0; time < 2; time++) expect((await fan.post(path, kept ?? {})).status).toBe(303);
    // A page's version is trusted for a second, and the visitor above may have asked less than that ago.
    await waitUntil(async () => {
      const box = (await new Browser(network.url).get(path)).text;
      expect(box.split("場所があるうちの手紙")).toHaveLength(2);
      expect(box.split("場所がないときの手紙")).toHaveLength(2);
    });
    expect((await fan.get("/natsume")).text).toContain("フォローする");
    expect((await fan.post("/natsume/follow", { operation: "follow" })).status).toBe(303);
    expect((await fan.get("/natsume")).text).toContain("フォロー中");
  });

  test("an upload is refused, works when there is room, and leaves no bytes of the failure", async () => {
    const token = await demoToken("natsume", network);
    const blobs = () => readdirSync(blobsFolder(data_dir)).length;
    // The databases fit below this size; the rest of the file does not.
    const limit_bytes = 5 * 1024 * 1024;
    const send = async () => {
      const form = new FormData();
      const sound = new Uint8Array(limit_bytes + 1024 * 1024);
      sound.set(new TextEncoder().encode("ID3\x04"));
      form.set("file", new File([sound], "a.mp3"));
      const headers = { authorization: `Bearer ${token}` };
      return fetch(network.url + uploadAudio.path, { method: "POST", headers, body: form });
    };
    const before = blobs();
    const logged = vi.spyOn(console, "error").mockReturnValue();
    limit(limit_bytes);
    const refused = await send();
    limit("unlimited");
    logged.mockRestore();
    expect(refused.status).toBeGreaterThanOrEqual(500);
    expect(((await refused.json()) as { detail: string }).detail).toMatch(JAPANESE);
    expect((await send()).status).toBe(201);
    // The next start cleans up what the runtime left of the failed write.
    await network.stop();
    network = await startNetwork({ data_dir });
    expect(blobs()).toBe(before + 1);
  }, 120_000);
});
