import path from 'node:path';
import { rewriteTargets } from '@octavo/document';

const ofNode = /^\/(?:pages|files)\/([\w-]+)(?=$|[?#])/;

/**
 * A page's text as it stands in its file: targets that name a page or a file of the space by its id become paths, from
 * the folder of `from`. All others stay as they are written.
 */
export const withRelativeTargets = (text: string, from: string, paths: ReadonlyMap<string, string>): string =>
  rewriteTargets(text, (target) => {
    const named = ofNode.exec(target);
    const to = paths.get(named?.[1] ?? '');
    if (named === null || to === undefined) return undefined;
    return encodePath(path.posix.relative(path.posix.dirname(from), to)) + target.slice(named[0].length);
  });

const encodePath = (target: string): string => target.replace(/[%#?\s\\\p{Cc}]/gu, encodeURIComponent);
