import path from 'node:path';
import { rewriteTargets, withoutAnchor } from '@octavo/markdown';
import { isMarkdown, leadsTo, type Places } from '@octavo/outline';

const ofNode = /^\/(?:pages|files)\/([\w-]+)(?=$|[?#])/;

/** A page as it is exported: the path of its file, and what its targets were resolved to when it was written. */
interface Exported {
  text: string;
  path: string;
  links?: Record<string, string> | undefined;
  /** The files that addresses mean which do not name them, as was told when the text was imported. */
  meant?: Record<string, string> | undefined;
}

interface Paths {
  /** The paths of all files, by the ids of what they hold. */
  paths: ReadonlyMap<string, string>;
  /** Where things were that are no more, by their ids: targets go on naming that, as they did. */
  gone?: ReadonlyMap<string, string>;
  served?: Places['served'];
  /** Is told the id of each such thing that a target means. */
  onGone?: (id: string) => void;
  /** Is told the id of each node that a target names and that has no path: such a target stays. */
  onPathless?: (id: string) => void;
}

/**
 * A page's text as it stands in its file: targets that name a page or a file of the space by its id become paths, from
 * the folder of its file, and so do those that no longer say where the file is that they were resolved to. All others
 * stay as they are written. What a site serves of a folder as it is has the site's address.
 */
export const withRelativeTargets = (page: Exported, paths: Paths): string =>
  rewriteTargets(page.text, relativeTargets(page, paths));

/**
 * A text that was edited in the file of a page, with the targets as the page has them where the file has what was made of
 * those: so the page has changed where the file was edited, and nowhere else.
 */
export function withTargetsOf(page: Exported, edited: string, paths: Paths): string {
  const relative = relativeTargets(page, paths);
  const written = new Map<string, string>();
  rewriteTargets(page.text, (target) => {
    const made = relative(target);
    if (made !== undefined) written.set(made, target);
    return undefined;
  });
  const text = rewriteTargets(edited, (target) => written.get(target));
  return withRelativeTargets({ ...page, text }, paths) === edited ? text : edited;
}

/** What becomes of a target; undefined where it stays. */
function relativeTargets(
  { path: from, links = {}, meant = {} }: Exported,
  { paths, gone, served, onGone, onPathless }: Paths,
) {
  const files = new Set(paths.values());
  const pathOf = (id = ''): string | undefined => {
    if (!paths.has(id) && gone?.has(id)) onGone?.(id);
    return paths.get(id) ?? gone?.get(id);
  };
  return (target: string): string | undefined => {
    const address = withoutAnchor(target);
    const kept = Object.hasOwn(links, address) ? pathOf(links[address]) : undefined;
    const known = { has: (at: string) => at === kept || files.has(at) };
    const means = Object.hasOwn(meant, address) ? meant[address] : leadsTo(address, from, known);
    if (kept !== undefined && means === kept) return undefined;
    const named = ofNode.exec(target);
    const to = kept ?? pathOf(named?.[1]);
    if (to === undefined) {
      if (named?.[1] !== undefined) onPathless?.(named[1]);
      return undefined;
    }
    const rest = target.slice(named?.[0].length ?? /^[^?#]*/.exec(target)?.[0].length);
    return encodePath(servedAt(to, served) ?? path.posix.relative(path.posix.dirname(from), to)) + rest;
  };
}

/** Pages are never served as they are. */
const servedAt = (to: string, served: Places['served']): string | undefined =>
  served && to.startsWith(served.folder) && !isMarkdown(to)
    ? served.address + to.slice(served.folder.length)
    : undefined;

const encodePath = (target: string): string => target.replace(/[%#?\s\\\p{Cc}]/gu, encodeURIComponent);
