import { labelOf, rowsOf } from "../forms/kept.ts";
import type { Kept } from "../v4/failure.ts";

/** Shows the text of a form that was not accepted, to copy, and to send again if all fields are there. */
export function KeptForm({ kept }: { kept: Kept }) {
  const { action, words, others, is_whole } = kept;
  if (words.length === 0) return null;
  return (
    <form method="post" action={action} className="card failure-kept">
      <p>入力された内容は、ここに残っています。</p>
      {words.map(([name, value], index) => {
        const id = `kept-${index}`;
        return (
          <div key={id} className="field">
            <label htmlFor={id}>{labelOf(name)}</label>
            <textarea
              id={id}
              className="control kept-words"
              name={name}
              rows={rowsOf(value)}
              defaultValue={value}
              readOnly={!is_whole}
            />
          </div>
        );
      })}
      {is_whole ? (
        <>
          {others.map(([name, value]) => (
            <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
          ))}
          <button type="submit" className="button">
            もう一度送信する
          </button>
        </>
      ) : (
        <p className="field-hint">パスワードやファイルは残していません。元のページで、もう一度ご入力ください。</p>
      )}
    </form>
  );
}
