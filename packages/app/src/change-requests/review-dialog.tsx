import type { ReviewStatus } from '@octavo/schema';
import type { VNode } from 'preact';
import { useId, useState } from 'preact/hooks';
import { ApiRequestError, api } from '../api.ts';
import { MentionField } from '../comments/mention-field.tsx';
import { useMentionDraft } from '../comments/use-mention-draft.ts';
import { navigate } from '../router.ts';
import { ActionForm, Modal } from '../ui/dialog.tsx';
import { notify } from '../ui/notice.tsx';
import { getChangeRequestAddress } from './status-label.tsx';
import type { OpenedChangeRequest } from './use-change-request.ts';

/** The button that opens the review dialog. The comment is kept until the review is submitted. */
export function ReviewButton({ opened }: { opened: OpenedChangeRequest }): VNode {
  const draft = useMentionDraft();
  const [seen, setSeen] = useState<string>();
  return (
    <>
      <button type="button" class="button primary" onClick={() => setSeen(opened.changeRequest.revision)}>
        <span>
          Review<span class="wide-only"> changes</span>
        </span>
      </button>
      {seen !== undefined && (
        <ReviewDialog opened={opened} seen={seen} comment={draft} onClose={() => setSeen(undefined)} />
      )}
    </>
  );
}

interface ReviewDialogProps {
  opened: OpenedChangeRequest;
  /** The revision that was shown when the dialog was opened. */
  seen: string;
  comment: ReturnType<typeof useMentionDraft>;
  onClose: () => void;
}

/** Approves a change request or requests changes, with an optional comment. */
function ReviewDialog({ opened, seen, comment, onClose }: ReviewDialogProps): VNode {
  const { path, changeRequest, organization, reload } = opened;
  const [status, setStatus] = useState<ReviewStatus>();
  const [isRejected, setRejected] = useState(false);
  const hasChanged = isRejected || changeRequest.revision !== seen;
  const send = async (): Promise<void> => {
    const { markdown } = comment;
    const body = markdown === '' ? { status } : { status, comment: { markdown } };
    try {
      await api('POST', `${path}/reviews`, { body, headers: { 'if-match': `"${seen}"` } });
    } catch (error) {
      if (!(error instanceof ApiRequestError) || error.status !== 412) throw error;
      setRejected(true);
      await reload();
      return;
    }
    comment.clearSent();
    onClose();
    notify(status === 'approved' ? 'You approved the changes.' : 'You requested changes.');
    await reload();
  };
  const openChanges = async (): Promise<void> => {
    onClose();
    navigate(`${getChangeRequestAddress(changeRequest)}?view=changes`);
  };
  return (
    <Modal title="Review changes" onClose={onClose}>
      <ActionForm
        submit={hasChanged ? 'View changes' : 'Submit review'}
        onSubmit={hasChanged ? openChanges : send}
        onCancel={onClose}
      >
        {hasChanged ? <ChangedMessage /> : <StatusChoices status={status} onChange={setStatus} />}
        <p class="strong" aria-hidden="true">
          Comment (optional)
        </p>
        <MentionField label="Comment (optional)" organization={organization?.id} {...comment.field} />
      </ActionForm>
    </Modal>
  );
}

const ChangedMessage = (): VNode => (
  <p class="form-error" role="alert">
    The change request has changed since you opened this dialog. View the changes again before you review them. Your
    comment is kept.
  </p>
);

const choices: [ReviewStatus, string, string][] = [
  ['approved', 'Approve', 'The changes can be merged.'],
  ['changes-requested', 'Request changes', 'Changes are required before the merge.'],
];

interface StatusChoicesProps {
  status: ReviewStatus | undefined;
  onChange: (status: ReviewStatus) => void;
}

function StatusChoices({ status, onChange }: StatusChoicesProps): VNode {
  const name = useId();
  return (
    <fieldset class="choices">
      <legend class="hidden">Result</legend>
      {choices.map(([value, label, hint]) => (
        <label key={value}>
          <input type="radio" name={name} required checked={status === value} onChange={() => onChange(value)} />
          <span class="grow">
            {label}
            <small>{hint}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
