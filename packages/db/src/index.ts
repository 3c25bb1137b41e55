export type { CallerRecord, OrganizationAccess, SpaceWithRole } from './access/access.ts';
export {
  findCaller,
  findCollectionAccess,
  findOrganizationAccess,
  findPreviewedSite,
  findSiteAccess,
  findSpaceAccess,
  findTokenRoles,
  hashToken,
  mayViewCollection,
  resolveOrganization,
  selectCollectionForActor,
  selectSpaceForActor,
  spaceWithRoleRow,
  tokenPrefix,
} from './access/access.ts';
export type { ListingMember, RankedMember, ReadPoint } from './access/expressions.ts';
export {
  createGrantedScopesField,
  hasVisibleContent,
  isActive,
  joinActingMember,
  listSource,
  lookUpBoundOrganization,
  lookUpBranch,
  lookUpLineage,
  lookUpOrganization,
  lookUpOwner,
  lookUpRole,
  lookUpUser,
  selectBranchLineage,
  selectCollectionRank,
  selectGrantedScopes,
  selectIfComplete,
  selectRoleRank,
  selectSpaceRank,
  selectVisibleToGuest,
  toActingMember,
  toLineageValue,
  toListingMember,
} from './access/expressions.ts';
export * from './access/integration-access.ts';
export {
  canAccessSite,
  limitMembership,
  limitRole,
} from './access/statements.ts';
export * from './access/visitor-access.ts';
export * from './commit.ts';
export type { Connection, ConnectOptions, Database, DatabaseBinding, TextStore } from './connect.ts';
export { batchReads, connect, getLatestBookmark } from './connect.ts';
export { resolveSuggestion } from './effects/comments.ts';
export type { CausedEvent } from './effects/events.ts';
export { notifyOfConflict } from './effects/events.ts';
export type { Effect } from './effects/installations.ts';
export {
  addInstallationAccount,
  addSpaceGrants,
  deleteAccountTokens,
  removeInstallationAccounts,
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
export { deleteSite, deleteSiteSpaces, findEditedPages } from './effects/sites.ts';
export * from './effects/spaces.ts';
export { addTexts, countQueries, hasQueries } from './extend-database.ts';
export * from './paging.ts';
export * from './positions.ts';
export * from './query.ts';
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
export * from './split-into-json.ts';
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
export * from './tables/operator.ts';
export * from './tables/org-admin.ts';
export * from './tables/publishing.ts';
export * from './tables/runtime.ts';
export * from './tables/search.ts';
