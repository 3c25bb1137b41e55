import { linksOf } from '@octavo/markdown';
import { decodeAddress, normalizePath } from './paths.ts';
import { isMarkdown, type OutlineSource, type WantedEntry, walkWanted } from './wanted.ts';

const image = /\.(?:png|jpe?g|gif|svg|webp|avif|ico|bmp|tiff?)$/i;

/** The files that go in beside the pages: every image, and whatever a page leads to. */
export function wantedFiles(source: OutlineSource, roots: readonly WantedEntry[]): string[] {
  const linked = new Set([...walkWanted(roots)].flatMap(targetsOf));
  return source.paths.filter((each) => !isMarkdown(each) && (image.test(each) || linked.has(each)));
}

function targetsOf(wanted: WantedEntry): string[] {
  const file = wanted.kind === 'page' ? wanted.file : undefined;
  if (file === undefined) return [];
  return linksOf(file.text).flatMap(({ target }) => pathOfTarget(file.path, target) ?? []);
}

/** The path in the source that a relative target in one of its files leads to. */
function pathOfTarget(from: string, target: string): string | undefined {
  if (/^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i.test(target)) return undefined;
  const written = decodeAddress(target.replace(/[?#].*$/s, ''));
  return normalizePath(written.startsWith('/') ? written : `${from.slice(0, from.lastIndexOf('/') + 1)}${written}`);
}
