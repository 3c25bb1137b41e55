import { collaboration, content, gateway, integrations, orgAdmin, publishing } from '@octavo/schema';

/** All operations of the API. The package contains only their methods and paths. */
export const contract = {
  ...gateway,
  ...orgAdmin,
  ...content,
  ...collaboration,
  ...publishing,
  ...integrations,
};
