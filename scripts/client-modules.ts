/** What the browser's scripts are made of, noted while they are built: a test says from it who brought something in. */
import { writeFileSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import type { Plugin } from "vite";

const root = join(import.meta.dirname, "..");
export const clientModulesFile = join(root, "build", "client-modules.json");

export interface ClientModules {
  /** Modules with code in a script, by the script's path in the address bar: `/assets/root-….js`. */
  scripts: Record<string, string[]>;
  /** Who imports a module, by its path from the root of the repository. */
  importers: Record<string, string[]>;
}

const named = (id: string) => (isAbsolute(id) ? relative(root, id) : id.replaceAll("\0", ""));

export function clientModules(): Plugin {
  return {
    name: "client-modules",
    apply: "build",
    applyToEnvironment: ({ name }) => name === "client",
    writeBundle(_, bundle) {
      const noted: ClientModules = { scripts: {}, importers: {} };
      for (const script of Object.values(bundle)) {
        if (script.type !== "chunk") continue;
        const ids = Object.keys(script.modules).filter((id) => script.modules[id]?.renderedLength);
        noted.scripts[`/${script.fileName}`] = ids.map(named);
      }
      for (const id of this.getModuleIds()) {
        const { importers = [], dynamicImporters = [] } = this.getModuleInfo(id) ?? {};
        noted.importers[named(id)] = [...importers, ...dynamicImporters].map(named);
      }
      writeFileSync(clientModulesFile, JSON.stringify(noted));
    },
  };
}
