import type { MaintenanceReading } from "../../workers/contract/maintenance-status.ts";
import { dayOf, timeOf } from "../text/tokyo-time.ts";
import { DateTime } from "../ui/date-time.tsx";

/** Formats a time as `12/1 17:00` in Japanese time. Source: spec section 4, Maintenance. */
export function startText(started_at: string): string {
  const [, month, day] = dayOf(started_at).split("/").map(Number);
  return `${month}/${day} ${timeOf(started_at)}`;
}

/**
 * Formats a time as `20:00` in Japanese time, even if the end is on another day. Source: spec section 4, Maintenance.
 */
export function endText(finished_at: string): string {
  return timeOf(finished_at);
}

/** Announces planned maintenance with its start (M/D HH:mm) and end (HH:mm). Source: spec section 4, Maintenance. */
export function MaintenanceBanner({ status, started_at, finished_at }: MaintenanceReading) {
  if (status !== "MAINTENANCE_SCHEDULED" || !started_at) return null;
  return (
    <aside className="maintenance-banner" aria-label="メンテナンスのお知らせ">
      <p>
        <strong>メンテナンスのお知らせ</strong>
        <span>
          <time dateTime={started_at}>{startText(started_at)}</time>
          {finished_at ? (
            <>
              〜<time dateTime={finished_at}>{endText(finished_at)}</time>
              の間、メンテナンスのためご利用いただけません。
            </>
          ) : (
            "より、メンテナンスのためご利用いただけません。"
          )}
        </span>
      </p>
    </aside>
  );
}

/** The banner of pages that stay open under maintenance: it says why nobody is signed in, and until when. */
export function ClosedBanner({ finished_at }: MaintenanceReading) {
  return (
    <aside className="maintenance-banner" aria-label="メンテナンスのお知らせ">
      <p>
        ただいまメンテナンス中です
        {finished_at && (
          <>
            （終了予定 <DateTime iso={finished_at} />）
          </>
        )}
        。ログイン中の方も、終了後にそのままご利用いただけます。
      </p>
    </aside>
  );
}
