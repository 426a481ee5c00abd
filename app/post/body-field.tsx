import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { BLOG_GRAPHEMES } from "../../workers/contract/bounds.ts";
import { useTypedEarly } from "../ui/typed-early.ts";
import type { Editor } from "./editor.ts";
import { attributesOf, idOf, Notes, type PostField } from "./fields.tsx";
import type { PostPage } from "./post-loader.ts";

/** In the page from the first; nothing in it has to be alive. */
const MarkupHelp = lazy(() => import("./markup-help.tsx"));

/**
 * The body: light markup in a text area. Once the page is alive an editor stands over it and writes the same markup into it;
 * both take the same room, so nothing moves.
 */
export function BodyField(props: {
  field: PostField;
  page: PostPage;
  /** Where the words only go with something else, they take less room. */
  is_brief?: boolean;
}) {
  const { field, page, is_brief = false } = props;
  const host = useRef<HTMLDivElement>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const editor = useRef<Editor>(null);
  useTypedEarly(idOf(field.name), area);
  const [mode, setMode] = useState<"text" | "rich">("text");
  const [is_ready, setReady] = useState(false);
  const { images, media } = page;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what the page shows when it opens is what the editor begins with.
  useEffect(() => {
    let is_gone = false;
    import("./editor.ts").then(({ openEditor }) => {
      if (is_gone || !host.current || !area.current) return;
      const label = field.label;
      editor.current = openEditor({
        host: host.current,
        area: area.current,
        images,
        media,
        label,
        places_uploads: !is_brief,
      });
      setReady(true);
      // Whoever writes already is not interrupted.
      if (document.activeElement !== area.current) setMode("rich");
    });
    return () => {
      is_gone = true;
      editor.current?.close();
      editor.current = null;
    };
  }, []);
  useEffect(() => {
    if (mode === "rich") editor.current?.show();
    else editor.current?.hide();
  }, [mode]);
  return (
    <div className="field">
      <div className="body-head">
        <label htmlFor={idOf(field.name)}>{field.label}</label>
        {is_ready ? (
          <button type="button" className="body-switch" onClick={() => setMode(mode === "rich" ? "text" : "rich")}>
            {mode === "rich" ? "テキストで書く" : "見たままで書く"}
          </button>
        ) : (
          <span className="field-hint">{BLOG_GRAPHEMES.toLocaleString("ja")}文字まで</span>
        )}
      </div>
      <div className={is_brief ? "body-frame body-brief" : "body-frame"}>
        <div className="body-bar" ref={host} />
        <textarea
          ref={area}
          className="control body-text"
          defaultValue={field.value}
          placeholder="ここに本文を書きます。"
          {...attributesOf(field)}
        />
      </div>
      <Notes {...field} />
      <Suspense>
        <MarkupHelp />
      </Suspense>
    </div>
  );
}
