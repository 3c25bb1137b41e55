const computed = 'Nothing computes content here.';
const billing = 'There is no billing: no organization has this object.';
const gitSync = 'Content is not synchronized with Git by the server: no space has this object.';
const search = 'Results carry what a search finds; how it ranks them is not told.';
const agents = 'There are no agents.';
const otherSpaces = 'A file of another space cannot be named.';
const colours = 'Covers have no colours and no height of their own.';
const linkTitle = 'Pages have one title.';
const content = 'A reference names the revision; its content is read by its own address, so that lists stay small.';
const unnamed = 'It is required without being described.';

/** Where our answers differ from the official descriptions on purpose, by place as we name it, and why. */
export const leftOut: Record<string, string> = {
  'AuditEventDetails.causedByEventId': 'Events are told apart by `correlationId`.',
  'AuditEventDetails.executionId': 'Events are told apart by `correlationId`.',
  'ChangeRequest.description': 'A text, as it was before it became a document.',
  'ChangeRequest.imports': 'Imports are read by their own address.',
  'ChangeRequest.links': 'Change requests are not linked to other systems.',
  'ChangeRequest.siteTopic': agents,
  'ChangeRequest.styleguide': agents,
  'Collection.defaultLevel': '`none` is our extension: no access.',
  'Comment.repliers': 'Each reply would have to be read to list comments; `replies` counts them.',
  'CommentTarget.tableCell': 'Comments are about pages and blocks.',
  'ComputedPage.linkTitle': linkTitle,
  'ComputedSource.props': computed,
  'DocumentPage.linkTitle': linkTitle,
  'DocumentPage.metaLinks': 'There are no sites that pages have other addresses on.',
  'GivenToTeam.permission': 'Null is our extension: no access.',
  'GivenToUser.permission': 'Null is our extension: no access.',
  'GroupPage.linkTitle': linkTitle,
  'Invite.role': 'The list holds links onto spaces and collections too, which have a level instead.',
  'Invite.target': unnamed,
  'JSONDocument.meta': 'Documents carry nothing beside their blocks.',
  'LinkPage.linkTitle': linkTitle,
  'Organization.auditLogs': 'Its log is there for every organization.',
  'Organization.billing': billing,
  'Organization.blocked': 'Nobody blocks organizations.',
  'Organization.mergeRules': 'Who is no member and knows an e-mail domain is not told them.',
  'OpenAPISpec.permissions': unnamed,
  'OpenAPISpecContent.filesystem': 'Clients read a list of files, whatever the type says.',
  'PageCover.height': colours,
  'PageCover.ref': otherSpaces,
  'PageCover.refDark': otherSpaces,
  'PageCover.textColor': colours,
  'PageCover.textColorDark': colours,
  'PageLayout.coverSize': 'Version 0.130.0 does not know `background` yet.',
  'Revision.git': gitSync,
  'RevisionContext.files': content,
  'RevisionContext.git': gitSync,
  'RevisionContext.pages': content,
  'RevisionContext.reusableContents': content,
  'Revision.type': computed,
  'SearchPage.ancestors': search,
  'SearchPage.description': search,
  'SearchPage.rank': search,
  'SearchPage.resultType': search,
  'SearchPage.score': search,
  'SearchSection.resultType': search,
  'SearchSection.score': search,
  'PublishingAuth.logoutURL': 'Visitors are not logged out elsewhere.',
  'SiteRedirect.destination': 'Version 0.130.0 does not know addresses elsewhere yet.',
  'SiteCustomization.ai.instructions': agents,
  'SiteCustomization.internationalization.locale': 'Version 0.130.0 does not know `ru` yet.',
  'SiteCustomization.themes.default': 'Version 0.130.0 does not know `system` yet.',
  'Space.defaultLevel': '`none` is our extension: no access.',
  'Space.gitSync': gitSync,
  'Space.imports': 'Imports are read by their own address.',
  'Space.internal_poweredByV2': 'It tells of the inside of another server.',
  'Space.internal_singleWebsocket': 'It tells of the inside of another server.',
  'Space.language': 'Spaces have no language of their own.',
  'Space.type': 'Version 0.130.0 requires a text; 0.202.0 knows `styleguide` alone, which no space is.',
  'SpaceSearchResult.score': search,
  'SpaceSearchResult.type': search,
  'getOrganizationsForEmailDomain.organizaitons': 'It is misspelt: `organizations` is there.',
  getPageByPath: 'Pages of all types have one schema; those of type link or computed have no path.',
  'listCommentersInChangeRequest.total': unnamed,
  'listCommentersInSpace.total': unnamed,
  'updateChangeRequestContent.changes[]': 'Other operations than the official ones are told of too.',
  'updateOrganizationMemberLastSeenAt.gitbookVisitorClaims': 'It is named `serviceVisitorClaims`.',
};

export const isLeftOut = (place: string): boolean => Object.hasOwn(leftOut, place);
