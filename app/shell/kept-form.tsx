import type { Kept } from "../v4/failure.ts";

/** What somebody had typed into a form that could not be taken: to be copied, and where it is whole to be sent again. */
export function KeptForm({ kept }: { kept: Kept }) {
  const { action, words, others, is_whole } = kept;
  if (words.length === 0) return null;
  return (
    <form method="post" action={action} className="card failure-kept">
      {words.map(([name, value], index) => {
        const id = `kept-${index}`;
        const number = words.length > 1 ? `（${index + 1}）` : "";
        return (
          <div key={id} className="field">
            <label htmlFor={id}>入力された内容は、ここに残っています{number}</label>
            <textarea
              id={id}
              className="control"
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

const LINE_CHARACTERS = 24;

/** As many lines as a text of that length takes, within reason. */
function rowsOf(text: string): number {
  const lines = text.split("\n").reduce((sum, line) => sum + 1 + Math.floor(line.length / LINE_CHARACTERS), 0);
  return Math.min(Math.max(lines, 1), 8);
}
