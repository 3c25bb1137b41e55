import { describe, expect, test } from 'vitest';
import { createReadingPathFinder } from '../support/reading-path.ts';

/** Every API request passes the gateway and `implement`; every queue message passes `consume` and `handleEvent`. */
const api = ['serveGatewayRequest', 'implement'];
const queue = ['consume', 'handleEvent'];

/** Functions for other requests: pages of the platform, unknown paths, sessions of the app, and errors of sign-ins. */
const ofOtherRequests = [
  ...['ownPages', 'rejectUnmatched', 'servePages', 'convertSession', 'renewSession', 'createHtmlPage'],
];
/** Functions that authorize callers other than users, or find objects other than the space in the path. */
const ofOtherObjects = [
  ...['authorizeVisitor', 'previewSite', 'findByShareKey', 'requireTarget'],
  ...['findInstallation', 'findIntegration', 'findCollection', 'findSite', 'findOrganization'],
];
/** Functions for requests with an `Idempotency-Key`. */
const ofKeys = ['readKey', 'respondOnce', 'computeFingerprint'];
const inSpace = [...ofOtherRequests, ...ofOtherObjects, ...ofKeys];
/** Functions that write. */
const ofWrites = ['commit', 'sendEvents'];
/** Functions for changes other than edits of pages: files, the resolution of conflicts, and suggestions. */
const ofOtherChanges = [
  ...['prepareFiles', 'presentFiles', 'insertFiles', 'updateFile', 'settleBlobs'],
  ...['loadDecisions', 'prepareBlockReverts', 'resolve', 'prepareSuggestion', 'resolveComment'],
];
/** The other routes of a site, calls of the API, searches, previews, and blocks of specifications. */
const ofOtherSiteRequests = [
  ...[...ofOtherRequests, 'routes', 'serveNegotiatedMarkdown', 'serveReaderFile', 'endpoints', 'implement'],
  ...['searchSite', 'suggestInSite', 'readPreviewPass', 'findPreviewedSpace'],
  ...['isPreview', 'readPreviewChanges', 'createPreviewView'],
  ...['createSpecificationReader', 'loadSpecifications', 'createListing', 'createInlineView'],
  ...['createListView', 'createPartView'],
  // Responses of the gateway itself, error pages, and the check of a cached page.
  ...['readInput', 'createErrorPage', 'createNotFoundPage', 'isUnchanged'],
];
/** Functions for pages with links to other spaces, with files, or in several versions or languages. */
const ofOtherPages = [
  ...['findLocations', 'readNamedLocations', 'getGeneratedIds', 'readAlternates', 'toAlternates'],
  ...['importSigningKey', 'getExpiry', 'signFileUrl'],
];

interface MeasuredPath {
  from: string[];
  /** The functions that the described request does not call. */
  without: string[];
  /** Maximum number of files that a reader opens to follow the request from HTTP to SQL and back. */
  files: number;
  /** Maximum number of files that the functions can reach, with all branches, libraries and tables. */
  all: number;
}

/**
 * The paths that `docs/architecture.md` describes. `from` lists the first functions and those that are called by RPC.
 * The message of a commit that raises a limit gives the reason.
 */
const paths: Record<string, MeasuredPath> = {
  'GET page': { from: [...api, 'getPageById'], without: [...inSpace, ...ofWrites], files: 29, all: 113 },
  'a batch of edits': {
    from: [...api, 'updateChangeRequestContent', 'SpaceHead.edit'],
    without: [...inSpace, ...ofOtherChanges],
    ...{ files: 35, all: 127 },
  },
  'a merge': {
    from: [...api, 'mergeChangeRequest', 'SpaceHead.merge'],
    without: inSpace,
    ...{ files: 31, all: 109 },
  },
  'a comment': { from: [...api, 'postComment', 'readTargets'], without: inSpace, files: 29, all: 100 },
  'a published page': {
    from: ['serveGatewayRequest', 'serveSite', 'readPublishedSite', 'readSitePage'],
    without: [...ofOtherSiteRequests, ...ofOtherPages],
    ...{ files: 40, all: 218 },
  },
  'an import': {
    from: [...api, ...queue, 'importContent', 'importContentJob', 'SpaceHead.finishImport'],
    without: ofOtherRequests,
    ...{ files: 50, all: 187 },
  },
  'a PDF': {
    from: [...api, ...queue, 'getPDF', 'requestPdf', 'renderPdf'],
    without: ofOtherRequests,
    ...{ files: 36, all: 81 },
  },
};

const { follow, findFilesBehindLibraries } = createReadingPathFinder();

describe.each(Object.entries(paths))('%s', (_name, { from, without, ...most }) => {
  const { files, all, skipped } = follow(from, without);

  test('is implemented in a limited number of files', () => {
    expect(files.length, files.join('\n')).toBeLessThanOrEqual(most.files);
    expect(all.length, all.join('\n')).toBeLessThanOrEqual(most.all);
  });

  test('would otherwise include the functions that are left out', () => {
    expect(skipped).toEqual(without);
  });
});

test('libraries use neither requests nor the database', () => {
  expect(findFilesBehindLibraries()).toEqual([]);
});
