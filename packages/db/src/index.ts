export type { CallerRecord, OrganizationAccess, SpaceWithRole } from './access/access.ts';
export {
  actingMember,
  collectionOfActor,
  findCaller,
  findCollectionAccess,
  findOrganizationAccess,
  findPreviewedSite,
  findSiteAccess,
  findSpaceAccess,
  hashToken,
  joinActingMember,
  mayViewCollection,
  organizationNamed,
  spaceOfActor,
  spaceWithRoleRow,
  tokenPrefix,
} from './access/access.ts';
export * from './access/effective-role.ts';
export * from './access/integration-access.ts';
export {
  countedMembership,
  grantedScopes,
  grantedScopesField,
  limitedRole,
  reachesSite,
} from './access/statements.ts';
export * from './access/visitor-access.ts';
export * from './commit.ts';
export type { Connection, Database, DatabaseBinding, RowsOf, Statement, Statements } from './connect.ts';
export { connect, gatherReads, onlyRow, readRow, readRows, runBatch } from './connect.ts';
export type { Effect } from './effects/installations.ts';
export {
  addAccount,
  changeAccount,
  endIntegrationAccount,
  giveSpace,
  keepToken,
  removeAccount,
  upsertIntegration,
} from './effects/installations.ts';
export * from './effects/members.ts';
export { insertRevision, keepSources, releaseSources, selectSources, specChanged } from './effects/revisions.ts';
export { deleteSite, deleteSiteSpaces } from './effects/sites.ts';
export * from './effects/spaces.ts';
export * from './paging.ts';
export * from './positions.ts';
export * from './prepared.ts';
export type { RecordOf, Row } from './selection.ts';
export { computed, given, maybe, parsed, Query, rawQuery, selection, text, toStored } from './selection.ts';
export type { CausedEvent } from './statements/caused-events.ts';
export * from './statements/check-data.ts';
export * from './statements/merge-rules.ts';
export type {
  ChangeRequestRecord,
  CollectionRecord,
  MemberRecord,
  Membership,
  OpenAPIEntryRecord,
  OrganizationRecord,
  PublishedPlace,
  SpaceRecord,
  TeamRecord,
  UserRecord,
} from './statements/records.ts';
export {
  changeRequestJoins,
  changeRequestRow,
  collectionRow,
  integrationRow,
  isNamed,
  memberRow,
  membershipRow,
  openapiEntryRow,
  organizationRow,
  pointFields,
  shownName,
  showsOrganization,
  spaceJoins,
  spaceRow,
  teamRow,
  userFields,
  userRow,
} from './statements/records.ts';
export * from './statements/sites.ts';
export * from './statements/spec-uses.ts';
export * from './tables/collaboration.ts';
export * from './tables/content.ts';
export * from './tables/integrations.ts';
export * from './tables/org-admin.ts';
export * from './tables/publishing.ts';
export * from './tables/runtime.ts';
