import type { ChangeRequest } from '@octavo/schema';
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { api } from '../api.ts';
import { type Discussion, useDiscussion } from '../comments/discussion.ts';
import { DiscussionView } from '../comments/discussion-view.tsx';
import { getUserName } from '../comments/names.ts';
import type { ScreenProps } from '../routes.ts';
import { NotFoundScreen } from '../shell/not-found-screen.tsx';
import { AppScreen } from '../shell/screen.tsx';
import { getSpaceTitle } from '../shell/sidebar.tsx';
import { Modal } from '../ui/dialog.tsx';
import { UiIcon } from '../ui/icon.tsx';
import { Menu, type MenuItem } from '../ui/menu.tsx';
import { notifyError } from '../ui/notice.tsx';
import { FailureState, LoadingLines } from '../ui/states.tsx';
import { RelativeTime } from '../ui/time.tsx';
import { groupChanges } from './changed-items.ts';
import { ChangesView } from './changes-view.tsx';
import { ConflictsView } from './conflicts-view.tsx';
import { DetailsForm } from './create-dialog.tsx';
import { DescriptionText } from './description.tsx';
import { EditPages } from './edit-pages.tsx';
import { MergePanel } from './merge-panel.tsx';
import { PreviewLink } from './preview-link.tsx';
import { ReviewButton } from './review-dialog.tsx';
import { ReviewersPanel } from './reviewers-panel.tsx';
import { getChangeRequestAddress, StatusLabel } from './status-label.tsx';
import { getNumberPrefix, getSubject } from './subject.ts';
import { isActive, type OpenedChangeRequest, useChangeRequest } from './use-change-request.ts';

/** A change request: its changes, its discussion, its reviews and its merge. */
export function ChangeRequestScreen({ params, query }: ScreenProps): VNode {
  const { space = '', changeRequest = '' } = params;
  const { opened, error, retry } = useChangeRequest(space, changeRequest);
  if (opened !== undefined)
    return (
      <OpenedScreen
        // Forms of one change request must not show the text that was typed for another.
        key={opened.path}
        opened={opened}
        view={params.comment === undefined ? (query.get('view') ?? 'changes') : 'comments'}
        comment={params.comment}
      />
    );
  return (
    <AppScreen title="Change request" heading={false}>
      {error === undefined ? <LoadingLines /> : <FailureState error={error} retry={retry} />}
    </AppScreen>
  );
}

/** Reads the change request again when the user returns to it, because others may have changed it. */
function useReloadOnReturn(reload: () => Promise<void>): void {
  useEffect(() => {
    const handle = (): void => {
      if (document.visibilityState === 'visible') reload().catch(notifyError);
    };
    document.addEventListener('visibilitychange', handle);
    return () => document.removeEventListener('visibilitychange', handle);
  });
}

interface OpenedScreenProps {
  opened: OpenedChangeRequest;
  view: string;
  /** The id of the comment that the address names. */
  comment?: string | undefined;
}

function OpenedScreen({ opened, view, comment }: OpenedScreenProps): VNode {
  const { path, changeRequest, space, organization } = opened;
  const discussion = useDiscussion(path, {
    organization: organization?.id,
    canComment: space.permissions.comment,
    target: comment,
  });
  const reload = async (): Promise<void> => {
    await Promise.all([opened.reload(), discussion.comments.reload()]);
  };
  useReloadOnReturn(reload);
  if (discussion.isTargetMissing) return <NotFoundScreen />;
  const crumbs = [
    { label: getSpaceTitle(space), href: `/app/spaces/${space.id}` },
    { label: 'Change requests', href: `/app/spaces/${space.id}/change-requests` },
  ];
  const complete = { ...opened, reload };
  const canSuggest = isActive(changeRequest);
  const reviewed: Discussion = {
    ...discussion,
    ...{ canSuggest, canApply: canSuggest && space.permissions.edit, reloadContent: reload },
  };
  return (
    <AppScreen
      title={getSubject(changeRequest)}
      crumbs={crumbs}
      actions={<ScreenActions opened={complete} />}
      lead={<Lead changeRequest={changeRequest} />}
      isWide
    >
      <div class="change-request">
        <div class="change-request-content">
          {(changeRequest.description ?? '') !== '' && <DescriptionText markdown={changeRequest.description ?? ''} />}
          <ViewTabs opened={complete} discussion={reviewed} view={view} />
          {view === 'comments' && (
            <DiscussionView discussion={reviewed} label="Comment on this change request" target={comment} />
          )}
          {view === 'conflicts' && <ConflictsView opened={complete} />}
          {view === 'changes' && <ChangesView opened={complete} discussion={reviewed} />}
        </div>
        <aside class="panels" aria-label="Review and merge">
          <ReviewersPanel opened={complete} />
          <MergePanel opened={complete} />
          <PreviewLink opened={complete} />
        </aside>
      </div>
    </AppScreen>
  );
}

