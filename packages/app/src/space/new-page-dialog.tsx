import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { ApiRequestError } from '../api.ts';
import { navigate } from '../router.ts';
import { ActionForm, Modal, SelectField, TextField } from '../ui/dialog.tsx';
import { DraftField, useDraftChoice } from './draft-field.tsx';
import { changePage, getEditAddress } from './editing.ts';
import { findPosition, type PagePosition } from './page-positions.ts';
import { readWrittenPages, reloadPages } from './use-pages.ts';

interface NewPageDialogProps {
  space: string;
  /** The change request in which the page is created. If it is undefined, the user chooses a draft. */
  changeRequest?: string | undefined;
  /** The page that the screen shows. The new page can be created inside or beside it. */
  shown?: { id: string; title: string; hasChildren: boolean } | undefined;
  onClose: () => void;
}

type Location = 'inside' | 'beside' | 'end';

/** Returns the position of a new page in the content at a path. */
async function findNewPosition(path: string, location: Location, shown: string): Promise<PagePosition> {
  if (location === 'end') return { into: null };
  const pages = await readWrittenPages(path);
  if (!pages.byId.has(shown))
    throw new ApiRequestError(0, 'This change request does not contain the page. Choose another position.');
  if (location === 'inside') return { into: shown };
  const { into, at } = findPosition(pages, shown);
  return { into, at: at + 1 };
}

/** Creates a page in a change request and opens it for editing. */
export function NewPageDialog({ space, changeRequest, shown, onClose }: NewPageDialogProps): VNode {
  const [title, setTitle] = useState('');
  const [location, setLocation] = useState<Location>(shown?.hasChildren === true ? 'inside' : 'beside');
  const choice = useDraftChoice(space, changeRequest);
  const create = async (): Promise<void> => {
    const path = choice.path ?? `/spaces/${space}`;
    const position = shown === undefined ? {} : await findNewPosition(path, location, shown.id);
    const id = await choice.open();
    const change = { operation: 'insert_page', title: title.trim(), document: { markdown: '' }, ...position };
    const page = await changePage(space, id, change);
    onClose();
    void reloadPages(`/spaces/${space}/change-requests/${id}`);
    navigate(getEditAddress(space, id, page));
  };
  return (
    <Modal title="New page" onClose={onClose}>
      <ActionForm
        submit="Create page"
        onSubmit={create}
        onCancel={onClose}
        isDisabled={title.trim() === '' || choice.path === undefined}
      >
        <TextField label="Title" maxLength={512} value={title} onChange={setTitle} />
        {shown !== undefined && <LocationField title={shown.title} location={location} choose={setLocation} />}
        <DraftField choice={choice} />
      </ActionForm>
    </Modal>
  );
}

interface LocationFieldProps {
  title: string;
  location: Location;
  choose: (location: Location) => void;
}

const LocationField = ({ title, location, choose }: LocationFieldProps): VNode => (
  <SelectField label="Position" value={location} onChange={(value) => choose(value as Location)}>
    <option value="inside">Inside “{title}”</option>
    <option value="beside">After “{title}”, on the same level</option>
    <option value="end">At the end of the top level</option>
  </SelectField>
);
