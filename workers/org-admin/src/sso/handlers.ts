export const ssoHandlers = {};
