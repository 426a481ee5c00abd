import * as z from "zod";
import { type Contents, type Source, SourceFault, type SourcePost } from "./source.ts";
import { toTextPost } from "./text-post.ts";

const optionalText = z.string().nullish();
const moment = z.union([z.string(), z.number()]).nullish();
const key = z.union([z.string(), z.number()]).transform(String);
const ghostPost = z.object({
  id: key,
  uuid: optionalText,
  title: optionalText,
  html: optionalText,
  plaintext: optionalText,
  status: optionalText,
  visibility: optionalText,
  feature_image: optionalText,
  feature_image_alt: optionalText,
  created_at: moment,
  published_at: moment,
});
type GhostPost = z.output<typeof ghostPost>;

const ghostData = z.object({
  posts: z.array(ghostPost),
  tags: z.array(z.object({ id: key, name: z.string() })).default([]),
  posts_tags: z.array(z.object({ post_id: key, tag_id: key, sort_order: z.number().nullish() })).default([]),
});
const ghostFile = z.union([
  z.object({ db: z.array(z.object({ data: ghostData })).min(1) }).transform(({ db }) => db[0]?.data),
  z.object({ data: ghostData }).transform(({ data }) => data),
]);

/** Who may read a post. Ghost sells tiers, and we do not know which plan of ours stands for which. */
const AUDIENCES = new Map<string, SourcePost["publish_target_type"]>([
  ["public", "public"],
  ["members", "fans"],
  ["paid", "memberships"],
  ["tiers", "memberships"],
]);

/** Opens the JSON that Ghost exports (Settings, Labs, Export). It holds texts and names pictures by their addresses. */
export function openGhost(text: string): Source {
  const parsed = ghostFile.safeParse(parseJson(text));
  if (!parsed.success || !parsed.data) throw new SourceFault("no export of Ghost");
  const { posts, tags, posts_tags } = parsed.data;
  // Ghost hides tags whose names begin with #.
  const names = new Map(tags.filter(({ name }) => !name.startsWith("#")).map(({ id, name }) => [id, name]));
  const tag_of = new Map<string, string>();
  for (const { post_id, tag_id } of posts_tags.toSorted((a, b) => (a.sort_order ?? 0) - (b.sort_order ?? 0))) {
    if (names.has(tag_id) && !tag_of.has(post_id)) tag_of.set(post_id, tag_id);
  }
  const by_key = new Map(posts.map((post) => [post.uuid || post.id, post]));
  return {
    contents: async () => ({
      categories: [...new Set(tag_of.values())].map((id): Contents["categories"][number] => ({
        key: id,
        title: names.get(id) ?? "",
      })),
      plans: [],
      posts: [...by_key].map(([post_key, { title }]) => ({ key: post_key, title: title ?? "", files: [] })),
    }),
    async readPost(post_key) {
      const post = by_key.get(post_key);
      if (!post) throw new SourceFault("no such post");
      return toSourcePost(post, tag_of.get(post.id) ?? null);
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SourceFault("no JSON");
  }
}

function toSourcePost(post: GhostPost, category: string | null): SourcePost {
  const cover = post.feature_image
    ? `<img src="${escapeAttribute(post.feature_image)}" alt="${escapeAttribute(post.feature_image_alt ?? "")}">`
    : "";
  const html = post.html ?? `<pre>${escapeAttribute(post.plaintext ?? "")}</pre>`;
  return toTextPost({
    title: post.title ?? "",
    // Ghost writes this in place of its own address.
    html: cover + html.replaceAll("__GHOST_URL__", ""),
    has_plain_lines: false,
    category,
    status: post.status === "published" ? "published" : "private",
    publish_target_type: AUDIENCES.get(post.visibility ?? "public") ?? "memberships",
    created_at: post.created_at ?? null,
    published_at: post.published_at ?? null,
  });
}

const escapeAttribute = (text: string) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
