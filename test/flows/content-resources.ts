import type { Shape } from './shapes.ts';
import {
  address,
  anything,
  count,
  createEnumShape,
  createObjectShape,
  createTextShape,
  flag,
  flags,
  getList,
  getMap,
  id,
  moment,
  text,
} from './shapes.ts';
import { inApp, is, level, located, user } from './shared-resources.ts';

/** Shapes of the resources of part 1, copied by hand from the tables of the specification. */

export const space = createObjectShape({
  object: is('space'),
  id,
  title: createTextShape(50),
  emoji: createTextShape(50),
  visibility: createEnumShape('public', 'unlisted', 'share-link', 'visitor-auth', 'in-collection', 'private'),
  createdAt: moment,
  updatedAt: moment,
  'deletedAt?': moment,
  'editMode?': createEnumShape('live', 'locked'),
  organization: id,
  'parent?': id,
  revision: id,
  defaultLevel: level,
  comments: count,
  changeRequests: count,
  changeRequestsOpen: count,
  changeRequestsDraft: count,
  urls: createObjectShape({
    location: address,
    app: address,
    'published?': address,
    'public?': address,
    'icon?': address,
  }),
  'gitSync?': createObjectShape({
    repoName: text,
    installationProvider: text,
    integration: text,
    url: address,
    updatedAt: moment,
  }),
  'visitorAuth?': createObjectShape({ backend: text }),
  permissions: flags(
    ...['view', 'access', 'admin', 'viewInviteLinks', 'edit', 'triggerGitSync', 'comment', 'merge', 'review'],
  ),
});

const reactions = getList(
  createObjectShape({ emoji: text, count, users: getList(createObjectShape({ user, reactedAt: moment })) }),
);
const body = createObjectShape({ 'markdown?': text });
const discussed = {
  id,
  postedBy: user,
  postedAt: moment,
  'editedAt?': moment,
  reactions,
  body,
  urls: located,
  permissions: flags('view', 'edit', 'reply', 'delete'),
};

export const comment = createObjectShape({
  object: is('comment'),
  ...discussed,
  replies: count,
  target: createObjectShape({
    space: id,
    revision: id,
    'changeRequest?': id,
    'review?': id,
    'node?': createObjectShape({ id: text, 'preview?': anything }),
    'page?': createObjectShape({
      id,
      title: text,
      'emoji?': text,
      'icon?': text,
      'createdAt?': moment,
      'updatedAt?': moment,
      path: text,
      outdated: flag,
    }),
  }),
  status: createEnumShape('open', 'resolved'),
  'resolvedAt?': moment,
  'resolvedBy?': user,
});

export const commentReply = createObjectShape({ object: is('comment-reply'), ...discussed });

export const changeRequest = createObjectShape({
  object: is('change-request'),
  id,
  number: count,
  status: createEnumShape('draft', 'open', 'archived', 'merged'),
  subject: createTextShape(100),
  createdBy: user,
  createdAt: moment,
  updatedAt: moment,
  revision: id,
  revisionInitial: id,
  'revisionMergedAncestor?': id,
  'revisionMerged?': id,
  comments: count,
  outdated: flag,
  urls: inApp,
});

export const requestedReviewer = createObjectShape({
  object: is('change-request-requested-reviewer'),
  revision: id,
  requestedBy: user,
  createdAt: moment,
  kind: is('user'),
  user,
});

const git = createObjectShape({ oid: text, 'path?': text });

export const file = createObjectShape({
  id,
  name: text,
  contentType: text,
  downloadURL: address,
  size: count,
  'dimensions?': createObjectShape({ width: count, height: count }),
  'git?': git,
});

export const checkPage: Shape = (value, place) =>
  createObjectShape({
    id,
    title: text,
    'emoji?': text,
    'icon?': text,
    'createdAt?': moment,
    'updatedAt?': moment,
    'markdown?': text,
    type: createEnumShape('document', 'group', 'link', 'computed'),
    'urls?': createObjectShape({ app: address }),
    'slug?': text,
    'path?': text,
    'description?': text,
    'documentId?': text,
    'pages?': getList(checkPage),
    'git?': git,
    'layout?': anything,
    'cover?': anything,
    'variables?': getMap(text),
    'hidden?': flag,
    'noIndex?': flag,
    'noRobotsIndex?': flag,
  })(value, place);

export const revision = createObjectShape({
  id,
  parents: getList(id),
  pages: getList(checkPage),
  files: getList(file),
  reusableContents: getList(createObjectShape({ id, title: text, 'document?': anything, 'git?': git })),
  variables: getMap(text),
  createdAt: moment,
  'git?': createObjectShape({ oid: text, 'message?': text }),
  urls: createObjectShape({ app: address, 'published?': address, 'public?': address }),
  type: text,
});

const context = createObjectShape({ type: createEnumShape('revision', 'changeRequest') });
export const reference = createObjectShape({
  kind: text,
  'organization?': anything,
  'space?': anything,
  'versionContext?': context,
  'file?': file,
});

export const linkItem = createObjectShape({
  status: createEnumShape('ok', 'broken', 'in-app'),
  relation: text,
  'targetReference?': reference,
  locationReferences: getList(reference),
});

const section = createObjectShape({
  id: text,
  title: text,
  path: text,
  body: text,
  urls: createObjectShape({ app: address }),
});
export const pageShape = createObjectShape({
  id,
  title: text,
  path: text,
  'sections?': getList(section),
  urls: createObjectShape({ app: address }),
});
