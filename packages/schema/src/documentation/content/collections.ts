import { collection, ids } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';
import { levelTexts, moveTexts } from './spaces.ts';

export const collections: ResourceDocumentation = {
  operations: {
    getCollectionById: {
      description: 'Returns a collection. Users who can see something in it can read it too, without other rights.',
    },
    updateCollectionById: {
      description:
        'Changes settings of a collection. Omitted fields are unchanged. Requires the role `create`. Returns 403 if ' +
        'the default level is above the role of the caller.',
      body: {
        title: 'The title of the collection.',
        description: 'The description of the collection. An empty text removes it.',
        defaultLevel: levelTexts.given,
      },
      example: { body: { title: 'Product', defaultLevel: 'read' } },
    },
    deleteCollectionById: {
      description:
        'Deletes a collection with the collections in it, and moves their spaces to the trash, where they can ' +
        'be restored for 7 days. Returns 412 unless the caller has the role `create` on everything in ' +
        'the collection.',
    },
    listSpacesInCollectionById: {
      description:
        'Lists the spaces directly in a collection that the caller can see, in their order. Spaces of nested ' +
        'collections are not listed.',
    },
    moveCollection: {
      description:
        'Moves a collection to another one, or to another position among its siblings. Requires the role `create` on ' +
        'both. Returns 409 if the collection would contain itself or be nested more than 32 levels deep, and 403 ' +
        'if it would inherit a default level above the role of the caller.',
      body: moveTexts,
      example: { body: { parent: null, position: { before: { type: 'space', space: ids.space } } } },
    },
    transferCollection: {
      description:
        'Transfers a collection with everything in it, also deleted spaces, to the top level of another ' +
        'organization. Grants and installations of integrations are not transferred, and sites no longer include the ' +
        'spaces. Returns 412 unless the caller has the role `create` on everything in the collection. Requires the ' +
        'role `create` in the other organization too. Returns 409 if the collection is in that organization already.',
      body: { organization: 'The id of the organization to transfer to.' },
      example: { body: { organization: 'org_8kWd57MnBv2CxZlQ4pRt' } },
    },
    listCollectionsInOrganizationById: {
      description: 'Lists the collections of the organization that the caller can see, in their order.',
      parameters: {
        nested: 'Whether collections in other collections are listed too. The default is true.',
      },
    },
    createCollection: {
      description:
        'Creates an empty collection, first among its siblings. Requires the role `create` on the parent collection, ' +
        'or in the organization for the top level. Returns 409 if collections would be nested more than 32 ' +
        'levels deep.',
      body: {
        title: 'The title of the collection. Empty by default.',
        parent: 'The id of the parent collection. If omitted, the collection is at the top level.',
      },
      example: { body: { title: 'Product' } },
    },
  },
  schemas: {
    Collection: {
      description: 'A collection of spaces and other collections, which inherit roles from it.',
      properties: {
        title: 'The title of the collection.',
        description: 'The description of the collection. Absent if it is empty.',
        organization: 'The id of the organization.',
        parent: 'The id of the parent collection. Absent at the top level.',
        defaultLevel: levelTexts.current,
        permissions: 'The rights of the caller on the collection.',
      },
      example: collection,
    },
    CollectionPermissions: {
      description: 'The rights of the caller on a collection.',
      properties: {
        view: 'Whether the caller may see the collection.',
        admin: 'Whether the caller may change, move and delete the collection, and grant roles.',
        viewInviteLinks: 'Whether the caller may see invite links.',
        create: 'Whether the caller may create content in the collection.',
      },
      example: collection.permissions,
    },
  },
};
