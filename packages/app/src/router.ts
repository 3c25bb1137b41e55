import { useEffect, useState } from 'preact/hooks';

/** The path below which the app is served. */
export const appPath = '/app';

/** The location in the app: the path without `/app`. */
export interface AppLocation {
  path: string;
  query: URLSearchParams;
  hash: string;
}

const readLocation = (): AppLocation => ({
  path: window.location.pathname.slice(appPath.length).replace(/\/$/, '') || '/',
  query: new URLSearchParams(window.location.search),
  hash: window.location.hash,
});

const listeners = new Set<() => void>();
const announce = (): void => {
  for (const listener of listeners) listener();
};

/** A guard that asks the user before leaving a screen if something would be lost. */
interface LeaveGuard {
  /** Whether the server does not have all changes yet. */
  hasChanges: () => boolean;
  /** Returns whether the user may leave the screen. Asks the user if something would be lost. */
  canLeave: () => boolean;
}
const guards = new Set<LeaveGuard>();

/** Adds a guard, which can keep the user on the screen. Returns a function that removes the guard. */
export function addLeaveGuard(guard: LeaveGuard): () => void {
  guards.add(guard);
  return () => guards.delete(guard);
}

/** Whether the screen has unsaved changes. */
export const hasUnsavedChanges = (): boolean => [...guards].some((guard) => guard.hasChanges());

const canLeave = (): boolean => [...guards].every((guard) => guard.canLeave());

/** The entry of the browser history that the app shows. */
interface HistoryEntry {
  /** The position in the history. Each entry has it in its state. */
  index: number;
  /** The path and the query. */
  address: string;
  hash: string;
}

let shown: HistoryEntry = { index: 0, address: '', hash: '' };

/** Stores the index of the current entry, and shows the entry. */
function showEntry(index: number): void {
  if (readIndex() !== index) window.history.replaceState({ index }, '');
  shown = { index, address: readAddress(), hash: window.location.hash };
  announce();
}

const readIndex = (): number | undefined => (window.history.state as Partial<HistoryEntry> | null)?.index;
const readAddress = (): string => `${window.location.pathname}${window.location.search}`;

/** Shows the entry that the browser has opened, or returns to the former one if the user wants to stay there. */
function handlePopState(): void {
  // For a link to an anchor, the browser adds an entry without state, or replaces the entry if it has the same address.
  const index = readIndex() ?? (window.location.hash === shown.hash ? shown.index : shown.index + 1);
  if (index !== shown.index && readAddress() !== shown.address && !canLeave()) window.history.go(shown.index - index);
  else showEntry(index);
}

/** Opens a path of the app, such as `/spaces/spc_a`. */
export function navigate(path: string, { replaces = false } = {}): void {
  if (!canLeave()) return;
  const index = replaces ? shown.index : shown.index + 1;
  window.history[replaces ? 'replaceState' : 'pushState']({ index }, '', `${appPath}${path === '/' ? '' : path}`);
  showEntry(index);
}

/** Returns the current location, and renders again when it changes. */
export function useAppLocation(): AppLocation {
  const [location, setLocation] = useState(readLocation);
  useEffect(() => {
    const update = (): void => setLocation(readLocation());
    listeners.add(update);
    return () => {
      listeners.delete(update);
    };
  }, []);
  return location;
}

/** Opens links to the app without loading the page again. */
export function followLinks(): void {
  showEntry(readIndex() ?? 0);
  window.addEventListener('popstate', handlePopState);
  document.addEventListener('click', (event) => {
    const anchor = event.target instanceof Element ? event.target.closest('a') : null;
    if (anchor === null || event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    if (anchor.target !== '' || anchor.hasAttribute('download') || anchor.origin !== window.location.origin) return;
    const isOfApp = anchor.pathname === appPath || anchor.pathname.startsWith(`${appPath}/`);
    const isSamePage = anchor.pathname === window.location.pathname && anchor.search === window.location.search;
    if (!isOfApp || (isSamePage && anchor.hash !== '')) return;
    event.preventDefault();
    navigate(`${anchor.pathname.slice(appPath.length)}${anchor.search}${anchor.hash}`);
  });
}

/** Matches a path with a pattern such as `/spaces/:space`. Returns the values of its parameters by name. */
export function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const [parts, segments] = [pattern.split('/'), path.split('/')];
  if (parts.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    const segment = segments[index] ?? '';
    if (part.startsWith(':')) params[part.slice(1)] = segment;
    else if (part !== segment) return undefined;
    if (segment === '' && index > 0 && path !== '/') return undefined;
  }
  return params;
}
