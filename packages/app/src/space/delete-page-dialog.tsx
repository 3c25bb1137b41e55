import type { VNode } from 'preact';
import { navigate } from '../router.ts';
import { ActionForm, Modal } from '../ui/dialog.tsx';
import { notify } from '../ui/notice.tsx';
import { LoadedContent } from '../ui/states.tsx';
import { DraftField, useDraftChoice } from './draft-field.tsx';
import { changePage } from './editing.ts';
import { countBelow } from './page-positions.ts';
import { reloadMovedPages, usePages } from './use-pages.ts';

/** The page that an action changes. */
export interface ChangedPageProps {
  space: string;
  page: { id: string; title: string };
  /** The change request in which it is changed. If it is undefined, the user chooses a draft. */
  changeRequest?: string | undefined;
  onClose: () => void;
}

/** The message in place of an action if the chosen change request does not contain the page. */
export const MissingPage = (): VNode => (
  <p class="form-error">This change request does not contain the page. Choose another one.</p>
);

function describeBelow(count: number): string {
  if (count === 0) return 'There are no pages below it.';
  return count === 1 ? 'The page below it is deleted too.' : `The ${count} pages below it are deleted too.`;
}

/** Deletes a page in a change request, and opens the change request. */
export function DeletePageDialog({ space, page, changeRequest, onClose }: ChangedPageProps): VNode {
  const choice = useDraftChoice(space, changeRequest);
  const pages = usePages(choice.path);
  const found = pages.value?.byId.get(page.id);
  const remove = async (): Promise<void> => {
    const id = await choice.open();
    await changePage(space, id, { operation: 'delete_page', page: page.id });
    onClose();
    void reloadMovedPages(`/spaces/${space}/change-requests/${id}`);
    notify(`“${page.title}” is deleted in this change request. Readers see it until the merge.`);
    navigate(`/spaces/${space}/change-requests/${id}`);
  };
  return (
    <Modal title="Delete page" onClose={onClose}>
      <ActionForm submit="Delete" isDanger onSubmit={remove} onCancel={onClose} isDisabled={found === undefined}>
        <LoadedContent loaded={pages} lines={1}>
          {() =>
            found === undefined ? (
              <MissingPage />
            ) : (
              <p>
                Delete “{page.title}”? {describeBelow(countBelow(found))}
              </p>
            )
          }
        </LoadedContent>
        <DraftField choice={choice} />
      </ActionForm>
    </Modal>
  );
}
