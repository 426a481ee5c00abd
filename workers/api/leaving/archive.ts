import {
  ARCHIVE_FORMAT,
  ARCHIVE_VERSION,
  type ArchivedNewsletter,
  type ArchivedPost,
  type ArchivedProfile,
  type ArchiveManifest,
  MANIFEST_NAME,
} from "../../contract/archive.ts";
import { EXPORT_PARTS, type ExportPart } from "../../contract/leaving.ts";
import { readInPieces } from "../../contract/multipart.ts";
import { isoTime } from "../../kernel/clock.ts";
import { log } from "../../kernel/log.ts";
import { Problem } from "../../kernel/problem.ts";
import type { Domain } from "../domain.ts";
import { documentOfText } from "../events/rules.ts";
import { memberId, type RequestContext } from "../http/request-context.ts";
import type { ExportItem } from "../storage/personal-data.ts";
import {
  findStoredFiles,
  listFilesOfPosts,
  listStoredFiles,
  type StoredFile,
  type StoredPart,
} from "../uploads/queries.ts";
import type { ZipEntry } from "../zip/writer.ts";
import { dayOf, indexPage, type ListedPost, type ListedRadio, postMarkdown, postPage, STYLE } from "./archive-pages.ts";
import { broadcastRecording, type ExportedRadio, radiosOf } from "./archive-radios.ts";
import { type Archiving, encode, encodeAll, listedFiles, pagesOf, pathOf, toArchivedFile } from "./archive-source.ts";
import { followerLines, letterLines, memberLines, transactionLines } from "./archive-tables.ts";
import { archiveUnits, exportPage, profileBytes } from "./queries.ts";
import { type ArchivePart, cutIntoParts, type PartLimits } from "./rules.ts";

/** How many pictures or files of an archive one statement reads. Their bytes are read one after the other. */
const FILES_AT_ONCE = 500;

/** The parts that have files of their own kind, in place of one in `data`. Addresses of files would have expired. */
const WRITTEN_OTHERWISE: readonly ExportPart[] = ["profile", "posts", "post_pictures", "images", "media_files"];

/** Yields the parts into which the caller's archive is cut. */
export async function* archiveParts(context: RequestContext, limits: PartLimits): AsyncGenerator<ArchivePart> {
  const base_bytes = await profileBytes(context.database, memberId(context));
  yield* cutIntoParts(archiveUnits(context), limits, base_bytes);
}

/** A part, and how many there are. */
export interface ChosenPart {
  part: ArchivePart;
  count: number;
}

/** Returns a part of the caller's archive. Throws `not_found` for one that it does not have. */
export async function findPart(context: RequestContext, number: number, limits: PartLimits): Promise<ChosenPart> {
  let part: ArchivePart | null = null;
  let count = 0;
  for await (const each of archiveParts(context, limits)) {
    count = each.number;
    if (each.number === number) part = each;
  }
  if (!part) throw new Problem("not_found");
  return { part, count };
}

interface ExportedProfile extends ExportItem {
  link_id: string;
  name: string;
  created_at: string;
  categories: ArchiveManifest["categories"];
  plans: ArchiveManifest["plans"];
  bio: string;
  genre_ids: string[];
  external_links: ArchivedProfile["external_links"];
  icon_image_id: string | null;
  cover_image_id: string | null;
}

/**
 * Yields the files of the caller's archive, or of one part of it, each when the one before it is written. It holds one
 * page of rows and the names of the posts; pictures, sound and films pass through in pieces.
 */
