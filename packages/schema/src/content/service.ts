import type { MergeResult, UpdateResult } from '../collaboration/change-requests.ts';
import type { BranchId, ChangeRequestId, OrganizationId, RevisionId, SiteId, SpaceId, UserId } from '../ids.ts';
import type { List } from '../list.ts';
import type { LiveNotice } from '../live-events.ts';
import type { SiteSearchScope } from '../publishing/site-search.ts';
import type { Claims, Visitor } from '../publishing/visitor.ts';
import type { Role } from '../roles.ts';
import type { Bookmark, Caller, Metered } from '../service.ts';
import type { Lineage } from '../stored.ts';
import type { BookFile, BookPart, BookReading, OutlineEntry } from './book.ts';
import type { PageMetaLinks } from './documents.ts';
import type { Revision } from './revisions.ts';
import type { SpaceSearchResult, SuggestionList } from './search.ts';
import type { TargetReading, TargetState } from './targets.ts';

export interface ChangeRequestMove extends Caller {
  space: SpaceId;
  changeRequest: ChangeRequestId;
  /** The head of the change request must be one of these revisions. */
  expected?: string[] | undefined;
}

/** The state on which the decision to merge is based. The merge happens only if this state is unchanged. */
export interface MergeDecision {
  /** The value of `mergeStamp` from the database, or null without merge rules. */
  stamp: string | null;
  /** The seq of the live content's head, if the decision depends on it. */
  mainSeq?: number;
  /** Users who must still have access to the space. */
  reviewers?: string[];
}

export interface Merge extends ChangeRequestMove {
  decision: MergeDecision;
}

/**
 * A search in the content of an organization that the actor may see. `role` is the actor's role in the organization.
 */
export interface OrganizationSearch extends Caller {
  organization: OrganizationId;
  /** The actor's role in the organization; null for a guest. */
  role: Role | null;
  query: string;
  /** The cursor and the limit of the list. */
  page?: string | undefined;
  limit: number;
}

/** A search in the content that a site shows. */
export interface SiteSearch {
  site: SiteId;
  /** The visitor's claims. Null shows everything. */
  claims: Claims | null;
  /** Limits the search to spaces that this user may see. Null for a visitor. */
  user: UserId | null;
  query: string;
  scope: SiteSearchScope;
  /** The cursor and the limit of the list. */
  page?: string | undefined;
  limit: number;
}

/** A path to resolve in the live content, a change request or a revision of a space, limited to what `claims` allow. */
export interface PageReading {
  space: SpaceId;
  changeRequest?: ChangeRequestId | undefined;
  revision?: RevisionId | undefined;
  /** Decoded slugs separated by slashes. '' is the home page. The path of a group resolves to its first page. */
  path: string;
  /** A page of the live content, which takes precedence over the path. */
  page?: string | undefined;
  /** The decoded fragment of the URL. */
  anchor?: string | undefined;
  /** The visitor's claims. Null shows everything. */
  claims: Claims | null;
  /** Former paths with the same URL, which are used if no written page has this path. */
  former?: FormerPath[] | undefined;
}

/**
 * A path in a space to which a URL resolved during `times`, in milliseconds. `Number.MAX_SAFE_INTEGER` means no end.
 */
export interface FormerPath {
  space: SpaceId;
  /** The path in the space; '' is the space itself. */
  path: string;
  times: [since: number, until: number][];
}

export interface ResolvedPage {
  page: string;
  /** The current path of the page. */
  path: string;
  /** Whether the path is a former path of the page that no page has now. */
  isOld: boolean;
  /** The current anchor of the heading, if the requested anchor comes from a former title. */
  anchor?: string;
  /** The time when another page took the path, or this page left it. */
  movedAt?: number;
  /** The index of the former path that matched. `page` is '' if that path is a space itself. */
  former?: number;
}

