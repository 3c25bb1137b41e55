export const searchHandlers = {};
