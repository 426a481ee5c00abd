import { cloudflare } from "@cloudflare/vite-plugin";
import { reactRouter } from "@react-router/dev/vite";
import { defineConfig, type Plugin } from "vite";
import { aacModule } from "./scripts/aac-module.ts";
import { bankList } from "./scripts/bank-list.ts";
import { browserReact } from "./scripts/browser-react.ts";
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
 * How modules are grouped into scripts (decisions/0050). Vite puts the remaining modules that the same routes share into
 * one script. A group also takes what its members import, unless an earlier group has it.
 */
const groups = [
  // One script compresses 6 kB smaller than the eight that Vite would make, and browsers keep it over most releases.
  {
    name: "framework",
    test: /\/node_modules\/(browser-react|browser-react-dom|react-router|scheduler)\/|vite\/preload-helper/,
  },
  { name: "shell", test: /\/app\/(root|entry\.client)\.tsx/ },
  // Small components that at least 18 routes share. A group costs each page the modules that it does not use.
  {
    name: "parts",
    test: /\/app\/(ui|forms|likes|people)\/(?!field|radios|side-page|button-form|hidden-fields)/,
    minShareCount: 18,
  },
  // Apart from the parts: pages without a form, and a creator's page, do not load them.
  { name: "buttons", test: /\/app\/ui\/(button-form|hidden-fields)/ },
  { name: "creator", test: /\/app\/routes\/creator\/(layout\.tsx|creator\.ts)/ },
  { name: "cards", test: /\/app\/post\/(event-card|picture)\.tsx/ },
  // Apart from the likes, which import them, because nearly every page does too.
  { name: "stored", test: /\/app\/browser\/(stored-keys|use-stored)\.ts/ },
  // Every member's page loads these small parts of the menus together.
  {
    name: "menu",
    test: /\/app\/(shell\/(theme-form|log-out-buttons)|ui\/(menu|sheet)|browser\/(theme|page-shown))\.tsx?$/,
  },
  // They were five files of half a kilobyte in a post's first trip, and browsers load six at once over HTTP/1.1.
  { name: "likes", test: /\/app\/(likes\/|browser\/(liked|radio-keys)\.ts|routes\/creator\/like-form)/ },
];

/**
 * Leaves white space and comments out of the workers' code, which Miniflare copies and workerd reads at each start. Names
 * stay, because the stacks in the logs show them.
 */
const withoutSpace: Plugin = {
  name: "without-space",
  configEnvironment(name) {
    if (name === "client") return;
    const minify = { codegen: true, compress: false, mangle: false };
    return { build: { minify: "oxc", rolldownOptions: { output: { minify } } } };
  },
};

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
      withoutSpace,
      browserReact(),
      visitorScript(),
      aacModule(),
    ],
    environments: {
      client: {
        build: {
          // Vite would add a link for each file that a lazy script imports: 20 for the shell, a task of 80 ms on a slow phone.
          modulePreload: false,
          rolldownOptions: {
            optimization: { inlineConst: { mode: "all", pass: 2 } },
            output: {
              codeSplitting: { groups },
              // Chromium then compiles the framework beside the page, not function by function in the task that runs it.
              postBanner: ({ name }) => (name === "framework" ? "//# allFunctionsCalledOnLoad" : ""),
            },
          },
        },
      },
    },
    server: { host: HOST, port, strictPort: true },
  };
});
