import { useRouteLoaderData } from "react-router";
import { pageMeta } from "../crawlers/page-meta.ts";
import type { loader as rootLoader } from "../root.tsx";
import { DocumentView } from "../site/document-view.tsx";
import { readDocument } from "../site/documents.server.ts";
import { NoMoney, useTakesMoney } from "../site/money.tsx";
import { siteContext } from "../site/site-context.ts";
import { ButtonLink, buttonClass } from "../ui/button.tsx";
import { Template, useCopyButtons } from "../ui/template.tsx";
import type { Route } from "./+types/kit.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, args.loaderData?.document);

export const loader = ({ url, context }: Route.LoaderArgs) => ({
  document: readDocument("kit", context.get(siteContext), url.origin),
});

export default function Kit({ loaderData }: Route.ComponentProps) {
  const root = useRouteLoaderData<typeof rootLoader>("root");
  useCopyButtons();
  const takes_money = useTakesMoney();
  const origin = root?.origin ?? "";
  const link_id = root?.viewer?.link_id ?? null;
  const more = [
    { id: "materials", title: "ロゴとバナー", content: <Materials /> },
    { id: "share", title: "共有のボタンとバナーを置く", content: <Sharing origin={origin} link_id={link_id} /> },
  ];
  return (
    <DocumentView document={loaderData.document} more={more}>
      {!takes_money && <NoMoney />}
      <p className="kit-start">
        {link_id ? (
          <ButtonLink to={`/${link_id}`}>自分のページを見る</ButtonLink>
        ) : (
          <ButtonLink to="/signup">登録してはじめる</ButtonLink>
        )}
        <a href="#materials" className={buttonClass({ variant: "gray-outline" })}>
          素材をダウンロード
        </a>
      </p>
    </DocumentView>
  );
}

/** The files in public/kit, which people may download. */
const materials = [
  { name: "ロゴ", file: "ofuse-logo", width: 1100, height: 320, formats: ["svg", "png"] },
  { name: "マーク", file: "ofuse-mark", width: 1024, height: 1024, formats: ["svg", "png"] },
  { name: "バナー", file: "ofuse-banner", width: 600, height: 200, formats: ["png"] },
] as const;

function Materials() {
  return (
    <ul className="materials">
      {materials.map(({ name, file, width, height, formats }) => (
        <li key={file} className="card">
          <img src={`/kit/${file}.${formats[0]}`} alt={`ofuseの${name}`} width={width} height={height} loading="lazy" />
          <p className="material-name">{name}</p>
          <p className="material-links">
            {formats.map((format) => (
              <a key={format} href={`/kit/${file}.${format}`} download>
                <span className="visually-hidden">{name}の</span>
                {format.toUpperCase()}
              </a>
            ))}
          </p>
        </li>
      ))}
    </ul>
  );
}

/** Explains how to share one's page, with the member's own address if they have one. */
function Sharing({ origin, link_id }: { origin: string; link_id: string | null }) {
  const address = `${origin}/${link_id ?? "あなたのID"}`;
  const text = "ofuseで手紙を受け付けています";
  return (
    <>
      <p>ブログやポートフォリオのHTMLに貼り付けると、あなたのページへのリンクになります。</p>
      <Template name="リンクのHTML" text={`<a href="${address}">ofuseで手紙を送る</a>`} />
      <Template
        name="バナーのHTML"
        text={`<a href="${address}"><img src="${origin}/kit/ofuse-banner.png" width="300" height="100" alt="${text}"></a>`}
      />
      {link_id && (
        <p className="kit-start">
          <a
            href={`https://x.com/intent/post?${new URLSearchParams({ text, url: address })}`}
            className={buttonClass({ variant: "gray-outline", size: "sm" })}
            rel="noopener noreferrer"
          >
            Xで知らせる
          </a>
          <a
            href={`https://bsky.app/intent/compose?${new URLSearchParams({ text: `${text} ${address}` })}`}
            className={buttonClass({ variant: "gray-outline", size: "sm" })}
            rel="noopener noreferrer"
          >
            Blueskyで知らせる
          </a>
        </p>
      )}
    </>
  );
}
