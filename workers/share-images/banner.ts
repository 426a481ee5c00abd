import type { Banner, QrCode } from "../contract/share-card.ts";
import type { Fit } from "./lines.ts";
import {
  colours,
  drawCentred,
  drawLines,
  drawLogo,
  drawPortrait,
  heightOf,
  layOut,
  layOutLine,
  type Pictures,
  type Typefaces,
  titleOf,
  toFit,
  widthOf,
} from "./parts.ts";

const WORDS = "好きの気持ちを、短い手紙で届けよう";
const BUTTON = "ofuseを送る";

/** The parts of a banner whose words are beside the portrait, in pixels. */
interface Row {
  portrait: { x: number; radius: number };
  names: { left: number; width: number; fits: [Fit, ...Fit[]] };
  words: number;
  /** The button is below the words, or at the right edge. */
  button: { size: number; is_below: boolean };
}

/** The left of a profile's header is below the portrait that the other site puts there. */
const wide: Row = {
  portrait: { x: 520, radius: 120 },
  names: { left: 684, width: 720, fits: [toFit(64, 1), toFit(52, 1), toFit(42, 2)] },
  words: 28,
  button: { size: 30, is_below: true },
};
const leaderboard: Row = {
  portrait: { x: 56, radius: 32 },
  names: { left: 104, width: 396, fits: [toFit(25, 1), toFit(20, 1)] },
  words: 15,
  button: { size: 20, is_below: false },
};

/** Draws a banner as SVG: the creator's portrait and name, and what to do. */
export function drawBanner(banner: Banner, { icon }: Pictures, faces: Typefaces): string {
  const [width = 0, height = 0] = banner.size.split("x").map(Number);
  const drawn = {
    "1500x500": () => drawRow(wide, banner, icon, faces, { width, height }),
    "728x90": () => drawRow(leaderboard, banner, icon, faces, { width, height }),
    "300x250": () => drawRectangle(banner, icon, faces),
    "1080x1080": () => drawSquare(banner, icon, faces),
  }[banner.size]();
  // White words have a contrast of at least 5.5 on this gradient.
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<defs><linearGradient id="deep" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="${colours.deep}"/><stop offset="1" stop-color="${colours.teal_deep}"/></linearGradient></defs>
<rect width="${width}" height="${height}" fill="url(#deep)"/>
<g fill="#fff" fill-opacity=".07"><circle cx="${width * 0.9}" cy="${height * 0.02}" r="${height * 0.42}"/><circle cx="${width * 0.16}" cy="${height * 1.02}" r="${height * 0.34}"/><circle cx="${width * 0.99}" cy="${height * 0.8}" r="${height * 0.2}"/></g>
${drawn}</svg>`;
}

/** Draws a QR code alone, with whole pixels for each of its squares. */
export function drawCode(code: QrCode): string {
  const width = code.size * Math.ceil(MIN_CODE_WIDTH / code.size);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${width}">${drawSquares(code, 0, 0, width)}</svg>`;
}

/** Enough for 8 cm on paper at 300 dots per inch. */
const MIN_CODE_WIDTH = 1024;

function drawRow(
  { portrait, names, words, button }: Row,
  banner: Banner,
  icon: string | null,
  faces: Typefaces,
  { width, height }: { width: number; height: number },
): string {
  const middle = height / 2;
  const title = titleOf(banner, names.width, names.fits, faces);
  const line = layOutLine(WORDS, names.width, words, faces);
  const gap = words * 0.25;
  const button_height = button.size * 2.3;
  const below = button.is_below ? button_height + words : 0;
  let top = middle - (heightOf(title) + gap + heightOf(line) + below) / 2;
  const drawn_title = drawLines(title, names.left, top, colours.surface);
  top += heightOf(title) + gap;
  const drawn_words = drawLines(line, names.left, top, colours.surface);
  const right = width - (portrait.x - portrait.radius);
  const place = button.is_below
    ? { left: names.left, middle: top + heightOf(line) + words + button_height / 2 }
    : { left: right - buttonWidth(button.size, faces), middle };
  return `${drawRinged(banner, icon, portrait.x, middle, portrait.radius, faces)}
${drawn_title}
${drawn_words}
${drawButton(button.size, place, faces)}`;
}

function drawRectangle(banner: Banner, icon: string | null, faces: Typefaces): string {
  const title = titleOf(banner, 268, [toFit(22, 1), toFit(18, 1), toFit(15, 2)], faces);
  const line = layOutLine(WORDS, 280, 14, faces);
  return `${drawRinged(banner, icon, 150, 68, 42, faces)}
${drawCentred(title, 150, 160 - heightOf(title), colours.surface)}
${drawCentred(line, 150, 163, colours.surface)}
${drawButton(20, { left: 150 - buttonWidth(20, faces) / 2, middle: 214 }, faces)}`;
}

/** Draws a square with the code of the page: nobody can press a picture in a feed. */
function drawSquare(banner: Banner, icon: string | null, faces: Typefaces): string {
  const title = titleOf(banner, 920, [toFit(72, 1), toFit(56, 1), toFit(44, 2)], faces);
  const line = layOutLine(WORDS, 920, 36, faces);
  const address = layOut(banner.address, 920, [toFit(30, 1), toFit(24, 1), toFit(20, 2)], faces);
  const code = 340;
  return `${drawRinged(banner, icon, 540, 212, 132, faces)}
${drawCentred(title, 540, 484 - heightOf(title), colours.surface)}
${drawCentred(line, 540, 492, colours.surface)}
<rect x="${540 - code / 2}" y="576" width="${code}" height="${code}" rx="28" fill="#fff"/>
${banner.code ? drawSquares(banner.code, 540 - code / 2 + 10, 586, code - 20) : ""}
${drawCentred(address, 540, 988 - heightOf(address) / 2, colours.surface)}`;
}

function drawRinged(
  { name, link_id }: Banner,
  icon: string | null,
  x: number,
  y: number,
  radius: number,
  faces: Typefaces,
) {
  return `<circle cx="${x}" cy="${y}" r="${radius * 1.07}" fill="${colours.surface}"/>
${drawPortrait(icon, name + link_id, x, y, radius, faces)}`;
}

const buttonText = (size: number, faces: Typefaces) => layOutLine(BUTTON, Number.POSITIVE_INFINITY, size, faces);
/** The width of a button is that of its words, its logo, and the space around them. */
const buttonWidth = (size: number, faces: Typefaces) => widthOf(buttonText(size, faces)) + size * 3.3;

function drawButton(size: number, { left, middle }: { left: number; middle: number }, faces: Typefaces): string {
  const text = buttonText(size, faces);
  const height = size * 2.3;
  return `<rect x="${left}" y="${middle - height / 2}" width="${buttonWidth(size, faces)}" height="${height}" rx="${height / 2}" fill="${colours.surface}"/>
${drawLogo(left + size * 0.8, middle - size * 0.7, size * 0.044)}
${drawLines(text, left + size * 2.4, middle - heightOf(text) / 2, colours.deep)}`;
}

function drawSquares({ size, path }: QrCode, x: number, y: number, width: number): string {
  return `<g transform="translate(${x} ${y}) scale(${width / size})" shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="#fff"/><path d="${path}"/></g>`;
}
