function readFragment(): string {
  const written = location.hash.slice(1);
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}

/** Returns the element that the URL fragment identifies, or null. */
export const findFragmentTarget = (): HTMLElement | null => document.getElementById(readFragment());

/** Matches fragments that are not anchors: text fragments and routes of single-page applications. */
const notAnchor = /[/!?=&]|:~:/;

const normalizeLetters = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');

/**
 * Returns the element whose id has the same letters and digits as the URL fragment, for fragments such as `#MixedCase`
 * or `#two words`.
 */
function findSimilarTarget(): HTMLElement | undefined {
  const fragment = readFragment();
  const anchor = notAnchor.test(fragment) ? '' : normalizeLetters(fragment);
  if (anchor === '') return undefined;
  return [...document.querySelectorAll<HTMLElement>('main [id]')].find(
    ({ id }) => !id.startsWith('~') && normalizeLetters(id) === anchor,
  );
}

/** Opens the collapsed elements that contain or are the target of the URL fragment. */
function openFragmentTarget(): void {
  const exact = findFragmentTarget();
  const target = exact ?? findSimilarTarget();
  const closed = [];
  for (let element = target?.closest('details'); element; element = element.parentElement?.closest('details'))
    closed.push(element);
  if (closed.every(({ open }) => open) && target === exact) return;
  for (const element of closed) element.open = true;
  target?.scrollIntoView();
}

/** Opens collapsed content whenever the URL fragment points into it. */
export function openTargets(): void {
  openFragmentTarget();
  window.addEventListener('hashchange', openFragmentTarget);
}
