import type { Member, Organization } from '@octavo/schema';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../api.ts';
import { getUserName } from '../comments/names.ts';
import { ActionForm, ConfirmDialog, Modal } from '../ui/dialog.tsx';
import { notify } from '../ui/notice.tsx';
import { LoadedContent } from '../ui/states.tsx';
import { useList } from '../use-api.ts';
import { losesAccess } from './sso-members.ts';

interface RequirementProps {
  organization: Organization;
  /** Whether members can sign in through a provider. */
  hasActiveProvider: boolean;
  /** Reads the organization again. */
  reload: () => Promise<void>;
}

/** The setting that all members except admins must sign in through a provider. */
export function SsoRequirement({ organization, hasActiveProvider, reload }: RequirementProps): VNode {
  const [isChanging, setChanging] = useState(false);
  const isRequired = organization.sso === true;
  const close = (): void => setChanging(false);
  const change = async (): Promise<void> => {
    await api('PATCH', `/orgs/${organization.id}`, { body: { sso: !isRequired } });
    await reload();
    notify(isRequired ? 'Single sign-on is not required any more' : 'Single sign-on is required');
    close();
  };
  return (
    <section class="narrow">
      <h2>Required sign-in</h2>
      <div class="action-form">
        <p class="hint-text">{describeRequirement(isRequired, hasActiveProvider)}</p>
        <div>
          <button
            type="button"
            class="button"
            disabled={!isRequired && !hasActiveProvider}
            onClick={() => setChanging(true)}
          >
            {isRequired ? 'Stop requiring single sign-on' : 'Require single sign-on'}
          </button>
        </div>
      </div>
      {isChanging && isRequired && (
        <ConfirmDialog
          title="Stop requiring single sign-on?"
          text="Members who do not use single sign-on can sign in by mail again."
          submit="Stop requiring it"
          isDanger={false}
          onConfirm={change}
          onClose={close}
        />
      )}
      {isChanging && !isRequired && <RequireDialog organization={organization} onConfirm={change} onClose={close} />}
    </section>
  );
}

function describeRequirement(isRequired: boolean, hasActiveProvider: boolean): string {
  if (isRequired) return 'All members except admins must sign in through a provider.';
  return hasActiveProvider
    ? 'Members can sign in by mail or through a provider.'
    : 'Single sign-on can be required when a provider is active.';
}

interface RequireDialogProps {
  organization: Organization;
  onConfirm: () => Promise<void>;
  onClose: () => void;
}

/** Warns about the consequences, and names the members who lose access. */
function RequireDialog({ organization, onConfirm, onClose }: RequireDialogProps): VNode {
  const members = useList<Member>(`/orgs/${organization.id}/members`);
  return (
    <Modal title="Require single sign-on?" onClose={onClose}>
      <LoadedContent loaded={{ ...members, hasMore: false }}>
        {(all) => (
          <ActionForm submit="Require single sign-on" isDanger onSubmit={onConfirm} onCancel={onClose}>
            <p>
              All members except admins lose access at once, until they sign in through a provider of this organization.
              Their own tokens no longer work. Service accounts keep their tokens.
            </p>
            <LockedOutMembers members={all.filter(losesAccess)} />
            {members.hasMore && (
              <p>Only the first {all.length.toLocaleString('en')} members were checked. Others can lose access too.</p>
            )}
          </ActionForm>
        )}
      </LoadedContent>
    </Modal>
  );
}

/** Number of members that are named. */
const maxNamed = 10;

function LockedOutMembers({ members }: { members: Member[] }): VNode | null {
  if (members.length === 0) return <p>First sign in with another account, to test the provider.</p>;
  const more = members.length - maxNamed;
  return (
    <>
      <p>
        {members.length === 1 ? 'This member does' : 'These members do'} not use single sign-on yet, and cannot sign in
        until you select <strong>Use single sign-on</strong> in the menu of their role in <strong>Members</strong>:
      </p>
      <ul>
        {members.slice(0, maxNamed).map(({ id, user }) => (
          <li key={id}>{getUserName(user)}</li>
        ))}
        {more > 0 && <li>{more} more</li>}
      </ul>
    </>
  );
}
