import type { DocumentPage, Space } from '@octavo/schema';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { navigate } from '../router.ts';
import { UiIcon } from '../ui/icon.tsx';
import { notifyError } from '../ui/notice.tsx';
import { getEditAddress, openDraft } from './editing.ts';
import { PublishButton } from './publish-button.tsx';
import { SpaceActions } from './space-actions.tsx';

interface PageActionsProps {
  space: Space;
  page: DocumentPage;
}

/** The buttons above a page: editing, and the menu of the page and its space. */
export function PageActions({ space, page }: PageActionsProps): VNode {
  const [isBusy, setBusy] = useState(false);
  const edit = async (): Promise<void> => {
    setBusy(true);
    try {
      const { id } = await openDraft(space.id);
      navigate(getEditAddress(space.id, id, page.id));
    } catch (error) {
      notifyError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <PublishButton space={space} />
      {space.permissions.edit && page.computed === undefined && (
        <button type="button" class="button primary" disabled={isBusy} onClick={edit}>
          <UiIcon name="edit" />
          Edit
        </button>
      )}
      <SpaceActions space={space} page={page} />
    </>
  );
}
