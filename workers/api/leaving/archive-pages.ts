import type { ArchivedFile, ArchivedPost } from "../../contract/archive.ts";
import type { Block, Inline } from "../../contract/document.ts";
import { japaneseDayText } from "../../kernel/clock.ts";

/**
 * Writes the posts of an archive as HTML and as Markdown, and the page that lists them. Everything that a person typed is
 * escaped; the pages have no script, and load nothing but files of the archive.
 */

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

export const dayOf = (iso: string): string => japaneseDayText(Date.parse(iso));

export const STYLE = `:root{color-scheme:light dark;--line:#d5dde0;--quiet:#5b6b72;--accent:#2882a7}
@media(prefers-color-scheme:dark){:root{--line:#38444a;--quiet:#9fb0b8;--accent:#6fbfe0}}
body{max-width:44rem;margin:0 auto;padding:2rem 1.25rem 4rem;font:1rem/1.9 system-ui,sans-serif;overflow-wrap:anywhere}
a{color:var(--accent)}h1{font-size:1.5rem;line-height:1.5}img,video{max-width:100%;height:auto;border-radius:8px}
audio,video{width:100%}.note{color:var(--quiet);font-size:.875rem}ul.posts{list-style:none;padding:0}
ul.posts li{padding:1rem 0;border-bottom:1px solid var(--line)}ul.posts a{display:block;font-weight:600}
blockquote{margin:0;padding-left:1rem;border-left:3px solid var(--line)}hr{border:0;border-top:1px solid var(--line)}
.paywall{padding:.5rem 1rem;border:1px dashed var(--line);text-align:center;color:var(--quiet)}
`;

/** Returns a whole page. `body` is HTML of our own making. `root` leads to the archive's first folder. */
function page(title: string, root: string, body: string): string {
  return `<!doctype html>
<html lang="ja">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="${root}style.css">
</head>
<body>
${body}
</body>
</html>
`;
}

const STATUS_WORDS = { published: "公開", publish_pending: "公開予約", private: "非公開" } as const;
const TARGET_WORDS = { public: "全員", fans: "フォロワー限定", memberships: "メンバー限定" } as const;

type Shown = Pick<ArchivedPost, "status" | "publish_target_type" | "published_at" | "created_at">;
const noteOf = ({ status, publish_target_type, published_at, created_at }: Shown) =>
  `${dayOf(published_at ?? created_at)}・${STATUS_WORDS[status]}・${TARGET_WORDS[publish_target_type]}`;

export interface ListedPost extends Shown {
  title: string;
  /** The name of the post's file without its ending. */
  name: string;
}

export interface ListedRadio {
  title: string;
  /** When it was on air, or is to be, or was made. */
  date: string;
  /** The name of the file; null without a recording. */
  recording: string | null;
}

interface AboutArchive {
  radios: readonly ListedRadio[];
  exported_at: string;
  /** Null for a whole archive. */
  part: { number: number; count: number } | null;
  /** The other files to link to. */
  files: readonly { name: string; title: string }[];
  /** The files that the site has lost. */
  missing_files: readonly Pick<ArchivedFile, "kind" | "file" | "file_name">[];
}

const KIND_WORDS = { image: "画像", audio: "音声", video: "動画" } as const;

/** Returns the first page of an archive: what it lacks, its posts and its radios, newest first, and its other files. */
export function indexPage(
  person: { name: string; link_id: string },
  posts: readonly ListedPost[],
  { exported_at, part, files, radios, missing_files }: AboutArchive,
): string {
  const dateOf = ({ published_at, created_at }: Shown) => published_at ?? created_at;
  const rows = posts
    .toSorted((a, b) => (dateOf(a) < dateOf(b) ? 1 : -1))
    .map(
      (post) =>
        `<li><a href="${post.name}.html">${escapeHtml(post.title)}</a><span class="note">${noteOf(post)}</span></li>`,
    );
  const broadcasts = radios
    .toSorted((a, b) => (a.date < b.date ? 1 : -1))
    .map(
      ({ title, date, recording }) =>
        `<li>${escapeHtml(title)}<br><span class="note">${dayOf(date)}${recording ? "" : "・録音なし"}</span>${recording ? `<audio src="${recording}" controls preload="none"></audio>` : ""}</li>`,
    );
  const others = files.map(({ name, title }) => `<li><a href="${name}">${title}</a></li>`);
  const missing = missing_files.map(
    ({ kind, file, file_name }) => `<li>${KIND_WORDS[kind]}：${escapeHtml(file_name || file)}</li>`,
  );
  const title = `${person.name}のアーカイブ`;
  return page(
    title,
    "",
    `<h1>${escapeHtml(title)}</h1>
<p class="note">@${escapeHtml(person.link_id)}・${dayOf(exported_at)}に保存${part ? `・${part.count}個のうち${part.number}個め` : ""}</p>
${missing.length > 0 ? `<h2>入っていないファイル</h2>\n<p>次のファイルは見つからず、このアーカイブに入っていません。退会する前に、運営にお問い合わせください。</p>\n<ul>\n${missing.join("\n")}\n</ul>` : ""}
${rows.length > 0 ? `<ul class="posts">\n${rows.join("\n")}\n</ul>` : "<p>投稿はありません。</p>"}
${broadcasts.length > 0 ? `<h2>ラジオ</h2>\n<ul class="posts">\n${broadcasts.join("\n")}\n</ul>` : ""}
${others.length > 0 ? `<h2>そのほかのファイル</h2>\n<ul>\n${others.join("\n")}\n</ul>` : ""}`,
  );
}

