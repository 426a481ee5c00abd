import { setBlockType, toggleMark } from "prosemirror-commands";
import { redo, undo } from "prosemirror-history";
import type { NodeType } from "prosemirror-model";
import { liftListItem, wrapInList } from "prosemirror-schema-list";
import type { Command, EditorState } from "prosemirror-state";
import type { EditorView } from "prosemirror-view";
import { insertBlockAtCaret } from "./editor-blocks.ts";
import type { PostSchema } from "./editor-schema.ts";

interface Tool {
  label: string;
  /** The label of the button. */
  shown: string;
  keys?: string;
  run: (view: EditorView) => void;
  isOn?: (state: EditorState) => boolean;
}

/** The toolbar of the editor: one Tab stop, with arrow keys inside. Source: WAI-ARIA Authoring Practices, "Toolbar". */
export function createToolbar(schema: PostSchema, view: () => EditorView | null, has_paywall: boolean) {
  const element = document.createElement("div");
  element.className = "rich-tools";
  element.setAttribute("role", "toolbar");
  element.setAttribute("aria-label", "書式");
  const tools = toolsOf(schema, has_paywall);
  const buttons = tools.map(({ label, shown, keys, run, isOn }, index) => {
    const button = document.createElement("button");
    button.type = "button";
    // The title is on the text: on the button, a screen reader would say it after the same name.
    const text = document.createElement("span");
    text.textContent = shown;
    text.title = keys ? `${label}（${keys}）` : label;
    button.appendChild(text);
    button.setAttribute("aria-label", label);
    if (isOn) button.setAttribute("aria-pressed", "false");
    button.tabIndex = index === 0 ? 0 : -1;
    // Do not move the focus to the button: keep the selection in the text.
    button.addEventListener("mousedown", (event) => event.preventDefault());
    button.addEventListener("click", () => {
      const open = view();
      if (open) run(open);
    });
    return button;
  });
  for (const button of buttons) element.appendChild(button);
  element.addEventListener("keydown", (event) => {
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    const next = buttons[(to + buttons.length) % buttons.length];
    for (const button of buttons) button.tabIndex = button === next ? 0 : -1;
    next?.focus();
  });
  return {
    element,
    update(state: EditorState) {
      tools.forEach(({ isOn }, index) => {
        if (isOn) buttons[index]?.setAttribute("aria-pressed", String(isOn(state)));
      });
    },
  };
}

