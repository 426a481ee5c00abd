import { Link } from "react-router";

/** Links to the page that shows a demo project's emails and texts, which are not really sent. */
export function DemoOutbox({ is_demo, what }: { is_demo: boolean; what: "メール" | "SMS" }) {
  if (!is_demo) return null;
  return (
    <p className="notice">
      デモ環境の{what}は <Link to="/dev/outbox">送信箱</Link> で読めます。
    </p>
  );
}
