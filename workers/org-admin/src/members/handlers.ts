export const membersHandlers = {};
