/** What may be typed, and what becomes of it. Source: markup.ts. */
const rows: readonly (readonly [typed: string, shown: string])[] = [
  ["# 見出し", "大きな見出し（# のあとに空白）"],
  ["## 小見出し", "小さな見出し"],
  ["**太字**", "太字"],
  ["漢字《かんじ》", "ふりがな。漢字でないところは ｜お好み《ルビ》"],
  ["[文字](https://…)", "文字にリンクを付ける。URLだけでもリンクになります"],
  ["- りんご", "箇条書き。番号を付けるときは 1. 2. 3."],
  ["> 引用した文", "引用"],
  ["---", "区切り線"],
  ["===", "ここから先は限定公開（1本だけ）"],
  ["[画像:ab12c]", "アップロードした画像。記号は画像の下にあります"],
  ["https://youtu.be/…", "動画や音楽の埋め込み（YouTube、Vimeo、ニコニコ動画、Spotify）。1行にURLだけを書きます"],
  ["\\# 見出しにしない", "記号の前に \\ を付けると、そのままの文字になります"],
];

export default function MarkupHelp() {
  return (
    <details className="markup-help">
      <summary>書き方（見出し、太字、ふりがなほか）</summary>
      <p className="field-hint">空の行で段落が分かれます。改行はそのまま改行になります。</p>
      <dl>
        {rows.map(([typed, shown]) => (
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
