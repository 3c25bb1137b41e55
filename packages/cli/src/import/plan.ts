import { readFrontmatter } from '@octavo/markdown';
import { fieldsOfNew, longestIncreasing, type WantedEntry, type WantedPage, walkWanted } from '@octavo/outline';
import type { PageMetadata } from '@octavo/schema';
import type { Matches } from './match.ts';
import type { Present } from './present.ts';

/** One thing to do: insert a page that the space has not, or change of a page what differs. */
export interface PlanStep {
  wanted: WantedEntry;
  present: Present | undefined;
  /** Whether it goes to its place among the wanted pages. */
  place: boolean;
  document: boolean;
  /** Whether what the addresses of its text mean is told anew. */
  git: boolean;
  title?: string;
  hidden?: boolean;
  /** What else is set by field. */
  fields?: PageMetadata;
}

/** Whether a page has the text that is wanted, and whether it knows what the addresses of that mean. */
export interface Comparer {
  hasText: (page: Present, wanted: WantedPage) => boolean;
  hasLinks: (page: Present, wanted: WantedPage) => boolean;
}

/** What has to be done so that the space holds the wanted tree, parents before children. Nothing is ever deleted. */
export function planImport(roots: readonly WantedEntry[], matches: Matches, comparer: Comparer): PlanStep[] {
  const moved = movedPages(roots, matches);
  const steps: PlanStep[] = [];
  const hidden = new Set<WantedEntry>();
  for (const wanted of walkWanted(roots)) {
    const present = matches.get(wanted);
    const isBelowHidden = wanted.parent !== undefined && hidden.has(wanted.parent);
    if (isBelowHidden || isHidden(wanted, present)) hidden.add(wanted);
    if (present) {
      const step = updateOf(wanted, present, { ...comparer, isBelowHidden });
      step.place = moved.has(wanted);
      if (step.place || step.document || step.title !== undefined || step.hidden !== undefined) steps.push(step);
    } else if (isReadable(wanted))
      steps.push({ wanted, present, place: true, document: true, git: true, ...fieldsOfNew(wanted) });
  }
  return steps;
}

const isReadable = (wanted: WantedEntry): boolean =>
  wanted.kind !== 'page' || wanted.path === undefined || wanted.file !== undefined;

function isHidden(wanted: WantedEntry, present: Present | undefined): boolean {
  const own =
    wanted.kind === 'page' ? (readFrontmatter(wanted.file?.text ?? '').values.hidden ?? wanted.hidden) : undefined;
  return own ?? present?.hidden ?? false;
}

/** A space tells of what is below a hidden page that it is hidden, whatever it says of itself. */
function updateOf(
  wanted: WantedEntry,
  present: Present,
  { isBelowHidden, ...comparer }: Comparer & { isBelowHidden: boolean },
): PlanStep {
  const step: PlanStep = { wanted, present, place: false, document: false, git: false };
  if (wanted.kind !== 'page') {
    if (wanted.title !== present.title) step.title = wanted.title;
    return step;
  }
  const { values } = readFrontmatter(wanted.file?.text ?? '');
  step.git = wanted.file !== undefined && !comparer.hasLinks(present, wanted);
  // What links mean is looked up where a text is written.
  step.document = wanted.file !== undefined && (step.git || !comparer.hasText(present, wanted));
  const { title } = wanted;
  if (title !== undefined && values.title === undefined && title !== present.title) step.title = title;
  const isSaid = values.hidden !== undefined || (isBelowHidden && present.hidden);
  if (wanted.hidden !== undefined && !isSaid && wanted.hidden !== present.hidden) step.hidden = wanted.hidden;
  return step;
}

/** The pages that have another parent now, and those that must move for the order among their siblings. */
function movedPages(roots: readonly WantedEntry[], matches: Matches): Set<WantedEntry> {
  const moved = new Set<WantedEntry>();
  const look = (siblings: readonly WantedEntry[], parent: Present | undefined, isNew: boolean): void => {
    const staying = siblings.filter((each) => {
      const present = matches.get(each);
      const stays = present !== undefined && !isNew && present.parent === parent;
      if (present && !stays) moved.add(each);
      return stays;
    });
    const kept = longestIncreasing(staying.map((each) => matches.get(each)?.index ?? 0));
    staying.forEach((each, index) => {
      if (!kept.has(index)) moved.add(each);
    });
    for (const each of siblings) look(each.children, matches.get(each), !matches.has(each));
  };
  look(roots, undefined, false);
  return moved;
}
