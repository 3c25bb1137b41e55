export const serviceAccountsHandlers = {};
