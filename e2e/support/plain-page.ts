/**
 * A page as a browser without JavaScript shows it, read and submitted over HTTP: links, forms, buttons and cookies, but
 * no layout, styles or keyboard. It offers the part of Playwright's `Page` and `Locator` that these journeys use, with
 * the same names and the same strictness, so that one journey runs in Chromium and here.
 *
 * It throws for anything else: such a journey carries the tag {@link IN_CHROMIUM}.
 */
import { load } from "cheerio";
import { Browser } from "../../tests/support/network.ts";
import {
  type Element,
  isHidden,
  isShown,
  nameOf,
  normalize,
  type Pattern,
  roleOf,
  STYLED_AWAY,
  says,
  textOf,
} from "./plain-dom.ts";

/** The tag of journeys that need a real browser even without JavaScript, for layout, focus or form validation. */
export const IN_CHROMIUM = "@chromium";

type Document = ReturnType<typeof load>;
type Find = () => Element[];
interface Upload {
  name: string;
  mimeType: string;
  buffer: Buffer;
}
interface ByRole {
  name?: Pattern;
  exact?: boolean;
  level?: number;
}
interface Filter {
  has?: PlainLocator;
  hasText?: Pattern | undefined;
}

const MAX_REDIRECTS = 10;

export class PlainPage {
  readonly #browser: Browser;
  readonly #origin: string;
  readonly #files = new WeakMap<Element, Upload[]>();
  readonly #visited: string[] = [];
  #url: URL;
  #document: Document = load("");
  #typed_in: Element | null = null;

  constructor(origin: string) {
    this.#browser = new Browser(origin);
    this.#origin = origin;
    this.#url = new URL("about:blank");
  }

  /** Opens a URL, as typed into the address bar. */
  async goto(path: string): Promise<{ status(): number; text(): Promise<string> }> {
    return this.#visitPage(new URL(path, this.#origin), { headers: { "sec-fetch-site": "none" } });
  }

