import type { Documentation } from '../documentation.ts';

export const search: Documentation = {
  operations: {
    searchOrganizationContent: {
      description:
        'Searches the live content of all spaces of the organization that the caller can see. The results are ' +
        'grouped by space. Pages that are excluded from search, and change requests, are not searched.',
      parameters: { query: 'The words to search for.' },
    },
  },
};
