import type { Page } from '@octavo/schema';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { navigate } from '../router.ts';
import { getEditAddress } from '../space/editing.ts';
import { NewPageDialog } from '../space/new-page-dialog.tsx';
import type { SpacePages } from '../space/tree-rows.ts';
import { getAncestors, usePages } from '../space/use-pages.ts';
import { ActionForm, Modal, TextField } from '../ui/dialog.tsx';
import { UiIcon } from '../ui/icon.tsx';
import { LoadedContent } from '../ui/states.tsx';
import { isActive, type OpenedChangeRequest } from './use-change-request.ts';

/** The button that opens the pages of a change request for editing. It is shown to users who can edit them. */
export function EditPages({ opened }: { opened: OpenedChangeRequest }): VNode | null {
  const [dialog, setDialog] = useState<'pages' | 'new'>();
  const { space, changeRequest, path } = opened;
  const close = (): void => setDialog(undefined);
  if (!space.permissions.edit || !isActive(changeRequest)) return null;
  return (
    <>
      <button type="button" class="button" onClick={() => setDialog('pages')}>
        <UiIcon name="edit" />
        <span>
          Edit<span class="wide-only"> a page</span>
        </span>
      </button>
      {dialog === 'pages' && (
        <PagesDialog
          path={path}
          getAddress={(page) => getEditAddress(space.id, changeRequest.id, page)}
          create={() => setDialog('new')}
          onClose={close}
        />
      )}
      {dialog === 'new' && <NewPageDialog space={space.id} changeRequest={changeRequest.id} onClose={close} />}
    </>
  );
}

/** Number of pages that are listed. The search finds all others. */
const maxListed = 50;

/** Returns the pages that can be edited and whose title contains a text. */
const findPages = (pages: SpacePages, words: string): Page[] =>
  listInOrder(pages.roots).filter(
    (page) =>
      page.type === 'document' &&
      page.computed === undefined &&
      page.title.toLowerCase().includes(words.trim().toLowerCase()),
  );

const listInOrder = (pages: Page[]): Page[] =>
  pages.flatMap((page) => [page, ...('pages' in page ? listInOrder(page.pages) : [])]);

interface PagesDialogProps {
  /** The path of the change request in the API. */
  path: string;
  getAddress: (page: string) => string;
  create: () => void;
  onClose: () => void;
}

function PagesDialog({ path, getAddress, create, onClose }: PagesDialogProps): VNode {
  const [words, setWords] = useState('');
  const pages = usePages(path, { isWritten: true });
  const found = pages.value === undefined ? [] : findPages(pages.value, words);
  const openFirst = async (): Promise<void> => {
    if (found[0] !== undefined) navigate(getAddress(found[0].id));
  };
  return (
    <Modal title="Edit a page" onClose={onClose}>
      <ActionForm submit="Edit the first page" onSubmit={openFirst} onCancel={onClose} isDisabled={found.length === 0}>
        <TextField label="Search pages" type="search" value={words} onChange={setWords} />
        <LoadedContent loaded={pages}>
          {(loaded) => <PageList pages={loaded} found={found} getAddress={getAddress} />}
        </LoadedContent>
        <button type="button" class="button" onClick={create}>
          <UiIcon name="plus" />
          New page
        </button>
      </ActionForm>
    </Modal>
  );
}

interface PageListProps {
  pages: SpacePages;
  found: Page[];
  getAddress: (page: string) => string;
}

function PageList({ pages, found, getAddress }: PageListProps): VNode {
  if (found.length === 0) return <p class="muted">No pages found</p>;
  return (
    <div>
      <ul class="rows picked-pages" aria-label="Pages">
        {found.slice(0, maxListed).map(({ id, title }) => (
          <li key={id}>
            <a class="row" href={`/app${getAddress(id)}`}>
              <span class="grow">
                {title}
                <small>
                  {getAncestors(pages, id)
                    .map((each) => each.title)
                    .join(' / ')}
                </small>
              </span>
            </a>
          </li>
        ))}
      </ul>
      {found.length > maxListed && <p class="hint-text">{found.length - maxListed} more. Search to find them.</p>}
    </div>
  );
}
