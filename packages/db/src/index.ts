export * from './access.ts';
export * from './acting-member.ts';
export * from './check-data.ts';
export * from './collaboration.ts';
export type { Committed } from './commit.ts';
export * from './commit.ts';
export { commit, lostRace, must } from './commit.ts';
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
export * from './effects/lineage-released.ts';
export * from './effects/reviewer-left.ts';
export * from './effects/revision-written.ts';
export * from './effects/role-kept.ts';
export * from './effects/site-deleted.ts';
export * from './effects/site-space-left.ts';
export * from './effects/space-transferred.ts';
export * from './effects/space-trashed.ts';
export type { Fields, RecordOf } from './fields.ts';
export * from './fields.ts';
export { computed, given, maybe, parsed, passed } from './fields.ts';
export * from './imports.ts';
export * from './merge-rules.ts';
export * from './openapi.ts';
export * from './order-key.ts';
export * from './org-admin.ts';
export * from './paging.ts';
export { placesInSite, readPlacesInSite, type SpacePlace } from './places-in-site.ts';
export * from './position.ts';
export * from './publishing.ts';
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
