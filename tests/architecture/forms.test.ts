import { describe, expect, test } from "vitest";
import { readSources } from "./imports.ts";

const pages = [...readSources(["app"])].filter(([file]) => file.endsWith(".tsx"));

/** The forms without an account, by file. */
const OWNERLESS: Readonly<Record<string, string>> = {
  "app/routes/display-form.tsx": "sets a cookie of the browser",
  "app/shell/theme-form.tsx": "sets a cookie of the browser",
  "app/shell/flash.tsx": "is shown to visitors",
  "app/shell/kept-form.tsx": "sends the fields of another form again, with its account",
  "app/routes/creator/follow-form.tsx": "is on the creator's page, whose scripts have no room (docs/decisions/0050)",
  "app/routes/unsubscribe.tsx": "has a signed address, and needs no sign-in",
  "app/routes/operator/first.tsx": "needs no sign-in",
};
/** The pages of people who are not signed in, and of mailed links. */
const SIGNING_IN = /^app\/routes\/(login\/|signup\/(signup|sent|action)\.tsx)/;

/** Returns every form of a file that is sent by POST, from its opening tag to its end. */
function formsOf(source: string): string[] {
  return [...source.matchAll(/<((?:fetcher\.)?Form|form)\b/g)]
    .map(({ 1: tag, index }) => source.slice(index, source.indexOf(`</${tag}>`, index)))
    .filter((form) => /^<[\w.]+\s(?:(?!>\n)[\s\S])*?method="post"/.test(form));
}

const namesAccount = (form: string) => /<(?:HiddenFields|Author)\b|AUTHOR_FIELD/.test(form);

describe("every form of a member's page", () => {
  test("names its account, so that it does not act for another account that has signed in meanwhile", () => {
    const forms = pages.flatMap(([file, source]) => formsOf(source).map((form) => ({ file, form })));
    expect(forms.length).toBeGreaterThan(80);
    // A person who signs out wants nobody to be signed in here.
    const nameless = forms.filter(({ form }) => !namesAccount(form) && !form.includes('action="/logout"'));
    const unexpected = nameless.filter(({ file }) => !(file in OWNERLESS) && !SIGNING_IN.test(file));
    expect(unexpected.map(({ file, form }) => `${file}: ${form.slice(0, 80)}`)).toEqual([]);
  });

  test("is found by this test also when its tag has several lines", () => {
    const form = '<Form\n  method="post"\n  onSubmit={() => {}}\n>\n  <button />\n</Form>';
    expect(formsOf(`${form} <Form action="/search"></Form>`)).toEqual([form.slice(0, -7)]);
    expect(namesAccount(form)).toBe(false);
  });
});

describe("every control of a page", () => {
  const findAll = (pattern: RegExp) =>
    pages.flatMap(([file, source]) => [...source.matchAll(pattern)].map(([found]) => `${file} ${found.trim()}`));

  test("is not disabled while its form is sent, because the browser would take the focus from it", () => {
    expect(findAll(/\saria-disabled=\{.*?\}/g).length).toBeGreaterThan(60);
    expect(findAll(/\sdisabled=\{.*?\}/g)).toEqual([
      "app/post/lightbox.tsx disabled={shown === 0}",
      "app/post/lightbox.tsx disabled={shown === last}",
      "app/routes/my/settings/hints-section.tsx disabled={!useHydrated()}",
    ]);
  });

  test("names the element of its error only while there is one", () => {
    expect(findAll(/\saria-describedby=\{.*?-error/g).length).toBeGreaterThan(5);
    expect(findAll(/\saria-describedby="[^"]*-error.*?"/g)).toEqual([]);
  });
});
