import { createContext } from "react-router";
import type { Site } from "./site.ts";

/** The configuration of this site: its operator and its links. */
export const siteContext = createContext<Site>();
