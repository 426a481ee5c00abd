import { cloudflare } from "@cloudflare/vite-plugin";
import { reactRouter } from "@react-router/dev/vite";
import { defineConfig } from "vite";
import { clientModules } from "./scripts/client-modules.ts";
import { fontModules } from "./scripts/font-modules.ts";
import { HOST, varsOf } from "./scripts/local-vars.ts";
import { readSettings } from "./scripts/settings.ts";
import { visitorScript } from "./scripts/visitor-script.ts";

/**
 * React and its router in one script, and what loads further ones: it packs 6 kB smaller than the eight they would be cut
 * into, and browsers keep it over most releases.
 */
const framework = {
  name: "framework",
  test: /\/node_modules\/(react|react-dom|react-router|scheduler)\/|vite\/preload-helper/,
};
/**
 * What pages share besides, in a few scripts: cut as finely as it is used it packs worse, and is asked for file by file. One
 * has the library for forms, which half of the pages do without; one what stands below a post; one what a post is shown by,
 * and one what it is written with.
 */
const formParts = "ui/field|ui/choices";
const answerParts =
  "routes/report/|ui/radios|browser/liked|forms/use-liked|ui/words-field|v4/stay-on-page|routes/creator/(?:comment-form|letter-form|event-path)";
const postParts = "post/(?:document|embed|gallery|post-body|values)";
const writingParts = "post/(?!picture\\.|links)";
const common = {
  name: "common",
  test: new RegExp(`/app/(?!${formParts}|${answerParts}|${writingParts})|/workers/contract/(?!embeds)`),
  minShareCount: 2,
};
const answers = { name: "answers", test: new RegExp(`/app/(${answerParts})`), minShareCount: 2 };
const post = { name: "post", test: new RegExp(`/app/(${postParts})|contract/embeds`), minShareCount: 2 };
const writing = { name: "writing", test: new RegExp(`/app/(${writingParts})`), minShareCount: 2 };
const forms = { name: "forms", test: new RegExp(`@conform-to|/app/(${formParts})`), minShareCount: 2 };

/**
 * The app and its five workers. `npm run dev` (scripts/dev.ts) serves them from here with the data, vars and
 * secrets that `npm start` uses; a build keeps what each wrangler.toml says.
 */
export default defineConfig(({ command }) => {
  const { port, data_dir } = readSettings();
  const config = ({ vars, assets }: { vars: Record<string, unknown>; assets?: object }) =>
    command === "serve"
      ? {
          vars: varsOf(vars, port, process.env),
          // Here the sources themselves are what browsers load: Vite answers for them before the worker is asked.
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
          { configPath: "workers/share-images/wrangler.toml" },
          { configPath: "workers/pictures/wrangler.toml" },
        ],
        persistState: { path: data_dir },
        inspectorPort: false,
      }),
      reactRouter(),
      // After Cloudflare's: it asks the others what a module is, and takes those that end in .bin.
      fontModules(),
      clientModules(),
      visitorScript(),
    ],
    environments: {
      client: {
        build: {
          rolldownOptions: {
            output: { codeSplitting: { groups: [framework, common, answers, post, forms, writing] } },
          },
        },
      },
    },
    server: { host: HOST, port, strictPort: true },
  };
});
