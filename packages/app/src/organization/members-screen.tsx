import type { Member, Organization, Role } from '@octavo/schema';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { ApiRequestError, api } from '../api.ts';
import { getUserName } from '../comments/names.ts';
import type { ScreenProps } from '../routes.ts';
import { useUser } from '../session.ts';
import { AppScreen } from '../shell/screen.tsx';
import { Avatar } from '../ui/avatar.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { UiIcon } from '../ui/icon.tsx';
import { Menu, type MenuItem } from '../ui/menu.tsx';
import { notify, notifyError } from '../ui/notice.tsx';
import { EmptyState, LoadedContent } from '../ui/states.tsx';
import { useApi, useList } from '../use-api.ts';
import { isInvited } from './invitation.ts';
import { InviteDialog } from './invite-dialog.tsx';
import { getRoleName, memberRoles } from './role-names.ts';

const minWords = 2;

/** The members of an organization, with their roles. */
export function MembersScreen({ params: { organization: id = '' } }: ScreenProps): VNode {
  const path = `/orgs/${id}`;
  const { value: organization } = useApi<Organization>(path);
  const [words, setWords] = useState('');
  const members = useList<Member>(`${path}/members`, words.length < minWords ? {} : { search: words });
  const [isInviting, setInviting] = useState(false);
  const isAdmin = organization?.permissions.admin === true;
  return (
    <AppScreen
      title="Members"
      crumbs={organization === undefined ? [] : [{ label: organization.title, href: `/app${path}` }]}
      actions={
        isAdmin && (
          <button type="button" class="button primary" onClick={() => setInviting(true)}>
            <UiIcon name="plus" />
            Invite
          </button>
        )
      }
    >
      <input
        class="input filter"
        type="search"
        aria-label="Search members"
        placeholder="Search by name or email"
        value={words}
        onInput={({ currentTarget }) => setWords(currentTarget.value)}
      />
      <LoadedContent loaded={members}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState icon="users" title="No members found" />
          ) : (
            <ul class="rows">
              {all.map((member) => (
                <MemberRow key={member.id} member={member} path={path} isAdmin={isAdmin} reload={members.reload} />
              ))}
            </ul>
          )
        }
      </LoadedContent>
      {isInviting && <InviteDialog path={path} reload={members.reload} onClose={() => setInviting(false)} />}
    </AppScreen>
  );
}

interface MemberRowProps {
  member: Member;
  path: string;
  isAdmin: boolean;
  reload: () => Promise<void>;
}

const createRoleItem = (label: string, isCurrent: boolean, onSelect: () => void): MenuItem => ({
  label,
  isCurrent,
  onSelect,
});

/** Sends the mail of an invitation again. */
async function repeatInvitation(path: string, { user }: Member): Promise<void> {
  try {
    const { invited } = await api<{ invited: number }>('POST', `${path}/invites`, { body: { emails: [user.email] } });
    // Members who were invited before single sign-on was required cannot sign in.
    if (invited === 0)
      throw new ApiRequestError(
        0,
        'Single sign-on was required after this invitation. Remove the member and send a new one.',
      );
    notify(`The invitation was sent again to ${user.email}`);
  } catch (error) {
    notifyError(error);
  }
}

function MemberRow({ member, path, isAdmin, reload }: MemberRowProps): VNode {
  const { value: user } = useUser();
  const [isRemoving, setRemoving] = useState(false);
  const name = getUserName(member.user);
  const memberPath = `${path}/members/${member.id}`;
  const changeRole = async (role: Role): Promise<void> => {
    try {
      await api('PATCH', memberPath, { body: { role } });
      await reload();
      notify(`${name} is now ${getRoleName(role).toLowerCase()}`);
    } catch (error) {
      notifyError(error);
    }
  };
  const remove = (): Promise<void> => api<void>('DELETE', memberPath).then(reload);
  const isInvitationOpen = isInvited(member) && member.id !== user?.id;
  const items: MenuItem[] = [
    ...(isInvitationOpen
      ? [
          {
            label: 'Send invitation again',
            icon: 'inbox',
            onSelect: () => void repeatInvitation(path, member),
          } as const,
        ]
      : []),
    ...memberRoles.map(([role, label]) => createRoleItem(label, role === member.role, () => changeRole(role))),
    { label: 'Remove from organization', isDanger: true, startsGroup: true, onSelect: () => setRemoving(true) },
  ];
  return (
    <li>
      <div class="row">
        <Avatar name={name} photo={member.user.photoURL} />
        <span class="grow">
          <span class="strong">{name}</span>
          {member.id === user?.id && <span class="label">You</span>}
          {member.user.email !== undefined && member.user.email !== name && <small>{member.user.email}</small>}
        </span>
        {isInvitationOpen && <span class="label">Invited</span>}
        {member.disabled && <span class="label">Disabled</span>}
        {isAdmin ? (
          <RoleMenu name={name} role={member.role} items={items} />
        ) : (
          <small>{getRoleName(member.role)}</small>
        )}
      </div>
      {isRemoving && (
        <ConfirmDialog
          title={`Remove ${name}?`}
          text="They lose access to all spaces of this organization. Their pages and comments are kept."
          submit="Remove"
          onConfirm={remove}
          onClose={() => setRemoving(false)}
        />
      )}
    </li>
  );
}

interface RoleMenuProps {
  name: string;
  role: Role | null;
  items: MenuItem[];
}

const RoleMenu = ({ name, role, items }: RoleMenuProps): VNode => (
  <Menu class="button" align="end" items={items}>
    <span class="hidden">Role of {name}: </span>
    {getRoleName(role)}
    <UiIcon name="chevron-down" />
  </Menu>
);
