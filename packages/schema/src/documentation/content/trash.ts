import { ids, user } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';

export const trash: ResourceDocumentation = {
  operations: {
    listDeletedSpacesInOrganization: {
      description:
        'Lists the deleted spaces that the caller may restore, the last deleted first. A space that was deleted more ' +
        'than 7 days ago can no longer be restored. Requires the role `create` on a space.',
    },
    listDeletedContent: {
      description:
        'Lists the pages and files that were deleted from the live content, the last deleted first. To restore one, ' +
        'pass its `id` and `revision` to `revert_page` or `revert_file`; restore a page before the pages below it. ' +
        'Requires the role `edit`.',
    },
  },
  schemas: {
    DeletedContent: {
      description: 'A page or file that was deleted from the live content and can be restored.',
      properties: {
        kind: 'Whether it was a page or a file.',
        title: 'The title of the page, or the name of the file.',
        type: 'The type of the page. Absent for a file.',
        parent: 'The id of the page above it. Absent for a file, and at the top level.',
        revision: 'The id of the last revision that contains it.',
        deletedAt: 'The time at which it was deleted.',
        deletedBy: 'The user who deleted it.',
      },
      example: {
        object: 'deleted-content',
        kind: 'page',
        id: ids.page,
        title: 'Install Acme',
        type: 'document',
        revision: ids.revision,
        deletedAt: '2026-03-03T09:15:00.000Z',
        deletedBy: user,
      },
    },
  },
};
