/** The parts of shell/around.ts, hydrated after the page. */
import { lazyPart } from "./lazy-part.tsx";

const around = () => import("./around.ts");
export const Header = lazyPart(() => around().then((parts) => parts.Header));
export const Drawer = lazyPart(() => around().then((parts) => parts.Drawer));
export const Footer = lazyPart(() => around().then((parts) => parts.Footer));
export const MaintenanceNotice = lazyPart(() => around().then((parts) => parts.MaintenanceNotice));
export const FailureView = lazyPart(() => around().then((parts) => parts.FailureView));
export const MemberPage = lazyPart(() => around().then((parts) => parts.MemberPage));
