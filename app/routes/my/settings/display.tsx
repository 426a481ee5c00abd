import { pageMeta } from "../../../crawlers/page-meta.ts";
import { readDisplay } from "../../../request/display.ts";
import { DisplayForm } from "../../display-form.tsx";
import type { Route } from "./+types/display.ts";
import { HintsSection } from "./hints-section.tsx";
import { SettingsPage } from "./settings-page.tsx";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "画面の表示", is_unlisted: true });

export const loader = ({ request }: Route.LoaderArgs) => ({ display: readDisplay(request) });

export default function DisplaySettings({ loaderData }: Route.ComponentProps) {
  return (
    <SettingsPage title="画面の表示">
      <DisplayForm display={loaderData.display} path="/my/settings/display" />
      <HintsSection />
    </SettingsPage>
  );
}
