import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative } from "node:path";

/** One import of one file. `to` is a path from the root for our own files, the package's name otherwise. */
export interface Import {
  from: string;
  to: string;
  is_type: boolean;
}

const STATEMENT = /^(?:import|export)\s+(type\s)?[^"';]*?from\s+"([^"]+)"|^import\s+"([^"]+)"|\bimport\("([^"]+)"\)/gm;
const root = join(import.meta.dirname, "../..");

/** Returns the sources in the given folders, by path from the root. */
export function readSources(folders: readonly string[]): Map<string, string> {
  const sources = new Map<string, string>();
  for (const folder of folders) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !/\.tsx?$/.test(entry.name) || entry.name.endsWith(".d.ts")) continue;
      const path = join(entry.parentPath, entry.name);
      sources.set(relative(root, path), readFileSync(path, "utf8"));
    }
  }
  return sources;
}

/** Returns every import of the sources. Our own imports include the extension, so resolving them is joining paths. */
export function importsOf(sources: ReadonlyMap<string, string>): Import[] {
  const imports: Import[] = [];
  for (const [from, source] of sources) {
    for (const [, type, named, bare, dynamic] of source.matchAll(STATEMENT)) {
      const specifier = named ?? bare ?? dynamic ?? "";
      const to = specifier.startsWith(".") ? posix.normalize(posix.join(dirname(from), specifier)) : specifier;
      imports.push({ from, to, is_type: type !== undefined });
    }
  }
  return imports;
}
