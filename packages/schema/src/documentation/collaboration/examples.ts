import { colleague, createAppUrl, createLocationUrl, createPageUrl, ids, spacePath, user } from '../acme.ts';

const path = `${spacePath}/change-requests/${ids.changeRequest}`;

export const changeRequest = {
  object: 'change-request',
  id: ids.changeRequest,
  space: ids.space,
  number: 14,
  status: 'open',
  subject: 'Describe the new installer',
  description: 'The installer of version 2.4 needs no configuration file.',
  createdBy: user,
  createdAt: '2026-03-02T13:00:00.000Z',
  updatedAt: '2026-03-02T13:45:00.000Z',
  revision: ids.draftRevision,
  revisionInitial: ids.revision,
  comments: 1,
  outdated: false,
  urls: { app: createAppUrl(path), location: createLocationUrl(path) },
} as const;

export const conflict = {
  kind: 'page',
  id: ids.page,
  title: 'Install Acme',
  field: 'title',
  message: 'both changed it to different values',
} as const;

export const mergeRule = { rule: 'require_at_least_one_approved_review' } as const;

export const commentBody = { markdown: 'Which version is this about?' } as const;

const commentPath = `${path}/comments/${ids.comment}`;

const permissions = { view: true, edit: false, reply: true, react: true, delete: false } as const;

export const reaction = {
  emoji: '1f44d',
  count: 1,
  users: [{ user, reactedAt: '2026-03-02T13:32:00.000Z' }],
} as const;

export const target = {
  space: ids.space,
  revision: ids.draftRevision,
  changeRequest: ids.changeRequest,
  page: { id: ids.page, title: 'Install Acme', path: 'get-started/install', outdated: false },
  node: { id: '01fwh8b1f2ja43', preview: 'Run the installer.' },
} as const;

export const comment = {
  object: 'comment',
  id: ids.comment,
  postedBy: colleague,
  postedAt: '2026-03-02T13:30:00.000Z',
  reactions: [reaction],
  replies: 1,
  body: commentBody,
  target,
  urls: { location: createLocationUrl(commentPath) },
  permissions,
  status: 'open',
} as const;

export const reply = {
  object: 'comment-reply',
  id: ids.reply,
  postedBy: user,
  postedAt: '2026-03-02T13:40:00.000Z',
  reactions: [],
  body: { markdown: 'About version 2.4.' },
  urls: { location: createLocationUrl(`${commentPath}/replies/${ids.reply}`) },
  permissions: { ...permissions, edit: true, delete: true },
} as const;

export const review = {
  object: 'change-request-review',
  id: ids.review,
  revision: ids.draftRevision,
  reviewer: colleague,
  requestedBy: user,
  status: 'approved',
  outdated: false,
  createdAt: '2026-03-02T14:00:00.000Z',
  updatedAt: '2026-03-02T14:00:00.000Z',
  urls: { location: createLocationUrl(`${path}/reviews/${ids.review}`) },
} as const;

export const requestedReviewer = {
  object: 'change-request-requested-reviewer',
  revision: ids.draftRevision,
  requestedBy: user,
  createdAt: '2026-03-02T13:15:00.000Z',
  kind: 'user',
  user: colleague,
} as const;

/** A PDF of the live content. */
export const pdf = {
  url: createPageUrl(
    '/pdf/pdf_2mXb86RdSk4UyGoC0hPz/User%20guide.pdf?expires=1772465400' +
      '&signature=ypeBEsobvcr6wjGzmiPcTaeG7_gUfE5yuYB3ha_uSLs',
  ),
} as const;
