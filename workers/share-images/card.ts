import { SHARE_IMAGE_SIZE, type ShareCard } from "../contract/share-card.ts";
import { type Character, charactersOf, type Faces, isLegible } from "./characters.ts";
import { type Fit, type Setting, setText } from "./lines.ts";
import type { Typeface } from "./typeface.ts";

/** Pictures as data URLs for SVG; null when there is none. */
export interface Pictures {
  icon: string | null;
  cover: string | null;
}

type Typefaces = Faces & { text: Typeface; emoji: Typeface };

const { width: WIDTH, height: HEIGHT } = SHARE_IMAGE_SIZE;
/** The colours of the site's light theme: app/styles/app.css. */
const colours = {
  brand: "#2882a7",
  deep: "#1f7092",
  teal: "#2fb3a4",
  teal_deep: "#14766c",
  teal_soft: "#e3f4f1",
  accent_soft: "#e6f2f7",
  text: "#1d272b",
  soft: "#55646b",
  surface: "#fff",
};
const LINE = 1.38;

/** Draws a card as SVG. Every word is escaped, and drawn in characters that the fonts have. */
export function drawCard(card: ShareCard, pictures: Pictures, faces: Typefaces): string {
  const content = card.title === null ? drawCreatorCard(card, pictures, faces) : drawEventCard(card, pictures, faces);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}">
<defs><linearGradient id="brand" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="${colours.brand}"/><stop offset="1" stop-color="${colours.teal}"/></linearGradient></defs>
${content}</svg>`;
}

const LEFT = 96;
const MEASURE = WIDTH - 2 * LEFT;

/** Draws the card of a post: its title, who may read it, and its writer. */
function drawEventCard({ title, note, name, link_id }: ShareCard, { icon }: Pictures, faces: Typefaces): string {
  const [top, bottom] = [note ? 156 : 80, 448];
  const setting = layOut(
    title ?? "",
    MEASURE,
    [toFit(76, note ? 2 : 3), toFit(66, 3), toFit(note ? 50 : 58, 4)],
    faces,
  );
  const names = namesOf(name, link_id, [toFit(34, 1)], [toFit(25, 1)], 640, faces);
  return `<rect width="${WIDTH}" height="${HEIGHT}" fill="url(#brand)"/>
<rect x="36" y="36" width="${WIDTH - 72}" height="${HEIGHT - 72}" rx="36" fill="${colours.surface}"/>
${note ? drawBadge(note, LEFT, 88, faces) : ""}
${drawLines(setting, LEFT, (top + bottom - heightOf(setting)) / 2, colours.text)}
${drawPortrait(icon, name + link_id, LEFT + 40, 516, 40, faces)}
${drawColumn(names, LEFT + 100, 516)}
${drawWordmark(WIDTH - LEFT, 516, faces)}`;
}

/** Draws the card of a creator: cover, icon, name, and the beginning of their profile text. */
function drawCreatorCard(card: ShareCard, { icon, cover }: Pictures, faces: Typefaces): string {
  const { name, link_id, bio } = card;
  const band = 236;
  const measure = WIDTH - 2 * 80;
  const names = namesOf(name, link_id, [toFit(68, 1), toFit(56, 1), toFit(44, 2)], [toFit(28, 1)], measure, faces);
  const bio_block = { setting: layOut(bio, measure, [toFit(29, 2)], faces), fill: colours.text, above: 18 };
  return `<rect width="${WIDTH}" height="${HEIGHT}" fill="${colours.surface}"/>
${cover ? drawImage(cover, { x: 0, y: 0, width: WIDTH, height: band }) : drawPlainCover(band)}
<circle cx="180" cy="${band}" r="108" fill="${colours.surface}"/>
${drawPortrait(icon, name + link_id, 180, band, 98, faces)}
${drawWordmark(WIDTH - 80, 300, faces)}
${drawColumn(bio_block.setting.lines.length > 0 ? [...names, bio_block] : names, 80, 480)}
<rect y="${HEIGHT - 10}" width="${WIDTH}" height="10" fill="url(#brand)"/>`;
}

interface Block {
  setting: Setting;
  fill: string;
  /** The empty space above the block. */
  above: number;
}

/** Lays out the name and the link_id, or only the link_id when no font can show the name. */
function namesOf(
  name: string,
  link_id: string,
  large: [Fit, ...Fit[]],
  small: [Fit, ...Fit[]],
  width: number,
  faces: Typefaces,
): Block[] {
  const called = `@${link_id}`;
  if (!isLegible(charactersOf(name, faces))) {
    return [{ setting: layOut(called, width, large, faces), fill: colours.text, above: 0 }];
  }
  return [
    { setting: layOut(name, width, large, faces), fill: colours.text, above: 0 },
    { setting: layOut(called, width, small, faces), fill: colours.soft, above: 2 },
  ];
}

/** Draws blocks below each other, with the middle of the column at `middle`. */
function drawColumn(blocks: readonly Block[], left: number, middle: number): string {
  const height = blocks.reduce((sum, { setting, above }) => sum + heightOf(setting) + above, 0);
  let top = middle - height / 2;
  return blocks
    .map(({ setting, fill, above }) => {
      const drawn = drawLines(setting, left, top + above, fill);
      top += above + heightOf(setting);
      return drawn;
    })
    .join("\n");
}

function drawPlainCover(height: number): string {
  return `<rect width="${WIDTH}" height="${height}" fill="url(#brand)"/>
