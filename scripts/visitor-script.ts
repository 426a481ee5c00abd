/**
 * Builds the scripts that stand apart from the app, with which they share no chunk: that of visitors' pages, one small file,
 * and the one a page needs from which a code goes to a telephone.
 */
import { join, resolve } from "node:path";
import { build } from "esbuild";
import type { Plugin } from "vite";

const root = resolve(import.meta.dirname, "..");
/** By the name of their file; each is known to the app as `virtual:<name>-script`. */
const entries: Readonly<Record<string, string>> = {
  visitor: "app/visitor/index.ts",
  recaptcha: "app/visitor/recaptcha.ts",
};
const FOLDER = "assets";

/** The files by name: the scripts, and what they may load later. */
async function bundle(): Promise<{ name: string; source: Uint8Array }[]> {
  const { outputFiles } = await build({
    entryPoints: Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, join(root, path)])),
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
  return outputFiles.map(({ path, contents }) => ({ name: path.slice(root.length + 1), source: contents }));
}

const entryOf = (id: string) => /^virtual:(\w+)-script$/.exec(id)?.[1] ?? "";

/**
 * Makes `virtual:visitor-script` and its like say where the script is. A build lays it among the client's files under a name with its
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
    resolveId: (source) => (entryOf(source) in entries ? `\0${source}` : undefined),
    async load(id) {
      const name = entryOf(id.replace(/^\0/, ""));
      const entry = id.startsWith("\0") ? entries[name] : undefined;
      if (!entry) return;
      const built = is_dev ? undefined : (await files()).find((file) => file.name.startsWith(`${FOLDER}/${name}-`));
      const path = built?.name ?? entry;
      return `export default ${JSON.stringify(`/${path}`)};`;
    },
    async generateBundle() {
      if (this.environment.name !== "client") return;
      for (const { name, source } of await files()) this.emitFile({ type: "asset", fileName: name, source });
    },
  };
}
