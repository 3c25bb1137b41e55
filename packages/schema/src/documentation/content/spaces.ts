import { ids, organization, space } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';

/** The properties of a request to move a space or a collection. */
export const moveTexts = {
  parent:
    'The id of the collection to move to. Null moves to the top level of the organization. If omitted, the collection ' +
    'stays the same.',
  position: 'The position among the new siblings. If omitted, it is the end.',
  'position.before': 'The sibling that follows.',
  'position.before.type': 'The kind of the sibling.',
  'position.before.space': 'The id of the space.',
  'position.before.collection': 'The id of the collection.',
  'position.after': 'The sibling that precedes. If `before` is set too, it must come before that sibling.',
  'position.after.type': 'The kind of the sibling.',
  'position.after.space': 'The id of the space.',
  'position.after.collection': 'The id of the collection.',
};

export const levelTexts = {
  given:
    'The role that members have here without a grant: at most the role of the caller. Null or `inherit` inherits it ' +
    'from the parent, `none` hides the content.',
  current:
    'The role that members have here without a grant. Null if it is inherited from the parent, `none` if the content ' +
    'is hidden.',
};

export const spaces: ResourceDocumentation = {
  operations: {
    createSpace: {
      description:
        'Creates an empty space, first among its siblings. Requires the role `create` on the collection, or in the ' +
        'organization for a space at the top level.',
      body: {
        title: 'The title of the space. Empty by default.',
        emoji: 'The emoji of the space, as a character or as code points. Empty by default.',
        parent: 'The id of the collection. If omitted, the space is at the top level of the organization.',
        editMode: 'The edit mode of the space. The default is `live`.',
      },
      example: { body: { title: 'User guide', emoji: '1f4d8', parent: ids.collection } },
    },
    listSpacesInOrganizationById: {
      description:
        'Lists the spaces of the organization that the caller can see, newest first. Deleted spaces are not listed.',
    },
    getSpaceById: {
      description:
        'Returns a space. Users with the role `create` can also read a deleted space while it can be restored. For a ' +
        'visitor of a site, settings, counters and the collection are left out or empty.',
      parameters: {
        shareKey: 'The key of a share link. Accepted for compatibility; the response does not depend on it.',
      },
    },
    updateSpaceById: {
      description:
        'Changes settings of a space. Omitted fields are unchanged. Requires the role `create`. Returns 403 if the ' +
        'default level is above the role of the caller.',
      body: {
        title: 'The title of the space.',
        emoji: 'The emoji of the space, as a character or as code points. Null or an empty text removes it.',
        editMode: 'The edit mode of the space.',
        defaultLevel: levelTexts.given,
        mergeRules: 'The rules for merging change requests of the space.',
        gitSync:
          'An extension of the GitBook API: the git repository that the space is synced with, which `octavo sync` ' +
          'reports. Null removes it.',
        'gitSync.repository': 'The URL at which a browser opens the repository.',
        'gitSync.branch': 'The synced branch.',
        'gitSync.root': 'The synced folder. Empty for the whole repository.',
      },
      example: { body: { title: 'User guide', editMode: 'locked' } },
    },
    deleteSpaceById: {
      description:
        'Moves a space to the trash. It can be restored for 7 days; then it is deleted with its pages, history, ' +
        'change requests and files. Requires the role `create`.',
    },
    duplicateSpace: {
      description:
        'Creates a copy of the current content of a space, in the same collection. History, change requests, ' +
        'comments and grants are not copied. If the space has grants, the copy is hidden (`defaultLevel` is ' +
        '`none`). The copy keeps the ids of pages. Requires the role `create` on the space and on its collection.',
    },
    restoreSpace: {
      description:
        'Restores a space from the trash. If its collection was deleted, the space moves to the collection above or ' +
        'to the top level, and is hidden if more users could see it there. Returns 404 after 7 days, and 409 if the ' +
        'space is not deleted.',
    },
    moveSpace: {
      description:
        'Moves a space to another collection, or to another position among its siblings. Requires the role `create` ' +
        'on the space and on the collection, or in the organization for the top level. Returns 403 if the space ' +
        'would inherit a default level above the role of the caller.',
      body: moveTexts,
      example: {
        body: { parent: ids.collection, position: { after: { type: 'space', space: 'spc_7bNm35KsLd8PqWzE1xCn' } } },
      },
    },
    transferSpace: {
      description:
        'Transfers a space with its history and change requests to the top level of another organization. Grants, ' +
        'merge rules and installations of integrations are not transferred, the default level is reset unless it is ' +
        '`none`, and sites no longer include the space. Requires the role `create` on the space and in the other ' +
        'organization. Returns 409 if the space is in that organization already.',
      body: { organization: 'The id of the organization to transfer to.' },
      example: { body: { organization: 'org_8kWd57MnBv2CxZlQ4pRt' } },
    },
  },
  schemas: {
    Space: {
      description: 'A space, which contains pages and files with their history.',
      properties: {
        type: 'The kind of space. There is only one.',
        title: 'The title of the space.',
        emoji: 'The emoji of the space, as code points. Empty if none is set.',
        visibility: 'The audience of the space.',
        deletedAt: 'The time at which the space was moved to the trash. Absent unless it is deleted.',
        editMode: 'The edit mode of the space.',
        organization: 'The id of the organization.',
        parent: 'The id of the collection. Absent at the top level.',
        revision: 'The id of the current revision of the live content.',
        defaultLevel: levelTexts.current,
        mergeRules: 'The rules for merging change requests of the space.',
        comments: 'The number of open comments on the live content.',
        changeRequests: 'The number of change requests.',
        changeRequestsOpen: 'The number of open change requests.',
        changeRequestsDraft: 'The number of draft change requests.',
        'urls.published': 'The URL on the site that includes the space. Absent if it is not published.',
        'urls.public': 'The same URL as `published`. Absent unless the site is public.',
        'urls.icon': 'The URL of the icon. Not set by this server.',
        gitSync:
          'The git repository that the space is synced with. Visitors see it only on sites that show links to the ' +
          'sources of pages.',
        'gitSync.repoName': 'The name of the repository.',
        'gitSync.installationProvider': 'The software of the host. Absent for others.',
        'gitSync.integration': 'The name of the integration. Not set by this server.',
        'gitSync.url':
          'The URL of the synced folder, to which the path of a file is appended. Absent if the host is not known.',
        'gitSync.updatedAt': 'The time at which this was set.',
        'gitSync.repository': 'An extension of the GitBook API: the URL of the repository.',
        'gitSync.branch': 'An extension of the GitBook API: the synced branch.',
        'gitSync.root': 'An extension of the GitBook API: the synced folder. Empty for the whole repository.',
        visitorAuth: 'The authentication of visitors. Not set by this server: sites authenticate visitors.',
        'visitorAuth.backend': 'The kind of authentication.',
        'visitorAuth.integration': 'The name of the integration that authenticates visitors.',
        permissions: 'The rights of the caller on the space.',
      },
      example: space,
    },
    Visibility: {
      description:
        'The audience of a space. `public`: anyone, also search engines. `unlisted`: anyone, not search engines. ' +
        '`share-link`: anyone with the secret URL. `visitor-auth`: authenticated visitors. `in-collection`: members ' +
        'who can see the collection. `private`: members who can see the space.',
      example: 'public',
    },
    EditMode: {
      description:
        'The edit mode of a space. `live`: users with the role `edit` can change the live content directly. ' +
        '`locked`: the live content changes only when a change request is merged.',
      example: 'live',
    },
    DefaultLevel: {
      description:
        'The role that members have without a grant. Null inherits it from the parent, `none` hides the content.',
      example: 'read',
    },
    Role: {
      description:
        'A role. `read`: read content. `comment`: also comment and reply. `edit`: also edit content. `review`: also ' +
        'review and merge. `create`: also create, share and manage content. `admin`: everything in the organization.',
      example: 'edit',
    },
    SpacePermissions: {
      description: 'The rights of the caller on a space.',
      properties: {
        view: 'Whether the caller may read the live content.',
        access: 'Whether the caller may read change requests and comments.',
        admin: 'Whether the caller may change settings, delete the space and grant roles.',
        viewInviteLinks: 'Whether the caller may see invite links.',
        edit: 'Whether the caller may edit content and create change requests.',
        triggerGitSync: 'Whether the caller may start a git synchronization. Always false.',
        comment: 'Whether the caller may comment.',
        merge: 'Whether the caller may merge change requests. Merge rules can still prevent it.',
        review: 'Whether the caller may review change requests.',
        installIntegration: 'Whether the caller may install integrations on the space.',
      },
      example: space.permissions,
    },
    OrganizationPermissions: {
      description: 'The rights of the caller on an organization.',
      properties: {
        view: 'Whether the caller is a member of the organization.',
        admin: 'Whether the caller may change the organization and manage its members.',
        ownTeam: 'Whether the caller owns a team.',
        createContent: 'Whether the caller may create spaces and collections at the top level, and sites.',
        createOpenAPISpec: 'Whether the caller may add OpenAPI specifications.',
        ingestConversations: 'Whether the caller may import conversations. This server has no such feature.',
        viewBilling: 'Whether the caller may see billing. This server has no billing.',
        listMembers: 'Whether the caller may list members.',
        listTeams: 'Whether the caller may list teams.',
        listIntegrations: 'Whether the caller may list integrations.',
        access: 'Whether the caller may open the organization.',
        listInstallations: 'Whether the caller may list installations of integrations.',
        installIntegration: 'Whether the caller may install integrations.',
      },
      example: organization.permissions,
    },
  },
};
