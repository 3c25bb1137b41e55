import type { MergeResult, UpdateResult } from '../collaboration/change-requests.ts';
import type { ChangeRequestId, OrganizationId, RevisionId, SiteId, SpaceId, UserId } from '../ids.ts';
import type { List } from '../list.ts';
import type { SiteSearchScope } from '../publishing/site-search.ts';
import type { Claims, Visitor } from '../publishing/visitor.ts';
import type { Role } from '../roles.ts';
import type { Caller, Metered } from '../service.ts';
import type { BookFile, BookPart, BookReading, OutlineEntry } from './book.ts';
import type { SpaceSearchResult } from './search.ts';
import type { TargetReading, TargetState } from './targets.ts';

export interface ChangeRequestMove extends Caller {
  space: SpaceId;
  changeRequest: ChangeRequestId;
  /** The revisions of which one must be the head of the change request. */
  expected?: string[] | undefined;
}

/** What it was decided on that a merge may take place; it only does while all of this holds. */
export interface MergeDecision {
  /** As `mergeStamp` of the database gives it: null where no rules hold. */
  stamp: string | null;
  /** The seq of the live content's head, where the decision follows from that. */
  mainSeq?: number;
  /** Users who must still be able to open the space. */
  reviewers?: string[];
}

export interface Merge extends ChangeRequestMove {
  decision: MergeDecision;
}

/** A search for words in what the actor, with that role in the organization, may see of its spaces. */
export interface OrganizationSearch extends Caller {
  organization: OrganizationId;
  /** Null for a guest. */
  role: Role | null;
  query: string;
  /** The cursor and the limit of a list. */
  page?: string | undefined;
  limit: number;
}

/** A search for words in what a site shows. */
export interface SiteSearch {
  site: SiteId;
  /** Of a visitor; null shows everything. */
  claims: Claims | null;
  /** Of whose spaces only those are searched that this user may see; null of a visitor. */
  user: UserId | null;
  query: string;
  scope: SiteSearchScope;
  /** The cursor and the limit of a list. */
  page?: string | undefined;
  limit: number;
}

/** A path in the live content of a space, or in a change request or a revision of it, for whoever is shown it by claims. */
export interface PageReading {
  space: SpaceId;
  changeRequest?: ChangeRequestId | undefined;
  revision?: RevisionId | undefined;
  /** Slugs between slashes, decoded; '' is the home page, and of a group it is its first page. */
  path: string;
  /** A page of the live content that is meant instead of a path. */
  page?: string | undefined;
  /** What follows the hash sign of an address, decoded: a place in the page. */
  anchor?: string | undefined;
  /** Null shows everything. */
  claims: Claims | null;
  /** Of whom the same address may have been once, where nobody wrote a page of this path. */
  former?: FormerPath[] | undefined;
}

/** A path in a space that an address led to at some times: moments in milliseconds, `Number.MAX_SAFE_INTEGER` is no end. */
export interface FormerPath {
  space: SpaceId;
  /** '' is the space as such. */
  path: string;
  times: [since: number, until: number][];
}

export interface ResolvedPage {
  page: string;
  /** Where the page is now. */
  path: string;
  /** Whether the path is one that the page had once, and nothing has now. */
  isOld: boolean;
  /** What the anchor that was asked for is called now, where its heading had another title then. */
  anchor?: string;
  /** When another took the path from the page, or the page went from there. */
  movedAt?: number;
  /** Which of the former paths it had, where it is one of these; the page is '' where that is a space as such. */
  former?: number;
}

/** A new space at the top level of an organization. */
export interface SpaceCreation extends Caller {
  /** Its id, which the caller chose: a repeated call makes no second space. */
  space: SpaceId;
  organization: OrganizationId;
  /** At most 50 characters. */
  title: string;
  /** Whether it has a few pages to begin with. */
  kind: 'sample' | 'empty';
}

/** What a visitor may be shown: a page by its id, or a space as such. */
export interface SoughtTarget {
  space: SpaceId;
  page?: string | undefined;
}

