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

/** The forms with long text whose words the browser does not keep itself, by file. */
const WITHOUT_KEPT_WORDS: Readonly<Record<string, string>> = {
  "app/post/post-form.tsx": "is saved by its desk (docs/decisions/0017)",
  "app/shell/kept-form.tsx": "is the answer to a form, with its words",
};
/** The forms with a key that the browser sends itself, by file. What they do happens once without the key. */
const KEYS_OUTSIDE_ROUTER: Readonly<Record<string, string>> = {
  "app/routes/my/join-plan.tsx": "a fan has one joining of a plan (docs/decisions/0032)",
  "app/routes/my/settings/payments.tsx": "opens a page of the gateway",
  "app/routes/signup/registration.tsx": "an account has one profile",
  "app/routes/creator/paid-comment.tsx": "is paid on the next page",
  "app/routes/creator/paid-letter.tsx": "is paid on the next page",
};

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

describe("every form with long text", () => {
  test("keeps the typed words", () => {
    const forms = pages.flatMap(([file, source]) => formsOf(source).map((form) => ({ file, form })));
    const written = forms.filter(({ form }) => /<(?:textarea|WordsField|BodyField)\b/.test(form));
    expect(written.length).toBeGreaterThan(10);
    const unkept = written.filter(({ form }) => !/<Author\b/.test(form));
    expect(unkept.map(({ file }) => file).sort()).toEqual(Object.keys(WITHOUT_KEPT_WORDS).sort());
  });
});

describe("every form with an idempotency key", () => {
  const sources = [...readSources(["app"])];

  test("is sent by the router, whose middleware notes the key until the app has answered", () => {
    const forms = pages.flatMap(([file, source]) => formsOf(source).map((form) => ({ file, form })));
    const keyed = forms.filter(({ form }) => form.includes("idempotency_key"));
    expect(keyed.length).toBeGreaterThan(20);
    const native = keyed.filter(({ form }) => /^<form\b|^<[\w.]+\s[^>]*?\breloadDocument\b/.test(form));
    expect([...new Set(native.map(({ file }) => file))].sort()).toEqual(Object.keys(KEYS_OUTSIDE_ROUTER).sort());
  });

  test("has the key in the field that the member's shell fills with the unanswered key", () => {
    const [[, shell] = ["", ""]] = sources.filter(([file]) => file === "app/shell/member-page.tsx");
    expect(shell).toContain("keepKeys()");
    // A key in a field of another name, or in a form that a script makes, would not be kept.
    const loaders = pages.filter(([, source]) => /idempotency_key: .*randomUUID\(\)/.test(source));
    expect(loaders.length).toBeGreaterThan(20);
    const renamed = sources.flatMap(([file, source]) =>
      [...source.matchAll(/name="(\w+)"\s+value=\{[^}]*idempotency_key/g)].map(([, name]) => ({ file, name })),
    );
    expect(renamed.length).toBeGreaterThan(10);
    expect(renamed.filter(({ name }) => name !== "idempotency_key")).toEqual([]);
    const submitted = sources.filter(([, source]) => /\bsubmit\([^)]*idempotency_key/.test(source));
    expect(submitted.map(([file]) => file)).toEqual([]);
  });
});

describe("every control of a page", () => {
  const findAll = (pattern: RegExp) =>
    pages.flatMap(([file, source]) => [...source.matchAll(pattern)].map(([found]) => `${file} ${found.trim()}`));

  test("is not disabled while its form is sent, because the browser would take the focus from it", () => {
    expect(findAll(/\saria-disabled=\{.*?\}/g).length).toBeGreaterThan(60);
    expect(findAll(/\sdisabled=\{.*?\}/g)).toEqual([
      "app/routes/my/settings/hints-section.tsx disabled={!useHydrated()}",
    ]);
  });

  test("names the element of its error only while there is one", () => {
    expect(findAll(/\saria-describedby=\{.*?-error/g).length).toBeGreaterThan(5);
    expect(findAll(/\saria-describedby="[^"]*-error.*?"/g)).toEqual([]);
  });
});
