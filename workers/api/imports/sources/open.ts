import { Problem } from "../../../kernel/problem.ts";
import type { FileKind } from "../rules.ts";
import { openArchive } from "./archive.ts";
import { openFeed } from "./feed.ts";
import { openGhost } from "./ghost.ts";
import { openMembers, openPlannedMembers } from "./members.ts";
import { type Source, SourceFault } from "./source.ts";

/** Opens the file of an import in the bucket. Throws `SourceFault` or `ZipFault` for one that cannot be read. */
export async function openSource(
  kind: FileKind,
  media: R2Bucket,
  { key, bytes }: { key: string; bytes: number },
): Promise<Source> {
  if (kind === "members") return openPlannedMembers();
  const read = async (range?: { offset: number; length: number }) => {
    const object = await media.get(key, range ? { range } : {});
    if (!object) throw new Problem("unavailable", { cause: `no ${key}` });
    return object;
  };
  if (kind !== "archive") return openText(kind, await (await read()).arrayBuffer());
  return openArchive({ bytes, read: async (offset, length) => (await read({ offset, length })).body });
}

/** Opens a file of text. */
export function openText(kind: Exclude<FileKind, "archive">, held: ArrayBuffer): Source {
  const text = decodeText(held);
  if (kind === "members") return openMembers(text);
  return kind === "ghost" ? openGhost(text) : openFeed(text);
}

function decodeText(held: ArrayBuffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(held);
  } catch {
    throw new SourceFault("no UTF-8");
  }
}
