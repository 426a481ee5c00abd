/** `npm run bench:data`: creates the benchmark's data in the folder DATA_DIR (default `.data-bench`). */
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
