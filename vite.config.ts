import { cloudflare } from "@cloudflare/vite-plugin";
import { reactRouter } from "@react-router/dev/vite";
import { defineConfig } from "vite";
import { aacModule } from "./scripts/aac-module.ts";
import { bankList } from "./scripts/bank-list.ts";
import { clientModules } from "./scripts/client-modules.ts";
import { readFolderRecord } from "./scripts/data-folder.ts";
import { fontModules } from "./scripts/font-modules.ts";
import {
  gatewaySecrets,
  gatewayServices,
  HOST,
  mailSecrets,
  pushSettings,
  stripeSecrets,
  varsOf,
} from "./scripts/local-vars.ts";
import { readSettings } from "./scripts/settings.ts";
import { visitorScript } from "./scripts/visitor-script.ts";

/**
 * One script for React, its router and Vite's preload helper. It compresses 6 kB smaller than the eight scripts that
 * Vite would make, and browsers keep it over most releases.
 */
const framework = {
  name: "framework",
  test: /\/node_modules\/(react|react-dom|react-router|scheduler)\/|vite\/preload-helper/,
};
/**
 * Modules that several pages share, in a few scripts: smaller pieces compress worse and cost a request each. A group
 * also takes the modules that its members import, unless an earlier group has them. So a module that two groups need is
 * in a group above both, and what the root imports is the shell. Groups of one module keep that module out of scripts
 * that most pages load. Vite itself splits the `rest`, which few pages use or which is loaded later.
 */
const parts = {
  forms: "ui/(?:field|password-field)|forms/use-staying-form",
  author: "forms/author\\.",
  alive:
    "shell/(?:member-page|unsent-words)|forms/(?:kept-words|sent-early)|browser/(?:theme|page-shown|collect|events)\\.",
  lists: "ui/(?:empty-state|pager|price)|people/person|likes/like|routes/my/hide-letter-form",
  texts: "ui/(?:copied|copy-field|text)\\.",
  looks: "routes/creator/letter-(?:look|choices)",
  filters: "routes/my/(?:box-path|list-order|people-search|people-view)",
  prompts: "routes/my/(?:unready|monetize-prompt)",
  plans: "routes/my/plan-state",
  features: "site/features",
  live: "shell/(?:live-socket|retry-timer)",
  report: "routes/report/",
  words: "ui/words-field|forms/use-sent|routes/creator/letter-form",
  cards: "post/(?:event-card|picture)\\.",
  creator:
    "ui/tabs|browser/liked|likes/use-liked|routes/creator/(?!comment-form|chat-|radio-(?!path)|plan-(?:list|parts)|letter-|fan-letter|amount-fields|limit-link|lock-panel|replaced-payment|form-refused|.*route-chunk)",
  post: "post/(?:document|embed|gallery|post-body)",
  body: "post/(?:fields|body-field)",
  saving: "post/(?:save-status|use-desk)",
  newsletter: "routes/my/newsletter-form",
  pictures: "post/(?:pictures|picture-list)\\.",
  upload: "uploads/upload-field|ui/waiting|browser/upload",
  writing: "post/(?!links|form-path|content-types)",
  settings: "routes/my/settings/",
  earnings: "ui/yen|routes/my/earnings/",
  codes: "routes/login/(?:code-field|demo-outbox|recaptcha-field)",
  ways: "routes/login/(?!other-ways|provider-mark)|routes/signup/",
  providers: "routes/login/|sign-in/identity-providers",
  radios: "ui/radios",
  rest: "browser/radio-keys|routes/(?:notification-choices|radio-words)|routes/my/(?:caption-form|list-order|plan-|radio-|price-facts|subscription-words)|routes/creator/(?:comment-form|chat-|radio-(?!path)|plan-(?:list|parts)|letter-prices|fan-letter|amount-fields|limit-link|lock-panel|replaced-payment|form-refused)|site/(?:document-view|invoice-issuer)|ui/(?:choices|banner)|forms/(?:use-input-event|typed-number)|text/xml|.*route-chunk",
};
const shared = (name: string, test: RegExp) => ({ name, test, minShareCount: 2 });
const groups = [
  framework,
  { name: "shell", test: /\/app\/root\.tsx/ },
  shared(
    "common",
    new RegExp(
      `/app/(?!${Object.values(parts).join("|")})|/workers/contract/(?!embeds|report-csv|payout-words|sign-out-watch)`,
    ),
  ),
  shared("radios", new RegExp(`/app/(?:${parts.radios})`)),
  shared("author", new RegExp(`/app/(?:${parts.author})`)),
  { name: "alive", test: new RegExp(`/app/(?:${parts.alive})`) },
  shared("lists", new RegExp(`/app/(?:${parts.lists})`)),
  shared("texts", new RegExp(`/app/(?:${parts.texts})`)),
  shared("looks", new RegExp(`/app/(?:${parts.looks})`)),
  shared("words", new RegExp(`/app/(?:${parts.words})`)),
  shared("plans", new RegExp(`/app/(?:${parts.plans})`)),
  shared("features", new RegExp(`/app/(?:${parts.features})`)),
  shared("live", new RegExp(`/app/(?:${parts.live})|/workers/contract/sign-out-watch`)),
  shared("report", new RegExp(`/app/(?:${parts.report})`)),
  shared("filters", new RegExp(`/app/(?:${parts.filters})`)),
  shared("prompts", new RegExp(`/app/(?:${parts.prompts})`)),
  shared("cards", new RegExp(`/app/(?:${parts.cards})`)),
  shared("creator", new RegExp(`/app/(?:${parts.creator})`)),
  shared("markup", /\/app\/post\/(?:markup|values)\.ts|\/workers\/contract\/embeds/),
  shared("post", new RegExp(`/app/(?:${parts.post})`)),
  shared("body", new RegExp(`/app/(?:${parts.body})`)),
  shared("forms", new RegExp(`@conform-to|/app/(?:${parts.forms})`)),
  shared("saving", new RegExp(`/app/(?:${parts.saving})`)),
  shared("upload", new RegExp(`/app/(?:${parts.upload})`)),
  shared("pictures", new RegExp(`/app/(?:${parts.pictures})`)),
  shared("writing", new RegExp(`/app/(?:${parts.writing})`)),
  shared("newsletter", new RegExp(`/app/(?:${parts.newsletter})`)),
  shared("settings", new RegExp(`/app/(?:${parts.settings})`)),
  shared("earnings", new RegExp(`/app/(?:${parts.earnings})|/workers/contract/(?:report-csv|payout-words)`)),
  shared("codes", new RegExp(`/app/(?:${parts.codes})`)),
  shared("ways", new RegExp(`/app/(?:${parts.ways})`)),
  shared("providers", new RegExp(`/app/(?:${parts.providers})`)),
];

