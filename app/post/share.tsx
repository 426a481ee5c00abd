import { useCopied } from "../ui/copied.ts";
import { useHydrated } from "../ui/hydrated.ts";
import { ShareIcon } from "./icons.tsx";

/** Links to share a page. Without JavaScript, the address can be selected and copied. `address` is the full URL. */
export function Share({ title, address }: { title: string; address: string }) {
  const places = [
    { name: "X", href: `https://x.com/intent/post?${new URLSearchParams({ text: title, url: address })}` },
    {
      name: "LINE",
      href: `https://social-plugins.line.me/lineit/share?${new URLSearchParams({ url: address })}`,
    },
    {
      name: "はてなブックマーク",
      href: `https://b.hatena.ne.jp/entry/panel/?${new URLSearchParams({ url: address, btitle: title })}`,
    },
  ];
  return (
    <details className="share" name="share">
      <summary className="button button-gray-outline button-sm">
        <ShareIcon />
        シェア
      </summary>
      <div className="card">
        <ul className="row">
          {places.map(({ name, href }) => (
            <li key={name}>
              <a href={href} target="_blank" rel="noopener noreferrer" className="button button-gray-outline button-sm">
                {name}
              </a>
            </li>
          ))}
        </ul>
        <Address title={title} address={address} />
      </div>
    </details>
  );
}

function Address({ title, address }: { title: string; address: string }) {
  const { field, said, copy } = useCopied(address);
  const is_hydrated = useHydrated();
  return (
    <>
      <label className="field">
        このページのURL
        <input className="control" ref={field} type="url" readOnly value={address} />
      </label>
      {is_hydrated && (
        <p className="row">
          <button type="button" className="button button-gray button-sm" onClick={copy}>
            コピー
          </button>
          {"share" in navigator && (
            <button
              type="button"
              className="button button-gray button-sm"
              // share() rejects when the person closes the share dialog.
              onClick={() => navigator.share({ title, url: address }).catch(() => {})}
            >
              ほかのアプリ
            </button>
          )}
          <span role="status">{said}</span>
        </p>
      )}
    </>
  );
}
