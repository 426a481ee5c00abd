import { Link, useRouteLoaderData } from "react-router";
import { siteContext } from "../middleware/context.ts";
import type { loader as rootLoader } from "../root.tsx";
import { pageMeta } from "../shell/page-meta.ts";
import { DocumentView } from "../site/document-view.tsx";
import { readDocument } from "../site/documents.server.ts";
import type { Route } from "./+types/kit.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, args.loaderData?.document);

export const loader = ({ url, context }: Route.LoaderArgs) => ({
  document: readDocument("kit", context.get(siteContext), url.origin),
});

/** Files of public/kit. */
const materials = [
  { name: "ロゴ", file: "ofuse-logo", width: 300, height: 96, formats: ["svg", "png"] },
  { name: "マーク", file: "ofuse-mark", width: 96, height: 96, formats: ["svg", "png"] },
  { name: "バナー（600×200）", file: "ofuse-banner", width: 300, height: 100, formats: ["png"] },
] as const;

export default function Kit({ loaderData }: Route.ComponentProps) {
  const root = useRouteLoaderData<typeof rootLoader>("root");
  const link_id = root?.viewer?.link_id ?? null;
  const address = `${root?.origin ?? ""}/${link_id ?? "あなたのID"}`;
  return (
    <>
      <DocumentView document={loaderData.document}>
        <p className="kit-start">
          {link_id ? (
            <Link to={`/${link_id}`} className="button">
              自分のページを見る
            </Link>
          ) : (
            <Link to="/signup" className="button">
              登録してはじめる
            </Link>
          )}
          <a href="#materials" className="button button-gray-outline">
            素材をダウンロード
          </a>
        </p>
      </DocumentView>
      <section id="materials" className="page page-reading reading">
        <h2>素材</h2>
        <ul className="materials">
          {materials.map(({ name, file, width, height, formats }) => (
            <li key={file} className="card">
              <img src={`/kit/${file}.png`} alt={`ofuseの${name}`} width={width} height={height} loading="lazy" />
              <p className="material-name">{name}</p>
              <p className="material-links">
                {formats.map((format) => (
                  <a
                    key={format}
                    href={`/kit/${file}.${format}`}
                    download
                    aria-label={`${name}の${format.toUpperCase()}`}
                  >
                    {format.toUpperCase()}
                  </a>
                ))}
              </p>
            </li>
          ))}
        </ul>
        <h3 id="share">共有のボタンとバナーを置く</h3>
        <p>ブログやポートフォリオのHTMLに貼り付けると、あなたのページへのリンクになります。</p>
        <pre className="template">{`<a href="${address}">ofuseで手紙を送る</a>`}</pre>
        <pre className="template">
          {`<a href="${address}">\n  <img src="${root?.origin ?? ""}/kit/ofuse-banner.png" width="300" height="100" alt="ofuseで手紙を受け付けています">\n</a>`}
        </pre>
        {link_id && (
          <p className="kit-start">
            <a
              href={`https://x.com/intent/post?${new URLSearchParams({ text: "ofuseで手紙を受け付けています", url: address })}`}
              className="button button-sm button-gray-outline"
              rel="noopener noreferrer"
            >
              Xで知らせる
            </a>
            <a
              href={`https://bsky.app/intent/compose?${new URLSearchParams({ text: `ofuseで手紙を受け付けています ${address}` })}`}
              className="button button-sm button-gray-outline"
              rel="noopener noreferrer"
            >
              Blueskyで知らせる
            </a>
          </p>
        )}
      </section>
    </>
  );
}
