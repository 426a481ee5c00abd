import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { BLOG_GRAPHEMES } from "../../workers/contract/bounds.ts";
import { groupDigits } from "../../workers/contract/group-digits.ts";
import { useTypedEarly } from "../ui/typed-early.ts";
import type { Editor } from "./editor.client.ts";
import { attributesOf, idOf, Notes, type PostField } from "./fields.tsx";
import type { PostPage } from "./post-loader.ts";

/**
 * The explanation of the markup, which the server renders. Loading it lazily keeps its script out of the page's first
 * load. Without its script it is missing: an error would replace the form.
 */
const MarkupHelp = lazy(() => import("./markup-help.tsx").catch(() => ({ default: () => <></> })));

/** The editor could not be loaded: the text area stays. */
const useTextArea = () => {};

/**
 * The body of a post: a text area with light markup. After hydration, an editor covers it and writes the same markup
 * into it. Both have the same size, so nothing shifts.
 */
export function BodyField(props: {
  field: PostField;
  page: Pick<PostPage, "images" | "media">;
  /** True for a field of less height, for posts whose text only accompanies pictures or a video. */
  is_brief?: boolean;
  /** True for a newsletter, which has no paywall line. */
  is_mail?: boolean;
}) {
  const { field, page, is_brief = false, is_mail = false } = props;
  const host = useRef<HTMLDivElement>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const editor = useRef<Editor>(null);
  useTypedEarly(idOf(field.name), area);
  const [mode, setMode] = useState<"text" | "rich">("text");
  const [is_ready, setReady] = useState(false);
  const { images, media } = page;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor starts once, with the page's first uploads.
  useEffect(() => {
    let is_gone = false;
    import("./editor.client.ts").then(({ openEditor }) => {
      if (is_gone || !host.current || !area.current) return;
      const label = field.label;
      editor.current = openEditor({
        host: host.current,
        area: area.current,
        images,
        media,
        label,
        places_uploads: !is_brief,
        has_paywall: !is_mail,
      });
      setReady(true);
      // Do not replace the text area while a writer is typing into it.
      if (document.activeElement !== area.current) setMode("rich");
    }, useTextArea);
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
          <span className="field-hint">{groupDigits(BLOG_GRAPHEMES)}文字まで</span>
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
        <MarkupHelp is_mail={is_mail} />
      </Suspense>
    </div>
  );
}