/** A page of a site for an admitted visitor, who may see the space at this address. */
export interface SitePageReading {
  visitor: Visitor;
  space: SpaceId;
  /** The revision of the live content at which the page and the tree are read. */
  point: { id: RevisionId; branch: BranchId; seq: number; lineage: Lineage };
  /** The requested address, followed by the addresses to which a redirect could lead. */
  addresses: PageReading[];
  /** The decoded slugs of the page; undefined if only the other parts are read. '' is the home page. */
  path?: string | undefined;
  /** The id of the page at the path, if it is known. */
  page?: string | undefined;
  /** Whether the tree of the space is read. */
  hasTree: boolean;
  /** Whether the alternates of the page are read. */
  hasAlternates: boolean;
}

export interface SitePage {
  /** The results of `resolvePages` for the addresses. */
  addresses: (ResolvedPage | null)[];
  /** The revision as the visitor sees it (`VersionedRevision`), as JSON in UTF-8. */
  revision?: Uint8Array | undefined;
  /**
   * The page at the path. If the path has no page, it is the page above the path. It is undefined if the visitor may
   * see neither page. It may also be undefined for the home page, which can take another round trip to find.
   */
  page?:
    | {
        id: string;
        document: Uint8Array;
        alternates: PageMetaLinks['alternates'];
        /**
         * Whether the document depends only on the page's hash in `textVersions`, on the hashes of pages whose headings
         * it links to, and on the targets of its references. Workers of the previous release do not report it.
         */
        isTraceable?: boolean;
      }
    | undefined;
}

/** A revision as the API returns it to a visitor, with versions of the texts. */
export interface VersionedRevision extends Revision {
  /**
   * A hash for each page, by id. It covers everything in the space that the page's text depends on, except the pages
   * and files that its references name. Undefined if a page depends on more than that, or if the worker is of the
   * previous release.
   */
  textVersions?: Record<string, string> | undefined;
}

/** A new space at the top level of an organization. */
export interface SpaceCreation extends Caller {
  /** The id of the space, chosen by the caller, so that a repeated call creates no second space. */
  space: SpaceId;
  organization: OrganizationId;
  /** The title of the space, at most 50 characters. */
  title: string;
  /** `sample` creates a few example pages in the space. */
  kind: 'sample' | 'empty';
}

/** A target whose visibility is checked: a page, or a space itself. */
export interface VisibilityTarget {
  space: SpaceId;
  page?: string | undefined;
}

/** A request of a site visitor for pages of a revision. */
export interface VisitedDocuments {
  /**
   * The visitor token from resolving the site's URL. Each page is authorized with it, as if it were requested
   * separately.
   */
  token: string;
  space: SpaceId;
  revision: RevisionId;
  /** The ids of the pages, at most 20. */
  pages: string[];
}

/** A `VisitedDocuments` request for the texts of the pages. */
export interface VisitedTexts extends VisitedDocuments {
  /** The form in which links and references within the space are written. */
  references: 'relative' | 'stable';
}

/** A space to remove, because the object that it was created for could not be created. */
export type SpaceRemoval = Omit<SpaceCreation, 'title' | 'kind'>;

/** A page that an integration generates. `document` is the integration's response, which has not been validated. */
export interface GeneratedPageInput {
  title: string;
  slug?: string | undefined;
  /** Links have no path, so their slugs cannot conflict with those of pages. */
  isLink?: boolean | undefined;
  /** The ordinal of the parent page, which precedes this page. */
  parent: number | null;
  /** The ordinal of this page, which error messages name. */
  ordinal: number;
  document?: unknown;
}

/**
 * A generated page as it is stored, with Markdown text. Sibling pages have different slugs, and so do sibling links.
 */
export interface GeneratedPageText {
  slug: string;
  text: string;
}

/** Signed URLs of files or uploads that a setting refers to, and the organization or user that owns the setting. */
export interface FileUse {
  owner: OrganizationId | UserId;
  urls: string[];
}

/** The permanent URL of a file, or the problem with the given URL. */
export type PermanentFile = { url: string } | { fault: string };

/** The maximum number of files that one request makes permanent. */
export const maxPermanentFiles = 20;
export const maxPermanentFileBytes = 5 * 1024 * 1024;

