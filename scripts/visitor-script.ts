/**
 * Builds the scripts that are separate from the app and share no chunk with it: the visitors' script, the script of
 * pages that send a code to a telephone, and that of overlays.
 */
import { join, resolve } from "node:path";
import { build } from "esbuild";
import type { Plugin } from "vite";

const root = resolve(import.meta.dirname, "..");
/** The entries by the name of their file. The app imports each as `virtual:<name>-script`. */
const entries: Readonly<Record<string, string>> = {
  visitor: "app/visitor/index.ts",
  recaptcha: "app/visitor/recaptcha.ts",
  overlay: "app/overlay/index.ts",
};
const FOLDER = "assets";

/**
 * Returns the built files by name: the entries, and the files that they load later. Each entry is built alone, because a module
 * that two of them share would be one more file to load.
 */
async function buildScripts(): Promise<{ name: string; source: Uint8Array }[]> {
  const built = await Promise.all(Object.entries(entries).map(([name, path]) => buildEntry(name, path)));
  const files = built.flatMap(({ outputFiles }) => outputFiles);
  const byPath = new Map(files.map(({ path, contents }) => [path, contents]));
  return [...byPath].map(([path, source]) => ({ name: path.slice(root.length + 1), source }));
}

const buildEntry = (name: string, path: string) =>
  build({
    entryPoints: { [name]: join(root, path) },
    // esbuild writes no file here: it needs the folder only for the names.
    outdir: join(root, FOLDER),
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    // Baseline 2022. An older browser shows the page without the script.
    target: "es2022",
    minify: true,
    // Browsers read modules as UTF-8, and escaped Japanese is twice as long.
    charset: "utf8",
    legalComments: "none",
    write: false,
  });

const entryOf = (id: string) => /^virtual:(\w+)-script$/.exec(id)?.[1] ?? "";

/**
 * Makes the modules `virtual:<name>-script`, which export the URL of their script. A build puts each script among the
 * client's files, under a name with its hash. `npm run dev` serves the source itself.
 */
export function visitorScript(): Plugin {
  let is_dev = false;
  let bundling: ReturnType<typeof buildScripts> | undefined;
  const buildOnce = () => {
    bundling ??= buildScripts();
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
      const built = is_dev ? undefined : (await buildOnce()).find((file) => file.name.startsWith(`${FOLDER}/${name}-`));
      const path = built?.name ?? entry;
      return `export default ${JSON.stringify(`/${path}`)};`;
    },
    async generateBundle() {
      if (this.environment.name !== "client") return;
      for (const { name, source } of await buildOnce()) this.emitFile({ type: "asset", fileName: name, source });
    },
  };
}
