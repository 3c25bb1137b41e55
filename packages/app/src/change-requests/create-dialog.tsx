import type { ChangeRequest } from '@octavo/schema';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../api.ts';
import { navigate } from '../router.ts';
import { ActionForm, Field, Modal, TextField } from '../ui/dialog.tsx';
import { getChangeRequestAddress } from './status-label.tsx';

const maxSubject = 100;
const maxDescription = 10_000;

interface DetailsFormProps {
  submit: string;
  subject: string;
  description: string;
  onSubmit: (details: { subject: string; description: string }) => Promise<void>;
  onClose: () => void;
}

/** The title and the description of a change request. */
export function DetailsForm({ submit, onSubmit, onClose, ...initial }: DetailsFormProps): VNode {
  const [subject, setSubject] = useState(initial.subject);
  const [description, setDescription] = useState(initial.description);
  return (
    <ActionForm submit={submit} onCancel={onClose} onSubmit={() => onSubmit({ subject: subject.trim(), description })}>
      <TextField label="Title" maxLength={maxSubject} value={subject} onChange={setSubject} />
      <Field label="Description" hint="Explain why the content should change. You can use Markdown.">
        {(ids) => (
          <textarea
            {...ids}
            class="input"
            rows={6}
            maxLength={maxDescription}
            value={description}
            onInput={(event) => setDescription(event.currentTarget.value)}
          />
        )}
      </Field>
    </ActionForm>
  );
}

interface CreateDialogProps {
  space: string;
  onClose: () => void;
}

/** Creates a change request and opens it. */
export function CreateDialog({ space, onClose }: CreateDialogProps): VNode {
  const create = async (details: { subject: string; description: string }): Promise<void> => {
    const created = await api<ChangeRequest>('POST', `/spaces/${space}/change-requests`, { body: details });
    onClose();
    navigate(getChangeRequestAddress(created));
  };
  return (
    <Modal title="New change request" onClose={onClose}>
      <DetailsForm submit="Create" subject="" description="" onSubmit={create} onClose={onClose} />
    </Modal>
  );
}
