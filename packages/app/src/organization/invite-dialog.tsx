import type { Role } from '@octavo/schema';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { ActionForm, Field, Modal, SelectField } from '../ui/dialog.tsx';
import { notify } from '../ui/notice.tsx';
import { createInvitationError, inviteMembers } from './invite-members.ts';
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
  const [role, setRole] = useState<Role>('edit');
  const emails = readEmails(text);
  const invite = async (): Promise<void> => {
    const { invited, failed } = await inviteMembers(
      path,
      emails.map((email) => ({ email, role })),
    );
    if (invited > 0) notify(invited === 1 ? '1 person was invited' : `${invited} people were invited`);
    if (failed.length === 0) onClose();
    else setText(failed.join(', '));
    await reload();
    if (failed.length > 0) throw createInvitationError(failed);
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
          onChange={(value) => setRole(value as Role)}
        >
          {memberRoles.map(([value, name]) => (
            <option value={value}>{name}</option>
          ))}
        </SelectField>
      </ActionForm>
    </Modal>
  );
}
