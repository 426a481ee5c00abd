/** The parts of the shell around the page, which browsers load as one script after the page's own (lazy-part.tsx). */
export { Drawer } from "./drawer.tsx";
export { FailureView } from "./failure-view.tsx";
export { Footer } from "./footer.tsx";
export { Header } from "./header.tsx";
export { MaintenanceNotice } from "./maintenance-notice.tsx";
export { MemberPage } from "./member-page.tsx";
