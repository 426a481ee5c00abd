import { createContext } from "react-router";
import type { Site } from "./site.ts";

/** Who runs the site. */
export const siteContext = createContext<Site>();
