import { Link } from "react-router";
import { getProfile } from "../../../workers/contract/users.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { v4Context } from "../../request/context.ts";
import { buttonClass } from "../../ui/button.tsx";
import { CopyField } from "../../ui/copy-field.tsx";
import type { Route } from "./+types/share.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "シェア", is_unlisted: true });

export async function loader({ url, context }: Route.LoaderArgs) {
  const { user } = await context.get(v4Context).read(getProfile, {});
  const address = `${url.origin}/${user.link_id}`;
  const text = `${user.name}のofuse`;
  return {
    path: `/${user.link_id}`,
    address,
    places: [
      { name: "Xでシェア", href: `https://x.com/intent/post?${new URLSearchParams({ text, url: address })}` },
      {
        name: "LINEで送る",
        href: `https://social-plugins.line.me/lineit/share?${new URLSearchParams({ url: address })}`,
      },
    ],
  };
}

export default function Share({ loaderData }: Route.ComponentProps) {
  const { path, address, places } = loaderData;
  return (
    <>
      <h1 className="page-title">シェア</h1>
      <section className="card form">
        <h2 className="section-title">あなたのページ</h2>
        <CopyField id="share-address" label="ページのURL" address={address} />
        <p>
          <Link to={path}>ページを開く</Link>
        </p>
      </section>
      <section className="card form">
        <h2 className="section-title">SNSで知らせる</h2>
        <ul className="row">
          {places.map(({ name, href }) => (
            <li key={name}>
              <a
                href={href}
                target="_blank"
                rel="noopener noreferrer"
                className={buttonClass({ variant: "gray-outline" })}
              >
                {name}
              </a>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}
