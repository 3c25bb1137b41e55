export const permissionsHandlers = {};
