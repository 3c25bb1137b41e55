import type { RepositoryProblem } from './repository.ts';
import { isOrdinary } from './wanted.ts';

const maxLines = 200;

/** A line for each file or folder that a source has, and that is not read at all: but for git's own, which nobody misses. */
export function unreadLines(paths: readonly string[]): RepositoryProblem[] {
  const places = new Set(paths.map(placeOf).filter((place) => !/(?:^|\/)\.git\/?$/.test(place)));
  const lines = [...places].slice(0, maxLines).map(
    (path): RepositoryProblem => ({
      kind: 'skipped',
      path,
      message: isOrdinary(path.replace(/\/$/, ''))
        ? 'It is a link or a special file, and is not read.'
        : 'What is hidden, installed or made by a program is not read.',
    }),
  );
  if (places.size <= maxLines) return lines;
  const message = `${places.size - maxLines} more files and folders are not read.`;
  return [...lines, { kind: 'skipped', path: './', message }];
}

/** The topmost folder above a path that is not read, with a slash at its end, or the path itself. */
function placeOf(path: string): string {
  for (let end = path.indexOf('/'); end > 0; end = path.indexOf('/', end + 1))
    if (!isOrdinary(path.slice(0, end))) return path.slice(0, end + 1);
  return path;
}
