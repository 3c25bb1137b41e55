export * from './access.ts';
export * from './accounts.ts';
export * from './acting-member.ts';
export type { CausedEvent } from './caused-events.ts';
export * from './check-data.ts';
export * from './collaboration.ts';
export type { Committed } from './commit.ts';
export * from './commit.ts';
export { commit, lostRace, must } from './commit.ts';
export * from './computed-contents.ts';
export * from './connect.ts';
export * from './content.ts';
export type { ListingMember, RankedMember } from './effective-role.ts';
export {
  collectionRank,
  isActive,
  isOnTheWay,
  listedFor,
  listingMember,
  rankOf,
  reachedByGuest,
  spaceRank,
} from './effective-role.ts';
export * from './effects/content-purged.ts';
export * from './effects/dependency-changed.ts';
export * from './effects/installation-changed.ts';
export * from './effects/integration-published.ts';
export * from './effects/lineage-released.ts';
export * from './effects/places-left.ts';
export * from './effects/reviewer-left.ts';
export * from './effects/revision-written.ts';
export * from './effects/role-kept.ts';
export * from './effects/site-deleted.ts';
export * from './effects/site-space-left.ts';
export * from './effects/sources-found.ts';
export * from './effects/space-transferred.ts';
export * from './effects/space-trashed.ts';
export type { Fields, RecordOf } from './fields.ts';
export * from './fields.ts';
export { computed, given, maybe, parsed, passed } from './fields.ts';
export * from './fitting.ts';
export { gatherReads } from './gather-reads.ts';
export * from './granted-scopes.ts';
export * from './imports.ts';
export * from './installation-access.ts';
export * from './installations.ts';
export * from './integration-access.ts';
export * from './integration-events.ts';
export * from './integrations.ts';
export * from './limited-role.ts';
export * from './merge-rules.ts';
export * from './openapi.ts';
export * from './order-key.ts';
export * from './org-admin.ts';
export * from './paging.ts';
export { placesInSite, readPlacesInSite, type SpacePlace } from './places-in-site.ts';
export * from './position.ts';
export * from './publishing.ts';
export { reachesSite } from './reached-sites.ts';
export * from './records.ts';
export * from './runtime.ts';
export * from './search.ts';
export type { Expressions, Selection } from './selection.ts';
export * from './selection.ts';
export { Query, selection } from './selection.ts';
export * from './site-redirects.ts';
export * from './sites.ts';
export * from './spec-uses.ts';
export * from './text-filter.ts';
export * from './visitor-access.ts';
export * from './webhooks.ts';
