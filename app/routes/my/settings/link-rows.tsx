import { useEffect, useRef, useState } from "react";
import { EXTERNAL_LINKS, URL_LENGTH } from "../../../../workers/contract/bounds.ts";
import { useInputEventOnChange } from "../../../forms/use-input-event-on-change.ts";
import { Button } from "../../../ui/button.tsx";
import { FieldErrors, useMendable } from "../../../ui/form-errors.tsx";
import { type LinkRow, linkRowsOf, linksOf, OVERWRITE_LINKS, PROFILE_PATH } from "./profile-values.ts";

/**
 * Links to other sites, one row each. Buttons of the form add and remove rows; the script does it without reloading. A
 * row keeps its index in the field names when another row is removed, so that its error stays with it.
 */
export function LinkRows({
  rows: begun,
  seen: begun_with,
  stored,
  sites,
  errorsOf,
}: {
  rows: readonly LinkRow[];
  /** The stored links with which the form began, as JSON. */
  seen: string;
  /** The stored links, as JSON. They change when this form or another page saves. */
  stored: string;
  sites: readonly { external_site_id: string; name: string }[];
  errorsOf: (name: string) => readonly string[] | undefined;
}) {
  const [rows, setRows] = useState(begun);
  const [seen, setSeen] = useState(begun_with);
  const last = useRef(Math.max(-1, ...begun.map(({ at }) => at)));
  const list = useRef<HTMLUListElement>(null);
  useInputEventOnChange(list, rows);
  // When the stored links are those of this form, this form saved them, and its next save starts from them. The writer has
  // not seen links that another page saved.
  useEffect(() => {
    const form = list.current?.closest("form");
    if (form && JSON.stringify(linksOf(linkRowsOf(writtenIn(form)))) === stored) setSeen(stored);
  }, [stored]);
  const conflict = errorsOf("seen_links");
  const addRow = () => {
    last.current += 1;
    const row = { at: last.current, external_site_id: "website", url: "" };
    setRows((now) => [...now, row]);
  };
  return (
    <>
      {/* This marker is present even without rows: if a form is sent before the rows are rendered, the links stay
          unchanged. */}
      <input type="hidden" name="has_links" value="yes" />
      <input type="hidden" name="seen_links" value={seen} />
      {conflict && <Conflict />}
      {rows.length === 0 && <p className="field-hint">SNSや販売サイトなど、{EXTERNAL_LINKS}件まで載せられます。</p>}
      <ul ref={list} className="link-rows">
        {rows.map((row, index) => {
          const { at, external_site_id, url } = row;
          const errors = errorsOf(`link_url_${at}`);
          const label = `リンク${index + 1}`;
          return (
            <li key={at} className="link-row">
              <select
                className="control"
                name={`link_site_${at}`}
                defaultValue={external_site_id}
                aria-label={`${label}の種類`}
                // biome-ignore lint/a11y/noAutofocus: an added row is above the pressed button, where Tab would miss it.
                autoFocus={!begun.includes(row)}
              >
                {sites.map((site) => (
                  <option key={site.external_site_id} value={site.external_site_id}>
                    {site.name}
                  </option>
                ))}
              </select>
              <LinkUrl at={at} url={url} label={label} errors={errors} />
              <Button
                name="operation"
                value={`remove_link_${at}`}
                variant="gray-outline"
                size="sm"
                aria-label={`${label}を削除`}
                onClick={(event) => {
                  event.preventDefault();
                  setRows((now) => now.filter((row) => row.at !== at));
                }}
              >
                削除
              </Button>
            </li>
          );
        })}
      </ul>
      {rows.length < EXTERNAL_LINKS && (
        <div>
          <Button
            name="operation"
            value="add_link"
            variant="gray-outline"
            size="sm"
            onClick={(event) => {
              event.preventDefault();
              addRow();
            }}
          >
            リンクを追加
          </Button>
        </div>
      )}
    </>
  );
}

const writtenIn = (form: HTMLFormElement) =>
  Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));

/** Shown when another page has changed the links meanwhile. The writer chooses which links to keep. */
function Conflict() {
  return (
    <div className="banner banner-alert post-conflict" role="alert">
      <p>
        リンクは、別の画面で変更されています。どちらを残しますか？ いま入力しているリンクは、この画面に残っています。
      </p>
      <p className="row">
        <Button name="operation" value={OVERWRITE_LINKS} size="sm">
          この画面のリンクで保存する
        </Button>
        <a href={`${PROFILE_PATH}#links`} target="_blank" rel="noreferrer">
          保存されているリンクを新しいタブで見る
        </a>
      </p>
    </div>
  );
}

function LinkUrl(props: { at: number; url: string; label: string; errors: readonly string[] | undefined }) {
  const { at, url, label } = props;
  const [errors, onInput] = useMendable(props.errors);
  const error_id = errors && `link-${at}-error`;
  return (
    <>
      <input
        className="control"
        type="url"
        inputMode="url"
        name={`link_url_${at}`}
        defaultValue={url}
        // Browsers count UTF-16 units, and the rule counts code points.
        maxLength={2 * URL_LENGTH}
        placeholder="https://"
        aria-label={`${label}のURL`}
        aria-invalid={errors ? true : undefined}
        aria-describedby={error_id}
        // biome-ignore lint/a11y/noAutofocus: after a refused form, the person continues at the field to correct.
        autoFocus={Boolean(errors)}
        onInput={onInput}
      />
      <FieldErrors errors={errors} id={error_id} />
    </>
  );
}