export async function* archiveEntries(
  context: RequestContext,
  domains: readonly Domain[],
  chosen: ChosenPart | null,
): AsyncGenerator<ZipEntry, void, undefined> {
  const part = chosen?.part ?? null;
  const archiving = { context, domains, part };
  /** Whether the file has what is there once, and belongs to no post. */
  const is_first = part === null || part.number === 1;
  const kept = new Map<string, StoredFile>();
  const keep = (files: readonly StoredFile[]) => {
    if (part) for (const file of files) kept.set(file.id, file);
  };
  const now_ms = context.now_ms;
  const text = (name: string, body: ZipEntry["body"], modified_ms = now_ms): ZipEntry => ({
    name,
    modified_ms,
    is_text: true,
    body,
  });
  const { items } = await exportPage(context, domains, "profile", undefined);
  const profile = items[0] as ExportedProfile;
  const listed: ListedPost[] = [];
  const radios: ListedRadio[] = [];
  const manifest: ArchiveManifest = {
    format: ARCHIVE_FORMAT,
    version: ARCHIVE_VERSION,
    exported_at: isoTime(now_ms),
    person: { link_id: profile.link_id, name: profile.name },
    categories: profile.categories.map(({ event_category_id, title }) => ({ event_category_id, title })),
    plans: profile.plans.map(({ membership_id, title, description, amount, active_state }) => ({
      ...{ membership_id, title, description, amount, active_state },
    })),
    posts: [],
    newsletters: [],
    radios: [],
    ...(chosen && { part: { number: chosen.part.number, count: chosen.count } }),
    ...(is_first && { profile: await archivedProfile(archiving, profile, keep) }),
  };
  for await (const { post, stored } of postsOf(archiving)) {
    keep(stored);
    const number = (part?.before.post ?? 0) + listed.length + 1;
    const name = `posts/${String(number).padStart(4, "0")}-${dayOf(post.published_at ?? post.created_at)}`;
    const { event_id, title, status, publish_target_type, published_at, created_at } = post;
    listed.push({ name, title, status, publish_target_type, published_at, created_at });
    manifest.posts.push({ event_id, title, file: `${name}.json`, status, files: listedFiles(post) });
    const written = {
      post,
      category: titleOf(manifest.categories, "event_category_id", post.event_category_id),
      plan: titleOf(manifest.plans, "membership_id", post.publish_target_membership_id),
    };
    const modified_ms = Date.parse(post.updated_at ?? post.published_at ?? post.created_at);
    yield text(`${name}.md`, encode(postMarkdown(written)), modified_ms);
    yield text(`${name}.html`, encode(postPage(written)), modified_ms);
    yield text(`${name}.json`, encode(`${JSON.stringify(post, null, 1)}\n`), modified_ms);
  }
  for await (const { newsletter, stored } of newslettersOf(archiving)) {
    keep(stored);
    const { newsletter_id, title, published_at, created_at } = newsletter;
    const number = (part?.before.newsletter ?? 0) + manifest.newsletters.length + 1;
    const file = `newsletters/${String(number).padStart(4, "0")}-${dayOf(published_at ?? created_at)}.json`;
    manifest.newsletters.push({ newsletter_id, title, file, files: listedFiles(newsletter) });
    yield text(file, encode(`${JSON.stringify(newsletter, null, 1)}\n`), Date.parse(published_at ?? created_at));
  }
  for await (const { radio, stored, body } of radiosOf(archiving)) {
    keep(stored);
    const { radio_id, title, starts_at, started_at, created_at, recording_id } = radio;
    const number = (part?.before.radio ?? 0) + manifest.radios.length + 1;
    const file = `radios/${String(number).padStart(4, "0")}-${dayOf(started_at ?? created_at)}.json`;
    const recording = radio.files.find(({ id }) => id === recording_id)?.file ?? null;
    radios.push({ title, date: started_at ?? starts_at ?? created_at, recording });
    manifest.radios.push({ radio_id, title, file, files: listedFiles(radio) });
    yield text(file, encodeAll(body), Date.parse(started_at ?? created_at));
  }
  if (is_first) yield* tableEntries(archiving, profile, manifest, text);
  yield text("style.css", encode(STYLE));
  const missing: StoredFile[] = [];
  if (part) yield* partEntries(archiving, part, kept, missing);
  else yield* storedEntries(archiving, missing);
  // After the files, because only their reading shows which are missing.
  if (missing.length > 0) manifest.missing_files = listedFiles({ files: missing.map(toArchivedFile) });
  const files = is_first ? OTHER_FILES : [];
  const { exported_at, missing_files = [] } = manifest;
  const about = { exported_at, part: manifest.part ?? null, files, radios, missing_files };
  yield text("index.html", encode(indexPage(profile, listed, about)));
  yield text(MANIFEST_NAME, encode(`${JSON.stringify(manifest, null, 1)}\n`));
}

const OTHER_FILES = [
  { name: "letters.csv", title: "手紙（CSV）" },
  { name: "members.csv", title: "メンバー（CSV）" },
  { name: "followers.csv", title: "フォロワー（CSV）" },
  { name: "transactions.csv", title: "売上と振込（CSV）" },
  { name: "profile.json", title: "プロフィール、プラン、設定（JSON）" },
  { name: "data/", title: "そのほかのデータ（JSON）" },
];

