import { data, Link, redirect } from "react-router";
import * as z from "zod";
import { listExternalSites } from "../../../../workers/contract/references.ts";
import { externalLink, getProfile, updateExternalLinks } from "../../../../workers/contract/users.ts";
import { pageMeta } from "../../../crawlers/page-meta.ts";
import { v4Context } from "../../../request/context.ts";
import { loginPath } from "../../../request/to.ts";
import { closeSession } from "../../../session/current-session.ts";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { ButtonForm } from "../../../ui/button-form.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { FormErrors } from "../../../ui/form-errors.tsx";
import type { Route } from "./+types/links.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "リンクの順番", is_unlisted: true });

const LINKS_PATH = "/my/share/links";
const LINKS_SETTINGS = "/my/settings#links";

export async function loader({ context }: Route.LoaderArgs) {
  const v4 = context.get(v4Context);
  const [{ user }, { external_sites }] = await Promise.all([v4.read(getProfile, {}), v4.read(listExternalSites, {})]);
  const names = new Map(external_sites.map(({ external_site_id, name }) => [external_site_id, name]));
  return {
    path: `/${user.link_id}`,
    links: user.external_links.map((link) => ({ ...link, name: names.get(link.external_site_id) ?? "リンク" })),
  };
}

const moveForm = externalLink.extend({ to: z.coerce.number().int().nonnegative() });

/**
 * Moves a link to a place. The form names the link, not its former place: a second press, or a press on an old page,
 * moves no other link.
 */
export async function action({ request, context }: Route.ActionArgs) {
  const form = moveForm.safeParse(Object.fromEntries(await request.formData()));
  if (!form.success) throw data(null, { status: 400 });
  const { external_site_id, url, to } = form.data;
  const v4 = context.get(v4Context);
  const before = await v4.send(getProfile, {});
  const sent = before.ok ? await moveLink(before.answer.user.external_links) : before;
  if (!sent || sent.ok) return redirect(LINKS_PATH, 303);
  if (!sent.refusal.needs_sign_in) return data({ error: sent.refusal.detail }, sent.refusal.status);
  closeSession(context);
  return redirect(loginPath(LINKS_PATH), 303);

  /** Returns null for a link that was removed meanwhile. */
  async function moveLink(links: z.output<typeof externalLink>[]) {
    const moved = links.find((link) => link.external_site_id === external_site_id && link.url === url);
    if (!moved) return null;
    const others = links.filter((link) => link !== moved);
    const external_links = others.toSpliced(to, 0, moved);
    return v4.send(updateExternalLinks, { body: { external_links, seen_external_links: links } });
  }
}

export default function LinkOrder({ loaderData, actionData }: Route.ComponentProps) {
  const { path, links } = loaderData;
  return (
    <div className="share-parts">
      <p>
        <Link to={path}>あなたのページ</Link>に、この順で並びます。いちばん見てほしいものを上に置きましょう。
      </p>
      <FormErrors errors={actionData && [actionData.error]} answer={actionData} />
      {links.length === 0 ? (
        <EmptyState title="まだリンクがありません">
          <p>SNSや販売サイトへのリンクを載せると、ひとつのページで案内できます。</p>
          <p>
            <ButtonLink to={LINKS_SETTINGS} variant="primary-outline">
              リンクを追加する
            </ButtonLink>
          </p>
        </EmptyState>
      ) : (
        <>
          <ol className="rows link-order">
            {links.map(({ external_site_id, url, name }, index) => (
              <li key={`${external_site_id} ${url}`} className="card">
                <span className="link-order-words">
                  <b>{name}</b>
                  <span className="row-note">{url.replace("https://", "").replace(/\/$/, "")}</span>
                </span>
                <ButtonForm
                  action={LINKS_PATH}
                  fields={{ external_site_id, url }}
                  label={`${name}の順番`}
                  className="link-order-buttons"
                >
                  {(is_sending) => (
                    <>
                      {index > 0 && (
                        <Move to={index - 1} label={`${index + 1}番目の${name}を上へ`} is_sending={is_sending}>
                          ↑
                        </Move>
                      )}
                      {index < links.length - 1 && (
                        <Move to={index + 1} label={`${index + 1}番目の${name}を下へ`} is_sending={is_sending}>
                          ↓
                        </Move>
                      )}
                    </>
                  )}
                </ButtonForm>
              </li>
            ))}
          </ol>
          <p>
            <Link to={LINKS_SETTINGS}>リンクを追加・変更する</Link>
          </p>
        </>
      )}
    </div>
  );
}

function Move(props: { to: number; label: string; is_sending: boolean; children: string }) {
  return (
    <Button
      name="to"
      value={props.to}
      variant="gray-outline"
      size="sm"
      aria-label={props.label}
      aria-disabled={props.is_sending}
    >
      {props.children}
    </Button>
  );
}
