/**
 * How an operator reaches data that are being served: the runner does it for them. It listens on this machine alone, and
 * takes the word of whoever can read `operator.json` in the data folder, which lies beside the secrets and as closed.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { getMaintenance } from "../../workers/contract/maintenance.ts";
import { HOST } from "../local-vars.ts";
import type { startNetwork } from "../network.ts";
import { Refusal } from "../refusal.ts";
import type { Database, Product } from "./subject.ts";

interface Address {
  port: number;
  token: string;
}

const fileOf = (data_dir: string) => join(data_dir, "operator.json");

/** Runs statements where they are served. One may be the maintenance record's: asked for it, the worker knows it at once. */
export function statementsOn({ url, miniflare }: Awaited<ReturnType<typeof startNetwork>>): Product["run"] {
  return async (sql, database = "api") => {
    const product = (await miniflare.getD1Database("DB", `ofuse-${database}`)) as unknown as D1Database;
    const { results } = await product.prepare(sql).all();
    // A site that does not answer learns it by itself.
    await fetch(new URL(getMaintenance.path, url)).catch(() => {});
    return results;
  };
}

/** Listens for operators until what it gives is called. */
export async function listenForOperators(data_dir: string, run: Product["run"]): Promise<() => void> {
  const token = randomBytes(32).toString("hex");
  const expected = Buffer.from(`Bearer ${token}`);
  const server = createServer(async (request, response) => {
    const given = Buffer.from(request.headers.authorization ?? "");
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return response.writeHead(403).end();
    try {
      const database: Database = request.url === "/identity" ? "identity" : "api";
      response.end(JSON.stringify({ rows: await run(await text(request), database) }));
    } catch (error) {
      response.writeHead(500).end(JSON.stringify({ error: String(error) }));
    }
  });
  await new Promise<void>((done, failed) => server.once("error", failed).listen(0, HOST, done));
  server.unref();
  const { port } = server.address() as AddressInfo;
  const file = fileOf(data_dir);
  writeFileSync(file, JSON.stringify({ port, token } satisfies Address), { mode: 0o600 });
  const stop = () => {
    process.off("exit", stop);
    rmSync(file, { force: true });
    server.close();
  };
  process.on("exit", stop);
  return stop;
}

/** The runner that serves the folder; null where none listens. */
export async function findRunner(data_dir: string): Promise<Product | null> {
  const address = readAddress(data_dir);
  if (!address) return null;
  const ask = (sql: string, database: Database = "api") =>
    fetch(`http://${HOST}:${address.port}/${database}`, {
      method: "POST",
      headers: { authorization: `Bearer ${address.token}` },
      body: sql,
    });
  // The file of a runner that was killed may be left; its port is nobody's, or somebody's who refuses the token.
  const first = await ask("SELECT 1").catch(() => null);
  if (!first?.ok) return null;
  return {
    async run(sql, database) {
      const { rows, error } = (await (await ask(sql, database)).json()) as {
        rows?: Record<string, unknown>[];
        error?: string;
      };
      if (!rows) throw new Refusal(`The runner did not do it: ${error}`);
      return rows;
    },
    close: async () => {},
  };
}

function readAddress(data_dir: string): Address | null {
  try {
    return JSON.parse(readFileSync(fileOf(data_dir), "utf8")) as Address;
  } catch {
    return null;
  }
}