type WriteText = (name: string, body: ZipEntry["body"]) => ZipEntry;

/** Yields the tables, and the parts of the person's data that have no files of their own kind. */
async function* tableEntries(
  archiving: Archiving,
  profile: ExportedProfile,
  { plans }: ArchiveManifest,
  text: WriteText,
): AsyncGenerator<ZipEntry> {
  yield text("letters.csv", encodeAll(letterLines(archiving)));
  yield text("members.csv", encodeAll(memberLines(archiving, plans)));
  yield text("followers.csv", encodeAll(followerLines(archiving)));
  yield text("transactions.csv", encodeAll(transactionLines(archiving, Date.parse(profile.created_at))));
  yield text("profile.json", encode(`${JSON.stringify(profile, null, 1)}\n`));
  const parts = EXPORT_PARTS.filter((part) => !WRITTEN_OTHERWISE.includes(part));
  for (const part of parts) yield text(`data/${part}.json`, encodeAll(jsonOf(archiving, part)));
}

async function archivedProfile(
  { context }: Archiving,
  profile: ExportedProfile,
  keep: (files: readonly StoredFile[]) => void,
): Promise<ArchivedProfile> {
  const { bio, genre_ids, external_links, icon_image_id, cover_image_id } = profile;
  const ids = [icon_image_id, cover_image_id].filter((id) => id !== null);
  const stored = await findStoredFiles(context.database, memberId(context), "images", ids);
  keep([...stored.values()]);
  const pictureOf = (id: string | null) => {
    const picture = id === null ? undefined : stored.get(id);
    return picture ? toArchivedFile(picture) : null;
  };
  return { bio, genre_ids, external_links, icon: pictureOf(icon_image_id), cover: pictureOf(cover_image_id) };
}

type ExportedNewsletter = Omit<ArchivedNewsletter, "document" | "files"> & {
  body: string;
  /** Null for a newsletter that is older than documents. */
  document: ArchivedNewsletter["document"] | null;
};

async function* newslettersOf(
  archiving: Archiving,
): AsyncGenerator<{ newsletter: ArchivedNewsletter; stored: StoredFile[] }> {
  const { context, part } = archiving;
  if (part?.ids.newsletter.size === 0) return;
  for await (const items of pagesOf(archiving, "newsletters")) {
    const newsletters = (items as unknown as ExportedNewsletter[]).filter(
      ({ newsletter_id }) => part?.ids.newsletter.has(newsletter_id) ?? true,
    );
    const ids = newsletters.flatMap(({ images }) => images.map(({ image_id }) => image_id));
    const known = await findStoredFiles(context.database, memberId(context), "images", ids);
    for (const newsletter of newsletters) {
      const { newsletter_id, title, images, fan_scope, membership_id, status } = newsletter;
      const { publish_at, published_at, created_at } = newsletter;
      const stored = images.flatMap(({ image_id }) => known.get(image_id) ?? []);
      const written = {
        ...{ newsletter_id, title, images, fan_scope, membership_id, status, publish_at, published_at, created_at },
        document: newsletter.document ?? documentOfText(newsletter.body),
        files: stored.map(toArchivedFile),
      };
      yield { newsletter: written, stored };
    }
  }
}

const titleOf = <Key extends string, Row extends { [K in Key]: string } & { title: string }>(
  rows: readonly Row[],
  key: Key,
  id: string | null,
): string | null => rows.find((row) => row[key] === id)?.title ?? null;

type ExportedPost = Omit<ArchivedPost, "document" | "gallery" | "cover_image_id" | "video_media_id" | "files"> & {
  image_id: string | null;
  body: string;
  /** Null for a post that is older than documents. */
  document: ArchivedPost["document"] | null;
};

async function* postsOf(archiving: Archiving): AsyncGenerator<{ post: ArchivedPost; stored: StoredPart[] }> {
  const { context, part } = archiving;
  let left = part?.ids.post.size ?? Number.POSITIVE_INFINITY;
  if (left === 0) return;
  for await (const items of pagesOf(archiving, "posts", part?.after_post)) {
    const posts = (items as unknown as ExportedPost[]).filter(({ event_id }) => part?.ids.post.has(event_id) ?? true);
    const ids = posts.map(({ event_id }) => event_id);
    const parts = await listFilesOfPosts(context.database, memberId(context), ids);
    const byPost = Map.groupBy(parts, ({ event_id }) => event_id);
    for (const post of posts) {
      const stored = byPost.get(post.event_id) ?? [];
      yield { post: toArchivedPost(post, stored), stored };
    }
    left -= posts.length;
    if (left <= 0) return;
  }
}

