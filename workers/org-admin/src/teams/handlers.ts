export const teamsHandlers = {};
