/** The message when the provider did not answer, so that no text message was sent. */
export const NO_SMS = { status: 503, message: "ただいまSMSを送れません。時間をおいてもう一度お試しください。" };
