import { data, redirect } from "react-router";
import * as z from "zod";
import { pageMeta } from "../../../crawlers/page-meta.ts";
import { setFlash } from "../../../request/flash.ts";
import { renewSession } from "../../../session/current-session.ts";
import type { IdentityAccount } from "../../../session/identity-toolkit.ts";
import { askProvider, ownAccount } from "../../../sign-in/ask-provider.ts";
import { startFederated } from "../../../sign-in/federated.ts";
import { identityProvider, identityProviders } from "../../../sign-in/identity-providers.ts";
import { readablePhoneNumber } from "../../../sign-in/phone-number.ts";
import { requireRecentSignIn } from "../../../sign-in/recent-sign-in.ts";
import { siteContext } from "../../../site/site-context.ts";
import { Button, ButtonLink, buttonClass } from "../../../ui/button.tsx";
import { ButtonForm } from "../../../ui/button-form.tsx";
import { Dialog, DialogButton } from "../../../ui/dialog.tsx";
import { FormErrors } from "../../../ui/form-errors.tsx";
import type { Route } from "./+types/providers.ts";
import { SettingsPage } from "./settings-page.tsx";
import { wayName } from "./way-name.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "ログイン方法", is_unlisted: true });

const PATH = "/my/settings/providers";
const LAST_WAY = "ログイン方法がこれだけのため、解除できません。先に別の方法を追加してください。";

/** All sign-in methods, in the order of the sign-in page. */
const ways = ["password", "phone", ...identityProviders.map(({ provider_id }) => provider_id)];

export async function loader({ url, context }: Route.LoaderArgs) {
  const account = await ownAccount(context, url);
  const linked = linkedWays(account);
  const { has_outside_ways } = context.get(siteContext);
  return {
    is_last: linked.size <= 1,
    ways: ways
      .filter((id) => id === "password" || linked.has(id) || has_outside_ways)
      .map((id) => ({ id, name: nameOf(id, linked, account), detail: linked.get(id) ?? null })),
  };
}

/** A member with an address but no password signs in by mailed links. */
const nameOf = (id: string, linked: ReadonlyMap<string, string>, { passwordHash }: IdentityAccount) =>
  wayName(id === "password" && linked.has(id) && passwordHash === undefined ? "emailLink" : id) ?? id;

/** Returns the member's sign-in methods by provider id, each with its address, name or number. */
function linkedWays({ providerUserInfo = [] }: IdentityAccount): Map<string, string> {
  return new Map(
    providerUserInfo.map(({ providerId, email, displayName, phoneNumber }) => [
      providerId,
      phoneNumber ? readablePhoneNumber(phoneNumber) : (email ?? displayName ?? "連携済み"),
    ]),
  );
}

const fields = z.object({ operation: z.enum(["link", "unlink"]), provider_id: z.enum(ways) });

export async function action({ request, url, context }: Route.ActionArgs) {
  const form = fields.safeParse(Object.fromEntries(await request.formData()));
  if (!form.success) throw data(null, { status: 400 });
  await requireRecentSignIn(context, url);
  const { operation, provider_id } = form.data;
  return operation === "unlink" ? unlinkProvider(context, url, provider_id) : linkProvider(context, url, provider_id);
}

async function linkProvider(context: Route.ActionArgs["context"], url: URL, provider_id: string) {
  const provider = identityProvider(provider_id);
  if (!provider) throw data(null, { status: 400 });
  const asked = await askProvider(context, url, () =>
    startFederated(context, provider, { url, to: PATH, purpose: "link" }),
  );
  return asked.ok ? asked.answer : data({ error: asked.message }, asked.status);
}

async function unlinkProvider(context: Route.ActionArgs["context"], url: URL, provider_id: string) {
  const linked = linkedWays(await ownAccount(context, url));
  if (linked.size <= 1) return data({ error: LAST_WAY }, 422);
  const asked = await askProvider(context, url, (toolkit, id_token) => toolkit.unlink(id_token, provider_id));
  if (!asked.ok) return data({ error: asked.message }, asked.status);
  // Renew the session, because its token lists the sign-in methods.
  await renewSession(context);
  setFlash(context, "way_unlinked");
  return redirect(PATH, 303);
}

export default function Providers({ loaderData, actionData }: Route.ComponentProps) {
  const { ways, is_last } = loaderData;
  return (
    <SettingsPage title="ログイン方法">
      <p className="lead">方法を2つ以上登録しておくと、1つが使えなくなってもログインできます。</p>
      <FormErrors errors={actionData?.error ? [actionData.error] : undefined} answer={actionData} />
      <ul className="rows">
        {ways.map(({ id, name, detail }) => (
          <li key={id} className="card row">
            <div className="row-text">
              <p>
                <b>{name}</b>
              </p>
              <p className="row-note account-address">{detail ?? "登録されていません"}</p>
            </div>
            {detail === null ? <LinkWay id={id} name={name} /> : !is_last && <UnlinkWay id={id} name={name} />}
            {detail !== null && is_last && <p className="row-note">{LAST_WAY}</p>}
          </li>
        ))}
      </ul>
    </SettingsPage>
  );
}

/** Sign-in methods that have a page of their own to add them. The other methods redirect to the provider at once. */
const steps: Record<string, string> = {
  password: "/my/settings/password",
  phone: `/login/phone?${new URLSearchParams({ to: PATH, purpose: "link" })}`,
};

function LinkWay({ id, name }: { id: string; name: string }) {
  const to = steps[id];
  const label = `${name}を追加する`;
  if (to) {
    return (
      <ButtonLink to={to} size="sm" reloadDocument variant="primary-outline" aria-label={label}>
        追加する
      </ButtonLink>
    );
  }
  return (
    <ButtonForm action={PATH} fields={{ provider_id: id }}>
      {(is_sending) => (
        <Button
          name="operation"
          value="link"
          size="sm"
          variant="primary-outline"
          aria-label={label}
          aria-disabled={is_sending}
        >
          追加する
        </Button>
      )}
    </ButtonForm>
  );
}

function UnlinkWay({ id, name }: { id: string; name: string }) {
  const dialog = `unlink-${id.replace(".", "-")}`;
  return (
    <>
      <DialogButton
        dialog={dialog}
        command="show-modal"
        className={buttonClass({ variant: "gray-outline", size: "sm" })}
        aria-label={`${name}を解除する`}
      >
        解除する
      </DialogButton>
      <Dialog
        id={dialog}
        title="本当に解除しますか？"
        actions={
          <ButtonForm action={PATH} fields={{ provider_id: id }}>
            {(is_sending) => (
              <Button name="operation" value="unlink" variant="alert" aria-disabled={is_sending}>
                解除する
              </Button>
            )}
          </ButtonForm>
        }
      >
        <p>「{name}」では、ログインできなくなります。</p>
      </Dialog>
    </>
  );
}
