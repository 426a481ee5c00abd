import {
  type ArchivedFile,
  type ArchivedNewsletter,
  type ArchivedPost,
  type ArchivedProfile,
  type ArchivedRadio,
  type ArchiveManifest,
  archivedNewsletter,
  archivedPost,
  archivedRadio,
  archiveManifest,
  MANIFEST_NAME,
} from "../../../contract/archive.ts";
import { IMAGE_FILE_BYTES, IMPORT_TEXT_BYTES, MEDIA_FILE_BYTES } from "../../../contract/bounds.ts";
import { type DirectoryEntry, type RangedFile, readDirectory, readEntry } from "../../zip/reader.ts";
import {
  type Contents,
  type ProfilePart,
  type Source,
  SourceFault,
  type SourceNewsletter,
  type SourcePost,
  type SourceProfile,
  type SourceRadio,
} from "./source.ts";

/** More than the longest post has as JSON. */
const POST_BYTES = 4 * 1024 * 1024;
/** More than three hours of captions have as JSON, written without a pause. */
const RADIO_BYTES = 8 * 1024 * 1024;

/** Opens an archive of ours: the manifest says what it has, and each post and file is read when it is wanted. */
export async function openArchive(file: RangedFile): Promise<Source> {
  const directory = await readDirectory(file);
  const readJson = async (name: string, max_bytes: number): Promise<unknown> => {
    const entry = directory.get(name);
    if (!entry) throw new SourceFault(`no ${name}`);
    try {
      return JSON.parse(await textOf(file, entry, max_bytes));
    } catch (error) {
      throw error instanceof SyntaxError ? new SourceFault(`${name} is no JSON`) : error;
    }
  };
  const parsed = archiveManifest.safeParse(await readJson(MANIFEST_NAME, IMPORT_TEXT_BYTES));
  if (!parsed.success) throw new SourceFault("a manifest that we do not know");
  const manifest = parsed.data;
  const posts = new Map(manifest.posts.map((post) => [post.event_id, post]));
  const files = new Map(manifest.posts.flatMap((post) => post.files.map((each) => [each.id, each])));
  const newsletters = new Map(manifest.newsletters.map((each) => [each.newsletter_id, each]));
  for (const { files: own } of manifest.newsletters) for (const each of own) files.set(publicKey(each.id), each);
  const radios = new Map(manifest.radios.map((each) => [each.radio_id, each]));
  for (const { files: own } of manifest.radios) for (const each of own) files.set(keyOfRadio(each), each);
  const { profile } = manifest;
  for (const each of [profile?.icon, profile?.cover]) if (each) files.set(publicKey(each.id), each);
  const plans = new Map(manifest.plans.map((plan) => [plan.membership_id, plan]));
  return {
    contents: async () => contentsOf(manifest, directory),
    ...(profile && { profile: toSourceProfile(manifest.person.name, profile) }),
    readPlan: (key) => plans.get(key) ?? { title: "", description: "", amount: null },
    async readPost(key) {
      const post = archivedPost.safeParse(await readJson(posts.get(key)?.file ?? "", POST_BYTES));
      if (!post.success || post.data.event_id !== key) throw new SourceFault("a post that we cannot read");
      return toSourcePost(post.data);
    },
    async readNewsletter(key) {
      const read = archivedNewsletter.safeParse(await readJson(newsletters.get(key)?.file ?? "", POST_BYTES));
      if (!read.success || read.data.newsletter_id !== key) throw new SourceFault("a newsletter that we cannot read");
      return toSourceNewsletter(read.data);
    },
    async readRadio(key) {
      const read = archivedRadio.safeParse(await readJson(radios.get(key)?.file ?? "", RADIO_BYTES));
      if (!read.success || read.data.radio_id !== key) throw new SourceFault("a radio that we cannot read");
      return toSourceRadio(read.data);
    },
    async readFile(key) {
      const listed = files.get(key);
      const entry = listed && directory.get(listed.file);
      if (!entry) throw new SourceFault("no such file");
      const max_bytes = listed.kind === "image" ? IMAGE_FILE_BYTES : MEDIA_FILE_BYTES;
      const access = key === listed.id ? "event" : "public";
      return { kind: listed.kind, access, name: listed.file_name, body: readEntry(file, entry, max_bytes) };
    },
  };
}