interface Written {
  post: ArchivedPost;
  category: string | null;
  plan: string | null;
}

/** Returns a post as a page. Its files lie one folder up, in `media`. */
export function postPage({ post, category, plan }: Written): string {
  const fileOf = filesOf(post);
  const notes = [noteOf(post), category && escapeHtml(category), plan && escapeHtml(plan)].filter(Boolean).join("・");
  const cover = post.kind === "image" ? null : fileOf(post.cover_image_id);
  return page(
    post.title,
    "../",
    `<p><a href="../index.html">一覧へ戻る</a></p>
<article>
<h1>${escapeHtml(post.title)}</h1>
<p class="note">${notes}</p>
${[
  ...(cover ? [htmlOfFile(cover)] : []),
  ...post.gallery.flatMap((id) => fileOf(id) ?? []).map(htmlOfFile),
  ...(post.video_url ? [htmlOfLink(post.video_url)] : []),
  ...(post.video_media_id ? [fileOf(post.video_media_id)].flatMap((file) => (file ? [htmlOfFile(file)] : [])) : []),
  ...post.document.map((block) => htmlOfBlock(block, fileOf)),
].join("\n")}
</article>`,
  );
}

type FileOf = (id: string | null) => ArchivedFile | undefined;
const filesOf =
  ({ files }: ArchivedPost): FileOf =>
  (wanted) =>
    files.find(({ id }) => id === wanted);

function htmlOfFile({ kind, file, alt, width, height }: ArchivedFile): string {
  const src = `src="../${file}"`;
  if (kind === "image") {
    return `<p><img ${src} alt="${escapeHtml(alt)}" width="${width}" height="${height}" loading="lazy"></p>`;
  }
  return `<p><${kind} ${src} controls preload="none"></${kind}></p>`;
}

const htmlOfLink = (url: string) => `<p><a href="${escapeHtml(url)}" rel="noreferrer">${escapeHtml(url)}</a></p>`;

function htmlOfBlock(block: Block, fileOf: FileOf): string {
  switch (block.type) {
    case "paragraph":
      return `<p>${block.content.map(htmlOfInline).join("")}</p>`;
    case "heading":
      return `<h${block.level}>${block.content.map(htmlOfInline).join("")}</h${block.level}>`;
    case "list": {
      const tag = block.is_ordered ? "ol" : "ul";
      return `<${tag}>${block.items.map((item) => `<li>${item.map(htmlOfInline).join("")}</li>`).join("")}</${tag}>`;
    }
    case "quote":
      return `<blockquote><p>${block.content.map(htmlOfInline).join("")}</p></blockquote>`;
    case "rule":
      return "<hr>";
    case "paywall":
      return '<p class="paywall">ここから先は限定公開</p>';
    case "embed":
      return htmlOfLink(block.url);
    case "image":
    case "audio": {
      const file = fileOf(block.type === "image" ? block.image_id : block.media_id);
      return file ? htmlOfFile(file) : "";
    }
  }
}

function htmlOfInline(inline: Inline): string {
  if (inline.type === "break") return "<br>";
  if (inline.type === "ruby") return rubyOf(inline, escapeHtml);
  const text = inline.bold ? `<strong>${escapeHtml(inline.text)}</strong>` : escapeHtml(inline.text);
  return inline.href ? `<a href="${escapeHtml(inline.href)}" rel="noreferrer">${text}</a>` : text;
}

const rubyOf = ({ text, reading }: Extract<Inline, { type: "ruby" }>, toMarkup: (text: string) => string) =>
  `<ruby>${toMarkup(text)}<rp>（</rp><rt>${toMarkup(reading)}</rt><rp>）</rp></ruby>`;

