import { groupDigits } from "../../../../workers/contract/group-digits.ts";
import { listArchiveParts } from "../../../../workers/contract/leaving.ts";
import type { AnswerOf } from "../../../../workers/contract/operation.ts";
import { pageMeta } from "../../../crawlers/page-meta.ts";
import { v4Context } from "../../../request/context.ts";
import { dayOf } from "../../../text/tokyo-time.ts";
import { DateTime } from "../../../ui/date-time.tsx";
import type { Route } from "./+types/archive.ts";
import { SettingsPage } from "./settings-page.tsx";

const TITLE = "データの保存";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: TITLE, is_unlisted: true });

const contents = [
  "投稿（Markdown・HTML・JSON）と、その画像・音声・動画",
  "ラジオと録音、アップロードしたすべてのファイル",
  "届いた手紙と送った手紙、メンバー、フォロワー、売上と振込（CSV）",
  "プロフィール、プラン、下書き、コメント、ニュースレターなど、そのほかのデータ（JSON）",
];

export async function loader({ context }: Route.LoaderArgs) {
  return context.get(v4Context).read(listArchiveParts, {});
}

const FILE = "/my/settings/archive/ofuse-archive.zip";

export default function Archive({ loaderData }: Route.ComponentProps) {
  const { parts } = loaderData;
  return (
    <SettingsPage title={TITLE}>
      <section className="card form">
        <h2 className="section-title">アーカイブ</h2>
        <p>
          あなたのデータのすべてを、ひとつのZIPファイルで受け取れます。ひらいて「index.html」を押すと、インターネットがなくても投稿を読めます。
        </p>
        <ul className="plain-notes">
          {contents.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
        <p className="field-hint">
          画像や動画が多いと、時間がかかります。途中で切れたときは、はじめからやり直してください。手紙やメンバーには、ほかの方のお名前が含まれます。大切に保管してください。
        </p>
        <div>
          <a className="button button-primary" href={FILE} download>
            アーカイブをダウンロード
          </a>
        </div>
      </section>
      {parts.length > 1 && <Parts parts={parts} />}
      <section className="card form">
        <h2 className="section-title">ファイルを含まない控え</h2>
        <p>文章とデータだけを、ひとつのJSONファイルで受け取れます。画像や音声は、1時間だけ有効なURLで入ります。</p>
        <div>
          <a className="button button-gray-outline" href="/my/settings/export" download>
            JSONをダウンロード
          </a>
        </div>
      </section>
    </SettingsPage>
  );
}

type Part = AnswerOf<typeof listArchiveParts>["parts"][number];

const MEGABYTE = 1024 * 1024;
const sizeOf = (bytes: number) => `約${groupDigits(Math.max(1, Math.round(bytes / MEGABYTE)))}MB`;

/** The archive in files that an import takes: each holds some of the posts with their pictures. */
function Parts({ parts }: { parts: readonly Part[] }) {
  return (
    <section className="card form" aria-labelledby="parts-title">
      <h2 className="section-title" id="parts-title">
        分けて受け取る
      </h2>
      <p>
        ひとつにまとめると大きすぎて、取り込めません。別のアカウントへ移すときは、こちらの{parts.length}
        個をすべて受け取って、ひとつずつ取り込んでください。順番は自由です。
      </p>
      <ul className="rows">
        {parts.map((part) => (
          <li key={part.number} className="row">
            <span className="row-text">
              <strong className="row-title">{part.number}個め</strong>
              <span className="row-note">
                <PartContents part={part} />・{sizeOf(part.bytes)}
              </span>
              {!part.is_importable && (
                <span className="row-note">200MBを超えるため、保存はできますが、取り込みはできません。</span>
              )}
            </span>
            <a
              className="button button-gray-outline button-sm"
              href={`${FILE}?part=${part.number}`}
              aria-label={`${part.number}個めをダウンロード`}
              download
            >
              ダウンロード
            </a>
          </li>
        ))}
      </ul>
      <p className="field-hint">
        1個めには、プロフィールや、手紙などのデータも入っています。受け取っているあいだに投稿を消したり変えたりしたときは、はじめから受け取り直してください。
      </p>
    </section>
  );
}

function PartContents({ part }: { part: Part }) {
  const { posts_count, newsletters_count, radios_count, posts_from, posts_to } = part;
  const others = [
    newsletters_count > 0 && `ニュースレター${newsletters_count}通`,
    radios_count > 0 && `ラジオ${radios_count}件`,
  ].filter(Boolean);
  if (!posts_from || !posts_to) return others.join("・") || "そのほかのファイル";
  const is_one_day = dayOf(posts_from) === dayOf(posts_to);
  return (
    <>
      {others.map((other) => `${other}・`)}投稿{posts_count}件（
      <DateTime iso={posts_from} format="date" />
      {!is_one_day && (
        <>
          〜<DateTime iso={posts_to} format="date" />
        </>
      )}
      ）
    </>
  );
}
