/** Builds the script of visitors' pages, apart from the app: it shares no chunk with it and stays one small file. */
import { join, resolve } from "node:path";
import { build } from "esbuild";
import type { Plugin } from "vite";

const root = resolve(import.meta.dirname, "..");
const ENTRY = "app/visitor/index.ts";
const NAME = "virtual:visitor-script";
const FOLDER = "assets";

/** The files by name; the script comes first, what it may load later after it. */
async function bundle(): Promise<{ name: string; source: Uint8Array }[]> {
  const { outputFiles } = await build({
    entryPoints: { visitor: join(root, ENTRY) },
    // Nothing is written: it only says what names begin with.
    outdir: join(root, FOLDER),
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    // Baseline 2022: what cannot read this shows the page without it.
    target: "es2022",
    minify: true,
    legalComments: "none",
    write: false,
  });
  const files = outputFiles.map(({ path, contents }) => ({ name: path.slice(root.length + 1), source: contents }));
  return files.sort((a, b) => Number(b.name.includes("/visitor-")) - Number(a.name.includes("/visitor-")));
}

/**
 * Makes `virtual:visitor-script` say where the script is. A build lays it among the client's files under a name with its
 * hash; `npm run dev` serves the source itself.
 */
export function visitorScript(): Plugin {
  let is_dev = false;
  let bundling: ReturnType<typeof bundle> | undefined;
  const files = () => {
    bundling ??= bundle();
    return bundling;
  };
  return {
    name: "visitor-script",
    configResolved({ command }) {
      is_dev = command === "serve";
    },
    resolveId: (source) => (source === NAME ? `\0${NAME}` : undefined),
    async load(id) {
      if (id !== `\0${NAME}`) return;
      const path = is_dev ? ENTRY : (await files())[0]?.name;
      return `export default ${JSON.stringify(`/${path}`)};`;
    },
    async generateBundle() {
      if (this.environment.name !== "client") return;
      for (const { name, source } of await files()) this.emitFile({ type: "asset", fileName: name, source });
    },
  };
}
