import type { ChangeRequest, ChangeRequestStatus } from '@octavo/schema';
import type { VNode } from 'preact';

const names: Record<ChangeRequestStatus, string> = {
  draft: 'Draft',
  open: 'Open',
  merged: 'Merged',
  archived: 'Archived',
};

export const StatusLabel = ({ status }: Pick<ChangeRequest, 'status'>): VNode => (
  <span class={`label ${status}`}>{names[status]}</span>
);

/** Returns the address of a change request in the app. */
export const getChangeRequestAddress = ({ space, id }: Pick<ChangeRequest, 'space' | 'id'>): string =>
  `/spaces/${space}/change-requests/${id}`;
