import { readFrontmatter } from '@octavo/markdown';
import {
  findLongestIncreasing,
  getNewFields,
  getOwnSlug,
  type WantedEntry,
  type WantedPage,
  walkOutlineEntries,
} from '@octavo/outline';
import type { PageMetadata } from '@octavo/schema';
import type { Matches } from './match.ts';
import type { Present } from './present.ts';

/** A step of an import: inserts a page that the space does not have, or updates the parts of a page that differ. */
export interface PlanStep {
  entry: WantedEntry;
  present: Present | undefined;
  /** Whether the page moves to its position among the entries of the repository. */
  isMoved: boolean;
  document: boolean;
  /** Whether the Git link targets of the page's text must be sent again. */
  git: boolean;
  title?: string;
  /** The new slug, if the page's file or folder was renamed. */
  slug?: string;
  hidden?: boolean;
  /** Other metadata to set. */
  fields?: PageMetadata;
}

/** Compares the text of a page, and the links stored for the text, with an entry of the repository. */
export interface Comparer {
  hasText: (page: Present, entry: WantedPage) => boolean;
  hasLinks: (page: Present, entry: WantedPage) => boolean;
  /** Whether a page gets a new slug if its file or folder was renamed. */
  isRenaming?: boolean;
}

/** Returns the steps that make the space contain the wanted tree, parents before children. The steps delete nothing. */
export function planImport(roots: readonly WantedEntry[], matches: Matches, comparer: Comparer): PlanStep[] {
  const movedEntries = findMovedPages(roots, matches);
  const steps: PlanStep[] = [];
  const hidden = new Set<WantedEntry>();
  for (const entry of walkOutlineEntries(roots)) {
    const present = matches.get(entry);
    const isBelowHidden = entry.parent !== undefined && hidden.has(entry.parent);
    if (isBelowHidden || isHidden(entry, present)) hidden.add(entry);
    if (present) {
      const step = getUpdate(entry, present, { ...comparer, isBelowHidden });
      step.isMoved = movedEntries.has(entry);
      if (
        step.isMoved ||
        step.document ||
        step.title !== undefined ||
        step.slug !== undefined ||
        step.hidden !== undefined
      )
        steps.push(step);
    } else if (isReadable(entry))
      steps.push({ entry, present, isMoved: true, document: true, git: true, ...getNewFields(entry) });
  }
  return steps;
}

const isReadable = (entry: WantedEntry): boolean =>
  entry.kind !== 'page' || entry.path === undefined || entry.file !== undefined;

function isHidden(entry: WantedEntry, present: Present | undefined): boolean {
  const ownValue =
    entry.kind === 'page' ? (readFrontmatter(entry.file?.text ?? '').values.hidden ?? entry.hidden) : undefined;
  return ownValue ?? present?.hidden ?? false;
}

/** Returns the update of a page. The API returns every page below a hidden page as hidden, whatever its own setting. */
function getUpdate(
  entry: WantedEntry,
  present: Present,
  { isBelowHidden, ...comparer }: Comparer & { isBelowHidden: boolean },
): PlanStep {
  const step: PlanStep = { entry, present, isMoved: false, document: false, git: false };
  const slug = comparer.isRenaming ? getNewSlug(entry, present) : undefined;
  if (slug !== undefined) step.slug = slug;
  if (entry.kind !== 'page') {
    if (entry.title !== present.title) step.title = entry.title;
    return step;
  }
  const { values } = readFrontmatter(entry.file?.text ?? '');
  step.git = entry.file !== undefined && !comparer.hasLinks(present, entry);
  // The links of a text are resolved when the text is sent, so send it again if the links differ or the file moved.
  const isMoved = comparer.isRenaming === true && hasOtherFile(entry, present);
  step.document = entry.file !== undefined && (step.git || isMoved || !comparer.hasText(present, entry));
  const { title } = entry;
  if (title !== undefined && values.title === undefined && title !== present.title) step.title = title;
  const setsHidden = values.hidden !== undefined || (isBelowHidden && present.hidden);
  if (entry.hidden !== undefined && !setsHidden && entry.hidden !== present.hidden) step.hidden = entry.hidden;
  return step;
}

const hasOtherFile = ({ path }: WantedPage, { git }: Present): boolean => git !== undefined && git.path !== path;

function getNewSlug(wantedEntry: WantedEntry, present: Present): string | undefined {
  if (wantedEntry.kind === 'link' || wantedEntry.slug === present.slug) return undefined;
  const isFile = wantedEntry.kind === 'page' && wantedEntry.path !== undefined;
  const isRenamed = isFile ? hasOtherFile(wantedEntry, present) : wantedEntry.title !== present.title;
  return isRenamed && getOwnSlug(isFile ? wantedEntry.file : undefined) === undefined ? wantedEntry.slug : undefined;
}

/** Returns the pages that have a new parent, or that must move so that their siblings are in the right order. */
function findMovedPages(roots: readonly WantedEntry[], matches: Matches): Set<WantedEntry> {
  const movedEntries = new Set<WantedEntry>();
  const collectMovedPages = (siblings: readonly WantedEntry[], parent: Present | undefined, isNew: boolean): void => {
    const remaining = siblings.filter((entry) => {
      const present = matches.get(entry);
      const stays = present !== undefined && !isNew && present.parent === parent;
      if (present && !stays) movedEntries.add(entry);
      return stays;
    });
    const inOrder = findLongestIncreasing(remaining.map((entry) => matches.get(entry)?.index ?? 0));
    remaining.forEach((entry, index) => {
      if (!inOrder.has(index)) movedEntries.add(entry);
    });
    for (const entry of siblings) collectMovedPages(entry.children, matches.get(entry), !matches.has(entry));
  };
  collectMovedPages(roots, undefined, false);
  return movedEntries;
}