<g fill="#fff" fill-opacity=".09"><circle cx="1010" cy="20" r="190"/><circle cx="720" cy="250" r="120"/><circle cx="1140" cy="230" r="70"/></g>`;
}

/** Draws the icon in a circle. Without an icon it draws the first legible letter of the names. */
function drawPortrait(
  icon: string | null,
  names: string,
  x: number,
  y: number,
  radius: number,
  faces: Typefaces,
): string {
  if (icon) {
    return `<clipPath id="face"><circle cx="${x}" cy="${y}" r="${radius}"/></clipPath>
<g clip-path="url(#face)">${drawImage(icon, { x: x - radius, y: y - radius, width: radius * 2, height: radius * 2 })}</g>`;
  }
  const initial = charactersOf(names, faces).find((character) => isLegible([character]));
  const setting = { size: radius * 0.95, lines: initial ? [[initial]] : [] };
  const left = x - ((initial?.width ?? 0) * setting.size) / 2;
  return `<circle cx="${x}" cy="${y}" r="${radius}" fill="${colours.accent_soft}"/>
${drawLines(setting, left, y - (setting.size * LINE) / 2, colours.deep)}`;
}

function drawImage(
  href: string,
  { x, y, width, height }: { x: number; y: number; width: number; height: number },
): string {
  return `<image href="${escapeXml(href)}" x="${x}" y="${y}" width="${width}" height="${height}" preserveAspectRatio="xMidYMid slice"/>`;
}

/** Draws who may read the post, with a padlock. */
function drawBadge(note: string, x: number, y: number, faces: Typefaces): string {
  const setting = layOutLine(note, MEASURE, 26, faces);
  return `<rect x="${x}" y="${y}" width="${widthOf(setting) + 82}" height="52" rx="26" fill="${colours.teal_soft}"/>
<path d="M${x + 30} ${y + 25}v-5a7 7 0 0 1 14 0v5" fill="none" stroke="${colours.teal_deep}" stroke-width="3.5"/>
<rect x="${x + 25}" y="${y + 24}" width="24" height="17" rx="4" fill="${colours.teal_deep}"/>
${drawLines(setting, x + 58, y + 26 - (26 * LINE) / 2, colours.teal_deep)}`;
}

/** Draws the site's logo and name, ending at `right`. */
function drawWordmark(right: number, middle: number, faces: Typefaces): string {
  const setting = layOutLine("ofuse", MEASURE, 42, faces);
  const left = right - widthOf(setting);
  // The logo is that of public/favicon.svg.
  return `<g transform="translate(${left - 66} ${middle - 27}) scale(1.7)"><rect x="2" y="6" width="28" height="20" rx="5" fill="${colours.brand}"/><path d="M5 10.5 16 18l11-7.5" fill="none" stroke="#fff" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round"/><circle cx="25" cy="8" r="4.5" fill="${colours.teal}"/></g>
${drawLines(setting, left, middle - (42 * LINE) / 2 - 2, colours.text)}`;
}

const toFit = (size: number, max_lines: number): Fit => ({ size, max_lines });
const layOut = (text: string, width: number, fits: [Fit, ...Fit[]], faces: Typefaces) =>
  setText(charactersOf(text, faces), { width, fits, faces });
const layOutLine = (text: string, width: number, size: number, faces: Typefaces) =>
  layOut(text, width, [toFit(size, 1)], faces);

const heightOf = ({ size, lines }: Setting) => size * LINE * lines.length;

function widthOf({ size, lines }: Setting): number {
  return size * Math.max(0, ...lines.map((line) => line.reduce((sum, { width }) => sum + width, 0)));
}

const families = { text: "Noto Sans JP", emoji: "Noto Emoji" };

/** Draws lines of text, starting at a corner. Each run of one font is placed where it was measured. */
function drawLines({ size, lines: all }: Setting, left: number, top: number, fill: string): string {
  const written = all.flatMap((line, index) => {
    // The middle of a full-width character is 0.38 em above its baseline.
    const y = top + size * (LINE * (index + 0.5) + 0.38);
    // A line that begins with a bracket starts further left, so that the bracket's empty half hangs over the edge.
    // Source: JIS X 4051, lines that begin with a bracket.
    let x = left - (/^[（「『【〔〈《]/.test(line[0]?.text ?? "") ? size * 0.45 : 0);
    return runsOf(line).map((run) => {
      const text = run.map((character) => character.text).join("");
      const at = `x="${x.toFixed(1)}" y="${y.toFixed(1)}"`;
      x += size * run.reduce((sum, { width }) => sum + width, 0);
      return `<text ${at} font-family="${families[run[0]?.face ?? "text"]}" xml:space="preserve">${escapeXml(text)}</text>`;
    });
  });
  return `<g font-size="${size}" font-weight="700" fill="${fill}">${written.join("")}</g>`;
}

/** Groups neighbouring characters that are drawn together: letters in runs, and each emoji alone. */
function runsOf(line: readonly Character[]): Character[][] {
  const runs: Character[][] = [];
  for (const character of line) {
    const run = runs.at(-1);
    if (run?.[0]?.face === "text" && character.face === "text") run.push(character);
    else runs.push([character]);
  }
  return runs;
}

function escapeXml(text: string): string {
  const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? "");
}