const Lead = ({ changeRequest }: { changeRequest: ChangeRequest }): VNode => (
  <span class="change-request-lead">
    <StatusLabel status={changeRequest.status} />
    <span>
      {getNumberPrefix(changeRequest)}by {getUserName(changeRequest.createdBy)}, created{' '}
      <RelativeTime time={changeRequest.createdAt} />
    </span>
  </span>
);

interface ViewTabsProps extends OpenedScreenProps {
  discussion: Discussion;
}

function ViewTabs({ opened, discussion, view }: ViewTabsProps): VNode {
  const { changeRequest, changes } = opened;
  const conflicts = (changes.value?.conflicts?.length ?? 0) + (changes.value?.moreConflicts ?? 0);
  const items = changes.value === undefined ? undefined : groupChanges(changes.value.changes).length;
  const shown = discussion.comments.value?.filter(({ status }) => status === 'open').length;
  const open = discussion.showOlder === undefined ? shown : changeRequest.comments;
  const tabs: [string, string, number | undefined][] = [
    ['changes', 'Changes', items],
    ['comments', 'Comments', open],
    ...(conflicts > 0 || view === 'conflicts'
      ? [['conflicts', 'Conflicts', conflicts] as [string, string, number]]
      : []),
  ];
  return (
    <nav class="view-tabs" aria-label="Change request">
      {tabs.map(([name, label, count]) => (
        <a
          key={name}
          href={`/app${getChangeRequestAddress(changeRequest)}?view=${name}`}
          aria-current={view === name ? 'page' : undefined}
          class={name === 'conflicts' && conflicts > 0 ? 'warning' : undefined}
        >
          {label}
          {count !== undefined && <span class="count">{count}</span>}
        </a>
      ))}
      <a class="to-panels" href="#merge">
        Review and merge
      </a>
    </nav>
  );
}

function ScreenActions({ opened }: { opened: OpenedChangeRequest }): VNode {
  const [isEditing, setEditing] = useState(false);
  const { path, changeRequest, space, user, requested, reload } = opened;
  const { status, createdBy } = changeRequest;
  const isAsked = requested.some((each) => each.kind === 'user' && each.user.id === user.id);
  const canReview = isActive(changeRequest) && createdBy.id !== user.id && (space.permissions.review || isAsked);
  const setStatus = (next: ChangeRequest['status']): void => {
    api('PATCH', path, { body: { status: next } }).then(reload, notifyError);
  };
  const items: MenuItem[] = [
    { label: 'Edit title and description', icon: 'edit', onSelect: () => setEditing(true) },
    ...(status === 'open' ? [{ label: 'Convert to draft', onSelect: () => setStatus('draft') }] : []),
    ...(isActive(changeRequest)
      ? [{ label: 'Archive', icon: 'folder', startsGroup: true, onSelect: () => setStatus('archived') } as const]
      : []),
  ];
  const canEdit = space.permissions.edit && status !== 'merged';
  const { value: changes, error } = opened.changes;
  // If there are no changes, the changes view shows the button to edit pages instead.
  const hasChanges = changes === undefined ? error !== undefined : changes.changes.length > 0;
  return (
    <>
      {hasChanges && <EditPages opened={opened} />}
      {canEdit && status === 'draft' && (
        <button type="button" class="button" onClick={() => setStatus('open')}>
          Mark as ready
        </button>
      )}
      {canEdit && status === 'archived' && (
        <button type="button" class="button" onClick={() => setStatus('open')}>
          Reopen
        </button>
      )}
      {canReview && <ReviewButton opened={opened} />}
      {canEdit && (
        <Menu class="icon-button" label="More actions" items={items} align="end">
          <UiIcon name="more" />
        </Menu>
      )}
      {isEditing && <DetailsDialog opened={opened} onClose={() => setEditing(false)} />}
    </>
  );
}

function DetailsDialog({ opened, onClose }: { opened: OpenedChangeRequest; onClose: () => void }): VNode {
  const { path, changeRequest, reload } = opened;
  const save = async (details: { subject: string; description: string }): Promise<void> => {
    await api('PATCH', path, { body: details });
    onClose();
    await reload();
  };
  return (
    <Modal title="Edit change request" onClose={onClose}>
      <DetailsForm
        submit="Save"
        subject={changeRequest.subject}
        description={changeRequest.description ?? ''}
        onSubmit={save}
        onClose={onClose}
      />
    </Modal>
  );
}
