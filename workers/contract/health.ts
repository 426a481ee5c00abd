/**
 * Whether the site works: docs/operations.md, "Health and metrics". These addresses are the operators' and not part of the
 * product API, so they are no operations.
 */

/** Whether the web worker answers at all. It asks nobody. */
export const LIVENESS_PATH = "/api/health";
/** Whether each thing that the site depends on answers. */
export const READINESS_PATH = "/api/health/ready";

/** The figures of the site, for a monitoring system that has the key. */
export const METRICS_PATH = "/api/metrics";
/** Where a worker tells its own figures. Only the web worker asks; the edge forwards no such path. */
export const FIGURES_PATH = "/figures";

/** Where a worker tells how its own dependencies are. Only the web worker asks; the edge forwards no such path. */
export const DEPENDENCIES_PATH = "/dependencies";

/** `silent`: it did not answer in time. */
export type DependencyState = "ok" | "failed" | "silent";
export type DependencyStates = Readonly<Record<string, DependencyState>>;

/** The header in which a worker names the pattern of the route that answered. The web worker takes it off. */
export const ROUTE_HEADER = "x-route";
