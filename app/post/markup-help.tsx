/** The markup and its result, for the text area and the editor. Source: markup.ts, editor-rules.ts. */
const rows: readonly (readonly [typed: string, shown: string])[] = [
  ["# 見出し", "大きな見出し（# のあとに空白）"],
  ["## 小見出し", "小さな見出し"],
  ["**太字**", "太字"],
  ["漢字《かんじ》", "ふりがな。漢字でないところは ｜お好み《ルビ》"],
  ["[文字](https://…)", "文字にリンクを付ける。URLだけでもリンクになります"],
  ["- りんご", "箇条書き。番号を付けるときは 1. 2. 3."],
  ["> 引用した文", "引用"],
  ["---", "区切り線"],
  ["===", "ここから先は限定公開（1本だけ。公開範囲がフォロワー限定かメンバー限定のとき）"],
  ["[画像:ab12c]", "アップロードした画像。記号は画像の下にあります"],
  [
    "https://youtu.be/…",
    "動画や音楽の埋め込み（YouTube、Vimeo、ニコニコ動画、Spotify）。1行にURLだけを書きます（見たままで書くときは、続けてEnterキー）",
  ],
  [
    "\\# 見出しにしない",
    "テキストで書くとき、記号の前に \\ を付けると、そのままの文字になります。見たままで書くときは、変わった直後にBackspaceキーを押すと、打った文字に戻ります",
  ],
];

/** The rows that a newsletter does not have. */
const UNMAILABLE = new Set(["===", "https://youtu.be/…"]);

export default function MarkupHelp({ is_mail }: { is_mail: boolean }) {
  return (
    <details className="markup-help">
      <summary>書き方（見出し、太字、ふりがなほか）</summary>
      <p className="field-hint">
        「テキストで書く」でも「見たままで書く」でも、次の記号を使えます。テキストでは、空の行で段落が分かれ、改行はそのまま改行になります。見たままでは、Enterキーで段落を分け、Shift+Enterで改行します。
      </p>
      <dl>
        {rows
          .filter(([typed]) => !is_mail || !UNMAILABLE.has(typed))
          .map(([typed, shown]) => (
            <div key={typed}>
              <dt>
                <code>{typed}</code>
              </dt>
              <dd>{shown}</dd>
            </div>
          ))}
      </dl>
    </details>
  );
}
