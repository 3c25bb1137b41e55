import type { Organization, SamlProvider, Team } from '@octavo/schema';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../api.ts';
import { useTeams } from '../change-requests/use-change-request.ts';
import { navigate } from '../router.ts';
import type { ScreenProps } from '../routes.ts';
import { NotFoundScreen } from '../shell/not-found-screen.tsx';
import { AppScreen } from '../shell/screen.tsx';
import { CopyField } from '../ui/copy-field.tsx';
import { ActionForm, ConfirmDialog, Field, SelectField, TextField } from '../ui/dialog.tsx';
import { notify } from '../ui/notice.tsx';
import { isMissing, LoadedContent } from '../ui/states.tsx';
import { useApi } from '../use-api.ts';
import { memberRoles } from './role-names.ts';
import { ProviderStatus } from './sso-screen.tsx';

/** The settings of a SAML provider: the values to enter at the identity provider, and the values that it provides. */
export function SsoProviderScreen({
  params: { organization: id = '', provider: providerId = '' },
}: ScreenProps): VNode {
  const organizationPath = `/orgs/${id}`;
  const listPath = `${organizationPath}/saml`;
  const path = `${listPath}/${providerId}`;
  const { value: organization } = useApi<Organization>(organizationPath);
  const provider = useApi<SamlProvider>(path);
  const [isDeleting, setDeleting] = useState(false);
  if (isMissing(provider)) return <NotFoundScreen />;
  const remove = async (): Promise<void> => {
    await api('DELETE', path);
    navigate(listPath);
  };
  return (
    <AppScreen
      title={provider.value?.label ?? 'Single sign-on'}
      crumbs={[
        ...(organization === undefined ? [] : [{ label: organization.title, href: `/app${organizationPath}` }]),
        { label: 'Single sign-on', href: `/app${listPath}` },
      ]}
      lead={provider.value && <ProviderStatus status={provider.value.status} />}
      actions={
        provider.value && (
          <button type="button" class="button" onClick={() => setDeleting(true)}>
            Delete
          </button>
        )
      }
    >
      <LoadedContent loaded={provider}>
        {(value) => (
          <>
            <ServiceSection provider={value} />
            <ProviderForm key={value.id} {...{ organization, path }} provider={value} reload={provider.reload} />
          </>
        )}
      </LoadedContent>
      {isDeleting && (
        <ConfirmDialog
          title={`Delete ${provider.value?.label}?`}
          text="Members can no longer sign in through this provider, and their sessions from it end."
          submit="Delete"
          onConfirm={remove}
          onClose={() => setDeleting(false)}
        />
      )}
    </AppScreen>
  );
}

/** The values that the identity provider needs, and the address at which members sign in. */
const ServiceSection = ({ provider: { service, status } }: { provider: SamlProvider }): VNode => (
  <section class="narrow">
    <h2>Enter at your identity provider</h2>
    <div class="action-form">
      <CopyField label="Entity ID of Octavo" value={service.entityID} />
      <CopyField label="ACS URL" value={service.acsURL} />
      {status === 'active' && <CopyField label="Sign-in address for members" value={service.startURL} />}
    </div>
  </section>
);

interface ProviderFormProps {
  organization: Organization | undefined;
  provider: SamlProvider;
  path: string;
  reload: () => Promise<void>;
}

function ProviderForm({ organization, provider, path, reload }: ProviderFormProps): VNode {
  const [ssoUrl, setSsoUrl] = useState(provider.ssoURL);
  const [entityId, setEntityId] = useState(provider.entityID);
  const [certificate, setCertificate] = useState(provider.certificate);
  const [role, setRole] = useState<string>(provider.defaultRole ?? '');
  const [team, setTeam] = useState(provider.defaultTeam?.id ?? '');
  const isIncomplete = [ssoUrl, entityId, certificate].some((text) => text.trim() === '');
  const save = async (): Promise<void> => {
    const settings = { ssoURL: ssoUrl.trim(), entityID: entityId.trim(), certificate: certificate.trim() };
    const defaults = { defaultRole: role === '' ? null : role, defaultTeam: team === '' ? null : team };
    await api('PATCH', path, { body: { ...settings, ...defaults } });
    await reload();
    notify('Settings saved');
  };
  return (
    <section class="narrow">
      <h2>Settings of your identity provider</h2>
      <ActionForm submit="Save" onSubmit={save} isDisabled={isIncomplete}>
        <TextField label="SSO URL" type="url" maxLength={2048} value={ssoUrl} onChange={setSsoUrl} />
        <TextField
          label="Entity ID of the identity provider"
          maxLength={1024}
          value={entityId}
          onChange={setEntityId}
        />
        <Field label="Certificate" hint="The X.509 certificate in PEM format.">
          {(ids) => (
            <textarea
              class="input source"
              {...ids}
              rows={6}
              value={certificate}
              onInput={({ currentTarget }) => setCertificate(currentTarget.value)}
            />
          )}
        </Field>
        <SelectField label="Role of new members" value={role} onChange={setRole}>
          {memberRoles.map(([value, name]) => (
            <option value={value}>{name}</option>
          ))}
          <option value="">Guest</option>
        </SelectField>
        <TeamField organization={organization} former={provider.defaultTeam} team={team} setTeam={setTeam} />
      </ActionForm>
    </section>
  );
}

interface TeamFieldProps {
  organization: Organization | undefined;
  /** The team that new members join until the settings are saved. */
  former: Team | undefined;
  team: string;
  setTeam: (team: string) => void;
}

/** The team that new members join. */
function TeamField({ organization, former, team, setTeam }: TeamFieldProps): VNode {
  const { value: teams = [] } = useTeams(organization);
  const options = former === undefined || teams.some(({ id }) => id === former.id) ? teams : [former, ...teams];
  return (
    <SelectField label="Team of new members" value={team} onChange={setTeam}>
      <option value="">None</option>
      {options.map(({ id, title }) => (
        <option key={id} value={id}>
          {title}
        </option>
      ))}
    </SelectField>
  );
}