  reload() {
    return this.goto(this.#url.href);
  }

  async goBack(): Promise<void> {
    this.#visited.pop();
    const before = this.#visited.pop();
    if (!before) throw new Error("There is no page to go back to.");
    await this.goto(before);
  }

  url(): string {
    return this.#url.href;
  }

  async waitForURL(wanted: string): Promise<void> {
    if (this.#url.href !== new URL(wanted, this.#origin).href) throw new Error(`${this.#url} is not ${wanted}`);
  }

  /** Nothing loads in the background here. */
  async waitForLoadState(): Promise<void> {}

  readonly keyboard = {
    press: async (key: string): Promise<void> => {
      if (key !== "Enter" || !this.#typed_in) throw new Error(`Without a browser, ${key} does nothing here.`);
      await this.submitFrom(this.#typed_in);
    },
  };

  context() {
    const { cookies } = this.#browser;
    return {
      cookies: async () => [...cookies].map(([name, value]) => ({ name, value })),
      addCookies: async (added: { name: string; value: string }[]) => {
        for (const { name, value } of added) cookies.set(name, value);
      },
      clearCookies: async ({ name }: { name: string | RegExp }) => {
        for (const each of cookies.keys())
          if (typeof name === "string" ? each === name : name.test(each)) cookies.delete(each);
      },
      close: async () => {},
    };
  }

  locator(selector: string, filter?: Filter): PlainLocator {
    return this.#whole.locator(selector, filter);
  }
  getByRole(role: string, options?: ByRole): PlainLocator {
    return this.#whole.getByRole(role, options);
  }
  getByLabel(label: Pattern, options?: { exact?: boolean }): PlainLocator {
    return this.#whole.getByLabel(label, options);
  }
  getByText(text: Pattern, options?: { exact?: boolean }): PlainLocator {
    return this.#whole.getByText(text, options);
  }

  get #whole(): PlainLocator {
    return new PlainLocator(this, () => this.find(":root"), "the page");
  }

  /** Finds elements by a CSS selector, within others if given. */
  find(selector: string, within?: Element[]): Element[] {
    const $ = this.#document;
    return (within ? $(within as never[]).find(selector) : $(selector)).toArray() as unknown as Element[];
  }

  /** Returns the elements that a stylesheet hides now. */
  styledAway(): ReadonlySet<Element> {
    return new Set(this.find(STYLED_AWAY));
  }

  async follow(link: Element): Promise<void> {
    const to = new URL(link.attribs.href ?? "", this.#url);
    if (to.origin !== this.#origin) throw new Error(`${to} is another site.`);
    const is_same_document = to.hash !== "" && to.href.split("#")[0] === this.#url.href.split("#")[0];
    if (is_same_document) this.#url = to;
    else await this.#visitPage(to, { headers: { "sec-fetch-site": "same-origin" } });
  }

  keepTyped(field: Element): void {
    this.#typed_in = field;
  }

  chooseFiles(field: Element, files: Upload[]): void {
    this.#files.set(field, files);
  }

  /** Presses Enter in a field, which presses its form's first submit button. Source: HTML, "implicit submission". */
  async submitFrom(field: Element): Promise<void> {
    const form = this.#formOf(field);
    if (!form) throw new Error("The field is in no form.");
    await this.submit(form, this.#controlsOf(form).find(isSubmitButton) ?? null);
  }

  /** Clicks a button without JavaScript. */
  async press(button: Element): Promise<void> {
    const { commandfor, command, popovertarget } = button.attribs;
    const form = this.#formOf(button);
    if (isSubmitButton(button) && form) return this.submit(form, button);
    const [target] = this.find(`[id="${commandfor ?? popovertarget ?? ""}"]`);
    if (!target) throw new Error(`The button does nothing without JavaScript: ${this.#document.html(button as never)}`);
    const is_open = "open" in target.attribs;
    if (command === "close" || (popovertarget && is_open)) delete target.attribs.open;
    else target.attribs.open = "";
  }

  /** Submits a form. Source: HTML, "form submission algorithm". */
  async submit(form: Element, submitter: Element | null): Promise<void> {
    const attributeOf = (name: string) => submitter?.attribs[`form${name}`] ?? form.attribs[name];
    const fields = this.#controlsOf(form).flatMap((control) => this.#entriesOf(control, submitter));
    if (attributeOf("novalidate") === undefined) this.#refuseEmpty(form);
    const action = new URL(attributeOf("action") || this.#url.href, this.#url);
    if (attributeOf("method")?.toLowerCase() !== "post") {
      action.search = new URLSearchParams(fields.map(([name, value]) => [name, String(value)])).toString();
      await this.#visitPage(action, { headers: { "sec-fetch-site": "same-origin" } });
      return;
    }
    if (attributeOf("enctype") !== "multipart/form-data") {
      const texts = fields.map(([name, value]) => [name, typeof value === "string" ? value : value.name]);
      await this.#visitPage(action, {
        method: "POST",
        body: new URLSearchParams(texts),
        headers: this.#browser.sameOrigin(),
      });
      return;
    }
    const { body, type } = multipartOf(fields);
    await this.#visitPage(action, {
      method: "POST",
      body,
      headers: { ...this.#browser.sameOrigin(), "content-type": type },
    });
  }

  /**
   * Throws for an empty required field: a browser would block the form with a message, which needs a browser to test.
   */
  #refuseEmpty(form: Element): void {
    const empty = this.#controlsOf(form).find(
      (control) =>
        "required" in control.attribs && isShown(control, this.styledAway()) && fieldValue(this, control) === "",
    );
    if (empty) throw new Error(`A browser sends no form whose field ${empty.attribs.name} is empty.`);
  }

  #formOf(control: Element): Element | undefined {
    const { form } = control.attribs;
    const [named] = form === undefined ? [] : this.find(`[id="${form}"]`);
    return named ?? ancestorsOf(control).find((each) => each.name === "form");
  }

  #controlsOf(form: Element): Element[] {
    return this.find("input, select, textarea, button").filter((control) => this.#formOf(control) === form);
  }

  #entriesOf(control: Element, submitter: Element | null): [string, string | File][] {
    const { name, type = "" } = control.attribs;
    if (!name || isDisabled(control)) return [];
    if (control.name === "button" || /^(submit|button|reset|image)$/.test(type)) {
      return control === submitter ? [[name, control.attribs.value ?? ""]] : [];
    }
    if (/^(checkbox|radio)$/.test(type)) {
      return "checked" in control.attribs ? [[name, control.attribs.value ?? "on"]] : [];
    }
    if (type === "file") {
      const files = this.#files.get(control) ?? [];
      const sent = files.map(
        ({ buffer, ...file }) => new File([new Uint8Array(buffer)], file.name, { type: file.mimeType }),
      );
      return (sent.length > 0 ? sent : [new File([], "", { type: "application/octet-stream" })]).map((file) => [
        name,
        file,
      ]);
    }
    return [[name, fieldValue(this, control).replace(/\r?\n/g, "\r\n")]];
  }

