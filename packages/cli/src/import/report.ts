import type { Repository } from '@octavo/outline';
import type { MergeConflict } from '@octavo/schema';
import type { BrokenLinks } from './broken-links.ts';
import type { ImportProblem } from './source.ts';

/** A conflict with the path of the file in the folder or repository, and the path of the page in Octavo. */
export interface NamedConflict extends MergeConflict {
  path?: string;
  page?: string;
}

/** Describes a conflict to the user, with "Octavo" and "folder" or "repository" as the names of the sides. */
export function formatConflict({ message, path, page }: NamedConflict, source: 'folder' | 'repository'): string {
  const words = message
    .replace('on both sides', `in Octavo and in the ${source}`)
    .replace('the change request', `the ${source}`)
    .replace('the live content', 'Octavo');
  const locations = [...(path === undefined ? [] : [path]), ...(page === undefined ? [] : [`in Octavo /${page}`])];
  return locations.length > 0 ? `${words} (${locations.join(', ')})` : words;
}

/** The number of items of one kind, by result. `unchanged` counts the items that needed no change. */
export interface Tally {
  created: number;
  updated: number;
  unchanged: number;
  /** Items that the source no longer has. */
  removed: number;
  failed: number;
}

/** An item that is removed from a space because its source no longer has it. */
export interface RemovedItem {
  kind: 'page' | 'group' | 'link' | 'file' | 'reusable content' | 'variable';
  id: string;
  title: string;
  /** The path of its file. */
  path?: string;
  /** The path of the page in the space. */
  page?: string;
}

/** A space of a site that is published from one source, with its folder in the source. */
export interface PublishedSpace {
  /** Empty for a dry run that would create the space. */
  id: string;
  title: string;
  folder: string;
  section?: string;
  group?: string;
  changeRequest?: string;
  formerRevision?: string;
}

/** The result of an import. Its fields are the output of `--json`, so their names must not change. */
export interface ImportReport {
  /** The id of the space; empty for a dry run that would create the space. */
  space: string;
  /** Set if nothing was changed, and the report contains what an import would do. */
  dryRun?: true;
  /** Omitted if nothing differed, so that no change request was created. */
  changeRequest?: string;
  /** The convention that the folder follows, and the file that defines the order. */
  convention: Repository['convention'];
  pages: Tally;
  /** Files other than pages: images and files that pages link to. */
  files: Tally;
  reusableContents: Tally;
  variables: Tally;
  /** Redirects of the site. Set only if a site is published. */
  redirects?: Tally;
  /** The removed items. */
  removed: RemovedItem[];
  /** Pages whose file path has changed. `from` is the former path of the page in the space. */
  moved: { title: string; path: string; from: string }[];
  /** Addresses of removed pages that no longer exist on the published site, as paths from the root of the site. */
  vanished?: string[];
  /** The revision that still contains the removed items. */
  formerRevision?: string;
  problems: ImportProblem[];
  /** The spaces of a site with several spaces. `space` is the first one, and the tallies are sums. */
  spaces?: PublishedSpace[];
  /** Spaces that were removed from the site because its configuration no longer has them. They are not deleted. */
  removedSpaces?: { id: string; title: string }[];
  /** The published site. */
  site?: { id: string; title: string; url: string };
  /** Broken links in the space after the import. Omitted if the import had conflicts. */
  brokenLinks?: BrokenLinks;
  /** Conflicts with the current content of the space. If set, the space was not changed. */
  conflicts?: NamedConflict[];
}

export const createTally = (): Tally => ({ created: 0, updated: 0, unchanged: 0, removed: 0, failed: 0 });

export const addTally = (one: Tally, other: Tally): Tally => ({
  created: one.created + other.created,
  updated: one.updated + other.updated,
  unchanged: one.unchanged + other.unchanged,
  removed: one.removed + other.removed,
  failed: one.failed + other.failed,
});

/** Returns the nonzero tallies of a report. The tally of pages is always included. */
export function getTallies(report: ImportReport): { name: string; tally: Tally }[] {
  const { pages, files, reusableContents, variables, redirects } = report;
  const all = { pages, files, 'reusable contents': reusableContents, variables, redirects };
  return Object.entries(all).flatMap(([name, tally]) => {
    const isReported = tally !== undefined && (name === 'pages' || Object.values(tally).some((count) => count > 0));
    return isReported ? [{ name, tally }] : [];
  });
}

/** Returns the totals over all kinds of items, as `--json` prints them. */
export function getCounts(report: ImportReport) {
  const sum = (key: keyof Tally) => getTallies(report).reduce((total, { tally }) => total + tally[key], 0);
  const countKind = (kind: ImportProblem['kind']) => report.problems.filter((problem) => problem.kind === kind).length;
  return {
    created: sum('created'),
    updated: sum('updated'),
    unchanged: sum('unchanged'),
    removed: sum('removed'),
    skipped: countKind('skipped'),
    warned: countKind('warning'),
    failed: countKind('failed'),
  };
}
