import { useState } from "react";
import { tappedTutorials } from "../../../browser/stored-keys.ts";
import { Button } from "../../../ui/button.tsx";
import { useHydrated } from "../../../ui/hydrated.ts";

/** Lets the hints of a creator's places show again. Hints need JavaScript, because only the browser knows the read ones. */
export function HintsSection() {
  const [is_reset, setReset] = useState(false);
  const showAgain = () => {
    tappedTutorials.write([]);
    setReset(true);
  };
  return (
    <section className="card form" aria-labelledby="hints-title">
      <h2 id="hints-title" className="section-title">
        使い方のヒント
      </h2>
      <p>投稿やレターボックスなどをはじめて開いたときに、使い方のヒントを一度だけ表示します。</p>
      <noscript>
        <p className="notice">ヒントを表示するには、ブラウザーの設定でJavaScriptを有効にしてください。</p>
      </noscript>
      <div className="row">
        <Button type="button" variant="gray-outline" onClick={showAgain} disabled={!useHydrated()}>
          もう一度見る
        </Button>
        <span role="status">{is_reset && "次に開いたときから、もう一度表示します。"}</span>
      </div>
    </section>
  );
}
