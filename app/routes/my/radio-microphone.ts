/**
 * Whether the document was loaded at the page of a broadcast, so that its Permissions-Policy allows the microphone. Read
 * when the page's code is loaded: before any navigation of the document itself, or during the navigation that leads here.
 */
export const isMicrophoneDocument = typeof location !== "undefined" && /^\/my\/radio\/[^/]+$/.test(location.pathname);
