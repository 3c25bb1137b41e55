import type { LinkTarget } from '@octavo/schema';

const scheme = 'octavo:';

/** The target of a summary's destination; undefined where it names a file of the folder. */
export function readTarget(destination: string): LinkTarget | undefined {
  if (destination.startsWith(scheme))
    return readOwn(destination.slice(scheme.length)) ?? { kind: 'url', url: destination };
  return isAddress(destination) ? { kind: 'url', url: destination } : undefined;
}

/** The destination that stands for a target, where no file does. */
export function writeTarget(target: LinkTarget): string {
  if (target.kind === 'url') {
    const { url } = target;
    return isAddress(url) && !url.startsWith(scheme) ? url : `${scheme}url/${encodeURIComponent(url)}`;
  }
  if (target.kind === 'page')
    return `${scheme}page/${target.page}${target.space === undefined ? '' : `/${target.space}`}`;
  return target.kind === 'space' ? `${scheme}space/${target.space}` : `${scheme}file/${target.file}`;
}

const isAddress = (text: string): boolean => /^(?:[a-z][a-z\d+.-]*:|\/\/|#)/i.test(text);

function readOwn(text: string): LinkTarget | undefined {
  const [kind, id = '', space] = text.split('/');
  if (kind === 'url') return { kind: 'url', url: decodeURIComponent(id) };
  if (kind === 'page') return { kind: 'page', page: id, ...(space !== undefined && { space }) };
  if (kind === 'space') return { kind: 'space', space: id };
  return kind === 'file' ? { kind: 'file', file: id } : undefined;
}