/** Pages of a revision that a visitor of a site asks for. */
export interface ShownDocuments {
  /** As it was given by the resolution: it decides, as for each page alone. */
  token: string;
  space: SpaceId;
  revision: RevisionId;
  /** Ids, 20 at most. */
  pages: string[];
}

/** The same, for their texts. */
export interface ShownTexts extends ShownDocuments {
  /** How the texts name what is in the space. */
  references: 'relative' | 'stable';
}

/** A space that was made for what then was not. */
export type SpaceTakenBack = Omit<SpaceCreation, 'title' | 'kind'>;

/** A page that an integration makes: its document is what the integration answered, which nobody has looked at yet. */
export interface MadePageInput {
  title: string;
  slug?: string | undefined;
  /** A link has no path: it takes no slug from pages. */
  isLink?: boolean | undefined;
  /** The ordinal of the page that it stands below, which comes before it. */
  parent: number | null;
  /** Its own, by which a fault names it. */
  ordinal: number;
  document?: unknown;
}

/** A page as it is kept: no two pages beside each other have the same slug, nor two links; the text is Markdown. */
export interface MadePageText {
  slug: string;
  text: string;
}

/** What other workers may ask of the content worker. The caller has authorized the user; each call may be repeated. */
export interface ContentService {
  /** Makes a space. */
  makeSpace(creation: SpaceCreation): Promise<Metered<void>>;
  /** Moves a space to the trash that was made for what then was not, unless a site shows it. */
  takeSpaceBack(taken: SpaceTakenBack): Promise<Metered<void>>;
  /**
   * Merges a change request into the space's head, or lists the conflicts and changes nothing.
   * A change request that is merged already answers with the revision of that merge. Null where what the decision was
   * made on has moved: it has to be made anew.
   */
  mergeChangeRequest(merge: Merge): Promise<Metered<MergeResult | null>>;
  /** Pulls the space's head into a change request. */
  updateChangeRequest(move: ChangeRequestMove): Promise<Metered<UpdateResult>>;
  /** Gives the list of spaces with the pages in which the words were found. */
  searchOrganization(search: OrganizationSearch): Promise<Metered<List<SpaceSearchResult>>>;
  /** Gives the list of a site's spaces with the pages in which the words were found. */
  searchSite(search: SiteSearch): Promise<Metered<List<SpaceSearchResult>>>;
  /** Gives the title of a page of a revision, or null where it has no such page. */
  findPageTitle(reading: { space: SpaceId; revision: RevisionId; page: string }): Promise<Metered<string | null>>;
  /** Gives the pages at paths, or that had them once, if they are shown; null where there is none. One round trip. */
  resolvePages(readings: PageReading[]): Promise<Metered<(ResolvedPage | null)[]>>;
  /** Whether a visitor is shown each of at most 500 targets in the live content. Two round trips at most. */
  areShown(sought: { visitor: Visitor; targets: SoughtTarget[] }): Promise<Metered<boolean[]>>;
  /** Gives what a book is made of, in reading order; null where the revision is gone, or has no such page. */
  readBookOutline(reading: BookReading): Promise<Metered<OutlineEntry[] | null>>;
  /** Gives the texts of the first of these pages, in their order: of one at least, and of no more than it can bear. */
  readBookPart(reading: BookReading & { pages: string[] }): Promise<Metered<BookPart>>;
  /** Gives the texts of pages as the API gives each of them to that visitor; null for what it does not. */
  readShownTexts(texts: ShownTexts): Promise<Metered<(string | null)[]>>;
  /** The same of their documents, as JSON: the API gives each as it is there. */
  readShownDocuments(documents: ShownDocuments): Promise<Metered<(string | null)[]>>;
  /** Gives a file of a revision; null where there is none, or where it is too large for a book. */
  readBookFile(reading: { space: SpaceId; revision: RevisionId; file: string }): Promise<Metered<BookFile | null>>;
  /** Gives pages as they are kept, or what is wrong with the document of one. */
  makePages(pages: MadePageInput[]): Promise<Metered<MadePageText[] | { fault: string }>>;
  /** What the targets are now, in their order. */
  readTargets(reading: TargetReading): Promise<Metered<TargetState[]>>;
}
