import { buttonClass } from "./button.tsx";
import { useCopied } from "./copied.ts";
import { useHydrated } from "./hydrated.ts";

/**
 * An address in a field to select and copy. The field reserves the space of the copy button, which appears with
 * JavaScript.
 */
export function CopyField({ id, label, address }: { id: string; label: string; address: string }) {
  const { field, said, copy } = useCopied(address);
  const is_hydrated = useHydrated();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="copy-field">
        <input id={id} className="control" ref={field} type="url" readOnly value={address} />
        <button
          type="button"
          className={is_hydrated ? buttonClass() : `${buttonClass()} not-yet`}
          aria-label={`${label}をコピー`}
          onClick={copy}
        >
          コピー
        </button>
      </div>
      <p className="field-hint" role="status">
        {said || "タップして選び、コピーしてお使いください。"}
      </p>
    </div>
  );
}

/** Like {@link CopyField}, for code of several lines. */
export function CopyCode({ id, label, code }: { id: string; label: string; code: string }) {
  const { field, said, copy } = useCopied<HTMLTextAreaElement>(code);
  const is_hydrated = useHydrated();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="copy-field">
        <textarea id={id} className="control" ref={field} rows={3} readOnly spellCheck={false} value={code} />
        <button
          type="button"
          className={is_hydrated ? buttonClass() : `${buttonClass()} not-yet`}
          aria-label={`${label}をコピー`}
          onClick={copy}
        >
          コピー
        </button>
      </div>
      <p className="field-hint" role="status">
        {said}
      </p>
    </div>
  );
}
