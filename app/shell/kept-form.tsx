import type { Kept } from "../v4/failure.ts";

/** The labels of our forms' fields. A map, because a caller may name a field `constructor`. */
const LABELS: ReadonlyMap<string, string> = new Map([
  ["title", "タイトル"],
  ["body", "本文"],
  ["message", "メッセージ"],
  ["reply", "返信"],
  ["detail", "くわしい内容"],
  ["name", "表示名"],
  ["default_name", "表示名"],
  ["bio", "自己紹介"],
  ["birth_year", "生まれた年"],
  ["link_id", "ユーザーID"],
  ["email", "メールアドレス"],
  ["new_email", "メールアドレス"],
  ["phone_number", "電話番号"],
  ["free_ofuse_message", "無料のofuseへのお礼"],
  ["paid_ofuse_message", "有料のofuseへのお礼"],
]);

function labelOf(name: string): string {
  const link = /^link_url_(\d+)$/.exec(name);
  return link ? `リンク${Number(link[1]) + 1}` : (LABELS.get(name) ?? "入力された内容");
}

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

const LINE_CHARACTERS = 24;

/** Returns the height in rows that fits the text, up to a limit. */
function rowsOf(text: string): number {
  const lines = text.split("\n").reduce((sum, line) => sum + 1 + Math.floor(line.length / LINE_CHARACTERS), 0);
  return Math.min(Math.max(lines, 1), 8);
}