function toolsOf({ nodes, marks }: PostSchema, has_paywall: boolean): Tool[] {
  const runCommand = (command: Command) => (view: EditorView) => {
    command(view.state, view.dispatch, view);
    view.focus();
  };
  const isIn =
    (type: NodeType, attrs: Record<string, unknown> = {}) =>
    (state: EditorState) => {
      const { $from } = state.selection;
      for (let depth = $from.depth; depth > 0; depth--) {
        if ($from.node(depth).hasMarkup(type, { ...$from.node(depth).attrs, ...attrs })) return true;
      }
      return false;
    };
  /** Makes a tool that turns a block type on, or off if it is already on. */
  const blockTool = (type: NodeType, attrs?: Record<string, unknown>): Pick<Tool, "run" | "isOn"> => {
    const isOn = isIn(type, attrs);
    return {
      isOn,
      run: (view) => runCommand(isOn(view.state) ? setBlockType(nodes.paragraph) : setBlockType(type, attrs))(view),
    };
  };
  const listTool = (type: NodeType): Pick<Tool, "run" | "isOn"> => {
    const isOn = isIn(type);
    return {
      isOn,
      run: (view) => runCommand(isOn(view.state) ? liftListItem(nodes.list_item) : wrapInList(type))(view),
    };
  };
  const insertCommand = (type: NodeType): Tool["run"] =>
    runCommand((state, dispatch) => {
      dispatch?.(insertBlockAtCaret(state.tr, type.create()));
      return true;
    });
  const isBold = (state: EditorState) => {
    const { from, to, empty, $from } = state.selection;
    if (empty) return Boolean(marks.bold.isInSet(state.storedMarks ?? $from.marks()));
    return state.doc.rangeHasMark(from, to, marks.bold);
  };
  const isLink = (state: EditorState) => {
    const { from, to, empty, $from } = state.selection;
    return empty ? Boolean(marks.link.isInSet($from.marks())) : state.doc.rangeHasMark(from, to, marks.link);
  };
  const keysText = (letters: string) => (/Mac|iP/.test(navigator.platform) ? `⌘${letters}` : `Ctrl+${letters}`);
  return [
    { label: "見出し", shown: "見出し", keys: keysText("Alt+2"), ...blockTool(nodes.heading, { level: 2 }) },
    { label: "小見出し", shown: "小見出し", keys: keysText("Alt+3"), ...blockTool(nodes.heading, { level: 3 }) },
    { label: "太字", shown: "太字", keys: keysText("B"), isOn: isBold, run: runCommand(toggleMark(marks.bold)) },
    {
      label: "リンク",
      shown: "リンク",
      isOn: isLink,
      async run(view) {
        const { from, to, empty } = view.state.selection;
        if (isLink(view.state) && !empty) return runCommand(toggleMark(marks.link))(view);
        const said = await askForText("リンクを付ける", [
          { name: "href", label: "URL", type: "url", pattern: "https?://.+", required: true },
          ...(empty ? [{ name: "text", label: "文字", type: "text" }] : []),
        ]);
        view.focus();
        if (!said?.href || !URL.canParse(said.href)) return;
        const mark = marks.link.create({ href: said.href });
        const { tr } = view.state;
        const text = said.text?.trim() || said.href;
        view.dispatch(empty ? tr.insert(from, view.state.schema.text(text, [mark])) : tr.addMark(from, to, mark));
      },
    },
    {
      label: "ルビ（ふりがな）",
      shown: "ルビ",
      async run(view) {
        const { from, to } = view.state.selection;
        const chosen = view.state.doc.textBetween(from, to, "");
        const said = await askForText("ふりがなを付ける", [
          { name: "text", label: "文字", type: "text", value: chosen, required: true },
          { name: "reading", label: "ふりがな", type: "text", required: true },
        ]);
        view.focus();
        if (!said?.text || !said.reading) return;
        const node = nodes.ruby.create({ text: said.text, reading: said.reading });
        view.dispatch(view.state.tr.replaceRangeWith(from, to, node));
      },
    },
    { label: "箇条書き", shown: "箇条書き", ...listTool(nodes.bullet_list) },
    { label: "番号付きの箇条書き", shown: "番号", ...listTool(nodes.ordered_list) },
    { label: "引用", shown: "引用", ...blockTool(nodes.quote) },
    { label: "区切り線", shown: "線", run: insertCommand(nodes.rule) },
    ...(has_paywall
      ? [{ label: "ここから先を限定公開にする線", shown: "限定公開", run: insertCommand(nodes.paywall) }]
      : []),
    { label: "元に戻す", shown: "↶", keys: keysText("Z"), run: runCommand(undo) },
    { label: "やり直す", shown: "↷", keys: keysText("Y"), run: runCommand(redo) },
  ];
}

interface Question {
  name: string;
  label: string;
  type: string;
  value?: string;
  pattern?: string;
  required?: boolean;
}

/** Asks for a text in a dialog outside the post's form. Resolves to null if the dialog is closed. */
function askForText(title: string, questions: readonly Question[]): Promise<Record<string, string> | null> {
  const dialog = document.createElement("dialog");
  dialog.className = "dialog";
  dialog.setAttribute("aria-label", title);
  const form = document.createElement("form");
  form.method = "dialog";
  form.className = "form";
  const heading = document.createElement("h2");
  heading.textContent = title;
  form.appendChild(heading);
  for (const { name, label, type, value = "", pattern, required = false } of questions) {
    const field = document.createElement("label");
    const input = document.createElement("input");
    input.className = "control";
    Object.assign(input, { name, type, value, required, autocomplete: "off", ...(pattern && { pattern }) });
    field.appendChild(document.createTextNode(label));
    field.appendChild(input);
    form.appendChild(field);
  }
  const actions = document.createElement("div");
  actions.className = "dialog-actions";
  for (const [words, value, looks] of [
    ["決定", "ok", "button"],
    ["やめる", "", "button button-gray-outline"],
  ] as const) {
    const button = document.createElement("button");
    Object.assign(button, { value, className: looks, textContent: words, formNoValidate: value === "" });
    actions.appendChild(button);
  }
  form.appendChild(actions);
  dialog.appendChild(form);
  document.body.appendChild(dialog);
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      const said = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value).trim()]));
      dialog.remove();
      resolve(dialog.returnValue === "ok" ? said : null);
    });
    dialog.showModal();
  });
}
