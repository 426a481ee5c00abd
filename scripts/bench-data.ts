/** `npm run bench:data`: the big world in the folder DATA_DIR, `.data-bench` unless said otherwise. */
import { benchDataFolder, makeBenchWorld } from "./bench/world.ts";
import { Refusal } from "./refusal.ts";

try {
  const data_dir = benchDataFolder();
  const { made, counts, seconds } = await makeBenchWorld(data_dir, console.log);
  for (const [table, count] of Object.entries(counts)) {
    console.log(`${count.toLocaleString("en").padStart(11)}  ${table}`);
  }
  console.log(made ? `Made in ${seconds.toFixed(1)} s: ${data_dir}` : `It is there: ${data_dir}`);
} catch (error) {
  console.error(error instanceof Refusal ? error.message : error);
  process.exitCode = 1;
}
