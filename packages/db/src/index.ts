export type { CallerRecord, OrganizationAccess, SpaceWithRole } from './access/access.ts';
export {
  findCaller,
  findCollectionAccess,
  findOrganizationAccess,
  findPreviewedSite,
  findSiteAccess,
  findSpaceAccess,
  hashToken,
  joinActingMember,
  mayViewCollection,
  resolveOrganization,
  selectCollectionForActor,
  selectSpaceForActor,
  spaceWithRoleRow,
  toActingMember,
  tokenPrefix,
} from './access/access.ts';
export * from './access/effective-role.ts';
export * from './access/integration-access.ts';
export {
  canAccessSite,
  createGrantedScopesField,
  limitMembership,
  limitRole,
  selectGrantedScopes,
} from './access/statements.ts';
export * from './access/visitor-access.ts';
export * from './commit.ts';
export type { Connection, Database, DatabaseBinding, RowsOf, Statement, Statements } from './connect.ts';
export { batchReads, connect, getOnlyRow, readRow, readRows, runBatch } from './connect.ts';
export type { Effect } from './effects/installations.ts';
export {
  addInstallationAccount,
  deleteAccountTokens,
  removeInstallationAccount,
  setSpaceGrant,
  storeToken,
  updateInstallationAccount,
  upsertIntegration,
} from './effects/installations.ts';
export * from './effects/members.ts';
export {
  deleteLineageSources,
  insertRevision,
  scheduleForSpecification,
  selectLineageSources,
  storeComputedPages,
} from './effects/revisions.ts';
export { deleteSite, deleteSiteSpaces } from './effects/sites.ts';
export * from './effects/spaces.ts';
export * from './paging.ts';
export * from './positions.ts';
export * from './prepared.ts';
export type { RecordOf, Row } from './selection.ts';
export {
  computed,
  fromJson,
  fromQuery,
  getText,
  nullable,
  Query,
  rawQuery,
  selection,
  serializeStored,
} from './selection.ts';
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
  PublishedLocation,
  SpaceRecord,
  TeamRecord,
  UserRecord,
} from './statements/records.ts';
export {
  changeRequestJoins,
  changeRequestRow,
  collectionRow,
  createDisplayNameField,
  createPointFields,
  createUserFields,
  integrationRow,
  isListedUser,
  memberRow,
  membershipRow,
  openapiEntryRow,
  organizationRow,
  showsOrganization,
  spaceJoins,
  spaceRow,
  teamRow,
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