  /** Requests a page and follows redirects. */
  async #visitPage(to: URL, init: { method?: string; body?: BodyInit; headers: Record<string, string> }) {
    let asked = to;
    let answer = await this.#browser.send(asked.pathname + asked.search, init);
    for (let led = 0; answer.location !== null && answer.status >= 300; led++) {
      if (led === MAX_REDIRECTS) throw new Error(`${to} leads round in circles.`);
      const next = new URL(answer.location, asked);
      if (next.origin !== this.#origin) throw new Error(`${asked} leads to another site: ${next}`);
      if (!next.hash) next.hash = asked.hash;
      const again = answer.status === 307 || answer.status === 308 ? init : { headers: init.headers };
      asked = next;
      answer = await this.#browser.send(asked.pathname + asked.search, again);
    }
    // Scripts do not run here, so the content of <noscript> is part of the page.
    this.#document = load(answer.text, { scriptingEnabled: false });
    this.#url = asked;
    this.#typed_in = null;
    this.#visited.push(asked.href);
    return { status: () => answer.status, text: async () => answer.text };
  }
}

function ancestorsOf(element: Element): Element[] {
  const parent = element.parent as Element | null;
  return parent?.attribs ? [parent, ...ancestorsOf(parent)] : [];
}

function isSubmitButton({ name, attribs }: Element): boolean {
  return name === "button" ? (attribs.type ?? "submit") === "submit" : name === "input" && attribs.type === "submit";
}

function isDisabled(control: Element): boolean {
  return [control, ...ancestorsOf(control).filter(({ name }) => name === "fieldset")].some(
    ({ attribs }) => "disabled" in attribs,
  );
}

/** Encodes fields as a browser does: Node's encoder leaves out the name of a file field without a file. */
function multipartOf(fields: [string, string | File][]): { body: Blob; type: string } {
  const boundary = `----PlainPage${crypto.randomUUID()}`;
  const escapeName = (text: string) => text.replaceAll('"', "%22").replace(/\r?\n/g, "%0D%0A");
  const parts = fields.flatMap(([name, value]) => {
    const file =
      typeof value === "string" ? "" : `; filename="${escapeName(value.name)}"\r\nContent-Type: ${value.type}`;
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(name)}"${file}\r\n\r\n`;
    return [head, value, "\r\n"];
  });
  return { body: new Blob([...parts, `--${boundary}--\r\n`]), type: `multipart/form-data; boundary=${boundary}` };
}

/** Returns the value of a field. */
function fieldValue(page: PlainPage, field: Element): string {
  if (field.name === "textarea") return rawTextOf(field).replace(/^\n/, "");
  if (field.name !== "select") return field.attribs.value ?? "";
  const options = page.find("option", [field]);
  const option = options.find(({ attribs }) => "selected" in attribs) ?? options[0];
  return option ? (option.attribs.value ?? normalize(textOf(option))) : "";
}

function rawTextOf(element: Element): string {
  return element.children.map((child) => ("data" in child ? child.data : "")).join("");
}

/** A locator: finds its elements again at each use. */
export class PlainLocator {
  readonly #page: PlainPage;
  readonly #find: Find;
  readonly #description: string;

  constructor(page: PlainPage, find: Find, description: string) {
    this.#page = page;
    this.#find = find;
    this.#description = description;
  }

  toString(): string {
    return this.#description;
  }

  elements(): Element[] {
    return this.#find();
  }

  /** @throws unless there is exactly one. */
  one(): Element {
    const found = this.#find();
    const [element] = found;
    if (!element || found.length > 1) throw new Error(`${found.length} elements are ${this} on ${this.#page.url()}`);
    return element;
  }

  isShown(element: Element): boolean {
    return isShown(element, this.#page.styledAway());
  }

  /** Returns the only element, which must be visible. */
  #visibleOne(): Element {
    const element = this.one();
    if (!this.isShown(element)) throw new Error(`${this} cannot be seen on ${this.#page.url()}`);
    return element;
  }

  #narrow(description: string, find: (within: Element[]) => Element[]): PlainLocator {
    return new PlainLocator(this.#page, () => [...new Set(find(this.#find()))], `${this} > ${description}`);
  }

  locator(selector: string, filter: Filter = {}): PlainLocator {
    return this.#narrow(selector, (within) => this.#page.find(selector, within)).filter(filter);
  }

