import type { Organization, Site } from '@octavo/schema';
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
import { getVisibilityName } from './visibility-field.tsx';

/** The sites of an organization. */
export function SitesScreen({ params: { organization: id = '' } }: ScreenProps): VNode {
  const path = `/orgs/${id}`;
  const { value: organization } = useApi<Organization>(path);
  const sites = useList<Site>(`${path}/sites`);
  const [isCreating, setCreating] = useState(false);
  const canCreate = organization?.permissions.createContent === true;
  return (
    <AppScreen
      title="Sites"
      crumbs={organization === undefined ? [] : [{ label: organization.title, href: `/app${path}` }]}
      actions={
        canCreate && (
          <button type="button" class="button primary" onClick={() => setCreating(true)}>
            <UiIcon name="plus" />
            New site
          </button>
        )
      }
    >
      <LoadedContent loaded={sites}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState icon="globe" title="No sites yet">
              <p>A site publishes one or more spaces as a website.</p>
            </EmptyState>
          ) : (
            <ul class="rows">
              {all.map((site) => (
                <SiteRow key={site.id} site={site} path={path} />
              ))}
            </ul>
          )
        }
      </LoadedContent>
      {isCreating && <NewSiteDialog path={path} onClose={() => setCreating(false)} />}
    </AppScreen>
  );
}

const SiteRow = ({ site, path }: { site: Site; path: string }): VNode => (
  <li>
    <a class="row" href={`/app${path}/sites/${site.id}`}>
      <UiIcon name="globe" />
      <span class="grow">
        <span class="strong">{site.title}</span>
        <small>{getVisibilityName(site.visibility)}</small>
      </span>
      <PublishedLabel site={site} />
    </a>
  </li>
);

export const PublishedLabel = ({ site: { published } }: { site: Site }): VNode => (
  <span class={published ? 'label published' : 'label'}>{published ? 'Published' : 'Not published'}</span>
);

/** Creates a site without spaces and opens its settings. */
function NewSiteDialog({ path, onClose }: { path: string; onClose: () => void }): VNode {
  const create = async (title: string): Promise<void> => {
    const site = await api<Site>('POST', `${path}/sites`, { body: { title } });
    onClose();
    navigate(`${path}/sites/${site.id}`);
  };
  return (
    <TextDialog
      title="New site"
      submit="Create site"
      label="Title"
      hint="You choose its spaces next. Readers cannot open it until you publish it."
      minLength={2}
      maxLength={128}
      onSubmit={create}
      onClose={onClose}
    />
  );
}
