import { BLOG_BYTES } from "../../../contract/bounds.ts";
import { isoTime } from "../../../kernel/clock.ts";
import { documentOfHtml, HtmlFault } from "./html-document.ts";
import { SourceFault, type SourcePost } from "./source.ts";

/** More HTML than a post of ours can need: its text is bounded, and tags are a part of it. */
const HTML_LENGTH = 8 * BLOG_BYTES;

interface TextPost extends Pick<SourcePost, "title" | "status" | "publish_target_type"> {
  html: string;
  has_plain_lines: boolean;
  category: string | null;
  created_at: string | number | null;
  published_at: string | number | null;
}

/** Makes a post of a source from HTML, without files. Throws {@link SourceFault}. */
export function toTextPost({ html, has_plain_lines, category, ...post }: TextPost): SourcePost {
  if (html.length > HTML_LENGTH) throw new SourceFault("a post that is too long");
  const { document, pictures } = convert(html, has_plain_lines);
  return {
    kind: "blog",
    title: post.title,
    document,
    images: [],
    cover_image_id: null,
    video_url: null,
    video_media_id: null,
    event_category_id: category,
    comment_filter: "all",
    status: post.status,
    publish_at: null,
    publish_target_type: post.publish_target_type,
    publish_target_membership_id: null,
    created_at: toIso(post.created_at),
    published_at: toIso(post.published_at),
    notes: pictures > 0 ? [`画像${pictures}枚は、もとの場所へのリンクにしました。`] : [],
  };
}

function convert(html: string, has_plain_lines: boolean) {
  try {
    return documentOfHtml(html, { has_plain_lines });
  } catch (error) {
    throw error instanceof HtmlFault ? new SourceFault(error.message) : error;
  }
}

function toIso(moment: string | number | null): string | null {
  const ms = moment === null ? Number.NaN : new Date(moment).getTime();
  return Number.isNaN(ms) ? null : isoTime(ms);
}
