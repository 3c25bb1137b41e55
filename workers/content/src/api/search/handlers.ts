import { searchSpaceContent } from './search-space-content.ts';

export const searchHandlers = {
  searchSpaceContent,
};
