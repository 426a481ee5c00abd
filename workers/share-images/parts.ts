import { type Character, charactersOf, type Faces, isLegible } from "./characters.ts";
import { type Fit, type Setting, setText } from "./lines.ts";
import type { Typeface } from "./typeface.ts";

/**
 * The parts of which cards and banners are drawn, as SVG. Every word is escaped, and drawn in characters that the fonts
 * have.
 */

/** Pictures as data URLs for SVG; null when there is none. */
export interface Pictures {
  icon: string | null;
  cover: string | null;
}

export type Typefaces = Faces & { text: Typeface; emoji: Typeface };

/** The colours of the site's light theme: app/styles/app.css. */
export const colours = {
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

export interface Block {
  setting: Setting;
  fill: string;
  /** The empty space above the block. */
  above: number;
}

/** Lays out the name and the link_id, or only the link_id when no font can show the name. */
export function namesOf(
  name: string,
  link_id: string,
  large: [Fit, ...Fit[]],
  small: [Fit, ...Fit[]],
  width: number,
  faces: Typefaces,
): Block[] {
  const title: Block = { setting: titleOf({ name, link_id }, width, large, faces), fill: colours.text, above: 0 };
  if (!isLegible(charactersOf(name, faces))) return [title];
  return [title, { setting: layOut(`@${link_id}`, width, small, faces), fill: colours.soft, above: 2 }];
}

/** Lays out the name, or the link_id when no font can show the name. */
export function titleOf(
  { name, link_id }: { name: string; link_id: string },
  width: number,
  fits: [Fit, ...Fit[]],
  faces: Typefaces,
): Setting {
  const is_shown = isLegible(charactersOf(name, faces));
  return layOut(is_shown ? name : `@${link_id}`, width, fits, faces);
}

/** Draws blocks below each other, with the middle of the column at `middle`. */
export function drawColumn(blocks: readonly Block[], left: number, middle: number): string {
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

/** Draws the icon in a circle. Without an icon it draws the first legible letter of the names. */
export function drawPortrait(
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

export function drawImage(
  href: string,
  { x, y, width, height }: { x: number; y: number; width: number; height: number },
): string {
  return `<image href="${escapeXml(href)}" x="${x}" y="${y}" width="${width}" height="${height}" preserveAspectRatio="xMidYMid slice"/>`;
}

/** Draws the logo of public/favicon.svg, 32 units wide. */
export function drawLogo(x: number, y: number, scale: number): string {
  return `<g transform="translate(${x} ${y}) scale(${scale})"><rect x="2" y="6" width="28" height="20" rx="5" fill="${colours.brand}"/><path d="M5 10.5 16 18l11-7.5" fill="none" stroke="#fff" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round"/><circle cx="25" cy="8" r="4.5" fill="${colours.teal}"/></g>`;
}

/** The gradient of the brand's colours, called `#brand`. */
export const brandGradient = `<linearGradient id="brand" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="${colours.brand}"/><stop offset="1" stop-color="${colours.teal}"/></linearGradient>`;

export const toFit = (size: number, max_lines: number): Fit => ({ size, max_lines });
export const layOut = (text: string, width: number, fits: [Fit, ...Fit[]], faces: Typefaces) =>
  setText(charactersOf(text, faces), { width, fits, faces });
export const layOutLine = (text: string, width: number, size: number, faces: Typefaces) =>
  layOut(text, width, [toFit(size, 1)], faces);

export const heightOf = ({ size, lines }: Setting) => size * LINE * lines.length;

export function widthOf({ size, lines }: Setting): number {
  return size * Math.max(0, ...lines.map((line) => line.reduce((sum, { width }) => sum + width, 0)));
}

const families = { text: "Noto Sans JP", emoji: "Noto Emoji" };

/** Draws lines of text, starting at a corner. Each run of one font is placed where it was measured. */
export function drawLines({ size, lines: all }: Setting, left: number, top: number, fill: string): string {
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

/** Draws lines of text, each with its middle at `middle`. */
export function drawCentred({ size, lines }: Setting, middle: number, top: number, fill: string): string {
  return lines
    .map((line, index) => {
      const one = { size, lines: [line] };
      return drawLines(one, middle - widthOf(one) / 2, top + index * size * LINE, fill);
    })
    .join("");
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
