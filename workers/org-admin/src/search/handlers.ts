import { searchOrganizationContent } from './search-organization-content.ts';

export const searchHandlers = {
  searchOrganizationContent,
};
