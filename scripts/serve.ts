/** `npm run serve`, the last part of `npm start`: serves the production build in workerd, on the data folder. */
import { startNetwork } from "./network.ts";
import { serve } from "./serving.ts";
import { readDemoSettings, readyLine } from "./settings.ts";

await serve(() => {
  const settings = readDemoSettings();
  return async () => {
    const network = await startNetwork({ ...settings, has_front: true, overrides: process.env });
    console.log(readyLine(network.url, network.world));
    return network;
  };
});