  getByRole(role: string, { name, exact = false, level }: ByRole = {}): PlainLocator {
    const find = (selector: string) => this.#page.find(selector);
    return this.#narrow(`${role} ${name ?? ""}`, (within) => {
      const away = this.#page.styledAway();
      return this.#page
        .find("*", within)
        .filter((element) => roleOf(element, find) === role && !isHidden(element, away))
        .filter((element) => level === undefined || element.name === `h${level}`)
        .filter((element) => name === undefined || says(nameOf(element, find, away), name, exact));
    });
  }

  getByLabel(label: Pattern, { exact = false } = {}): PlainLocator {
    const find = (selector: string) => this.#page.find(selector);
    return this.#narrow(`label ${label}`, (within) =>
      this.#page
        .find("*", within)
        .filter((element) => isLabelled(element) && says(nameOf(element, find, new Set(), "label"), label, exact)),
    );
  }

  /** Finds the innermost elements with the text. */
  getByText(text: Pattern, { exact = false } = {}): PlainLocator {
    return this.#narrow(`text ${text}`, (within) => {
      const matching = new Set(
        this.#page.find("*:not(head, head *)", within).filter((element) => says(textOf(element), text, exact)),
      );
      return [...matching].filter((element) => !element.children.some((child) => matching.has(child as Element)));
    });
  }

  filter({ has, hasText }: Filter): PlainLocator {
    return this.#narrow("filtered", (within) =>
      within.filter((element) => {
        const inside = new Set(this.#page.find("*", [element]));
        if (has && !has.elements().some((each) => inside.has(each))) return false;
        return hasText === undefined || says(textOf(element), hasText, false);
      }),
    );
  }

  nth(index: number): PlainLocator {
    return new PlainLocator(this.#page, () => this.#find().slice(index, index + 1), `${this} no. ${index}`);
  }
  first(): PlainLocator {
    return this.nth(0);
  }
  last(): PlainLocator {
    return new PlainLocator(this.#page, () => this.#find().slice(-1), `the last ${this}`);
  }

  async count(): Promise<number> {
    return this.#find().length;
  }
  async all(): Promise<PlainLocator[]> {
    return this.#find().map((_, index) => this.nth(index));
  }
  async textContent(): Promise<string> {
    return textOf(this.one());
  }
  async allTextContents(): Promise<string[]> {
    return this.#find().map(textOf);
  }
  async getAttribute(name: string): Promise<string | null> {
    return this.one().attribs[name] ?? null;
  }
  async inputValue(): Promise<string> {
    return fieldValue(this.#page, this.one());
  }
  async isHidden(): Promise<boolean> {
    return !this.#find().some((element) => this.isShown(element));
  }

  async click(): Promise<void> {
    const element = this.#visibleOne();
    if (isDisabled(element)) throw new Error(`${this} is disabled.`);
    if (element.name === "button" || (element.name === "input" && isSubmitButton(element)))
      return this.#page.press(element);
    // A click inside a link or a summary clicks the link or the summary.
    const target = [element, ...ancestorsOf(element)].find(({ name }) => /^(a|summary|button|label)$/.test(name));
    if (target?.name === "a") return this.#page.follow(target);
    if (target?.name === "button") return this.#page.press(target);
    if (target?.name !== "summary") throw new Error(`A click on ${this} does nothing without JavaScript.`);
    const details = ancestorsOf(target)[0] as Element;
    if ("open" in details.attribs) delete details.attribs.open;
    else details.attribs.open = "";
  }

  async fill(text: string): Promise<void> {
    const field = this.#visibleOne();
    if (isDisabled(field) || "readonly" in field.attribs) throw new Error(`${this} cannot be written in.`);
    if (field.name === "textarea") {
      const [first] = field.children;
      const data = { type: "text", data: text, parent: field, prev: null, next: null };
      field.children = [(first && Object.assign(first, data)) ?? (data as unknown as Element["children"][number])];
    } else field.attribs.value = text;
    this.#page.keepTyped(field);
  }

  async press(key: string): Promise<void> {
    if (key !== "Enter") throw new Error(`Without a browser, ${key} does nothing here.`);
    await this.#page.submitFrom(this.#visibleOne());
  }

  async check(): Promise<void> {
    const box = this.#visibleOne();
    const { type, name } = box.attribs;
    if (type !== "checkbox" && type !== "radio") throw new Error(`${this} is no box to check.`);
    const form = ancestorsOf(box).find((each) => each.name === "form");
    const group = type === "radio" && form ? this.#page.find(`input[type=radio][name="${name}"]`, [form]) : [];
    for (const other of group) delete other.attribs.checked;
    box.attribs.checked = "";
  }

  async selectOption(wanted: string | { label: string }): Promise<void> {
    const options = this.#page.find("option", [this.#visibleOne()]);
    const chosen = options.find((option) => {
      const label = normalize(textOf(option));
      return typeof wanted === "string" ? [option.attribs.value, label].includes(wanted) : label === wanted.label;
    });
    if (!chosen) throw new Error(`${this} has no option ${JSON.stringify(wanted)}`);
    for (const option of options) delete option.attribs.selected;
    chosen.attribs.selected = "";
  }

  async setInputFiles(files: Upload | Upload[]): Promise<void> {
    this.#page.chooseFiles(this.one(), [files].flat());
  }
}

const LABELLABLE = /^(input|select|textarea|button|meter|output|progress)$/;
const isLabelled = ({ name, attribs }: Element) =>
  (LABELLABLE.test(name) && attribs.type !== "hidden") || "aria-label" in attribs || "aria-labelledby" in attribs;

/** Checks at once, without waiting: no page here changes by itself. */
export function expectPlain(actual: PlainPage | PlainLocator, said?: string) {
  const expectations = (is_wanted: boolean) => {
    const check = (name: string, is_met: boolean, seen: unknown, wanted: unknown = "") => {
      if (is_met === is_wanted) return;
      const found = typeof seen === "string" ? seen.slice(0, 300) : JSON.stringify(seen)?.slice(0, 300);
      const why = `expected ${is_wanted ? "" : "not "}${name} ${wanted instanceof RegExp ? wanted : JSON.stringify(wanted)}`;
      throw new Error(
        [said, `${actual instanceof PlainPage ? actual.url() : actual}: ${why}, found ${found}`]
          .filter(Boolean)
          .join("\n"),
      );
    };
    const assertLocator = () => {
      if (actual instanceof PlainPage) throw new Error("This is asked of a locator.");
      return actual;
    };
    const oneOrNone = () => (assertLocator().elements().length === 0 ? undefined : assertLocator().one());
    const texts = (wanted: Pattern | Pattern[], is_exact: boolean, name: string) => {
      const wants = [wanted].flat();
      const found = (Array.isArray(wanted) ? assertLocator().elements() : [assertLocator().one()]).map(textOf);
      const is_met =
        found.length === wants.length && found.every((text, at) => says(text, wants[at] as Pattern, is_exact, true));
      check(name, is_met, found.map(normalize), wanted);
    };
    return {
      toBeVisible: async () => {
        const element = oneOrNone();
        check(
          "to be visible",
          element !== undefined && assertLocator().isShown(element),
          element ? "a hidden one" : "none",
        );
      },
      toBeHidden: async () => {
        const element = oneOrNone();
        check("to be hidden", element === undefined || !assertLocator().isShown(element), "a visible one");
      },
      toHaveCount: async (count: number) => {
        const { length } = assertLocator().elements();
        check("a count of", length === count, length, count);
      },
      toHaveText: async (wanted: Pattern | Pattern[]) => texts(wanted, true, "the text"),
      toContainText: async (wanted: Pattern | Pattern[]) => texts(wanted, false, "a part of the text"),
      toHaveAttribute: async (name: string, wanted?: Pattern) => {
        const value = assertLocator().one().attribs[name];
        const is_met = wanted === undefined ? value !== undefined : value !== undefined && isValue(value, wanted);
        check(`the attribute ${name}`, is_met, value, wanted);
      },
      toHaveValue: async (wanted: Pattern) => {
        const value = await assertLocator().inputValue();
        check("the value", isValue(value, wanted), value, wanted);
      },
      toBeChecked: async () => check("to be checked", "checked" in assertLocator().one().attribs, "an empty box"),
      /** Without JavaScript, a browser focuses the element with `autofocus`. */
      toBeFocused: async () => check("to be focused", "autofocus" in assertLocator().one().attribs, "no autofocus"),
      toHaveURL: async (wanted: Pattern) => {
        if (!(actual instanceof PlainPage)) throw new Error("This is asked of a page.");
        const url = actual.url();
        const is_met = typeof wanted === "string" ? url === new URL(wanted, url).href : wanted.test(url);
        check("the address", is_met, url, wanted);
      },
    };
  };
  return { ...expectations(true), not: expectations(false) };
}

function isValue(value: string, wanted: Pattern): boolean {
  return typeof wanted === "string" ? value === wanted : wanted.test(value);
}
