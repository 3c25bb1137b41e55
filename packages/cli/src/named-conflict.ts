import type { MergeConflict } from '@octavo/schema';

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