const pickSecrets = (names: readonly string[]) =>
  Object.fromEntries(names.map((secret) => [secret, process.env[secret] ?? ""]));

/**
 * The app and its eight workers. `npm run dev` (scripts/dev.ts) serves them from this config, with the data, vars and
 * secrets that `npm start` uses. A build keeps the values of each wrangler.toml.
 */
export default defineConfig(({ command }) => {
  const { port, data_dir } = readSettings();
  // scripts/dev.ts prepares the folder before it loads this file.
  const world = readFolderRecord(data_dir)?.world ?? "site";
  const config = ({ name, vars, assets }: { name?: string; vars: Record<string, unknown>; assets?: object }) =>
    command === "serve"
      ? {
          vars: {
            ...varsOf(vars, { port, world }, process.env),
            // scripts/dev.ts put the folder's secrets into the environment.
            ...(world === "demo" && pickSecrets(gatewaySecrets(name))),
            ...stripeSecrets(name, process.env),
            ...mailSecrets(name, process.env),
            ...pushSettings(name, process.env),
          },
          ...(world === "demo" && { services: gatewayServices(name) }),
          // In development, browsers load the sources themselves: Vite answers for them before the worker does.
          ...(assets && { assets: { run_worker_first: false } }),
        }
      : {};
  return {
    plugins: [
      cloudflare({
        viteEnvironment: { name: "ssr" },
        config,
        auxiliaryWorkers: [
          { configPath: "workers/api/wrangler.toml", config },
          { configPath: "workers/identity/wrangler.toml", config },
          { configPath: "workers/mails/wrangler.toml", config },
          { configPath: "workers/radio/wrangler.toml" },
          { configPath: "workers/gateway/wrangler.toml", config },
          { configPath: "workers/share-images/wrangler.toml" },
          { configPath: "workers/pictures/wrangler.toml" },
        ],
        persistState: { path: data_dir },
        inspectorPort: false,
      }),
      reactRouter(),
      // After Cloudflare's plugin, which asks the other plugins for modules and takes those that end in .bin.
      fontModules(),
      bankList(),
      clientModules(),
      visitorScript(),
      aacModule(),
    ],
    environments: {
      client: {
        build: {
          rolldownOptions: {
            output: { codeSplitting: { groups } },
          },
        },
      },
    },
    server: { host: HOST, port, strictPort: true },
  };
});
