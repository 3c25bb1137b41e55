import type { Collection, Organization, Space } from '@octavo/schema';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../api.ts';
import { navigate } from '../router.ts';
import { ActionForm, Modal, SelectField, TextField } from '../ui/dialog.tsx';
import { useList } from '../use-api.ts';

interface NewSpaceProps {
  /** The organizations in which the user can create spaces. */
  organizations: Organization[];
  onClose: () => void;
}

/** Creates a space and opens it. */
export function NewSpaceDialog({ organizations, onClose }: NewSpaceProps): VNode {
  const [title, setTitle] = useState('');
  const [organization, setOrganization] = useState(organizations[0]?.id ?? '');
  const [parent, setParent] = useState('');
  const path = `/orgs/${organization}`;
  const { value: collections = [] } = useList<Collection>(`${path}/collections`);
  const available = collections.filter(({ permissions }) => permissions.create);
  const create = async (): Promise<void> => {
    const body = { title: title.trim(), ...(parent === '' ? {} : { parent }) };
    const { id } = await api<Space>('POST', `${path}/spaces`, { body });
    onClose();
    navigate(`/spaces/${id}`);
  };
  const chooseOrganization = (id: string): void => {
    setOrganization(id);
    setParent('');
  };
  return (
    <Modal title="New space" onClose={onClose}>
      <ActionForm submit="Create space" onSubmit={create} onCancel={onClose} isDisabled={title.trim() === ''}>
        <TextField label="Title" value={title} maxLength={50} onChange={setTitle} />
        {organizations.length > 1 && (
          <SelectField label="Organization" value={organization} onChange={chooseOrganization}>
            {organizations.map(createOption)}
          </SelectField>
        )}
        {available.length > 0 && (
          <SelectField label="Collection" value={parent} onChange={setParent}>
            <option value="">None</option>
            {available.map(createOption)}
          </SelectField>
        )}
      </ActionForm>
    </Modal>
  );
}

const createOption = ({ id, title }: Pick<Collection | Organization, 'id' | 'title'>): VNode => (
  <option key={id} value={id}>
    {title || 'Untitled'}
  </option>
);