/** The RPC interface of the content worker. The caller has authorized the user; each call may be repeated. */
export interface ContentService {
  makeSpace(creation: SpaceCreation): Promise<Metered<void>>;
  /**
   * Moves a space to the trash because the object that it was created for could not be created, unless a site shows the
   * space.
   */
  takeSpaceBack(removal: SpaceRemoval): Promise<Metered<void>>;
  /**
   * Merges a change request into the space's head, or returns the conflicts and changes nothing. For a change request
   * that is merged already, returns the revision of that merge. Returns null if the state that the decision is based on
   * has changed; the caller must decide again.
   */
  mergeChangeRequest(merge: Merge): Promise<Metered<MergeResult | null>>;
  /** Merges the space's head into a change request. */
  updateChangeRequest(move: ChangeRequestMove): Promise<Metered<UpdateResult>>;
  /** Sends changes in a space to its live connections. */
  announce(notice: LiveNotice): Promise<Metered<void>>;
  /** Returns the spaces and pages that contain the words. */
  searchOrganization(search: OrganizationSearch, bookmark: Bookmark): Promise<Metered<List<SpaceSearchResult>>>;
  /** Returns a site's spaces and pages that contain the words. */
  searchSite(search: SiteSearch, bookmark: Bookmark): Promise<Metered<List<SpaceSearchResult>>>;
  /** Returns the titles and headings that contain the words. */
  suggestInOrganization(search: OrganizationSearch, bookmark: Bookmark): Promise<Metered<SuggestionList>>;
  /** Returns a site's titles and headings that contain the words. */
  suggestInSite(search: SiteSearch, bookmark: Bookmark): Promise<Metered<SuggestionList>>;
  /** Returns the title of a page of a revision, or null if the revision has no such page. */
  findPageTitle(
    request: { space: SpaceId; revision: RevisionId; page: string },
    bookmark: Bookmark,
  ): Promise<Metered<string | null>>;
  /** Returns the visible page that has or had each path, or null for a path without such a page. One round trip. */
  resolvePages(readings: PageReading[], bookmark: Bookmark): Promise<Metered<(ResolvedPage | null)[]>>;
  /** Resolves an address of a site, and reads the page there and the tree. Usually one round trip. */
  readSitePage(reading: SitePageReading, bookmark: Bookmark): Promise<Metered<SitePage>>;
  /** Returns whether a visitor may see each of at most 500 targets in the live content. At most two round trips. */
  areShown(request: { visitor: Visitor; targets: VisibilityTarget[] }, bookmark: Bookmark): Promise<Metered<boolean[]>>;
  /**
   * Copies at most 20 images or fonts to a location where edits cannot delete them. Returns a result for each URL, in
   * their order.
   */
  makeFilesPermanent(use: FileUse): Promise<Metered<PermanentFile[]>>;
  /** Returns the pages of a book in reading order, or null if the revision does not exist or has no such page. */
  readBookOutline(request: BookReading, bookmark: Bookmark): Promise<Metered<OutlineEntry[] | null>>;
  /** Returns the texts of as many of these pages as fit into one response, but at least one, in the given order. */
  readBookPart(request: BookReading & { pages: string[] }, bookmark: Bookmark): Promise<Metered<BookPart>>;
  /**
   * Returns the texts of pages as the API returns them to the visitor of the token, or null for pages that the visitor
   * may not read.
   */
  readShownTexts(texts: VisitedTexts, bookmark: Bookmark): Promise<Metered<(string | null)[]>>;
  /** Like `readShownTexts` for documents, each as the JSON that the API returns. */
  readShownDocuments(documents: VisitedDocuments, bookmark: Bookmark): Promise<Metered<(string | null)[]>>;
  /** Returns a file of a revision, or null if it does not exist or is too large for a book. */
  readBookFile(
    request: { space: SpaceId; revision: RevisionId; file: string },
    bookmark: Bookmark,
  ): Promise<Metered<BookFile | null>>;
  /** Converts pages to their stored form, or returns the error in the document of one of them. */
  makePages(pages: GeneratedPageInput[]): Promise<Metered<GeneratedPageText[] | { fault: string }>>;
  /** Returns the current states of the targets, in their order. */
  readTargets(request: TargetReading, bookmark: Bookmark): Promise<Metered<TargetState[]>>;
}
