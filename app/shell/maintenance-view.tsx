import { Link } from "react-router";
import { DateTime } from "../ui/date-time.tsx";
import type { Kept } from "../v4/failure.ts";
import { KeptForm } from "./kept-form.tsx";

/** The page shown in place of any closed page under maintenance. Source: spec section 4, Maintenance. */
export default function MaintenanceView({ finished_at, kept }: { finished_at: string | null; kept: Kept | null }) {
  return (
    <div className="page page-narrow maintenance-view">
      <svg viewBox="0 0 96 72" width="96" height="72" aria-hidden="true">
        <rect x="6" y="12" width="72" height="50" rx="10" className="maintenance-ground" />
        <path d="M14 24 42 43l28-19" className="maintenance-line" />
        <circle cx="76" cy="20" r="16" className="maintenance-seal" />
        <path d="M76 11v9l6 5" className="maintenance-hand" />
      </svg>
      <h1>ただいまメンテナンス中です</h1>
      <p>
        ご不便をおかけして、申し訳ございません。
        <br />
        サービスをより良くするため、一時的にご利用を停止しています。
      </p>
      {finished_at ? (
        <p className="maintenance-end">
          <span>終了予定</span>
          <DateTime iso={finished_at} />
        </p>
      ) : (
        <p>再開の時刻は、まだ決まっていません。もうしばらくお待ちください。</p>
      )}
      {kept && kept.words.length > 0 && (
        <>
          <p>このページを開いたままお待ちいただければ、終了後に続けられます。</p>
          <KeptForm kept={kept} />
        </>
      )}
      <p className="maintenance-note">ログイン中の方も、終了後は、そのまま続きからご利用いただけます。</p>
      <p>
        <Link to="/" className="button button-gray-outline" reloadDocument>
          トップへ戻る
        </Link>
      </p>
    </div>
  );
}
