import { type OutlineSource, walkOutlineEntries } from './frontmatter-fields.ts';
import { readRepository } from './read-repository.ts';
import type { Repository } from './repository.ts';

/** Returns a source with the given texts by path. */
export function getSource(files: Record<string, string>): OutlineSource {
  const getBytes = (path: string) => new TextEncoder().encode(files[path]);
  return {
    name: 'docs',
    paths: Object.keys(files),
    getSize: (path) => getBytes(path).length,
    read: async (path) => getBytes(path),
  };
}

type Entries = Repository['roots'];

/** Formats a tree as indented lines with title and file. Entries that are not plain pages are marked. */
const getLines = (entries: Entries, indent = ''): string[] =>
  entries.flatMap((entry) => {
    const title = entry.title ?? (entry.kind === 'page' ? `~${entry.fallbackTitle}` : '');
    const path = entry.kind === 'page' ? entry.path : entry.kind === 'link' ? getTarget(entry.target) : '(group)';
    const hidden = entry.kind === 'page' && entry.hidden ? ' (hidden)' : '';
    return [
      `${indent}${title}${path === undefined ? '' : ` ${path}`}${hidden}`,
      ...getLines(entry.children, `${indent}  `),
    ];
  });

function getTarget(target: Extract<Entries[number], { kind: 'link' }>['target']): string {
  if (target.kind === 'file-of-page') return `-> ${[target.path, ...(target.anchor ? [target.anchor] : [])].join('#')}`;
  return target.kind === 'url' ? `-> ${target.url}` : '->';
}

const getPath = ({ path }: { path: string }): string => path;

/** Reads a repository for tests, and checks that every file is imported or reported. */
export async function readFiles(files: Record<string, string>, options?: Parameters<typeof readRepository>[1]) {
  const repository = await readRepository(getSource(files), options);
  const messages = repository.problems.map(({ kind, path, message }) => `${kind} ${path}: ${message}`);
  const pages = [...walkOutlineEntries(repository.roots)].flatMap((entry) =>
    entry.kind === 'page' ? (entry.path ?? []) : [],
  );
  const knownPaths = [
    ...pages,
    ...repository.files,
    ...[...repository.reusableContents, ...repository.problems].map(getPath),
  ];
  const lostPaths = Object.keys(files).filter(
    (file) =>
      !knownPaths.some((path) => path === file || path === './' || (path.endsWith('/') && file.startsWith(path))),
  );
  if (lostPaths.length > 0) throw new Error(`The import does not mention these files: ${lostPaths.join(', ')}`);
  return { ...repository, pages, tree: getLines(repository.roots), messages };
}
