import type { ReviewStatus } from '@octavo/schema';
import type { VNode } from 'preact';
import { useId, useState } from 'preact/hooks';
import { api } from '../api.ts';
import { MentionField } from '../comments/mention-field.tsx';
import { useMentionDraft } from '../comments/use-mention-draft.ts';
import { ActionForm, Modal } from '../ui/dialog.tsx';
import { notify } from '../ui/notice.tsx';
import type { OpenedChangeRequest } from './use-change-request.ts';

interface ReviewDialogProps {
  opened: OpenedChangeRequest;
  onClose: () => void;
}

const choices: [ReviewStatus, string, string][] = [
  ['approved', 'Approve', 'The changes can be merged.'],
  ['changes-requested', 'Request changes', 'Changes are required before the merge.'],
];

/** Approves a change request or requests changes, with an optional comment. */
export function ReviewDialog({ opened, onClose }: ReviewDialogProps): VNode {
  const [status, setStatus] = useState<ReviewStatus>();
  const { field, markdown } = useMentionDraft();
  const name = useId();
  const send = async (): Promise<void> => {
    const comment = markdown === '' ? {} : { comment: { markdown } };
    await api('POST', `${opened.path}/reviews`, { body: { status, ...comment } });
    onClose();
    notify(status === 'approved' ? 'You approved the changes.' : 'You requested changes.');
    await opened.reload();
  };
  return (
    <Modal title="Review changes" onClose={onClose}>
      <ActionForm submit="Submit review" onSubmit={send} onCancel={onClose}>
        <fieldset class="choices">
          <legend class="hidden">Result</legend>
          {choices.map(([value, label, hint]) => (
            <label key={value}>
              <input type="radio" name={name} required checked={status === value} onChange={() => setStatus(value)} />
              <span class="grow">
                {label}
                <small>{hint}</small>
              </span>
            </label>
          ))}
        </fieldset>
        <p class="strong" aria-hidden="true">
          Comment (optional)
        </p>
        <MentionField label="Comment (optional)" organization={opened.organization?.id} {...field} />
      </ActionForm>
    </Modal>
  );
}
