import { createAppUrl, createLocationUrl, createPageUrl, ids, organizationPath } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';

const path = `${organizationPath}/openapi/petstore`;
const versionPath = `${path}/versions/${ids.openapiVersion}`;
const sourceURL = 'https://api.acme.example/openapi.yaml';

const source = { url: sourceURL };

const spec = {
  object: 'openapi-spec',
  id: ids.openapiSpec,
  createdAt: '2026-02-25T09:00:00.000Z',
  updatedAt: '2026-02-25T09:00:00.000Z',
  slug: 'petstore',
  sourceURL,
  processingState: 'complete',
  visibility: 'public',
  lastVersion: ids.openapiVersion,
  lastProcessedAt: '2026-02-25T09:00:05.000Z',
  lastProcessedErrorCount: 0,
  permissions: { view: true, edit: true },
  urls: {
    location: createLocationUrl(path),
    app: createAppUrl(path),
    published: createPageUrl(`/openapi/${ids.openapiSpec}/openapi.json`),
  },
} as const;

const parameters = { specSlug: 'The slug of the specification.' };

const readNote =
  'It is read in the background: `processingState` is `pending` at first, and `lastProcessErrorCode` ' +
  'reports a problem.';

export const openapiSpecs: ResourceDocumentation = {
  operations: {
    listOpenAPISpecs: { description: 'Lists the OpenAPI specifications of the organization, newest first.' },
    createOpenAPISpec: {
      description:
        'Adds an OpenAPI specification: Swagger 2.0, OpenAPI 3.0 or 3.1, as JSON up to 16 MiB or as YAML up to 5 ' +
        `MiB. ${readNote} A URL is read again every 6 hours. Returns 409 if the slug is taken.`,
      body: {
        slug: 'The name of the specification in URLs and in blocks, unique in the organization.',
        source: 'The URL or the text of the specification.',
      },
      example: { body: { slug: 'petstore', source } },
    },
    getOpenAPISpecBySlug: { description: 'Returns an OpenAPI specification, without its text.', parameters },
    createOrUpdateOpenAPISpecBySlug: {
      description:
        `Sets the source of an OpenAPI specification, or adds one with this slug. ${readNote} The previous version ` +
        'stays in use until the new source has been read.',
      parameters,
      body: { source: 'The URL or the text of the specification.' },
      example: { body: { source } },
    },
    updateOpenAPISpecBySlug: {
      description: 'Changes the visibility of an OpenAPI specification.',
      parameters,
      body: { visibility: 'The visibility of the specification.' },
      example: { body: { visibility: 'public' } },
    },
    deleteOpenAPISpecBySlug: { description: 'Deletes an OpenAPI specification with its versions.', parameters },
    listOpenAPISpecVersions: {
      description:
        'Lists the versions of an OpenAPI specification, newest first. A version is created when the text has ' +
        'changed. The newest 20 versions are kept.',
      parameters,
    },
    getLatestOpenAPISpecVersion: {
      description:
        'Returns the newest version of an OpenAPI specification, or 404 until the specification has been read ' +
        'successfully.',
      parameters,
    },
    getLatestOpenAPISpecVersionContent: {
      description:
        'Returns the document of the newest version of an OpenAPI specification. A visitor can read it if the site ' +
        'shows them a page or block that uses it.',
      parameters,
    },
    getLatestOpenAPISpecVersionContentRaw: {
      description: 'Returns the text of the newest version of an OpenAPI specification, exactly as it was read.',
      parameters,
    },
    getOpenAPISpecVersionById: { description: 'Returns a version of an OpenAPI specification.', parameters },
    getOpenAPISpecVersionContentById: {
      description: 'Returns the document of a version of an OpenAPI specification.',
      parameters,
    },
  },
  schemas: {
    OpenAPISpec: {
      description: 'An OpenAPI specification of an organization.',
      properties: {
        slug: 'The name of the specification in URLs and in blocks.',
        sourceURL: 'The URL that the specification is read from. Absent if its text was uploaded.',
        processingState: 'The progress of reading the source.',
        visibility: 'The visibility of the specification.',
        lastVersion: 'The id of the newest version. Absent until the specification has been read successfully.',
        lastProcessedAt: 'The time at which the source was last read. Absent if it was never read.',
        lastProcessErrorCode:
          'The kind of problem that occurred when the source was last read. Absent if there was none.',
        lastProcessErrorMessage:
          'A description of the problem with its line or its location in the document. Absent if there was none.',
        lastProcessedErrors: 'The problem as a list. Absent if there was none.',
        'lastProcessedErrors[].message': 'A description of the problem.',
        'lastProcessedErrors[].code': 'The kind of problem.',
        lastProcessedErrorCount: 'The number of problems: 0 or 1.',
        'permissions.view': 'Whether the caller may read the specification.',
        'permissions.edit': 'Whether the caller may change the specification.',
        'urls.app': 'The URL of the specification in the app.',
        'urls.published': 'The URL at which anyone can load the specification. Absent unless it is public.',
      },
      example: spec,
    },
    OpenAPIProcessingState: {
      description:
        'The progress of reading the source of a specification. If the source cannot be read, the state is `complete` ' +
        'with an error code.',
      example: 'complete',
    },
    OpenAPIProcessErrorCode: {
      description:
        'The kind of problem with a source. `FETCH_TIMEOUT`: the URL did not respond in time. `FETCH_ERROR`: the ' +
        'URL could not be loaded. `PARSE_ERROR`: the text is not a valid specification.',
      example: 'PARSE_ERROR',
    },
    OpenAPIVisibility: {
      description: 'The visibility of a specification. A `public` one can be loaded by anyone who has its URL.',
      example: 'public',
    },
    OpenAPISource: {
      description: 'The source of a specification: a URL that is read repeatedly, or the text itself.',
      properties: {
        url: 'The URL of the specification.',
        text: 'The text of the specification, as JSON or YAML.',
      },
      example: source,
    },
    OpenAPISpecVersion: {
      description: 'A version of an OpenAPI specification.',
      properties: { url: 'The URL that the version was read from. For an uploaded text, its URL in the API.' },
      example: {
        object: 'openapi-spec-version',
        id: ids.openapiVersion,
        createdAt: '2026-02-25T09:00:05.000Z',
        url: sourceURL,
        urls: { location: createLocationUrl(versionPath) },
      },
    },
    OpenAPISpecContent: {
      description: 'The document of a version, as a file system with one file.',
      properties: {
        filesystem: 'The files. There is always exactly one.',
        'filesystem[].isEntrypoint': 'Whether the file is the main document. Always true.',
        'filesystem[].specification':
          'The document in OpenAPI 3.0 or 3.1. Swagger 2.0 is converted to 3.1. Implied mappings of discriminators are added.',
        'filesystem[].filename': 'The name of the file.',
        'filesystem[].dir': 'The folder of the file.',
        'filesystem[].references': 'The files that it refers to. Always empty: all references are internal.',
        url: 'The URL that the version was read from. For an uploaded text, its URL in the API.',
        'urls.source': 'The same URL as `url`.',
        'urls.public': 'The URL at which anyone can load the specification. Null unless it is public.',
      },
      example: {
        filesystem: [
          {
            isEntrypoint: true,
            specification: { openapi: '3.1.0', info: { title: 'Petstore', version: '1.0.0' }, paths: {} },
            filename: 'openapi.json',
            dir: './',
            references: [],
          },
        ],
        url: sourceURL,
        urls: { source: sourceURL, public: spec.urls.published },
      },
    },
    OpenAPISpecRawContent: {
      description: 'The text of a version.',
      properties: { text: 'The text, exactly as it was read.', format: 'The format of the text.' },
      example: { text: 'openapi: 3.1.0\ninfo:\n  title: Petstore\n  version: 1.0.0\npaths: {}\n', format: 'yaml' },
    },
  },
};
