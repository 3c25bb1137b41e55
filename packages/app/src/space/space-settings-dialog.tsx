import type { Space } from '@octavo/schema';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../api.ts';
import { navigate } from '../router.ts';
import { getSpaceTitle } from '../shell/sidebar.tsx';
import { ActionForm, ConfirmDialog, Modal, TextField } from '../ui/dialog.tsx';
import { notify } from '../ui/notice.tsx';
import { reloadPath } from '../use-api.ts';

interface SpaceSettingsProps {
  space: Space;
  onClose: () => void;
}

/** Renames or deletes a space. */
export function SpaceSettingsDialog({ space, onClose }: SpaceSettingsProps): VNode {
  const [title, setTitle] = useState(space.title);
  const [isDeleting, setDeleting] = useState(false);
  const path = `/spaces/${space.id}`;
  const reloadList = (): Promise<void> => reloadPath(`/orgs/${space.organization}/spaces`);
  const save = async (): Promise<void> => {
    await api('PATCH', path, { body: { title: title.trim() } });
    await Promise.all([reloadPath(path), reloadList()]);
    onClose();
    notify('Settings saved');
  };
  const remove = async (): Promise<void> => {
    await api('DELETE', path);
    onClose();
    navigate(`/orgs/${space.organization}`);
    notify(`“${getSpaceTitle(space)}” was deleted`);
    await reloadList();
  };
  if (isDeleting)
    return (
      <ConfirmDialog
        title={`Delete “${getSpaceTitle(space)}”?`}
        text="All pages, files and change requests of this space are deleted, and sites no longer show it. You can restore it through the API within 7 days."
        submit="Delete space"
        onConfirm={remove}
        onClose={() => setDeleting(false)}
      />
    );
  return (
    <Modal title="Space settings" onClose={onClose}>
      <ActionForm submit="Save" onSubmit={save} onCancel={onClose} isDisabled={title.trim() === ''}>
        <TextField label="Title" value={title} maxLength={50} onChange={setTitle} />
      </ActionForm>
      <div class="modal-danger">
        <p class="hint-text">Deletes the space with all its pages.</p>
        <button type="button" class="button danger" onClick={() => setDeleting(true)}>
          Delete space
        </button>
      </div>
    </Modal>
  );
}
