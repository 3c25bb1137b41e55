import type { Collection, Organization, Space } from '@octavo/schema';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { SpaceCards } from '../home/home-screen.tsx';
import type { ScreenProps } from '../routes.ts';
import { AppScreen } from '../shell/screen.tsx';
import { UiIcon } from '../ui/icon.tsx';
import { isMissing, LoadedContent } from '../ui/states.tsx';
import { useApi, useList } from '../use-api.ts';
import { NewSpaceDialog } from './new-space-dialog.tsx';
import { SsoSignIn } from './sso-sign-in.tsx';

/** The spaces of an organization, by their collections. */
export function OrganizationScreen({ params: { organization: id = '' } }: ScreenProps): VNode {
  const path = `/orgs/${id}`;
  const organization = useApi<Organization>(path);
  const spaces = useList<Space>(`${path}/spaces`);
  const collections = useList<Collection>(`${path}/collections`);
  const [isCreating, setCreating] = useState(false);
  const { value } = organization;
  return (
    <AppScreen
      title={value?.title ?? 'Organization'}
      crumbs={[{ label: 'Home', href: '/app' }]}
      actions={
        value?.permissions.createContent && (
          <button type="button" class="button primary" onClick={() => setCreating(true)}>
            <UiIcon name="plus" />
            New space
          </button>
        )
      }
    >
      {value?.sso === true && isMissing(spaces) ? (
        <SsoSignIn organization={value} />
      ) : (
        <LoadedContent loaded={spaces}>
          {(all) => <SpacesByCollection spaces={all} collections={collections.value ?? []} />}
        </LoadedContent>
      )}
      {isCreating && value !== undefined && (
        <NewSpaceDialog organizations={[value]} onClose={() => setCreating(false)} />
      )}
    </AppScreen>
  );
}

interface CollectionSections {
  spaces: Space[];
  collections: Collection[];
}

function SpacesByCollection({ spaces, collections }: CollectionSections): VNode {
  const collectionIds = new Set(collections.map(({ id }) => id));
  const outside = spaces.filter(({ parent }) => parent === undefined || !collectionIds.has(parent));
  const sections = collections
    .map((collection) => ({ collection, inside: spaces.filter(({ parent }) => parent === collection.id) }))
    .filter(({ inside }) => inside.length > 0);
  return (
    <>
      {(outside.length > 0 || sections.length === 0) && (
        <section>
          <h2>Spaces</h2>
          <SpaceCards spaces={outside} />
        </section>
      )}
      {sections.map(({ collection, inside }) => (
        <section key={collection.id}>
          <h2>{collection.title || 'Untitled collection'}</h2>
          <SpaceCards spaces={inside} />
        </section>
      ))}
    </>
  );
}
