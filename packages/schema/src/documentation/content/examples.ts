import { createAppUrl, createPageUrl, ids, spacePath, user } from '../acme.ts';

const pagePath = `${spacePath}/content/page/${ids.page}`;

export const markdown = '# Install Acme\n\nRun the installer.\n';

const getText = (text: string) => ({ object: 'text', leaves: [{ object: 'leaf', text, marks: [] }] });

export const document = {
  object: 'document',
  data: { schemaVersion: 10 },
  nodes: [
    {
      object: 'block',
      type: 'heading-1',
      key: '0ihyvma1mspzpy',
      isVoid: false,
      data: { id: 'install-acme' },
      meta: { id: 'install-acme' },
      nodes: [getText('Install Acme')],
    },
    {
      object: 'block',
      type: 'paragraph',
      key: '01fwh8b1f2ja43',
      isVoid: false,
      data: {},
      nodes: [getText('Run the installer.')],
    },
  ],
} as const;

export const git = { oid: '3b18e512dba79e4c8300dd08aeb37f8e728b8dad', path: 'docs/install.md' } as const;

export const layout = {
  width: 'default',
  cover: true,
  coverSize: 'hero',
  coverMask: 'none',
  title: true,
  description: true,
  tableOfContents: true,
  outline: true,
  pagination: true,
  metadata: true,
  tags: true,
  actions: true,
  anchors: true,
} as const;

/** A page as a tree contains it: without its text. */
export const listedPage = {
  id: ids.page,
  title: 'Install Acme',
  emoji: '1f4e6',
  createdAt: '2026-01-12T10:05:00.000Z',
  updatedAt: '2026-03-02T14:20:00.000Z',
  type: 'document',
  kind: 'sheet',
  urls: { app: createAppUrl(pagePath) },
  slug: 'install',
  path: 'get-started/install',
  description: 'Install Acme on your own server.',
  documentId: ids.document,
  git,
  layout,
  tags: [],
  pages: [],
} as const;

export const page = { ...listedPage, markdown } as const;

export const group = {
  id: ids.group,
  title: 'Get started',
  createdAt: '2026-01-12T10:00:00.000Z',
  updatedAt: '2026-01-12T10:00:00.000Z',
  type: 'group',
  kind: 'group',
  slug: 'get-started',
  path: 'get-started',
  pages: [listedPage],
} as const;

export const computedSource = {
  type: 'builtin:openapi',
  props: { models: true },
  dependencies: { spec: { ref: { kind: 'openapi', spec: 'petstore' } } },
} as const;

export const file = {
  object: 'file',
  id: ids.file,
  name: 'logo.png',
  contentType: 'image/png',
  downloadURL: createPageUrl(
    `/files/${ids.organization}/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08/logo.png` +
      `?type=image%2Fpng&file=${ids.file}&space=${ids.space}&branch=${ids.space}&expires=1772465400` +
      '&signature=ypeBEsobvcr6wjGzmiPcTaeG7_gUfE5yuYB3ha_uSLs',
  ),
  size: 4821,
  dimensions: { width: 320, height: 96 },
  git: { oid: 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391', path: 'docs/img/logo.png' },
} as const;

/** A reusable content as a revision lists it: without its text. */
export const listedReusableContent = {
  object: 'reusable-content',
  id: ids.reusableContent,
  title: 'Support contacts',
  document: ids.document,
} as const;

export const reusableContent = {
  ...listedReusableContent,
  markdown: 'Write to support@acme.example.\n',
} as const;

export const variables = { version: '2.4', beta: false } as const;

export const revision = {
  object: 'revision',
  id: ids.revision,
  parents: ['rev_0PmT4kA1sDfGhJ3kLqWe'],
  pages: [group],
  files: [file],
  reusableContents: [listedReusableContent],
  tags: [],
  variables,
  createdAt: '2026-03-02T14:20:00.000Z',
  urls: { app: createAppUrl(`${spacePath}/revisions/${ids.revision}`) },
  type: 'edits',
} as const;

export const revisionSummary = {
  object: 'revision-summary',
  id: ids.revision,
  parents: revision.parents,
  type: 'merge',
  summary: 'Describe the new installer',
  author: user,
  createdAt: revision.createdAt,
  changeRequest: { id: ids.changeRequest, number: 14, subject: 'Describe the new installer' },
  urls: revision.urls,
} as const;
