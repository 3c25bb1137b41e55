export const translationsHandlers = {};