/**
 * The key of a picture that everybody may see who has its address, as mailboxes and profiles need it. The same picture in
 * a post has another key, because it becomes another picture.
 */
const publicKey = (image_id: string) => `public ${image_id}`;

/** The key of a file of a radio: its picture is public, and its recording is for those who may hear it. */
const keyOfRadio = ({ id, kind }: Pick<ArchivedFile, "id" | "kind">) => (kind === "image" ? publicKey(id) : id);

async function textOf(file: RangedFile, entry: DirectoryEntry, max_bytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of readEntry(file, entry, max_bytes)) text += decoder.decode(piece, { stream: true });
  return text + decoder.decode();
}

function contentsOf(manifest: ArchiveManifest, directory: ReadonlyMap<string, DirectoryEntry>): Contents {
  return {
    categories: manifest.categories.map(({ event_category_id, title }) => ({ key: event_category_id, title })),
    plans: manifest.plans.map(({ membership_id, title }) => ({ key: membership_id, title })),
    // The report of a post whose file is missing says so.
    posts: manifest.posts.map(({ event_id, title, files }) => ({
      key: event_id,
      title,
      files: files.filter(({ file }) => directory.has(file)).map((file) => ({ key: file.id, title: nameOf(file) })),
    })),
    newsletters: manifest.newsletters.map(({ newsletter_id, title, files }) => ({
      key: newsletter_id,
      title: title || "（無題）",
      files: files
        .filter(({ file }) => directory.has(file))
        .map((file) => ({ key: publicKey(file.id), title: nameOf(file) })),
    })),
    radios: manifest.radios.map(({ radio_id, title, files }) => ({
      key: radio_id,
      title,
      files: files
        .filter(({ file }) => directory.has(file))
        .map((file) => ({ key: keyOfRadio(file), title: nameOf(file) })),
    })),
    profile: manifest.profile ? partsOf(manifest.profile) : [],
  };
}

/** Lists the parts that a profile has. */
const partsOf = (profile: ArchivedProfile): ProfilePart[] => [
  "name",
  ...(profile.bio === "" ? [] : (["bio"] as const)),
  ...(profile.icon ? (["icon"] as const) : []),
  ...(profile.cover ? (["cover"] as const) : []),
  ...(profile.external_links.length === 0 ? [] : (["links"] as const)),
  ...(profile.genre_ids.length === 0 ? [] : (["genres"] as const)),
];

function toSourceProfile(name: string, { icon, cover, ...texts }: ArchivedProfile): SourceProfile {
  return { name, ...texts, icon: icon && publicKey(icon.id), cover: cover && publicKey(cover.id) };
}

function toSourceNewsletter(newsletter: ArchivedNewsletter): SourceNewsletter {
  const { title, document, images, fan_scope, membership_id, publish_at, published_at, created_at } = newsletter;
  return {
    title,
    document: document.map((block) =>
      block.type === "image" ? { ...block, image_id: publicKey(block.image_id) } : block,
    ),
    images: images.map(({ image_id, alt }) => ({ image_id: publicKey(image_id), alt })),
    fan_scope,
    membership_id,
    publish_at: published_at ?? publish_at,
    created_at,
  };
}

function toSourceRadio({ image_id, radio_id: _, duration_ms: __, files: ___, ...kept }: ArchivedRadio): SourceRadio {
  return { ...kept, image_id: image_id === null ? null : publicKey(image_id) };
}

const nameOf = ({ file, file_name }: Pick<ArchivedFile, "file" | "file_name">) =>
  file_name || (file.split("/").at(-1) ?? file);

function toSourcePost(post: ArchivedPost): SourcePost {
  const { gallery, files, updated_at: _, event_id: __, ...kept } = post;
  const altOf = (id: string) => files.find((file) => file.id === id)?.alt ?? "";
  return { ...kept, images: gallery.map((image_id) => ({ image_id, alt: altOf(image_id) })), notes: [] };
}