/** Returns a post as CommonMark with front matter. A value in quotation marks is JSON, which YAML reads too. */
export function postMarkdown({ post, category, plan }: Written): string {
  const fileOf = filesOf(post);
  const head = {
    title: post.title,
    date: post.published_at ?? post.created_at,
    status: post.status,
    audience: post.publish_target_type,
    ...(plan !== null && { plan }),
    ...(category !== null && { category }),
    kind: post.kind,
    id: post.event_id,
  };
  const front = Object.entries(head).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  const blocks = [
    ...(post.kind === "image" ? [] : [fileOf(post.cover_image_id)]),
    ...post.gallery.map(fileOf),
    ...[fileOf(post.video_media_id)],
  ].flatMap((file) => (file ? [markdownOfFile(file)] : []));
  const video = post.video_url ? [`<${post.video_url}>`] : [];
  const written = post.document
    .flatMap((block, at) => {
      // Two lists without anything between them would be one.
      const is_second = block.type === "list" && post.document[at - 1]?.type === "list";
      return [is_second ? "<!-- -->" : "", markdownOfBlock(block, fileOf)];
    })
    .filter(Boolean);
  return `---\n${front.join("\n")}\n---\n\n${[...blocks, ...video, ...written].join("\n\n")}\n`;
}

const markdownOfFile = ({ kind, file, alt, file_name }: ArchivedFile) =>
  kind === "image"
    ? `![${escapeMarkdown(alt)}](../${file})`
    : `[${escapeMarkdown(file_name) || (kind === "audio" ? "音声" : "動画")}](../${file})`;

function markdownOfBlock(block: Block, fileOf: FileOf): string {
  switch (block.type) {
    case "paragraph":
      return linesOf(block.content).join("\\\n");
    case "heading":
      return `${"#".repeat(block.level)} ${linesOf(block.content)
        .join(" ")
        .replace(/(?<![#\\])#+ *$/, "\\$&")}`;
    case "list":
      return block.items
        .map((item, at) => {
          const mark = block.is_ordered ? `${at + 1}. ` : "- ";
          return mark + linesOf(item).join(`\\\n${" ".repeat(mark.length)}`);
        })
        .join("\n");
    case "quote":
      return linesOf(block.content)
        .map((line) => `> ${line}`)
        .join("\\\n");
    case "rule":
      return "---";
    case "paywall":
      return "<!-- ここから先は限定公開 -->";
    case "embed":
      return `<${block.url}>`;
    case "image":
    case "audio": {
      const file = fileOf(block.type === "image" ? block.image_id : block.media_id);
      return file ? markdownOfFile(file) : "";
    }
  }
}

/**
 * Returns the lines of a block. A sign at the beginning of a line would make it a heading, a list, a quotation or a table, and
 * four blanks would make it code. A backslash is no line break at the end of a block.
 */
function linesOf(content: readonly Inline[]): string[] {
  const lines = [""];
  for (const inline of content) {
    if (inline.type === "break") lines.push("");
    else lines.push((lines.pop() ?? "") + markdownOfInline(inline));
  }
  while (lines.length > 1 && lines.at(-1)?.trim() === "") lines.pop();
  return lines.map((line) => line.replace(/^ |^([#+=-]|:(?=-)|\d+[.)])/, escapeBeginning));
}

const escapeBeginning = (beginning: string) =>
  beginning === " " ? "&#32;" : `${beginning.slice(0, -1)}\\${beginning.at(-1)}`;

/** Bold is HTML: the signs of CommonMark do not end it between 」 and a letter. */
function markdownOfInline(inline: Exclude<Inline, { type: "break" }>): string {
  if (inline.type === "ruby") return rubyOf(inline, escapeMarkdown);
  const text = inline.bold ? `<strong>${escapeMarkdown(inline.text)}</strong>` : escapeMarkdown(inline.text);
  return inline.href ? `[${text}](<${escapeAddress(inline.href)}>)` : text;
}

/**
 * Escapes what CommonMark reads as markup, and what GitHub reads so besides: strikethrough, and addresses that are no links. A sign
 * before a link would make it a picture.
 */
const escapeMarkdown = (text: string) =>
  text.replace(/[\\`*_[\]<>&|~@]|:(?=\/\/)|(?<=www)\.|!$/gi, "\\$&").replace(/[\n\t]/g, " ");

const escapeAddress = (href: string) =>
  href
    .replace(/[<>\s]/g, encodeURIComponent)
    .replaceAll("\\", "\\\\")
    .replace(/&(?=#?\w+;)/g, "&amp;");
