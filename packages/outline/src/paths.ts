/** Normalizes `.`, `..` and double slashes. Paths that leave the folder keep their leading `..`. */
export function normalizePath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}

/** Percent-decodes an address. Returns it unchanged if it is malformed. */
export function decodeAddress(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the folder of a file with a trailing slash, or an empty string at the root. */
export const getFolder = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);

/** Returns the last segment of a path. */
export const getName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

const maxShown = 100;

/** Shortens a name from a configuration to 100 characters for messages. */
export const toDisplayName = (name: string): string =>
  (name.length > maxShown ? `${name.slice(0, maxShown)}…` : name).toWellFormed();

const maxGlobs = 200;
const maxAlternatives = 64;
const maxLength = 500;

/**
 * Returns a function that matches paths against globs: `*` and `?` within a segment, `**` across folders, `{a,b}`. The
 * time is at most proportional to the length of the glob times the length of the path.
 */
export function getMatcher(globs: readonly string[]): (path: string) => boolean {
  const all = globs
    .slice(0, maxGlobs)
    .filter((glob) => glob.length <= maxLength)
    .flatMap((glob) => expandBraces(glob.replace(/^\.?\//, '')).map((each) => each.split('/')));
  return (path) => {
    const names = path.split('/');
    return all.some((parts) => matchesParts(parts, names));
  };
}

/**
 * Returns a matcher for the rules of an ignore file. A rule without an inner slash applies in all folders; a folder
 * includes all its files.
 */
export function createIgnoreTest(rules: string): (path: string) => boolean {
  const lines = rules.split(/\r\n|\n|\r/).map((line) => line.trim());
  const patterns = lines.filter((line) => line !== '' && !line.startsWith('#')).slice(0, maxGlobs);
  const all = patterns.map((line) => {
    const isNegated = line.startsWith('!');
    const rule = isNegated ? line.slice(1) : line;
    const body = rule.replace(/\/$/, '');
    const start = body.includes('/') ? body.replace(/^\//, '') : `**/${body}`;
    const inside = `${start}/**/*`;
    return { isKept: isNegated, matches: getMatcher(rule.endsWith('/') ? [inside] : [start, inside]) };
  });
  return (path) => all.findLast(({ matches }) => matches(path))?.isKept === false;
}

/**
 * Expands the braces of a glob. Returns the glob unexpanded if there are too many alternatives. Nested braces are not
 * supported.
 */
function expandBraces(glob: string): string[] {
  let expanded = [''];
  let offset = 0;
  for (const { index, 0: braces, 1: inner = '' } of glob.matchAll(/\{([^{}]{0,200})\}/g)) {
    const choices = inner.split(',').map((each) => glob.slice(offset, index) + each);
    expanded = expanded.flatMap((start) => choices.map((choice) => start + choice));
    offset = index + braces.length;
    if (expanded.length > maxAlternatives) return [glob];
  }
  return expanded.map((start) => start + glob.slice(offset));
}

/** Tracks which parts of the glob can match next, segment by segment. */
function matchesParts(parts: readonly string[], names: readonly string[]): boolean {
  let open = skipFolders(new Set([0]), parts);
  for (const name of names) {
    const next = new Set<number>();
    for (const offset of open) {
      const part = parts[offset];
      if (part === '**') next.add(offset);
      else if (part !== undefined && matchesName(part, name)) next.add(offset + 1);
    }
    open = skipFolders(next, parts);
    if (open.size === 0) return false;
  }
  return open.has(parts.length);
}

/** Adds the positions after each `**`, because `**` also matches zero segments. */
function skipFolders(open: Set<number>, parts: readonly string[]): Set<number> {
  for (const index of open) if (parts[index] === '**') open.add(index + 1);
  return open;
}

/** Backtracks only to the last `*`, so the time is bounded. */
function matchesName(part: string, name: string): boolean {
  let [at, star, matchedLength] = [0, -1, 0];
  for (let index = 0; index < name.length; ) {
    if (part[at] === '*') [star, matchedLength, at] = [at, index, at + 1];
    else if (at < part.length && (part[at] === '?' || part[at] === name[index])) [at, index] = [at + 1, index + 1];
    else if (star === -1) return false;
    else {
      matchedLength += 1;
      [at, index] = [star + 1, matchedLength];
    }
  }
  while (part[at] === '*') at += 1;
  return at === part.length;
}
