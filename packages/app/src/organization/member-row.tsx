import type { Member, Role } from '@octavo/schema';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../api.ts';
import { getUserName } from '../comments/names.ts';
import { useUser } from '../session.ts';
import { Avatar } from '../ui/avatar.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { UiIcon } from '../ui/icon.tsx';
import { Menu, type MenuItem } from '../ui/menu.tsx';
import { notify, notifyError } from '../ui/notice.tsx';
import { isInvited } from './invitation.ts';
import { createInvitationError, inviteMembers } from './invite-members.ts';
import { getRoleName, memberRoles } from './role-names.ts';
import { isPerson } from './sso-members.ts';

interface MemberRowProps {
  member: Member;
  /** The path of the organization. */
  path: string;
  isAdmin: boolean;
  /** Whether members can sign in through a provider. */
  hasSso: boolean;
  reload: () => Promise<void>;
}

/** A member with the role. Admins can change the member. */
export function MemberRow(props: MemberRowProps): VNode {
  const { member, isAdmin } = props;
  const { value: user } = useUser();
  const name = getUserName(member.user);
  const isSelf = member.id === user?.id;
  const isInvitationOpen = isInvited(member) && !isSelf;
  return (
    <li>
      <div class="row">
        <Avatar name={name} photo={member.user.photoURL} />
        <span class="grow">
          <span class="strong">{name}</span>
          {isSelf && <span class="label">You</span>}
          {member.user.email !== undefined && member.user.email !== name && <small>{member.user.email}</small>}
        </span>
        {isInvitationOpen && (
          <span class="label" title="Has not opened this organization yet">
            Invited
          </span>
        )}
        {member.disabled && <span class="label">Disabled</span>}
        {isAdmin ? (
          <MemberMenu {...props} isInvitationOpen={isInvitationOpen} />
        ) : (
          <small>{getRoleName(member.role)}</small>
        )}
      </div>
    </li>
  );
}

/** Changes the role of a member. */
async function changeRole(memberPath: string, { user }: Member, role: Role): Promise<void> {
  await api('PATCH', memberPath, { body: { role } });
  notify(`${getUserName(user)} is now ${getRoleName(role).toLowerCase()}`);
}

/** Sends the mail of an invitation again. */
async function repeatInvitation(path: string, { user: { email }, role }: Member): Promise<void> {
  const { failed } = await inviteMembers(path, [{ email, role }]);
  if (failed.length > 0) throw createInvitationError(failed);
  notify(`The invitation was sent again to ${email}`);
}

interface MemberMenuProps extends MemberRowProps {
  isInvitationOpen: boolean;
}

function MemberMenu({ member, path, hasSso, isInvitationOpen, reload }: MemberMenuProps): VNode {
  const [dialog, setDialog] = useState<'remove' | 'sso'>();
  const name = getUserName(member.user);
  const memberPath = `${path}/members/${member.id}`;
  const run = (action: Promise<void>): void => {
    action.then(reload).catch(notifyError);
  };
  const createRoleItem = ([role, label]: (typeof memberRoles)[number]): MenuItem => ({
    ...{ label, isCurrent: role === member.role },
    onSelect: () => run(changeRole(memberPath, member, role)),
  });
  const items: MenuItem[] = [
    ...memberRoles.map(createRoleItem),
    ...(isInvitationOpen
      ? [{ label: 'Send invitation again', startsGroup: true, onSelect: () => run(repeatInvitation(path, member)) }]
      : []),
    ...(hasSso && !member.sso && isPerson(member.user)
      ? [{ label: 'Use single sign-on', startsGroup: !isInvitationOpen, onSelect: () => setDialog('sso') }]
      : []),
    { label: 'Remove from organization', isDanger: true, startsGroup: true, onSelect: () => setDialog('remove') },
  ];
  return (
    <>
      <Menu class="button" align="end" items={items}>
        <span class="hidden">Role of {name}: </span>
        {getRoleName(member.role)}
        <UiIcon name="chevron-down" />
      </Menu>
      {dialog === 'remove' && (
        <ConfirmDialog
          title={`Remove ${name}?`}
          text="They lose access to all spaces of this organization. Their pages and comments are kept."
          submit="Remove"
          onConfirm={() => api<void>('DELETE', memberPath).then(reload)}
          onClose={() => setDialog(undefined)}
        />
      )}
      {dialog === 'sso' && <SsoDialog {...{ member, memberPath, reload }} onClose={() => setDialog(undefined)} />}
    </>
  );
}

interface SsoDialogProps {
  member: Member;
  memberPath: string;
  reload: () => Promise<void>;
  onClose: () => void;
}

/** Lets a member sign in through single sign-on, and no longer by mail. */
function SsoDialog({ member: { user }, memberPath, reload, onClose }: SsoDialogProps): VNode {
  const name = getUserName(user);
  const requireSso = async (): Promise<void> => {
    await api('POST', `${memberPath}/sso`);
    await reload();
    onClose();
  };
  return (
    <ConfirmDialog
      title={`Use single sign-on for ${name}?`}
      text={`${name} then signs in through your identity provider with the address ${user.email}, and no longer by mail.`}
      submit="Use single sign-on"
      isDanger={false}
      onConfirm={requireSso}
      onClose={onClose}
    />
  );
}
