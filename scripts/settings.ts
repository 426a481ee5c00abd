/** What the environment says about a local run. */
import { resolve } from "node:path";
import { Refusal } from "./refusal.ts";

/** @throws Refusal when PORT is no port. */
export function readSettings(): { port: number; data_dir: string; demo: boolean } {
  const port = Number(process.env.PORT || 8787);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Refusal(`PORT is not a port: ${process.env.PORT}`);
  return {
    port,
    data_dir: resolve(import.meta.dirname, "..", process.env.DATA_DIR || ".data"),
    demo: process.env.DEMO !== "0",
  };
}

/** Printed when a network is up. */
export function readyLine(url: string, demo: boolean): string {
  const people = demo ? "  (natsume@demo.example / fan_hana@demo.example, password demo-ofuse-2026)" : "";
  return `Ready  ${url}${people}`;
}
