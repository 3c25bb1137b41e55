import { createLocationUrl, ids, spacePath } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';
import { forEachContent } from '../documentation.ts';
import { document, reusableContent, revision, revisionSummary } from './examples.ts';
import { treeParameters } from './pages.ts';

const inRevision = {
  parents:
    'The ids of the previous revisions: one, or two if the revision is a merge. Empty for the first revision, and for ' +
    'visitors.',
  pages: 'The page tree.',
  files: 'The files, the newest first.',
  reusableContents: 'The reusable contents, without their texts.',
  tags: 'Always an empty list.',
  variables: 'Variables for expressions in all texts. Empty for visitors.',
  createdAt: 'The time at which the revision was created.',
  git: 'The git commit of the revision. Not set by this server.',
  'git.oid': 'The id of the commit.',
  'git.message': 'The message of the commit.',
  'git.createdByService': 'Whether the service created the commit.',
  'git.url': 'The URL of the commit.',
  'git.ref': 'The branch of the commit.',
  'urls.app': 'The URL of the revision in the app.',
  'urls.published': 'The URL of the published content. Not set by this server.',
  'urls.public': 'The URL of the public content. Not set by this server.',
  type: 'The kind of change that created the revision.',
  mergedFrom: 'The change request whose merge created the revision. Absent for other revisions, and for visitors.',
};

const { pages, files, reusableContents, tags, variables, ...context } = revision;

export const revisions: ResourceDocumentation = {
  operations: {
    ...forEachContent(
      {
        getCurrentRevision: 'the current revision of the live content',
        getRevisionOfChangeRequestById: 'the current revision of a change request',
        getRevisionById: 'a revision',
      },
      (content) => ({
        description:
          `Returns ${content} with its page tree, files, reusable contents and variables, without texts. A visitor ` +
          'receives only what the site shows them.',
        parameters: treeParameters,
      }),
    ),
    ...forEachContent(
      { listRevisionsInSpace: 'the live content', listRevisionsInChangeRequest: 'a change request' },
      (content) => ({
        description: `Lists the revisions of ${content}, the newest first, without their content. Requires the role \`edit\`.`,
        parameters: { targetPage: 'Lists only revisions that added, changed, moved or deleted the page with this id.' },
      }),
    ),
    ...forEachContent(
      {
        getReusableContentById: 'the live content',
        getReusableContentInChangeRequestById: 'a change request',
        getReusableContentInRevisionById: 'a revision',
      },
      (content) => ({
        description:
          `Returns a reusable content of ${content}, with its text as Markdown. A visitor receives it only if a page ` +
          'that the site shows them includes it.',
        parameters: { computed: 'Has no effect: reusable contents are not generated.' },
      }),
    ),
    getReusableContentDocumentInRevisionById: {
      description:
        'Returns the text of a reusable content of a revision as a tree of blocks, in the form that renderers use: ' +
        'without blocks that only editors need, and with resolved link targets.',
      example: { response: document },
    },
    listComputedPages: {
      description:
        'Lists the computed pages of the live content that integrations generate pages for, with the state of their ' +
        'last run. Computed pages with an OpenAPI specification are not listed. Requires the role `edit`.',
    },
  },
  schemas: {
    Revision: {
      description: 'An immutable state of the content of a space or a change request.',
      properties: inRevision,
      example: revision,
    },
    RevisionSummary: {
      description: 'A revision in the history of the live content or of a change request, without its content.',
      properties: {
        parents: 'The ids of the revisions that this revision follows. The first one is of the same branch.',
        type: 'The kind of change that created the revision.',
        summary: 'What the revision changes, such as the subject of the merged change request. It can be empty.',
        author: 'The user who created the revision.',
        createdAt: 'The time at which the revision was created.',
        changeRequest: 'The change request whose merge created the revision. Absent for other revisions.',
        'changeRequest.id': 'The id of the change request.',
        'changeRequest.number': 'The number of the change request in its space.',
        'changeRequest.subject': 'The subject of the change request.',
        'urls.app': 'The URL of the revision in the app.',
      },
      example: revisionSummary,
    },
    RevisionContext: {
      description: 'A revision that another object refers to. Its content is left out.',
      properties: inRevision,
      example: context,
    },
    RevisionType: {
      description:
        'The kind of change that created a revision. `edits`: a batch of changes. `merge`: the merge of a change ' +
        'request. `update`: an update of a change request with the live content. `rollback`: a return to an earlier ' +
        'revision. `computed`: new generated pages.',
      example: 'edits',
    },
    VersionContext: {
      description: 'The version of the content that a reference is in: a revision or a change request.',
      properties: {
        type: 'The kind of version.',
        revision: 'The revision, without its content.',
        changeRequest: 'The change request.',
      },
      example: { type: 'revision', revision: context },
    },
    ReusableContent: {
      description: 'A text that pages include.',
      properties: {
        title: 'The title of the reusable content.',
        markdown: 'The text as Markdown. Only if a single reusable content was requested.',
        document: 'The id of the text. Absent if there is none, and for visitors.',
        git: 'The source file of the text. Absent if it is not known, and for visitors.',
        importedFrom:
          'The name of the folder or archive that the text was imported from. Absent if it is not known, and for visitors.',
        links:
          'The ids of the targets of links, by the links as they are written, without anchors. Only if a single ' +
          'reusable content was requested, and not for visitors.',
      },
      example: reusableContent,
    },
    ComputedPageState: {
      description: 'The state of a computed page whose pages an integration generates.',
      properties: {
        id: 'The id of the computed page.',
        title: 'The title of the computed page.',
        type: 'The content source: `integration:<name>:<source>`.',
        processingState:
          'The state of the last run: `pending` before the first run, `progress` during a run, and `complete` after ' +
          'it, even if it failed.',
        lastVersion: 'The id of the version of the generated pages. Absent if there are none.',
        lastProcessedAt: 'The time of the last run. Absent before the first run.',
        nextProcessAt: 'The time of the next run.',
        failures: 'The number of failed runs since the last success.',
        lastProcessErrorMessage: 'The reason why the last run failed. Absent if it succeeded.',
      },
      example: {
        object: 'computed-page',
        id: ids.page,
        title: 'Stations',
        type: 'integration:weather:stations',
        processingState: 'complete',
        lastVersion: ids.computedVersion,
        lastProcessedAt: '2026-03-02T14:00:00.000Z',
        nextProcessAt: '2026-03-02T15:00:00.000Z',
        failures: 0,
        urls: { location: createLocationUrl(`${spacePath}/content/page/${ids.page}`) },
      },
    },
  },
};
