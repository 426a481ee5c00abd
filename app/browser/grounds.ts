/** The colours of the browser's toolbar. */
export const grounds = { light: "#ffffff", dark: "#12181b" };
