import type { MergeResult, UpdateResult } from '@octavo/schema';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { ApiRequestError, api } from '../api.ts';
import { getUserName, useNames } from '../comments/names.ts';
import { navigate } from '../router.ts';
import { reloadPages } from '../space/use-pages.ts';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { UiIcon } from '../ui/icon.tsx';
import { notify, notifyError } from '../ui/notice.tsx';
import { RelativeTime } from '../ui/time.tsx';
import { type ChecklistItem, canBypass, createChecklist, getLatestReviews } from './checklist.ts';
import { getChangeRequestAddress } from './status-label.tsx';
import { getMergeRules, isActive, type OpenedChangeRequest, useTeams } from './use-change-request.ts';

interface PanelProps {
  opened: OpenedChangeRequest;
}

/** The conditions of a merge, and the buttons that update and merge the change request. */
export function MergePanel({ opened }: PanelProps): VNode {
  const { changeRequest } = opened;
  const { status, mergedBy, mergedAt } = changeRequest;
  return (
    <section class="review-panel" aria-labelledby="merge">
      <header>
        <h2 id="merge">Merge</h2>
      </header>
      {status === 'merged' && (
        <p>
          {mergedBy === undefined ? 'Merged' : `Merged by ${getUserName(mergedBy)}`}{' '}
          {mergedAt !== undefined && <RelativeTime time={mergedAt} />}.
        </p>
      )}
      {status === 'archived' && <p>This change request is archived. Reopen it to continue.</p>}
      {isActive(changeRequest) && <MergeChecklist opened={opened} />}
    </section>
  );
}

/** Ids of users that merge rules name. */
const findRuleUsers = (rules: ReturnType<typeof getMergeRules>): string[] =>
  rules.flatMap((rule) => ('users' in rule && rule.rule !== 'allow_bypass' ? rule.users : []));

function MergeChecklist({ opened }: PanelProps): VNode {
  const { space, organization, changes, user, changeRequest } = opened;
  const rules = getMergeRules(space, organization);
  const people = useNames(organization?.id, findRuleUsers(rules));
  const { value: teams = [] } = useTeams(organization);
  const names = new Map([...people, ...teams.map(({ id, title }): [string, string] => [id, title])]);
  const conflicts = (changes.value?.conflicts?.length ?? 0) + (changes.value?.moreConflicts ?? 0);
  const bypasses = canBypass(rules, user);
  const items = [...createChecklist(rules, opened, names), ...(conflicts === 0 ? [] : [createConflictItem(conflicts)])];
  const missing = items.filter(({ fault }) => fault !== undefined).length;
  const isBlocked = conflicts > 0 || (missing > 0 && !bypasses);
  return (
    <>
      {items.length > 0 && <Checklist items={items} />}
      {missing > 0 && bypasses && <p class="muted">You can merge even though some rules are not met.</p>}
      {changeRequest.outdated && <UpdateAction opened={opened} />}
      <MergeAction opened={opened} isBlocked={isBlocked} />
    </>
  );
}

const createConflictItem = (count: number): ChecklistItem => ({
  label: 'No conflicts',
  fault: count === 1 ? '1 conflict must be resolved.' : `${count} conflicts must be resolved.`,
});

const Checklist = ({ items }: { items: ChecklistItem[] }): VNode => (
  <ul class="checklist">
    {items.map(({ label, fault }) => (
      <li key={label} class={fault === undefined ? 'met' : 'missing'}>
        <UiIcon name={fault === undefined ? 'check' : 'close'} />
        <span>
          <span class="hidden">{fault === undefined ? 'Met: ' : 'Missing: '}</span>
          {label}
          {fault !== undefined && <small>{fault}</small>}
        </span>
      </li>
    ))}
  </ul>
);

/** Merges the live content into the change request. Opens the conflicts view if there are conflicts. */
async function update({ path, changeRequest, reload }: OpenedChangeRequest): Promise<void> {
  const { result } = await api<UpdateResult>('POST', `${path}/update`);
  await reload();
  if (result === 'update') notify('The change request is up to date with the live content.');
  else navigate(`${getChangeRequestAddress(changeRequest)}?view=conflicts`);
}

function UpdateAction({ opened }: PanelProps): VNode {
  const [isBusy, setBusy] = useState(false);
  const run = (): void => {
    setBusy(true);
    update(opened)
      .catch(notifyError)
      .finally(() => setBusy(false));
  };
  return (
    <div class="review-note">
      <p>The live content has changed since this change request was last updated.</p>
      {opened.space.permissions.edit && (
        <button type="button" class="button" disabled={isBusy} onClick={run}>
          Update from live content
        </button>
      )}
    </div>
  );
}

const conflictMessage =
  'The changes conflict with newer changes of the live content. Update the change request to resolve the conflicts.';

/** Merges the revision that the user has seen. @throws ApiRequestError */
async function merge({ path, space, changeRequest, reload }: OpenedChangeRequest): Promise<void> {
  const headers = { 'if-match': `"${changeRequest.revision}"` };
  try {
    const { result } = await api<MergeResult>('POST', `${path}/merge`, { headers });
    if (result === 'conflicts') throw new ApiRequestError(409, conflictMessage);
    notify('Changes merged');
    await Promise.all([reload(), reloadPages(`/spaces/${space.id}`)]);
  } catch (error) {
    await reload();
    // The message names each failed rule; the issues repeat them.
    throw error instanceof ApiRequestError ? new ApiRequestError(error.status, error.message) : error;
  }
}

/** Returns the names of the reviewers whose newest review requests changes. */
const listObjectors = (opened: OpenedChangeRequest): string =>
  getLatestReviews(opened)
    .filter(({ status }) => status === 'changes-requested')
    .map(({ reviewer }) => getUserName(reviewer))
    .join(', ');

function MergeAction({ opened, isBlocked }: PanelProps & { isBlocked: boolean }): VNode {
  // The change request as it was when the user opened the dialog. Later changes of others are not merged unseen.
  const [seen, setSeen] = useState<OpenedChangeRequest>();
  const objectors = listObjectors(opened);
  if (!opened.space.permissions.merge) return <p class="muted">You do not have permission to merge in this space.</p>;
  return (
    <>
      <button
        type="button"
        class="button primary"
        disabled={isBlocked}
        aria-describedby={isBlocked ? 'merge-blocked' : undefined}
        onClick={() => setSeen(opened)}
      >
        Merge
      </button>
      {isBlocked && (
        <p class="muted" id="merge-blocked">
          You can merge when all conditions are met.
        </p>
      )}
      {seen !== undefined && (
        <ConfirmDialog
          title={objectors === '' ? 'Merge changes' : 'Merge even though changes were requested?'}
          text={`${objectors === '' ? '' : `Changes were requested by ${objectors}. `}The changes become part of the live content.`}
          submit={objectors === '' ? 'Merge changes' : 'Merge anyway'}
          isDanger={objectors !== ''}
          onConfirm={async () => {
            await merge(seen);
            setSeen(undefined);
          }}
          onClose={() => setSeen(undefined)}
        />
      )}
    </>
  );
}
