import type { Repository } from '@octavo/outline';
import type { MergeConflict } from '@octavo/schema';
import type { BrokenLinks } from './broken-links.ts';
import type { ImportProblem } from './source.ts';

/** A conflict with where the thing is: the path of its file in the folder or repository, and that of its page in Octavo. */
export interface NamedConflict extends MergeConflict {
  path?: string;
  page?: string;
}

/** What is in conflict about a thing, as whoever brings a folder or a repository into a space knows both sides. */
export function wordsOf({ message, path, page }: NamedConflict, source: 'folder' | 'repository'): string {
  const words = message
    .replace('on both sides', `in Octavo and in the ${source}`)
    .replace(/\bhere\b/, `in the ${source}`)
    .replace(/\bin main\b|\bmain\b/, (main) => (main === 'main' ? 'Octavo' : 'in Octavo'));
  const places = [...(path === undefined ? [] : [path]), ...(page === undefined ? [] : [`in Octavo /${page}`])];
  return places.length > 0 ? `${words} (${places.join(', ')})` : words;
}

/** What became of the things of one kind. `unchanged` were there as they are wanted. */
export interface Tally {
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
}

/** What an import did. Its fields are what `--json` prints: they keep their names. */
export interface ImportReport {
  space: string;
  /** Left out where nothing differed, so that none was made. */
  changeRequest?: string;
  /** By what the folder was read, and the file that says the order. */
  convention: Repository['convention'];
  pages: Tally;
  /** Files beside the pages: images and what pages lead to. */
  files: Tally;
  reusableContents: Tally;
  variables: Tally;
  /** Those of the site; only a site has some. */
  redirects?: Tally;
  problems: ImportProblem[];
  /** The site that was published. */
  site?: { id: string; title: string; url: string };
  /** What in the space leads nowhere after the import; left out where that could not be imported. */
  brokenLinks?: BrokenLinks;
  /** What the space has otherwise by now: then nothing of it was changed. */
  conflicts?: NamedConflict[];
}

export const newTally = (): Tally => ({ created: 0, updated: 0, unchanged: 0, failed: 0 });

/** The kinds of a report that were met, pages always. */
export function talliesOf(report: ImportReport): { name: string; tally: Tally }[] {
  const { pages, files, reusableContents, variables, redirects } = report;
  const all = { pages, files, 'reusable contents': reusableContents, variables, redirects };
  return Object.entries(all).flatMap(([name, tally]) => {
    const isMet = tally !== undefined && (name === 'pages' || Object.values(tally).some((count) => count > 0));
    return isMet ? [{ name, tally }] : [];
  });
}

/** The counts over all kinds, as `--json` has them. */
export function countsOf(report: ImportReport) {
  const sum = (key: keyof Tally) => talliesOf(report).reduce((total, { tally }) => total + tally[key], 0);
  const ofKind = (kind: ImportProblem['kind']) => report.problems.filter((problem) => problem.kind === kind).length;
  return {
    created: sum('created'),
    updated: sum('updated'),
    unchanged: sum('unchanged'),
    skipped: ofKind('skipped'),
    warned: ofKind('warning'),
    failed: ofKind('failed'),
  };
}
