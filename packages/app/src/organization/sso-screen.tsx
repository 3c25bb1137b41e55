import type { Organization, SamlProvider } from '@octavo/schema';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../api.ts';
import { navigate } from '../router.ts';
import type { ScreenProps } from '../routes.ts';
import { AppScreen } from '../shell/screen.tsx';
import { TextDialog } from '../ui/dialog.tsx';
import { UiIcon } from '../ui/icon.tsx';
import { EmptyState, LoadedContent } from '../ui/states.tsx';
import { useApi, useList } from '../use-api.ts';
import { SsoRequirement } from './sso-requirement.tsx';

/** The SAML providers through which members of an organization sign in. */
export function SsoScreen({ params: { organization: id = '' } }: ScreenProps): VNode {
  const path = `/orgs/${id}`;
  const { value: organization, reload } = useApi<Organization>(path);
  const providers = useList<SamlProvider>(`${path}/saml`);
  const [isCreating, setCreating] = useState(false);
  return (
    <AppScreen
      title="Single sign-on"
      crumbs={organization === undefined ? [] : [{ label: organization.title, href: `/app${path}` }]}
      lead="Members sign in with the accounts of your identity provider."
      actions={
        organization?.permissions.admin === true && (
          <button type="button" class="button primary" onClick={() => setCreating(true)}>
            <UiIcon name="plus" />
            New provider
          </button>
        )
      }
    >
      <section>
        <LoadedContent loaded={providers}>
          {(all) =>
            all.length === 0 ? (
              <EmptyState icon="key" title="No providers yet">
                <p>Connect a SAML 2.0 identity provider, such as Okta, Entra ID or Keycloak.</p>
              </EmptyState>
            ) : (
              <ul class="rows">
                {all.map((provider) => (
                  <ProviderRow key={provider.id} provider={provider} path={path} />
                ))}
              </ul>
            )
          }
        </LoadedContent>
      </section>
      {organization?.permissions.admin === true && providers.value !== undefined && (
        <SsoRequirement
          organization={organization}
          hasActiveProvider={providers.value.some(({ status }) => status === 'active')}
          reload={reload}
        />
      )}
      {isCreating && <NewProviderDialog path={`${path}/saml`} onClose={() => setCreating(false)} />}
    </AppScreen>
  );
}

/** Creates a provider and opens its settings. */
function NewProviderDialog({ path, onClose }: { path: string; onClose: () => void }): VNode {
  const create = async (label: string): Promise<void> => {
    const { id } = await api<SamlProvider>('POST', path, { body: { label } });
    navigate(`${path}/${id}`);
  };
  return (
    <TextDialog
      title="New provider"
      submit="Create provider"
      label="Name"
      hint="Members see it when they sign in."
      maxLength={30}
      onSubmit={create}
      onClose={onClose}
    />
  );
}

const ProviderRow = ({ provider: { id, label, entityID, status }, path }: ProviderRowProps): VNode => (
  <li>
    <a class="row" href={`/app${path}/saml/${id}`}>
      <UiIcon name="key" />
      <span class="grow">
        <span class="strong">{label}</span>
        <small>{entityID}</small>
      </span>
      <ProviderStatus status={status} />
    </a>
  </li>
);

interface ProviderRowProps {
  provider: SamlProvider;
  path: string;
}

export const ProviderStatus = ({ status }: Pick<SamlProvider, 'status'>): VNode => (
  <span class={status === 'active' ? 'label published' : 'label'}>{status === 'active' ? 'Active' : 'Incomplete'}</span>
);
