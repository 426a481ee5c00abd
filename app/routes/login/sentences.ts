/** When no message could be sent because the provider did not answer. */
export const NO_SMS = { status: 503, message: "ただいまSMSを送れません。時間をおいてもう一度お試しください。" };
