import { useEffect, useId, useRef } from "react";
import { Link } from "react-router";
import type { SideMenuRole } from "../browser/stored-keys.ts";
import { Button } from "../ui/button.tsx";

interface Welcome {
  title: string;
  lead: string;
  steps: { to: string; label: string; text: string }[];
}

const welcomes: Record<SideMenuRole, (link_id: string | null) => Welcome> = {
  fan: () => ({
    title: "登録ありがとうございます",
    lead: "ofuseへようこそ。さっそく、好きなクリエイターに気持ちを届けてみませんか。",
    steps: [
      {
        to: "/search",
        label: "クリエイターを見つける",
        text: "おすすめから、気になる人のページをのぞいてみましょう。",
      },
      { to: "/my/box", label: "レターボックスを開く", text: "送った手紙と、届いた返信はここに集まります。" },
    ],
  }),
  creator: (link_id) => ({
    title: "ファンからの応援を受け取れるようになりました",
    // No bank account is registered yet: its form is for creators only.
    lead: "売上を口座に振り込むには、本人確認と、振込先の口座の登録が必要です。",
    steps: [
      {
        to: "/my/settings/bank",
        label: "振込先の口座を登録する",
        text: "銀行と支店を選び、口座番号と名義を入力します。",
      },
      { to: "/signup/monetize", label: "手続きの状態を見る", text: "本人確認がどこまで進んだかを確かめられます。" },
      ...(link_id
        ? [{ to: `/${link_id}`, label: "自分のページを見る", text: "ファンからどう見えるかを確かめられます。" }]
        : []),
    ],
  }),
};

/** The dialog after a registration: congratulates the member and says what to do next. */
export default function RegisteredModal(props: { kind: SideMenuRole; link_id: string | null; onClose: () => void }) {
  const { kind, link_id, onClose } = props;
  const { title, lead, steps } = welcomes[kind](link_id);
  const dialog = useRef<HTMLDialogElement>(null);
  const title_id = useId();
  // No cleanup is needed: removing the dialog closes it, and calling close() would count as closed by the member.
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="dialog registered" closedby="any" aria-labelledby={title_id} onClose={onClose}>
      <h2 id={title_id}>{title}</h2>
      <p>{lead}</p>
      <ul>
        {steps.map((step) => (
          <li key={step.to}>
            <Link to={step.to} onClick={onClose}>
              {step.label}
            </Link>
            <span>{step.text}</span>
          </li>
        ))}
      </ul>
      <form method="dialog">
        <Button type="submit" is_block>
          はじめる
        </Button>
      </form>
    </dialog>
  );
}
