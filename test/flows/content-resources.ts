import type { Shape } from './shapes.ts';
import {
  address,
  anything,
  atMost,
  count,
  flag,
  flags,
  getList,
  getMap,
  getOne,
  id,
  moment,
  object,
  text,
} from './shapes.ts';
import { inApp, is, level, located, user } from './shared-resources.ts';

/** Shapes of the resources of part 1, copied by hand from the tables of the specification. */

export const space = object({
  object: is('space'),
  id,
  title: atMost(50),
  emoji: atMost(50),
  visibility: getOne('public', 'unlisted', 'share-link', 'visitor-auth', 'in-collection', 'private'),
  createdAt: moment,
  updatedAt: moment,
  'deletedAt?': moment,
  'editMode?': getOne('live', 'locked'),
  organization: id,
  'parent?': id,
  revision: id,
  defaultLevel: level,
  comments: count,
  changeRequests: count,
  changeRequestsOpen: count,
  changeRequestsDraft: count,
  urls: object({ location: address, app: address, 'published?': address, 'public?': address, 'icon?': address }),
  'gitSync?': object({
    repoName: text,
    installationProvider: text,
    integration: text,
    url: address,
    updatedAt: moment,
  }),
  'visitorAuth?': object({ backend: text }),
  permissions: flags(
    ...['view', 'access', 'admin', 'viewInviteLinks', 'edit', 'triggerGitSync', 'comment', 'merge', 'review'],
  ),
});

const reactions = getList(object({ emoji: text, count, users: getList(object({ user, reactedAt: moment })) }));
const body = object({ 'markdown?': text });
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

export const comment = object({
  object: is('comment'),
  ...discussed,
  replies: count,
  target: object({
    space: id,
    revision: id,
    'changeRequest?': id,
    'review?': id,
    'node?': object({ id: text, 'preview?': anything }),
    'page?': object({
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
  status: getOne('open', 'resolved'),
  'resolvedAt?': moment,
  'resolvedBy?': user,
});

export const commentReply = object({ object: is('comment-reply'), ...discussed });

export const changeRequest = object({
  object: is('change-request'),
  id,
  number: count,
  status: getOne('draft', 'open', 'archived', 'merged'),
  subject: atMost(100),
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

export const requestedReviewer = object({
  object: is('change-request-requested-reviewer'),
  revision: id,
  requestedBy: user,
  createdAt: moment,
  kind: is('user'),
  user,
});

const git = object({ oid: text, 'path?': text });

export const file = object({
  id,
  name: text,
  contentType: text,
  downloadURL: address,
  size: count,
  'dimensions?': object({ width: count, height: count }),
  'git?': git,
});

export const page: Shape = (value, place) =>
  object({
    id,
    title: text,
    'emoji?': text,
    'icon?': text,
    'createdAt?': moment,
    'updatedAt?': moment,
    'markdown?': text,
    type: getOne('document', 'group', 'link', 'computed'),
    'urls?': object({ app: address }),
    'slug?': text,
    'path?': text,
    'description?': text,
    'documentId?': text,
    'pages?': getList(page),
    'git?': git,
    'layout?': anything,
    'cover?': anything,
    'variables?': getMap(text),
    'hidden?': flag,
    'noIndex?': flag,
    'noRobotsIndex?': flag,
  })(value, place);

export const revision = object({
  id,
  parents: getList(id),
  pages: getList(page),
  files: getList(file),
  reusableContents: getList(object({ id, title: text, 'document?': anything, 'git?': git })),
  variables: getMap(text),
  createdAt: moment,
  'git?': object({ oid: text, 'message?': text }),
  urls: object({ app: address, 'published?': address, 'public?': address }),
  type: text,
});

const context = object({ type: getOne('revision', 'changeRequest') });
export const reference = object({
  kind: text,
  'organization?': anything,
  'space?': anything,
  'versionContext?': context,
  'file?': file,
});

export const linkItem = object({
  status: getOne('ok', 'broken', 'in-app'),
  relation: text,
  'targetReference?': reference,
  locationReferences: getList(reference),
});

const section = object({ id: text, title: text, path: text, body: text, urls: object({ app: address }) });
export const found = object({
  id,
  title: text,
  path: text,
  'sections?': getList(section),
  urls: object({ app: address }),
});
