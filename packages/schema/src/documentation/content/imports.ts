import { createLocationUrl, ids, spacePath } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';
import { forEachContent } from '../documentation.ts';

const url = 'https://old-docs.acme.example/guide/';

const counts = { revision: ids.revision, importedResources: 20, totalResources: 85 } as const;

const countTexts = {
  revision: 'The id of a revision with the pages and files that are imported so far.',
  importedResources: 'The number of imported pages and files.',
  totalResources: 'The number of pages and files that are known so far.',
};

const started = {
  live: 'the live content',
  changeRequest: 'a change request',
};

export const imports: ResourceDocumentation = {
  operations: {
    ...forEachContent(
      { importContent: started.live, importContentInChangeRequest: started.changeRequest },
      (content) => ({
        description:
          `Starts an import into ${content} and returns when the first pages have been read; the rest is imported in ` +
          'the background. The content does not change until the import is complete: then all pages are added at the ' +
          'end as one revision. Returns 409 if 10 imports of the organization are running, or the URL cannot be read' +
          (content === started.live
            ? ', and 412 if the edit mode of the space is `locked`.'
            : ', or the change request is merged or archived.'),
        body: {
          url:
            'The URL of a page of a website, of a Markdown file or of an archive. An archive can also be an upload: ' +
            '`upload:` and the key of a complete upload of the caller.',
          source: 'The kind of source.',
        },
        example: { body: { url, source: 'website' } },
      }),
    ),
    ...forEachContent({ getImport: started.live, getImportInChangeRequest: started.changeRequest }, (content) => ({
      description: `Returns an import into ${content} with its progress and its problems.`,
    })),
    ...forEachContent(
      { cancelImport: started.live, cancelImportInChangeRequest: started.changeRequest },
      (content) => ({
        description: `Cancels a running import into ${content}. The content is unchanged. Returns 409 if it has ended.`,
      }),
    ),
  },
  schemas: {
    ImportSource: {
      description:
        'The kind of source. Supported are `website` (a page with the pages below its folder), `markdown` (one file) ' +
        'and `zip` (an archive of a documentation repository). Others return a 400.',
      example: 'website',
    },
    ImportResult: {
      description: 'A new import.',
      properties: { ...countTexts, id: 'The id of the import, with which its progress can be read.' },
      example: { id: ids.import, ...counts },
    },
    ImportStatus: {
      description: 'The state of an import. Only a completed import has changed the content.',
      example: 'running',
    },
    Import: {
      description: 'An import with its progress.',
      properties: {
        ...countTexts,
        source: 'The kind of source.',
        url: 'The URL of the source.',
        status: 'The state of the import.',
        error: 'The reason why the import failed. Absent unless it did.',
        skippedResources: 'The number of pages and files that were skipped, on purpose or because of a limit.',
        failedResources: 'The number of pages and files that could not be imported.',
        failures: 'The first 100 pages and files that could not be imported.',
        'failures[].url': 'The URL or the path of the page or file.',
        'failures[].error': 'The reason why it could not be imported.',
        problems: 'The first 500 files of an archive that were skipped on purpose or changed. Empty for other sources.',
        'problems[].kind': 'Whether the file was skipped or changed.',
        'problems[].url': 'The path of the file in the archive.',
        'problems[].message': 'A description of the problem.',
        createdAt: 'The time at which the import was started.',
        updatedAt: 'The time of the last progress.',
        finishedAt: 'The time at which the import ended. Absent while it is running.',
      },
      example: {
        object: 'import',
        id: ids.import,
        source: 'website',
        url,
        status: 'running',
        ...counts,
        skippedResources: 2,
        failedResources: 1,
        failures: [{ url: `${url}removed`, error: 'The server returned 404.' }],
        problems: [],
        createdAt: '2026-03-02T14:10:00.000Z',
        updatedAt: '2026-03-02T14:10:20.000Z',
        urls: { location: createLocationUrl(`${spacePath}/content/import/${ids.import}`) },
      },
    },
  },
};
