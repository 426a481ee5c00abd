/**
 * Records the modules of each browser script. With the record, a test names the import that added a module.
 */
import { writeFileSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import type { Plugin } from "vite";

const root = join(import.meta.dirname, "..");
export const clientModulesFile = join(root, "build", "client-modules.json");

export interface ClientModules {
  /** The modules with code in a script, by the script's URL path: `/assets/root-….js`. */
  scripts: Record<string, string[]>;
  /** The importers of a module, by the module's path from the root of the repository. */
  importers: Record<string, string[]>;
}

const moduleName = (id: string) => (isAbsolute(id) ? relative(root, id) : id.replaceAll("\0", ""));

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
        noted.scripts[`/${script.fileName}`] = ids.map(moduleName);
      }
      for (const id of this.getModuleIds()) {
        const { importers = [], dynamicImporters = [] } = this.getModuleInfo(id) ?? {};
        noted.importers[moduleName(id)] = [...importers, ...dynamicImporters].map(moduleName);
      }
      writeFileSync(clientModulesFile, JSON.stringify(noted));
    },
  };
}
