import { changedCustomization, fullCustomization } from './full-customization.ts';
import type { CustomizationChanges, PageAction, SiteCustomization } from './site-customization.ts';

type Flags = Pick<CustomizationChanges, 'pdf' | 'git' | 'pageActions'>;

/** The actions that older clients know as flags of their own. */
const flagged: { action: PageAction; isSet: (settings: SiteCustomization) => boolean }[] = [
  { action: 'external-ai', isSet: ({ pageActions }) => pageActions.externalAI },
  { action: 'markdown', isSet: ({ pageActions }) => pageActions.markdown },
  { action: 'git', isSet: ({ git }) => git.showEditLink },
  { action: 'pdf', isSet: ({ pdf }) => pdf.enabled },
];

const flagsOf = (items: PageAction[]): Flags => ({
  pageActions: { items, externalAI: items.includes('external-ai'), markdown: items.includes('markdown') },
  git: { showEditLink: items.includes('git') },
  pdf: { enabled: items.includes('pdf') },
});

const areEqual = (one: PageAction[], other: PageAction[]): boolean => one.join() === other.join();

/**
 * Changes in which the list of page actions and the flags that older clients have for them agree: the list tells the
 * flags where it is what is changed, and the other way round. `before` is what counted until now, `below` what counts
 * where nothing is set.
 */
export function agreeingActions(
  changes: CustomizationChanges,
  { before, below }: { before: SiteCustomization; below: SiteCustomization },
): CustomizationChanges {
  const { pageActions, git, pdf } = changes;
  if (pageActions == null && git == null && pdf == null) return changes;
  const after = fullCustomization(below, changes);
  const { items } = after.pageActions;
  if (pageActions?.items != null && !areEqual(items, before.pageActions.items))
    return changedCustomization(changes, flagsOf(items));
  const kept = items.filter((item) => flagged.every(({ action, isSet }) => action !== item || isSet(after)));
  const added = flagged.filter(({ action, isSet }) => isSet(after) && !kept.includes(action));
  return changedCustomization(changes, flagsOf([...kept, ...added.map(({ action }) => action)]));
}
