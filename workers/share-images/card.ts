import { SHARE_IMAGE_SIZE, type ShareCard } from "../contract/share-card.ts";
import {
  brandGradient,
  colours,
  drawColumn,
  drawImage,
  drawLines,
  drawLogo,
  drawPortrait,
  heightOf,
  layOut,
  layOutLine,
  namesOf,
  type Pictures,
  type Typefaces,
  toFit,
  widthOf,
} from "./parts.ts";

const { width: WIDTH, height: HEIGHT } = SHARE_IMAGE_SIZE;

/** Draws a card as SVG. */
export function drawCard(card: ShareCard, pictures: Pictures, faces: Typefaces): string {
  const content = card.title === null ? drawCreatorCard(card, pictures, faces) : drawEventCard(card, pictures, faces);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}">
<defs>${brandGradient}</defs>
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

function drawPlainCover(height: number): string {
  return `<rect width="${WIDTH}" height="${height}" fill="url(#brand)"/>
<g fill="#fff" fill-opacity=".09"><circle cx="1010" cy="20" r="190"/><circle cx="720" cy="250" r="120"/><circle cx="1140" cy="230" r="70"/></g>`;
}

/** Draws who may read the post, with a padlock. */
function drawBadge(note: string, x: number, y: number, faces: Typefaces): string {
  const setting = layOutLine(note, MEASURE, 26, faces);
  return `<rect x="${x}" y="${y}" width="${widthOf(setting) + 82}" height="52" rx="26" fill="${colours.teal_soft}"/>
<path d="M${x + 30} ${y + 25}v-5a7 7 0 0 1 14 0v5" fill="none" stroke="${colours.teal_deep}" stroke-width="3.5"/>
<rect x="${x + 25}" y="${y + 24}" width="24" height="17" rx="4" fill="${colours.teal_deep}"/>
${drawLines(setting, x + 58, y + 26 - heightOf(setting) / 2, colours.teal_deep)}`;
}

/** Draws the site's logo and name, ending at `right`. */
function drawWordmark(right: number, middle: number, faces: Typefaces): string {
  const setting = layOutLine("ofuse", MEASURE, 42, faces);
  const left = right - widthOf(setting);
  return `${drawLogo(left - 66, middle - 27, 1.7)}
${drawLines(setting, left, middle - heightOf(setting) / 2 - 2, colours.text)}`;
}
