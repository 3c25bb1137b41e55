export const collectionsHandlers = {};
