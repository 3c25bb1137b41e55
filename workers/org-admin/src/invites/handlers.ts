export const invitesHandlers = {};
