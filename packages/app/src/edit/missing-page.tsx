import type { ChangeRequest, DocumentPage } from '@octavo/schema';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { getPageAddress } from '../page/resolve-reference.ts';
import { describeDraft } from '../space/draft-field.tsx';
import { EmptyState, FailureState, LoadingLines } from '../ui/states.tsx';
import { useApi } from '../use-api.ts';
import { DraftMenu, switchDraft } from './draft-line.tsx';
import type { EditedPage } from './edited-page.ts';

interface MissingPageProps {
  edited: EditedPage;
  /** The error that the API returned for the page. */
  error: unknown;
}

/** Offers other change requests for a page that the chosen one does not have. */
export function MissingPage({ edited, error }: MissingPageProps): VNode {
  const { space, page } = edited;
  const path = `/spaces/${space}`;
  const changeRequest = useApi<ChangeRequest>(`${path}/change-requests/${edited.changeRequest}`);
  const live = useApi<DocumentPage>(`${path}/content/page/${page}`, { depth: 0 });
  const [isBusy, setBusy] = useState(false);
  const editInNewDraft = async (): Promise<void> => {
    setBusy(true);
    await switchDraft(edited, undefined);
    setBusy(false);
  };
  if (changeRequest.error !== undefined) return <FailureState error={error} />;
  if (changeRequest.value === undefined || (live.value === undefined && live.error === undefined))
    return <LoadingLines />;
  const { number, subject } = changeRequest.value;
  const name = subject === '' ? `change request #${number}` : `“${describeDraft(changeRequest.value)}”`;
  return (
    <EmptyState icon="file" title={`This page is not in ${name}`}>
      <p>
        {live.value === undefined
          ? 'It was created in another change request, or it was deleted.'
          : `“${live.value.title}” is newer than the change request, or was deleted in it.`}
      </p>
      <div class="empty-actions">
        {live.value !== undefined && (
          <>
            <button type="button" class="button primary" disabled={isBusy} onClick={editInNewDraft}>
              Edit in a new change request
            </button>
            <a class="button" href={getPageAddress(path, page)}>
              Open the live page
            </a>
          </>
        )}
        <DraftMenu edited={edited} changeRequest={changeRequest.value} class="button">
          Choose another change request
        </DraftMenu>
      </div>
    </EmptyState>
  );
}
