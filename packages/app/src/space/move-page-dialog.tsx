import type { Page } from '@octavo/schema';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { navigate } from '../router.ts';
import { ActionForm, Modal, SelectField } from '../ui/dialog.tsx';
import { notify } from '../ui/notice.tsx';
import { LoadedContent } from '../ui/states.tsx';
import { type ChangedPageProps, MissingPage } from './delete-page-dialog.tsx';
import { DraftField, useDraftChoice } from './draft-field.tsx';
import { changePage } from './editing.ts';
import { listParents } from './page-moves.ts';
import { findPosition, getSiblings } from './page-positions.ts';
import type { SpacePages } from './tree-rows.ts';
import { reloadMovedPages, usePages } from './use-pages.ts';

interface Position {
  /** The id of the parent, or an empty string at the top level. */
  parent: string;
  /** The index among the siblings without the moved page. */
  at: number;
}

/** Moves a page in a change request, and opens the change request. */
export function MovePageDialog({ space, page, changeRequest, onClose }: ChangedPageProps): VNode {
  const choice = useDraftChoice(space, changeRequest);
  const pages = usePages(choice.path, { isWritten: true });
  const [selected, setSelected] = useState<Position>();
  const { value } = pages;
  const found = value?.byId.get(page.id);
  const current = value && found && findPosition(value, found.id);
  const position = selected ?? (current && { parent: current.into ?? '', at: current.at });
  const isUnchanged = position?.parent === (current?.into ?? '') && position.at === current?.at;
  const move = async (): Promise<void> => {
    if (position === undefined) return;
    const id = await choice.open();
    const into = position.parent === '' ? null : position.parent;
    await changePage(space, id, { operation: 'update_page', page: page.id, into, at: position.at });
    onClose();
    void reloadMovedPages(`/spaces/${space}/change-requests/${id}`);
    notify(`“${page.title}” is moved in this change request. Readers see it there after the merge.`);
    navigate(`/spaces/${space}/change-requests/${id}`);
  };
  const chooseDraft = (id: string): void => {
    setSelected(undefined);
    choice.choose(id);
  };
  return (
    <Modal title={`Move “${page.title}”`} onClose={onClose}>
      <ActionForm
        submit="Move"
        onSubmit={move}
        onCancel={onClose}
        isDisabled={current === undefined || position === undefined || isUnchanged}
      >
        <LoadedContent loaded={pages} lines={3}>
          {(loaded) =>
            found === undefined || position === undefined ? (
              <MissingPage />
            ) : (
              <PositionFields pages={loaded} page={found} position={position} choose={setSelected} />
            )
          }
        </LoadedContent>
        <DraftField choice={{ ...choice, choose: chooseDraft }} />
      </ActionForm>
    </Modal>
  );
}

interface PositionFieldsProps {
  pages: SpacePages;
  /** The moved page. */
  page: Page;
  position: Position;
  choose: (position: Position) => void;
}

const indent = '\u2003';

/** The choice of the parent page and of the position in it. */
function PositionFields({ pages, page, position, choose }: PositionFieldsProps): VNode {
  const listOthers = (parent: string) =>
    getSiblings(pages, parent === '' ? undefined : parent).filter(({ id }) => id !== page.id);
  const chooseParent = (parent: string): void => choose({ parent, at: listOthers(parent).length });
  return (
    <>
      <SelectField label="Parent page" value={position.parent} onChange={chooseParent}>
        <option value="">Top level</option>
        {listParents(pages, page).map(({ id, title, level }) => (
          <option key={id} value={id}>
            {indent.repeat(level) + title}
          </option>
        ))}
      </SelectField>
      <SelectField
        label="Position"
        value={String(position.at)}
        onChange={(value) => choose({ ...position, at: Number(value) })}
      >
        <option value="0">First</option>
        {listOthers(position.parent).map(({ id, title }, index) => (
          <option key={id} value={String(index + 1)}>
            After “{title}”
          </option>
        ))}
      </SelectField>
    </>
  );
}
