import { Form } from "react-router";
import type { Display } from "../browser/displays.ts";
import { ThemeForm } from "../shell/theme-form.tsx";
import { Button } from "../ui/button.tsx";
import { Radios } from "../ui/radios.tsx";

const TEXT_SIZES: readonly { value: Display["text_size"]; label: string; note?: string }[] = [
  { value: "standard", label: "標準" },
  { value: "large", label: "大", note: "標準の約1.2倍" },
  { value: "extra_large", label: "特大", note: "標準の約1.4倍" },
];
const MOTIONS: readonly { value: Display["motion"]; label: string; note: string }[] = [
  { value: "system", label: "端末に合わせる", note: "端末の設定で動きを減らしているときは、減らします" },
  { value: "reduce", label: "減らす", note: "メニューや画面の切り替えが、動かずに表示されます" },
];

/** Chooses the theme, the text size and the motion for this browser. @param path the page to return to. */
export function DisplayForm({ display, path }: { display: Display; path: string }) {
  return (
    <>
      <p className="lead">このブラウザーでの見え方を選べます。ほかの端末の表示は変わりません。</p>
      <section className="card form" aria-labelledby="theme-title">
        <h2 id="theme-title" className="section-title">
          テーマ
        </h2>
        <ThemeForm />
      </section>
      <Form method="post" action="/theme" className="card form">
        <h2 className="section-title">文字と動き</h2>
        <input type="hidden" name="to" value={path} />
        <Radios
          id="text-size"
          name="text_size"
          label="文字の大きさ"
          choices={TEXT_SIZES}
          initial={display.text_size}
          errors={null}
        />
        <Radios id="motion" name="motion" label="画面の動き" choices={MOTIONS} initial={display.motion} errors={null} />
        <Button>保存する</Button>
      </Form>
    </>
  );
}
