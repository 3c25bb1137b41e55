import type { ChangeRequest } from '@octavo/schema';
import type { ComponentChildren, VNode } from 'preact';
import { ApiRequestError, get } from '../api.ts';
import { getChangeRequestAddress } from '../change-requests/status-label.tsx';
import { navigate } from '../router.ts';
import { describeDraft, useDrafts } from '../space/draft-field.tsx';
import { createDraft, getEditAddress } from '../space/editing.ts';
import { UiIcon } from '../ui/icon.tsx';
import { Menu, type MenuItem } from '../ui/menu.tsx';
import { notifyError } from '../ui/notice.tsx';
import type { EditedPage } from './edited-page.ts';

let isSwitching = false;

/**
 * Opens the page in another change request, or in a new one if `draft` is undefined. Further calls are ignored until the
 * first one ends, so that a double click creates only one change request.
 */
export async function switchDraft(edited: EditedPage, draft: ChangeRequest | undefined): Promise<void> {
  if (isSwitching) return;
  isSwitching = true;
  await openInDraft(edited, draft).finally(() => {
    isSwitching = false;
  });
}

async function openInDraft({ space, page }: EditedPage, draft: ChangeRequest | undefined): Promise<void> {
  const path = `/spaces/${space}${draft === undefined ? '' : `/change-requests/${draft.id}`}`;
  try {
    await get(`${path}/content/page/${page}`, { depth: 0 });
    navigate(getEditAddress(space, (draft ?? (await createDraft(space))).id, page));
  } catch (error) {
    const isMissing = error instanceof ApiRequestError && error.status === 404;
    const place = draft === undefined ? 'the live content' : `the change request ${describeDraft(draft)}`;
    notifyError(isMissing ? new ApiRequestError(404, `This page does not exist in ${place}.`) : error);
  }
}

interface DraftLineProps {
  edited: EditedPage;
  changeRequest: ChangeRequest;
}

/** The change request that the text is saved in, with a menu that opens the page in another one. */
export const DraftLine = ({ edited, changeRequest }: DraftLineProps): VNode => (
  <div class="edit-draft">
    <span>
      Saved in the change request{' '}
      <a href={`/app${getChangeRequestAddress(changeRequest)}`}>{describeDraft(changeRequest)}</a>
    </span>
    <DraftMenu edited={edited} changeRequest={changeRequest} class="button small">
      Change
    </DraftMenu>
  </div>
);

interface DraftMenuProps extends DraftLineProps {
  class: string;
  /** The content of the button. */
  children: ComponentChildren;
}

/** A menu that opens the page in another change request. */
export function DraftMenu({ edited, changeRequest, children, ...button }: DraftMenuProps): VNode {
  const { value: drafts = [] } = useDrafts(edited.space);
  const others = drafts.filter(({ id }) => id !== changeRequest.id);
  const items: MenuItem[] = [
    { label: describeDraft(changeRequest), isCurrent: true },
    ...others.map((draft) => ({
      label: describeDraft(draft),
      isCurrent: false,
      onSelect: () => void switchDraft(edited, draft),
    })),
    {
      label: 'New change request',
      icon: 'plus',
      startsGroup: true,
      onSelect: () => void switchDraft(edited, undefined),
    },
  ];
  return (
    <Menu class={button.class} label="Choose another change request" items={items}>
      {children}
      <UiIcon name="chevron-down" />
    </Menu>
  );
}
