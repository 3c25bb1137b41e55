import type { VNode } from 'preact';
import type { Discussion } from '../comments/discussion.ts';
import { OlderComments } from '../comments/discussion-view.tsx';
import { getEditAddress } from '../space/editing.ts';
import { UiIcon } from '../ui/icon.tsx';
import { EmptyState, LoadedContent } from '../ui/states.tsx';
import type { ChangedItem } from './changed-items.ts';
import { Differences } from './differences.tsx';
import { EditPages } from './edit-pages.tsx';
import type { ComparedPoint } from './rendered-difference.tsx';
import { isActive, type OpenedChangeRequest } from './use-change-request.ts';

interface ChangesViewProps {
  opened: OpenedChangeRequest;
  discussion: Discussion;
}

/** The changes of a change request with their differences. */
export function ChangesView({ opened, discussion }: ChangesViewProps): VNode {
  const { path, space, changeRequest } = opened;
  const { revision, revisionInitial, revisionMergedAncestor: base = revisionInitial } = changeRequest;
  const compared: ComparedPoint = { space: space.id, path, base, revision, discussion };
  const canEdit = space.permissions.edit && isActive(changeRequest);
  return (
    <LoadedContent loaded={opened.changes}>
      {(changes) =>
        changes.changes.length === 0 ? (
          <EmptyState icon="file" title="No changes yet">
            <p>Edit a page in this change request, and its changes appear here.</p>
            <EditPages opened={opened} />
          </EmptyState>
        ) : (
          <>
            <OlderComments discussion={discussion} />
            <Differences
              compared={compared}
              changes={changes}
              getActions={(item) => canEdit && <EditLink opened={opened} item={item} />}
            />
          </>
        )
      }
    </LoadedContent>
  );
}

function EditLink({ opened, item: { page } }: { opened: OpenedChangeRequest; item: ChangedItem }): VNode | null {
  if (page?.type !== 'document' || page.isDeleted) return null;
  return (
    <p class="changed-actions">
      <a class="button small" href={`/app${getEditAddress(opened.space.id, opened.changeRequest.id, page.id)}`}>
        <UiIcon name="edit" />
        Edit page
      </a>
    </p>
  );
}
