import type { Member, Organization, SsoLogin } from '@octavo/schema';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { defaultMax } from '../api.ts';
import type { ScreenProps } from '../routes.ts';
import { AppScreen } from '../shell/screen.tsx';
import { UiIcon } from '../ui/icon.tsx';
import { EmptyState, LoadedContent } from '../ui/states.tsx';
import { useApi, useList } from '../use-api.ts';
import { searchDelay, useDebounced } from '../use-debounced.ts';
import { InviteDialog } from './invite-dialog.tsx';
import { MemberRow } from './member-row.tsx';

const minWords = 2;

/** The members of an organization, with their roles. */
export function MembersScreen({ params: { organization: id = '' } }: ScreenProps): VNode {
  const path = `/orgs/${id}`;
  const { value: organization } = useApi<Organization>(path);
  const [written, setWritten] = useState('');
  const words = useDebounced(written, searchDelay);
  const query = words.length < minWords ? {} : { search: words };
  const members = useList<Member>(`${path}/members`, query, defaultMax, `${path}/members`);
  const [isInviting, setInviting] = useState(false);
  const isAdmin = organization?.permissions.admin === true;
  const logins = useApi<{ items: SsoLogin[] }>(isAdmin ? `${path}/sso` : undefined);
  const hasSso = logins.value !== undefined && logins.value.items.length > 0;
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
        value={written}
        onInput={({ currentTarget }) => setWritten(currentTarget.value)}
      />
      <LoadedContent loaded={members}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState icon="users" title="No members found" />
          ) : (
            <ul class="rows">
              {all.map((member) => (
                <MemberRow key={member.id} {...{ member, path, isAdmin, hasSso }} reload={members.reload} />
              ))}
            </ul>
          )
        }
      </LoadedContent>
      {isInviting && <InviteDialog path={path} reload={members.reload} onClose={() => setInviting(false)} />}
    </AppScreen>
  );
}
