import type { Role } from '@octavo/schema';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../api.ts';
import { ActionForm, Field, Modal, SelectField } from '../ui/dialog.tsx';
import { notify } from '../ui/notice.tsx';
import { memberRoles } from './role-names.ts';

interface InviteDialogProps {
  path: string;
  reload: () => Promise<void>;
  onClose: () => void;
}

const readEmails = (text: string): string[] => text.split(/[\s,;]+/).filter((each) => each !== '');

/** Describes the first text that is not an email address; empty if all are. */
function describeWrongEmail(emails: string[]): string {
  const wrong = emails.find((each) => !/^[^@]+@[^@]+$/.test(each));
  return wrong === undefined ? '' : `“${wrong}” is not an email address.`;
}

/** Invites people by email. Each receives a link that signs in. */
export function InviteDialog({ path, reload, onClose }: InviteDialogProps): VNode {
  const [text, setText] = useState('');
  const [role, setRole] = useState<string>('edit' satisfies Role);
  const emails = readEmails(text);
  const invite = async (): Promise<void> => {
    const { invited } = await api<{ invited: number }>('POST', `${path}/invites`, { body: { emails, role } });
    notify(invited === 1 ? '1 person was invited' : `${invited} people were invited`);
    onClose();
    await reload();
  };
  return (
    <Modal title="Invite people" onClose={onClose}>
      <ActionForm submit="Send invitations" onSubmit={invite} onCancel={onClose} isDisabled={emails.length === 0}>
        <Field label="Email addresses" hint="Separate several addresses with commas or line breaks.">
          {(ids) => (
            <textarea
              class="input"
              {...ids}
              ref={(field) => field?.setCustomValidity(describeWrongEmail(emails))}
              rows={3}
              value={text}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
            />
          )}
        </Field>
        <SelectField
          label="Role"
          hint={memberRoles.find(([value]) => value === role)?.[2]}
          value={role}
          onChange={setRole}
        >
          {memberRoles.map(([value, name]) => (
            <option value={value}>{name}</option>
          ))}
        </SelectField>
      </ActionForm>
    </Modal>
  );
}
