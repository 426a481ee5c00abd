import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

/**
 * Checks every text colour on each of its backgrounds, in both themes. Source: WCAG 2.2, 1.4.3 (4.5 : 1) and 1.4.11 (3
 * : 1).
 */

const css = readFileSync(new URL("../../app/styles/tokens.css", import.meta.url), "utf8");
const tokens = new Map(
  [...css.matchAll(/--([\w-]+): (?:light-dark\((#\w+), (#\w+)\)|(#\w+));/g)].map(([, name = "", light, dark, both]) => [
    name,
    { light: (light ?? both) as string, dark: (dark ?? both) as string },
  ]),
);

/** Takes a colour of six or three hexadecimal digits. */
function luminanceOf(colour: string): number {
  const digits = colour.length === 4 ? [...colour.slice(1)].map((digit) => digit + digit) : colour.match(/\w\w/g);
  const [red = 0, green = 0, blue = 0] = (digits ?? []).map((pair) => {
    const part = Number.parseInt(pair, 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrastOf(ink: string, ground: string): number {
  const [dark = 0, light = 0] = [luminanceOf(ink), luminanceOf(ground)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const words: [ink: string, grounds: string[]][] = [
  ["text", ["ground", "surface", "sunken", "accent-soft", "teal-soft", "alert-soft"]],
  ["text-soft", ["ground", "surface", "sunken", "accent-soft"]],
  ["accent", ["ground", "surface", "accent-soft"]],
  ["teal", ["surface", "teal-soft"]],
  ["alert", ["ground", "surface", "alert-soft"]],
  ["surface", ["text"]],
  ["on-accent", ["accent"]],
  ["on-teal", ["teal"]],
  ["on-alert", ["alert"]],
  ["on-like", ["like"]],
];
/** Shapes that must be visible without text: borders of controls, the focus ring, the dot. */
const shapes: [ink: string, grounds: string[]][] = [
  ["control", ["ground", "surface"]],
  ["ring", ["ground", "surface"]],
  ["unread", ["ground", "surface"]],
];

test("the bars of the earlier period have the whole colour of a control", () => {
  const charts = readFileSync(new URL("../../app/styles/earnings.css", import.meta.url), "utf8");
  expect(/\.bar-before \{([^}]*)\}/.exec(charts)?.[1]?.trim()).toBe("fill: var(--control);");
});

test("black on white is 21 to 1", () => {
  expect(contrastOf("#000", "#ffffff")).toBeCloseTo(21, 5);
  expect(contrastOf("#767676", "#fff")).toBeCloseTo(4.54, 2);
});

describe.each(["light", "dark"] as const)("the %s theme", (theme) => {
  const cases = [...words.map((pair) => [...pair, 4.5] as const), ...shapes.map((pair) => [...pair, 3] as const)];
  test.each(cases)("%s has enough contrast on %s", (ink, grounds, least) => {
    for (const ground of grounds) {
      const colourOf = (name: string) => tokens.get(name)?.[theme] ?? `no token ${name}`;
      expect(
        contrastOf(colourOf(ink), colourOf(ground)),
        `${colourOf(ink)} on ${ground} ${colourOf(ground)}`,
      ).toBeGreaterThanOrEqual(least);
    }
  });
});