/** The pictures that the document does not show are the gallery of a picture post. Another post has at most its cover. */
function toArchivedPost(post: ExportedPost, parts: readonly StoredPart[]): ArchivedPost {
  const document = post.document ?? documentOfText(post.body);
  const shown = new Set(document.flatMap((block) => (block.type === "image" ? [block.image_id] : [])));
  const pictures = parts.filter(({ kind }) => kind === "image").map(({ id }) => id);
  const owned = (id: string | null) => (id !== null && pictures.includes(id) ? id : null);
  return {
    event_id: post.event_id,
    kind: post.kind,
    title: post.title,
    document,
    gallery: post.kind === "image" ? pictures.filter((id) => !shown.has(id)) : [],
    cover_image_id: post.kind === "image" ? null : owned(post.image_id),
    video_url: post.video_url,
    video_media_id: parts.find(({ kind }) => kind === "video")?.id ?? null,
    event_category_id: post.event_category_id,
    comment_filter: post.comment_filter,
    status: post.status,
    publish_target_type: post.publish_target_type,
    publish_target_membership_id: post.publish_target_membership_id,
    publish_at: post.publish_at,
    published_at: post.published_at,
    created_at: post.created_at,
    updated_at: post.updated_at,
    files: parts.map((part) => toArchivedFile(part)),
  };
}

/** Yields the pictures, the files and the recordings. Adds those whose object is missing in the bucket to `missing`. */
async function* storedEntries(archiving: Archiving, missing: StoredFile[]): AsyncGenerator<ZipEntry> {
  const { context } = archiving;
  for (const table of ["images", "media_files"] as const) {
    let page: StoredFile[] = [];
    do {
      const limits = { table, after: page.at(-1) ?? null, limit: FILES_AT_ONCE };
      page = await listStoredFiles(context.database, memberId(context), limits);
      for (const file of page) yield* fileEntry(context, file, missing);
    } while (page.length === FILES_AT_ONCE);
  }
  for await (const radios of pagesOf(archiving, "radios")) {
    for (const radio of radios as unknown as ExportedRadio[]) {
      const recording = broadcastRecording(radio);
      if (recording) yield* fileEntry(context, recording, missing);
    }
  }
}

/** Yields the files of a part: those of its posts, newsletters, radios and profile, and those that belong to nothing. */
async function* partEntries(
  archiving: Archiving,
  { ids }: ArchivePart,
  kept: ReadonlyMap<string, StoredFile>,
  missing: StoredFile[],
): AsyncGenerator<ZipEntry> {
  const { context } = archiving;
  for (const file of kept.values()) yield* fileEntry(context, file, missing);
  for (const [table, wanted] of [
    ["images", [...ids.image]],
    ["media_files", [...ids.media]],
  ] as const) {
    for (let at = 0; at < wanted.length; at += FILES_AT_ONCE) {
      const some = wanted.slice(at, at + FILES_AT_ONCE);
      const files = await findStoredFiles(context.database, memberId(context), table, some);
      for (const file of files.values()) yield* fileEntry(context, file, missing);
    }
  }
}

/**
 * Yields a file. When its object is missing in the bucket, yields nothing, and adds it to `missing`: people delete their
 * account after they have saved their archive.
 */
async function* fileEntry(
  { media, request_id }: RequestContext,
  file: StoredFile,
  missing: StoredFile[],
): AsyncGenerator<ZipEntry> {
  const object = await media.get(file.key);
  if (!object) {
    log("error", { message: "a file of an archive is missing", request_id, kind: file.kind, file_id: file.id });
    missing.push(file);
    return;
  }
  const body = readInPieces(object.body as ReadableStream<Uint8Array>);
  yield { name: pathOf(file), modified_ms: Date.parse(file.created_at), is_text: false, body };
}

async function* jsonOf(archiving: Archiving, part: ExportPart): AsyncGenerator<string> {
  let lead = "[\n";
  for await (const items of pagesOf(archiving, part)) {
    yield lead + items.map((item) => JSON.stringify(item)).join(",\n");
    lead = ",\n";
  }
  yield lead === "[\n" ? "[]\n" : "\n]\n";
}
