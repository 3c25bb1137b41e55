import type { VNode } from 'preact';
import type { ScreenProps } from '../routes.ts';
import { usePlace } from '../session.ts';
import { NotFoundScreen } from '../shell/not-found-screen.tsx';
import { AppScreen } from '../shell/screen.tsx';
import { getSpaceTitle } from '../shell/sidebar.tsx';
import { useDiscussion } from './discussion.ts';
import { DiscussionView } from './discussion-view.tsx';

/** The comments on the live content of a space. */
export function CommentsScreen({ params: { space = '', comment } }: ScreenProps): VNode {
  const { space: loaded } = usePlace();
  const discussion = useDiscussion(`/spaces/${space}`, {
    organization: loaded?.value?.organization,
    canComment: loaded?.value?.permissions.comment === true,
    target: comment,
  });
  if (discussion.isTargetMissing) return <NotFoundScreen />;
  const crumbs = loaded?.value ? [{ label: getSpaceTitle(loaded.value), href: `/app/spaces/${space}` }] : [];
  return (
    <AppScreen title="Comments" crumbs={crumbs}>
      <DiscussionView key={discussion.path} discussion={discussion} label="Comment on this space" target={comment} />
    </AppScreen>
  );
}
