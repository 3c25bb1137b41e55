import type { Space } from '@octavo/schema';
import type { ComponentChildren, VNode } from 'preact';
import { usePlace } from '../session.ts';
import { AppScreen } from '../shell/screen.tsx';
import { getSpaceTitle } from '../shell/sidebar.tsx';
import { LoadedContent } from '../ui/states.tsx';

interface SpaceSubscreenProps {
  title: string;
  lead?: string;
  actions?: ComponentChildren;
  children: (space: Space) => ComponentChildren;
}

/** A screen of a space, such as its history. */
export function SpaceSubscreen({ title, lead, actions, children }: SpaceSubscreenProps): VNode {
  const { space } = usePlace();
  const { value } = space ?? {};
  const crumbs = value === undefined ? [] : [{ label: getSpaceTitle(value), href: `/app/spaces/${value.id}` }];
  return (
    <AppScreen title={title} crumbs={crumbs} lead={lead} actions={actions}>
      {space !== undefined && <LoadedContent loaded={space}>{children}</LoadedContent>}
    </AppScreen>
  );
}
